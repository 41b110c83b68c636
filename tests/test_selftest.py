"""The technician's self-test on a simulated table, driven by a script."""

import re

import pytest
from babel.messages.pofile import read_po

from controller.core.events import Finding, PartTested
from controller.selftest.pattern import pattern
from controller.selftest.texts import Part, Say
from controller.selftest.walk import NOTE_MAX, STOPPED, STUCK, TIMED_OUT, swapped
from controller.words import CATALOGUES, LANGUAGES
from hal.interface import Device, Panel
from tests.helpers_selftest import LIMIT_S, Technician

SEATS = range(1, 8)
PARTS = [
    "coin_in", "game_over", "supervisor", "technician", *(f"seat_{n}" for n in SEATS), *(f"lamp_{n}" for n in SEATS),
    "bell", "slots_open", "slots_locked", "release", "screen", "sign", "keypad 7", "keypad ENTER",
]  # fmt: skip


def test_a_sound_table_passes_every_part_in_order() -> None:
    with Technician() as technician:
        while not technician.session.done:
            technician.good()
        found = technician.session.found
    assert [part.part for part in found] == PARTS
    assert {part.finding for part in found} == {Finding.OK}
    assert technician.session.summary() == ["26 bien, 0 con falla, 0 saltadas"]


def test_exactly_the_lamp_asked_about_is_lit() -> None:
    with Technician() as technician:
        technician.up_to("lamp_1")
        for seat in SEATS:
            assert technician.lit() == [f"lamp_{seat}"]
            technician.good()
        assert not technician.hal.outputs["lamp_7"]


def test_slots_are_open_only_while_they_are_asked_about_and_the_coil_is_held_as_in_play() -> None:
    with Technician() as technician:
        technician.up_to("slots_open")
        assert technician.lit() == ["slots"]
        technician.good()
        assert technician.asked == "slots_locked"
        assert technician.lit() == []
        technician.good()
        held = []
        for _ in range(100):
            held.append(technician.hal.outputs["release"])
            technician.wait(100)
        # Ten seconds in steps of 100 ms: a pulse of 500 ms at the start and one after 5 s.
        assert held == ([True] * 5 + [False] * 45) * 2


def test_the_bell_rings_one_second_in_three() -> None:
    with Technician() as technician:
        technician.up_to("bell")
        rings = []
        for _ in range(6):
            rings.append(technician.hal.outputs["bell"])
            technician.wait(1_000)
    assert rings == [True, False, False, True, False, False]


def test_F166_every_part_is_asked_for_by_its_gpio_and_its_header_pin() -> None:
    """The shipped simulated board: seat 3 on GPIO6, which is pin 31 of the header; lamp 1 on GPIO17, pin 11."""
    with Technician() as technician:
        technician.up_to("seat_3")
        assert technician.told[-1] == "[7/26] Eche una ficha: asiento 3 (GPIO6 = pin 31)"
        assert technician.hal.screen == ("ASIENTO 3", "GPIO6 = pin 31")
        technician.up_to("lamp_1")
        assert technician.told[-1] == "[12/26] ¿Está encendida solo esta luz? luz 1 (GPIO17 = pin 11)"


def test_F166_two_seats_wired_the_wrong_way_round_are_found_and_named() -> None:
    with Technician({"seat_3": "seat_4", "seat_4": "seat_3"}) as technician:
        technician.up_to("seat_3")
        technician.press("seat_3")
        assert technician.asked == "seat_3"
        assert technician.told[-1] == (
            "SE MOVIÓ EN SU LUGAR: asiento 4 (GPIO7 = pin 26). Si accionó asiento 3 (GPIO6 = pin 31), pulse Enter: "
            "los cables están cruzados"
        )
        assert technician.hal.screen == ("ASIENTO 3", "SE MOVIÓ: asiento 4 (GPIO7 = pin 26)")
        technician.say()
        assert technician.last == PartTested("seat_3", Finding.FAILED, "another line moved", ("seat_4",))
        technician.press("seat_4")
        technician.say()
        technician.session.stop()
        technician.wait(1)
    assert technician.session.summary()[0] == (
        "CRUZADOS: asiento 3 (GPIO6 = pin 31) y asiento 4 (GPIO7 = pin 26). Cambie los cables entre sí, o sus pines "
        "en el archivo de la placa"
    )


def test_a_chip_in_the_wrong_slot_by_mistake_costs_nothing() -> None:
    with Technician() as technician:
        technician.up_to("seat_3")
        technician.press("seat_5")
        technician.press("seat_3")
        assert technician.last == PartTested("seat_3", Finding.OK, "", ("seat_5",))
        assert not swapped(technician.session.found)


def test_a_wire_in_another_ones_place_alone_is_no_swap() -> None:
    found = (
        PartTested("seat_3", Finding.FAILED, "", ("seat_4",)),
        PartTested("seat_4", Finding.FAILED, "", ("seat_5",)),
    )
    assert swapped(found) == ()


def test_a_bounce_is_no_press_and_a_line_active_from_before_is_none_either() -> None:
    with Technician() as technician:
        technician.hal.drive("game_over", active=True)
        technician.press("coin_in", ms=9)
        assert technician.asked == "coin_in"
        technician.press("coin_in", ms=10)
        assert technician.last == PartTested("coin_in", Finding.OK)


def test_each_part_has_its_time_and_a_line_that_stays_active_is_told_from_a_dead_one() -> None:
    with Technician() as technician:
        technician.wait(LIMIT_S * 1_000 - 1)
        assert technician.asked == "coin_in"
        technician.wait(1)
        assert technician.last == PartTested("coin_in", Finding.FAILED, TIMED_OUT)
        technician.hal.drive("game_over", active=True)
        technician.wait(LIMIT_S * 1_000)
        assert technician.last == PartTested("game_over", Finding.FAILED, STUCK)


def test_skipping_wants_a_reason_and_no_has_one_if_given() -> None:
    with Technician() as technician:
        technician.say("s")
        assert technician.told[-1] == "Para saltarla hace falta un motivo: s MOTIVO"
        assert technician.asked == "coin_in"
        technician.say("S falta el botón")
        assert technician.last == PartTested("coin_in", Finding.SKIPPED, "falta el botón")
        technician.say("n roto")
        assert technician.last == PartTested("game_over", Finding.FAILED, "roto")
        technician.say("")
        assert technician.told[-1].startswith("Responde sola")
        technician.say("n " + "x" * 300)
        assert len(technician.last.note) == NOTE_MAX
        assert technician.last.note.endswith("...")
        assert technician.told[-1].startswith("[4/26]")


def test_what_nobody_knows_is_answered_with_what_is_allowed() -> None:
    with Technician(language="en") as technician:
        technician.up_to("lamp_2")
        technician.say("yes")
        assert technician.told[-1] == "Enter: yes - n REASON: no - s REASON: skip - q: end"
        assert technician.asked == "lamp_2"


def test_the_croupiers_buttons_answer_at_the_table_but_no_bounce_does() -> None:
    with Technician() as technician:
        technician.up_to("lamp_1")
        technician.press("coin_in")
        assert technician.asked == "lamp_1"
        technician.wait(300)
        technician.press("coin_in")
        assert technician.last == PartTested("lamp_1", Finding.OK)
        technician.wait(300)
        technician.press("game_over")
        assert technician.last == PartTested("lamp_2", Finding.FAILED, "GAME OVER")


@pytest.mark.parametrize(("part", "device"), [("sign", Device.SIGN), ("screen", Device.SCREEN)])
def test_a_device_known_not_to_answer_fails_without_being_looked_at(part: str, device: Device) -> None:
    with Technician() as technician:
        technician.hal.fail(device)
        while not technician.session.done:
            technician.good()
        failed = [part for part in technician.session.found if part.finding is not Finding.OK]
    assert failed == [PartTested(part, Finding.FAILED, "the simulation made it fail")]


def test_a_device_that_is_back_is_looked_at() -> None:
    with Technician() as technician:
        technician.hal.fail(Device.SIGN)
        technician.wait(1)
        technician.hal.mend(Device.SIGN)
        technician.up_to("sign")
        technician.wait(1)
        assert technician.asked == "sign"


def test_F036_the_sign_says_test_for_as_long_as_it_takes_and_its_page_when_asked_about() -> None:
    with Technician() as technician:
        assert technician.hal.signs == "PRUEBA"
        technician.up_to("sign")
        assert technician.hal.signs == "0123456789"
        technician.good()
        assert technician.hal.signs == "PRUEBA"


def test_every_dot_of_the_screen_is_lit_in_one_of_its_two_test_pictures() -> None:
    with Technician() as technician:
        technician.up_to("screen")
        pictures = []
        for _ in range(2):
            assert technician.hal.drawn is not None
            pictures.append(technician.hal.drawn.picture.pixels)
            technician.wait(2_000)
    both = bytes(one | other for one, other in zip(*pictures, strict=True))
    assert both == b"\xff" * (128 * 64 // 8)
    assert pictures[0] != pictures[1]


def test_the_pattern_has_a_frame_and_fields_of_eight_dots() -> None:
    """Three rows by hand: the frame's, one that begins light, and one eight further down that begins dark."""
    rows = pattern(Panel(32, 24)).pixels
    assert rows[0:4] == b"\xff\xff\xff\xff"
    assert rows[4:8] == b"\xff\x00\xff\x01"
    assert rows[32:36] == b"\x80\xff\x00\xff"


def test_a_key_of_the_keypad_that_was_not_asked_for_is_told() -> None:
    with Technician() as technician:
        technician.up_to("keypad 7")
        technician.hal.press_key("ENTER")
        technician.wait(1)
        assert "la tecla ENTER" in technician.told[-1]
        technician.good()
        assert technician.last == PartTested("keypad 7", Finding.OK, "", ("ENTER",))


def test_ended_early_it_keeps_what_was_found_and_skips_the_rest() -> None:
    with Technician() as technician:
        technician.up_to("game_over")
        technician.say("q")
        assert technician.session.done
        found = technician.session.found
    assert found[0] == PartTested("coin_in", Finding.OK)
    assert {(part.finding, part.note) for part in found[1:]} == {(Finding.SKIPPED, STOPPED)}
    assert len(found) == len(PARTS)


def test_a_told_stop_ends_with_the_next_turn_and_everything_is_off_at_the_end() -> None:
    with Technician() as technician:
        technician.up_to("slots_open")
        technician.session.stop()
        technician.wait(1)
        assert technician.session.done
        assert not any(technician.hal.outputs.values())
    assert not technician.hal.started


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_is_in_both_catalogues(language: str) -> None:
    with (CATALOGUES / language / "LC_MESSAGES" / "selftest.po").open("rb") as file:
        entries = {message.id: message.string for message in read_po(file) if message.id}
    assert set(entries) == {*Say, *Part}
    for key, words in entries.items():
        assert words
        assert set(re.findall(r"{\w+}", str(words))) == set(re.findall(r"{\w+}", str(key))), key


def test_no_sentence_keeps_a_gap_unfilled() -> None:
    with Technician({"seat_1": "seat_2"}) as technician:
        technician.up_to("seat_1")
        technician.press("seat_1")
        technician.say()
        while not technician.session.done:
            technician.good()
    assert not [line for line in technician.told if re.search(r"[{}]", line)]
