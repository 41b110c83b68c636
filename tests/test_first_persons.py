"""A new table's first persons, entered at the table itself: pages, keys, and what is stored. No process."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.appliance.enrolment import SILENCE_NS, Enrolment
from controller.appliance.entering import Entering, Pages
from controller.appliance.standby import TURN_NS, Until
from controller.appliance.telling import Phrases
from controller.appliance.texts import Say
from controller.clock import VirtualClock
from controller.config import Settings, load
from controller.core import events as ev
from controller.core.game import Role
from controller.journal import ends_of, records
from controller.screen.layout import pages as screen_pages
from controller.users import Desk, Store, User, UsersError
from controller.users.first import Entered, add_first, known, roles_lacking
from controller.words import LANGUAGES, Words
from hal.interface import PANELS, ScreenKind
from hal.simulated import SimulatedHal
from tests.helpers_cli import own_table, pozo_run

SECOND = 1_000_000_000
MS = 1_000_000
KEYS = ("supervisor", "technician")
BOTH = (Role.SUPERVISOR, Role.TECHNICIAN)
PUNTO = "uy-montevideo-punto-banca"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A commissioned table that asks both for PINs and knows nobody."""
    file = own_table(tmp_path, {"pin = []": 'pin = ["supervisor", "technician"]'})
    assert pozo_run("commission", "--config", file, "--turn-keys").exit_code == 0
    return load(str(file))


def pages_of(settings: Settings, users: tuple[User, ...] = (), language: str = "es") -> Pages:
    words = Words(language, settings.locale, settings.game.currency, settings.name)
    return Pages(BOTH, users, Phrases(language), words)


class Table:
    """The simulated table's hardware, its two holders at it."""

    def __init__(self, settings: Settings, users: tuple[User, ...] = ()) -> None:
        self.clock = VirtualClock()
        self.clock.move_to(10 * SECOND)
        self.hal = SimulatedHal(settings.wiring, self.clock.monotonic_ns)
        self.asks = Enrolment(self.hal, settings, self.clock, pages_of(settings, users), Until(None))

    def start(self) -> "Table":
        self.asks.start()
        self.wait(0.2)
        return self

    def wait(self, seconds: float) -> None:
        end = self.clock.monotonic_ns() + int(seconds * SECOND)
        while self.clock.monotonic_ns() < end and not self.asks.over:
            self.clock.move_to(min(self.clock.monotonic_ns() + TURN_NS, end))
            self.asks.turn()

    def turn_keys(self, *, on: bool, names: tuple[str, ...] = KEYS) -> None:
        for name in names:
            self.hal.drive(name, active=on)
        self.wait(0.3)

    def type(self, *keys: str) -> None:
        for key in keys:
            self.hal.press_key(key)
            self.wait(0.05)

    def number(self, text: str) -> None:
        """A whole number or PIN, and ENTER."""
        self.type(*text, "ENTER")

    def press(self, button: str = "game_over", seconds: float = 0.15) -> None:
        self.hal.drive(button, active=True)
        self.wait(seconds)
        self.hal.drive(button, active=False)
        self.wait(0.3)

    def choose(self, further: int) -> None:
        """Two buttons: so many places further, then held."""
        for _ in range(further):
            self.press()
        self.press(seconds=1.6)

    @property
    def says(self) -> tuple[str, ...]:
        return self.hal.screen

    @property
    def page(self) -> str:
        return self.says[0]


@pytest.fixture
def table(settings: Settings) -> Iterator[Table]:
    made = Table(settings).start()
    yield made
    made.asks.close()


def enter_both(table: Table) -> None:
    for number, pin in (("7", "2580"), ("12", "9731")):
        for typed in (number, pin, pin):
            table.number(typed)


LED = (
    Entered(Role.SUPERVISOR, "Jefe de mesa 7", 7, "2580"),
    Entered(Role.TECHNICIAN, "Técnico 12", 12, "9731"),
)


def test_both_keys_lead_through_number_and_pin_of_supervisor_and_technician(table: Table) -> None:
    assert table.says == (
        "AÚN SIN USUARIOS",
        "LAS DOS LLAVES: CADA UNO SU NÚMERO Y SU PIN",
        "¿SIN TECLADO? GAME OVER: SIGUIENTE - MANTENER: ELEGIR",
        "SIN USUARIOS: GAME OVER",
    )
    table.turn_keys(on=True)
    assert table.page == "JEFE DE MESA NUEVO - NÚMERO: -"
    assert "> 0" in table.says
    table.number("7")
    assert table.page == "JEFE DE MESA 7 - PIN NUEVO: -"
    table.type("2", "5", "8", "0")
    assert table.page == "JEFE DE MESA 7 - PIN NUEVO: ****"
    table.type("ENTER")
    assert table.page == "JEFE DE MESA 7 - OTRA VEZ: -"
    table.number("2580")
    assert table.page == "TÉCNICO NUEVO - NÚMERO: -"
    for typed in ("12", "9731", "9731"):
        assert not table.asks.over
        table.number(typed)
    assert table.asks.over
    assert table.asks.entered == LED


def test_a_game_with_more_seats_than_the_board_has_slots_gets_its_persons_too(tmp_path: Path) -> None:
    """Punto y Banca: sixteen seats, no wager in the slots, a board of seven."""
    changes = {"pin = []": 'pin = ["supervisor", "technician"]', "uy-montevideo-caribbean": PUNTO}
    settings = load(str(own_table(tmp_path, changes)))
    assert (settings.game.seats, settings.slots) == (16, 7)
    table = Table(settings).start()
    table.turn_keys(on=True)
    enter_both(table)
    assert table.asks.entered == LED
    table.asks.close()


def test_the_two_buttons_do_it_too(table: Table) -> None:
    table.turn_keys(on=True)
    for digits, done in (("7", 10), ("2580", 10), ("2580", 10), ("12", 10), ("9731", 10), ("9731", 10)):
        for digit in digits:
            table.choose(int(digit))
        table.choose(done)
    assert table.asks.entered == LED


def test_a_button_that_went_down_on_the_page_before_does_nothing_on_this_one(table: Table) -> None:
    table.turn_keys(on=True)
    table.hal.drive("game_over", active=True)
    table.wait(0.1)
    table.type("7")
    table.hal.drive("game_over", active=False)
    table.wait(0.3)
    assert "> 0" in table.says
    table.press()
    assert "> 1" in table.says


def test_coin_in_and_clear_take_the_last_digit_or_page_back(table: Table) -> None:
    table.turn_keys(on=True)
    table.type("7", "1", "CLEAR")
    assert table.page == "JEFE DE MESA NUEVO - NÚMERO: 7"
    table.type("ENTER")
    table.press("coin_in")
    assert table.page == "JEFE DE MESA NUEVO - NÚMERO: -"
    for typed in ("7", "2580"):
        table.number(typed)
    table.type("CLEAR")
    assert table.page == "JEFE DE MESA 7 - PIN NUEVO: -"
    for typed in ("2580", "2580"):
        table.number(typed)
    table.type("CLEAR")
    assert table.page == "JEFE DE MESA NUEVO - NÚMERO: -"
    table.type("CLEAR")
    assert table.page == "JEFE DE MESA NUEVO - NÚMERO: -"
    enter_both(table)
    assert table.asks.entered == LED


@pytest.mark.parametrize("name", KEYS)
def test_a_key_turned_back_forgets_everything_and_says_so(table: Table, name: str) -> None:
    table.turn_keys(on=True)
    for typed in ("7", "2580", "2580", "12", "9731"):
        table.number(typed)
    table.turn_keys(on=False, names=(name,))
    assert table.says[:2] == ("AÚN SIN USUARIOS", "LLAVE VUELTA ATRÁS - NO SE GUARDÓ NADA")
    table.number("9731")
    assert (table.asks.over, table.asks.entered) == (False, ())
    table.turn_keys(on=True, names=(name,))
    assert table.page == "JEFE DE MESA NUEVO - NÚMERO: -"
    enter_both(table)
    assert table.asks.entered == LED


@pytest.mark.parametrize("name", KEYS)
def test_one_key_asks_nothing(table: Table, name: str) -> None:
    table.turn_keys(on=True, names=(name,))
    enter_both(table)
    assert table.page == "AÚN SIN USUARIOS"
    assert not table.asks.over


def test_silence_forgets_what_was_entered_and_says_so(table: Table) -> None:
    table.turn_keys(on=True)
    table.wait(2 * SILENCE_NS / SECOND)
    assert len(table.says) == 4, "before the first digit there is nothing to forget"
    table.number("7")
    table.wait(SILENCE_NS / SECOND - 1)
    assert table.page == "JEFE DE MESA 7 - PIN NUEVO: -"
    table.wait(2)
    assert table.says[:2] == ("JEFE DE MESA NUEVO - NÚMERO: -", "NADIE SIGUIÓ - NO SE GUARDÓ NADA")
    enter_both(table)
    assert table.asks.entered == LED


@pytest.mark.parametrize("pin", ["7777", "3456", "9876"])
def test_an_easy_pin_is_refused_and_another_one_is_taken(table: Table, pin: str) -> None:
    table.turn_keys(on=True)
    for typed in ("7", pin):
        table.number(typed)
    assert table.says[:2] == (
        "JEFE DE MESA 7 - PIN NUEVO: -",
        "PIN MUY FÁCIL - OTRO",
    )
    table.type("2")
    assert table.page == "JEFE DE MESA 7 - PIN NUEVO: *"
    assert "FÁCIL" not in " ".join(table.says)


def test_one_s_own_number_is_no_pin(table: Table) -> None:
    table.turn_keys(on=True)
    for typed in ("4711", "4711"):
        table.number(typed)
    assert "PIN MUY FÁCIL" in table.says[1]


def test_two_pins_that_differ_are_both_asked_again(table: Table) -> None:
    table.turn_keys(on=True)
    for typed in ("7", "2580", "2581"):
        table.number(typed)
    assert table.says[:2] == (
        "JEFE DE MESA 7 - PIN NUEVO: -",
        "LOS DOS PINES NO SON IGUALES - LOS DOS DE NUEVO",
    )


def test_less_than_four_digits_are_no_pin_yet(table: Table) -> None:
    table.turn_keys(on=True)
    table.number("7")
    table.number("258")
    assert table.page == "JEFE DE MESA 7 - PIN NUEVO: ***"


def test_a_number_is_one_person_s(settings: Settings) -> None:
    table = Table(settings, (User(41, "Rosa", Role.DEALER),)).start()
    table.turn_keys(on=True)
    for number in ("41", "0"):
        table.number(number)
        assert table.says[:2] == (
            "JEFE DE MESA NUEVO - NÚMERO: -",
            "NÚMERO OCUPADO - OTRO, DESDE 1",
        )
    for typed in ("7", "2580", "2580", "7"):
        table.number(typed)
    assert table.says[:2] == ("TÉCNICO NUEVO - NÚMERO: -", "NÚMERO OCUPADO - OTRO, DESDE 1")
    table.asks.close()


def test_game_over_goes_on_without_and_only_while_a_key_is_missing(table: Table) -> None:
    table.turn_keys(on=True)
    table.press()
    assert not table.asks.over
    table.turn_keys(on=False)
    table.press()
    assert (table.asks.over, table.asks.declined, table.asks.entered) == (True, True, ())


def test_keys_left_turned_from_the_commissioning_lead_at_once_and_the_button_held_then_does_nothing(
    settings: Settings,
) -> None:
    table = Table(settings)
    for line in (*KEYS, "game_over"):
        table.hal.drive(line, active=True)
    table.start()
    assert table.page == "JEFE DE MESA NUEVO - NÚMERO: -"
    table.wait(3)
    table.hal.drive("game_over", active=False)
    table.wait(1)
    assert table.page == "JEFE DE MESA NUEVO - NÚMERO: -"
    table.asks.close()


def test_neither_a_repr_nor_the_sign_nor_any_screen_tells_a_pin(table: Table) -> None:
    table.turn_keys(on=True)
    table.number("7")
    table.type("2", "5", "8", "0")
    assert "2580" not in " ".join((*table.says, table.hal.signs, repr(LED)))
    assert "2580" not in repr(Entering(LED, 7, "2580", (2, 5, 8, 0)))


def test_they_are_stored_in_one_session_as_the_command_does_and_nobody_is_asked_again(
    settings: Settings,
) -> None:
    assert roles_lacking(settings) == BOTH
    clock = VirtualClock()
    add_first(settings, clock, LED)
    told = [
        (each.event.name, each.event.number, each.event.role, each.event.change, each.event.supervisor)
        for each in records(settings.journal)
        if isinstance(each.event, ev.UserChanged) and not each.refused
    ]
    assert told == [
        ("Jefe de mesa 7", 7, Role.SUPERVISOR, ev.UserChange.ADDED, ""),
        ("Técnico 12", 12, Role.TECHNICIAN, ev.UserChange.ADDED, ""),
    ]
    desk = Desk(settings.journal, ends_of(settings.journal).last.state.users)
    assert desk.right(7, Role.SUPERVISOR, "2580")
    assert desk.right(12, Role.TECHNICIAN, "9731")
    assert not desk.right(12, Role.TECHNICIAN, "2580")
    assert roles_lacking(settings) == ()
    listed = pozo_run("users", "list", "--config", settings.source)
    assert listed.output == "     7 Jefe de mesa 7: supervisor, PIN\n    12 Técnico 12: technician, PIN\n"
    assert pozo_run("journal", "verify", settings.journal).exit_code == 0


def test_one_that_the_list_does_not_allow_leaves_it_without_the_other_too(settings: Settings) -> None:
    twice = (LED[0], Entered(Role.TECHNICIAN, "Técnico 7", 7, "9731"))
    with pytest.raises(UsersError):
        add_first(settings, VirtualClock(), twice)
    assert known(settings) == ()


def test_where_a_role_has_somebody_only_a_terminal_adds(settings: Settings) -> None:
    typed = "2580\n2580\n"
    add = ("users", "add", "Ana", "--role", "supervisor", "--number", 7)
    assert pozo_run(*add, "--config", settings.source, "--turn-keys", typed=typed).exit_code == 0
    assert roles_lacking(settings) == ()


def test_a_list_that_was_lost_is_not_begun_anew_at_the_table(settings: Settings) -> None:
    add_first(settings, VirtualClock(), LED)
    Store(settings.journal).path.unlink()
    done = pozo_run("users", "restore", "--config", settings.source, "--turn-keys")
    assert done.exit_code == 0, done.output
    assert all(each.pin is None for each in known(settings))
    assert roles_lacking(settings) == ()


def test_a_table_that_asks_nobody_for_a_pin_leads_nobody(tmp_path: Path) -> None:
    file = own_table(tmp_path)
    assert pozo_run("commission", "--config", file, "--turn-keys").exit_code == 0
    assert roles_lacking(load(str(file))) == ()


def test_what_keeps_the_table_from_starting_comes_first(settings: Settings) -> None:
    text = settings.source.read_text()
    settings.source.write_text(text.replace('reset_amount = "10000.00"', 'reset_amount = "20000.00"'))
    assert roles_lacking(load(str(settings.source))) == ()
    settings.source.write_text(text)
    assert roles_lacking(load(str(settings.source))) == BOTH
    shutil.rmtree(settings.witness)
    assert roles_lacking(load(str(settings.source))) == ()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_fits_the_small_screen_in_one_picture(settings: Settings, language: str) -> None:
    """What is entered must not turn away by itself while it is entered."""
    pages = pages_of(settings, language=language)
    for at in (
        Entering(marked=0),
        Entering(number=999_999),
        Entering(LED[:1], 999_999, "2580", (1, 2, 3, 4, 5, 6, 7, 8)),
        Entering(LED[:1], 0, "", (9, 9, 9, 9, 9, 9)),
    ):
        assert len(screen_pages(pages.lines(at), PANELS[ScreenKind.SSD1306])) == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_whoever_has_not_begun_is_told_what_the_buttons_do(settings: Settings, language: str) -> None:
    """With both keys on already, no page before it says so."""
    pages, told = pages_of(settings, language=language), Phrases(language).tell(Say.DIGITS)
    for done in ((), LED[:1]):
        assert told in pages.lines(Entering(done))
        for begun in (Entering(done, marked=1), Entering(done, path=(1,)), Entering(done, number=7)):
            assert told not in pages.lines(begun)
