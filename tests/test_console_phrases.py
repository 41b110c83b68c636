"""The pages' words: both catalogues complete, every record has a sentence, and nothing is kept that nobody says."""

import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from controller.console.pages import _KINDS, _SCRIPT_WORDS
from controller.console.phrases import names
from controller.core import events as ev
from controller.core.faults import FaultCode
from controller.core.game import Hand, Role
from controller.core.state import Phase
from controller.journal.record import EVENT_KINDS, RESULT_KINDS
from controller.meters import meters
from controller.outputs import Lamp
from controller.sim.told import Power
from tests.helpers_console import TWO_AWARDS, phrases, played
from tests.helpers_world import powered, table

ROOT = Path(__file__).parent.parent
CONSOLE = ROOT / "controller" / "console"
HEADS = r'"([a-z_]+)"'


def catalogue(language: str) -> dict[str, str]:
    source = ROOT / "controller" / "words" / language / "LC_MESSAGES" / "console.po"
    with source.open("rb") as file:
        return {str(message.id): str(message.string) for message in read_po(file) if message.id}


def coded() -> set[str]:
    """Keys that are put together from a kind and a code."""
    kinds: dict[str, Iterable[str]] = {
        "event": EVENT_KINDS.values(),
        "result": RESULT_KINDS.values(),
        "lamp": Lamp,
        "phase": Phase,
        "button": ev.Button,
        "key": ev.Key,
        "role": Role,
        "user": ev.UserChange,
        "reason": ev.Reason,
        "how": ev.Payment,
        "turned": ("on", "off"),
        "line": (
            "seat",
            "coin_in",
            "game_over",
            "supervisor",
            "technician",
            "devices",
            "keypad",
            "operators",
        ),
        "at": ("seat",),
        "movement": ("begins", "wagers", "award", "reset", "correction", "transfer", "unexplained"),
    }
    return {f"{kind}.{code}" for kind, codes in kinds.items() for code in codes}


def spoken() -> set[str]:
    """Keys that stand in the pages, the scripts' list and the code."""
    text = "".join(
        path.read_text(encoding="utf-8") for path in CONSOLE.rglob("*") if path.suffix in {".py", ".html"}
    )
    return set(re.findall(r"\bui\.[a-z_]+", text)) | set(_SCRIPT_WORDS)


def headed() -> set[str]:
    """Keys of table heads, which the reports name by their last part."""
    text = (CONSOLE / "reports.py").read_text(encoding="utf-8")
    lists = re.findall(r"heads = [\[(](?:[^\])]*)[\])]", text)
    lists += re.findall(r"for head in \([^)]*\)", text)
    return {f"ui.{name}" for each in lists for name in re.findall(HEADS, each)}


def meter_keys() -> set[str]:
    with powered() as poker, powered({"game": "uy-montevideo-punto-banca"}) as punto:
        found = {**meters(table(poker)), **meters(table(punto))}
    return {f"meter.{name.rpartition('.')[2]}" for name in found}


def wanted() -> set[str]:
    tabs = {"ui.live", "ui.meters", "ui.awards", "ui.rounds", "ui.inputs", "ui.downloads"}
    exports = {"ui.export_csv", "ui.export_jsonl"}
    power = {f"ui.power_{each}" for each in Power}
    refusals = {"error.power_on", "error.power_off", "error.slot_covered", "error.no_medium"}
    refusals |= {"error.not_here", "error.unreadable", "error.lost", "error.too_many"}
    return coded() | spoken() | headed() | meter_keys() | tabs | exports | power | refusals


@pytest.mark.parametrize("language", ["es", "en"])
def test_every_word_of_the_pages_is_there_and_no_other(language: str) -> None:
    found = catalogue(language)
    assert set(found) == {key for key in wanted() if not key.endswith("_")}
    assert all(found.values())


def test_both_languages_say_the_same_values() -> None:
    spanish, english = catalogue("es"), catalogue("en")
    for key, text in spanish.items():
        assert set(names(text)) == set(names(english[key])), key


@pytest.mark.parametrize("kinds", [EVENT_KINDS, RESULT_KINDS], ids=["event", "result"])
def test_a_sentence_names_only_what_its_record_has(kinds: dict[type, str]) -> None:
    prefix = "event" if kinds is EVENT_KINDS else "result"
    for kind, code in kinds.items():
        fields = {*getattr(kind, "__struct_fields__"), "at"}  # noqa: B009, a struct's own list of fields
        assert set(names(catalogue("es")[f"{prefix}.{code}"])) <= fields, code


def test_the_scripts_know_every_lamp_and_phase() -> None:
    assert set(_KINDS["lamp"]) == set(Lamp)
    assert set(_KINDS["phase"]) == set(Phase)


def test_records_are_said_in_words(tmp_path: Path) -> None:
    from controller.journal import records

    said = {
        (record.what, *record.became)
        for record in map(phrases("es").record, records(played(tmp_path, TWO_AWARDS).journal))
    }
    assert ("Ficha en el asiento 2", "Apuesta colocada en el asiento 2") in said
    assert (
        "COIN IN",
        "No va más en el pase 1: asientos 2 5, $\N{NO-BREAK SPACE}20,00",
        "El pozo sube $\N{NO-BREAK SPACE}10,00 y queda en $\N{NO-BREAK SPACE}100.010,00",
    ) in said
    assert ("Llave del jefe de mesa: puesta",) in said
    assert ("El asiento 5 reclama: escalera real", "Premio pendiente en el asiento 5: escalera real") in said


def test_words_of_one_value_each() -> None:
    words = phrases("en")
    assert words.result(ev.FaultRaised(FaultCode.SEAT_JAMMED, 3)).startswith("Fault at seat 3: ")
    assert words.result(ev.FaultRaised(FaultCode.SIGN_LOST, 0)).startswith("Fault: ")
    assert words.result(ev.AwardRequested(4, Hand.FLUSH)) == "Award pending at seat 4: flush"
    with pytest.raises(KeyError, match="no_such_word"):
        words.raw("ui.no_such_word")
