"""The pages on which a key's holder says who he is: with two buttons, with a keypad, and never in COIN IN's way."""

import pytest
from msgspec.structs import replace

from controller.core import events as ev
from controller.core.events import Key, Refusal
from controller.core.game import Role
from controller.core.money import Currency
from controller.core.state import Phase, Table
from controller.menu import SILENCE_NS, Verb
from controller.menu.ask import Nav
from controller.pages import screen
from controller.texts import Text
from controller.words import Words
from tests.helpers_game import GAME, chips, key, locked, new_table, opened, pending, play
from tests.helpers_menu import SECOND, Thumb
from tests.helpers_people import EVERYBODY, LUIS, Persons

SUP, TEC = Key.SUPERVISOR, Key.TECHNICIAN
ASKED = replace(GAME, pin=(Role.SUPERVISOR, Role.TECHNICIAN))
ES = Words("es", "es_UY", Currency.UYU, "Mesa 7")


def thumb(table: Table | None = None, users: Persons = EVERYBODY) -> Thumb:
    return Thumb(ASKED, new_table(ASKED) if table is None else table, users=users)


def said(at: Thumb) -> list[str]:
    return [ES.say(line) for line in at.lines]


def test_two_buttons_are_enough() -> None:
    at = thumb()
    at.turn(SUP)
    assert said(at)[0] == "PIN DEL JEFE DE MESA - ¿QUIÉN?"
    assert at.values == [7, 71, Nav.BACK]
    at.choose(71, 9, 0, 2, 1)
    assert said(at)[0] == "PIN DE Eva: ****"
    at.choose(0, Nav.DONE)
    assert at.table.supervisor_person == "Eva"
    assert at.menu.open, "and there is what she may do now"
    assert Verb.LAMP_TEST in at.values
    assert at.acts == [ev.PersonIdentified(at.now, SUP, "Eva", 71)]


def test_with_a_keypad_it_is_number_enter_pin_enter() -> None:
    at = thumb()
    at.turn(TEC)
    at.type(*"12")
    assert "NÚMERO 12" in said(at)
    at.type("ENTER", *"973")
    at.type("ENTER")
    assert at.table.technician_person == "", "ENTER before there are four digits means nothing"
    at.type("1", "ENTER")
    assert at.table.technician_person == "Luis"
    assert at.table.phase is Phase.TEST
    assert not at.menu.open


def test_a_number_that_nobody_has_chooses_nobody() -> None:
    at = thumb()
    at.turn(SUP)
    at.type("9", "ENTER")
    assert said(at)[0] == "PIN DEL JEFE DE MESA - ¿QUIÉN?"
    at.type("7")
    at.type("1", "ENTER")
    assert said(at)[0] == "PIN DE Eva: -", "71 is not 7"
    at.type("CLEAR", "7", "2", "CLEAR", "7", "ENTER")
    assert said(at)[0] == "PIN DE Ana: -"


def test_clear_takes_the_last_digit_away_and_eight_are_the_most() -> None:
    at = thumb()
    at.turn(SUP)
    at.type("7", "ENTER", *"1111", "CLEAR", "CLEAR")
    assert said(at)[0] == "PIN DE Ana: **"
    at.type(*"11111111")
    assert said(at)[0] == "PIN DE Ana: ********"
    assert at.values == [Nav.DONE, Nav.BACK]


def test_no_digit_that_was_entered_is_ever_shown() -> None:
    at = thumb()
    at.turn(SUP)
    at.type("7", "ENTER")
    for digit in "2580":
        before = said(at)[1:]
        at.type(digit)
        assert [line for line in said(at)[1:] if line not in {*before, "- LISTO", "> LISTO"}] == []


def test_a_wrong_pin_is_told_and_the_page_asks_again() -> None:
    at = thumb()
    at.turn(SUP)
    at.type("7", "ENTER", *"1112", "ENTER")
    assert said(at)[:3] == [
        "PIN DEL JEFE DE MESA - ¿QUIÉN?",
        "NO SE HIZO: PIN EQUIVOCADO",
        "PIN EQUIVOCADO - ESPERE 2 s",
    ]
    at.type("7", "ENTER", *"2580", "ENTER")
    assert at.acts[-1] == ev.PinNotTried(at.now, Role.SUPERVISOR, 7, Refusal.PIN_WAIT)
    at.now += 2 * SECOND
    at.type("7", "ENTER", *"2580", "ENTER")
    assert at.table.supervisor_person == "Ana"


@pytest.mark.parametrize(
    ("users", "why"),
    [
        (Persons(), Refusal.NO_USERS),
        (Persons(LUIS), Refusal.NO_USERS),
        (Persons(replace(EVERYBODY.people.known[0], has_pin=False)), Refusal.NO_USERS),
        (Persons(readable=False), Refusal.USERS_UNREADABLE),
    ],
)
def test_with_nobody_to_ask_the_table_says_what_to_do(users: Persons, why: Refusal) -> None:
    at = thumb(users=users)
    at.turn(SUP)
    assert at.acts == [ev.PinNotTried(at.now, Role.SUPERVISOR, 0, why)]
    assert ES.tell(f"refusal.{why}") in " ".join(said(at))


def test_a_locked_entry_asks_nobody() -> None:
    at = thumb()
    for _ in range(5):
        at.decide(ev.PinRefused(at.now, Role.SUPERVISOR, 7))
    at.turn(SUP)
    assert at.acts == [ev.PinNotTried(at.now, Role.SUPERVISOR, 0, Refusal.PIN_LOCKED)]
    at.turn(TEC)
    assert said(at)[0] == "PIN DEL TÉCNICO - ¿QUIÉN?", "the other key's holder is asked as ever"


def test_the_key_turned_back_takes_the_page_and_what_was_typed_away() -> None:
    at = thumb()
    at.turn(SUP)
    at.type("7", "ENTER", *"258")
    at.turn(SUP, on=False)
    assert not at.menu.open
    assert at.menu.path == ()
    at.turn(SUP)
    at.type("7", "ENTER")
    assert said(at)[0] == "PIN DE Ana: -"


def test_the_page_does_not_come_over_an_act_that_is_half_entered() -> None:
    at = thumb(locked(1, 2))
    at.hold()
    at.choose(Verb.DISCREPANCY)
    before = at.asked
    at.turn(SUP)
    assert at.asked == before
    at.turn(SUP, on=False)
    assert at.asked == before


def test_without_a_policy_no_page_opens_and_no_pin_is_offered() -> None:
    at = Thumb(GAME, new_table(), users=EVERYBODY)
    at.turn(SUP)
    assert not at.menu.open
    at.hold()
    assert Verb.SUPERVISOR_PIN not in at.values


def test_in_test_no_page_opens() -> None:
    at = thumb()
    at.turn(TEC)
    at.type(*"12", "ENTER", *"9731", "ENTER")
    at.turn(SUP)
    assert not at.menu.open


def test_coin_in_locks_over_the_page_and_closes_it() -> None:
    at = thumb(play(ASKED, opened(), chips(1, 3)))
    at.turn(SUP)
    at.type("7", "ENTER", *"25")
    at.coin_in()
    assert (at.table.phase, at.menu.open) == (Phase.LOCKED, False)


def test_silence_closes_the_page_and_the_screen_goes_on_saying_what_is_missing() -> None:
    at = thumb()
    at.turn(SUP)
    at.type("7", "ENTER", "2")
    at.wait(SILENCE_NS)
    assert not at.menu.open
    assert [line.text for line in screen(ASKED, at.table)] == [
        Text.CLOSED,
        Text.SUPERVISOR_WANTED,
        Text.NEXT_PIN,
    ]


def test_the_screen_says_who_is_there() -> None:
    acts: list[ev.AnyEvent] = [key(True), key(True, TEC), ev.PersonIdentified(1, SUP, "Ana", 7)]
    lines = [ES.say(line) for line in screen(ASKED, play(ASKED, new_table(ASKED), acts))]
    assert lines == [
        "MESA CERRADA",
        "JEFE DE MESA: Ana",
        "LLAVE DEL TÉCNICO - FALTA EL PIN",
        "PARA EL PIN: MANTENGA GAME OVER",
    ]


def test_a_claim_says_that_the_pin_is_missing_and_what_the_award_would_be() -> None:
    table = pending({2: GAME.prizes[-1].hand})
    lines = screen(ASKED, table)
    assert lines[-1].text is Text.NEXT_PIN
    assert Text.BY_TABLE in {line.text for line in lines}
    there = play(ASKED, table, [ev.PersonIdentified(90, SUP, "Ana", 7)])
    assert screen(ASKED, there)[-1].text is Text.NEXT_HOLD_TO_APPROVE


def test_a_dealer_whose_number_is_known_is_read_back_by_name() -> None:
    at = Thumb(GAME, opened(), users=EVERYBODY)
    at.type("DEALER", *"41", "ENTER")
    assert said(at)[0] == "CROUPIER 41 - ¿ES Rosa?"
    at.type("ENTER")
    assert at.acts == [ev.DealerChanged(at.now, "41", "Rosa")]
    at.type("DEALER", *"99", "ENTER")
    assert at.acts[-1] == ev.DealerChanged(at.now, "99"), "a number nobody knows is taken as before"


def test_a_dealer_enters_his_pin_where_the_policy_asks() -> None:
    asked = replace(GAME, pin=(Role.DEALER,))
    at = Thumb(asked, opened(asked), users=EVERYBODY)
    at.type("DEALER", *"41", "ENTER", *"8042", "ENTER")
    assert at.acts == [ev.DealerChanged(at.now, "41", "Rosa", identified=True)]
    at.type("DEALER", *"99", "ENTER", *"8042", "ENTER")
    assert at.acts[-1] == ev.PinRefused(at.now, Role.DEALER, 99)
    empty = Thumb(asked, opened(asked), users=Persons())
    empty.type("DEALER", *"41", "ENTER")
    assert empty.acts == [ev.PinNotTried(empty.now, Role.DEALER, 41, Refusal.NO_USERS)]
