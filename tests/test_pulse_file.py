"""The pulses beside the journal: written now and then, read by the console, never in anybody's way."""

from pathlib import Path

import pytest

from controller.config import load
from controller.console.phrases import Phrases
from controller.console.reports import inputs_report
from controller.inputs.pulses import Pulse, Pulses
from controller.pulse_file import EVERY_NS, PulseFile, path_of, read
from hal.interface import Edge
from tests.helpers_cli import own_table, pozo_run

MS = 1_000_000


def two_chips() -> Pulses:
    """Two chips at seat 3: 40 ms, 60 ms of rest, 41 ms."""
    pulses = Pulses()
    falls = ((0, 40), (100, 141))
    pulses.see(
        edge
        for fall, rise in falls
        for edge in (Edge("seat_3", True, fall * MS), Edge("seat_3", False, rise * MS))
    )
    return pulses


def test_what_is_written_is_read_back_newest_first(tmp_path: Path) -> None:
    journal = tmp_path / "pozo.db"
    file = PulseFile(journal)
    file.keep(two_chips().kept(), 7)
    assert file.due_ns == 7 + EVERY_NS
    assert read(journal) == {"seat_3": (Pulse(41 * MS, 60 * MS), Pulse(40 * MS, 0))}


def test_the_same_pulses_are_not_written_again(tmp_path: Path) -> None:
    journal = tmp_path / "pozo.db"
    file = PulseFile(journal)
    file.keep(two_chips().kept(), 0)
    path_of(journal).unlink()
    file.keep(two_chips().kept(), EVERY_NS)
    assert not path_of(journal).exists()


def test_a_missing_or_spoilt_file_is_no_pulses_and_said_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    journal = tmp_path / "pozo.db"
    assert read(journal) == {}
    path_of(journal).write_text("[1, 2")
    assert read(journal) == {}
    assert "cannot be read" in caplog.text


def test_a_medium_that_takes_nothing_is_said_and_tried_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = PulseFile(tmp_path / "gone" / "pozo.db")
    file.keep(two_chips().kept(), 0)
    assert "cannot be written" in caplog.text
    (tmp_path / "gone").mkdir()
    file.keep(two_chips().kept(), EVERY_NS)
    assert read(tmp_path / "gone" / "pozo.db")


def test_the_consoles_report_draws_widths_and_pauses(tmp_path: Path) -> None:
    file = own_table(tmp_path)
    assert pozo_run("commission", "--config", file, "--turn-keys").exit_code == 0
    settings = load(str(file))
    phrases = Phrases("es", settings)
    assert "Ningún programa" in inputs_report(phrases, settings.journal, 7)
    PulseFile(settings.journal).keep(two_chips().kept(), 0)
    page = inputs_report(phrases, settings.journal, 7)
    assert 'aria-label="Anchos de los últimos pulsos de seat_3"' in page
    assert "40.00 - 41.00 ms" in page
