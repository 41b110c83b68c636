"""What the table's unit runs: a new card, a mistake in the file and its repair, a new table's first keys."""

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from controller.core import events as ev
from controller.journal import ends_of
from controller.journal.read import records
from tests.helpers_cli import own_table
from tests.helpers_config import changed
from tests.helpers_process import Bench, Running, move, press

Happened = TypeVar("Happened", bound=ev.AnyEvent)

GOOD, BAD = "pulse_ms = 500", 'pulse_ms = "500"'


class Cabinet:
    """A table's boot partition and data partition, and its unit's program."""

    def __init__(self, folder: Path) -> None:
        self.boot, self.data = folder / "boot", folder / "data"
        self.boot.mkdir()
        self.data.mkdir()
        own_table(self.data, name="journal").rename(self.boot / "table.toml")
        self.config = self.data / "table.toml"
        self.journal = self.data / "journal.db"

    def edit(self, old: str, new: str) -> None:
        file = self.boot / "table.toml"
        file.write_text(changed(file.read_text(encoding="utf-8"), (old, new)), encoding="utf-8")

    def start(self, bench: Bench, environ: dict[str, str] | None = None) -> Running:
        program = ("-m", "controller", "appliance", "--from", str(self.boot))
        return Running(self.config, bench, program, environ)


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench()
    yield made
    made.close()


@pytest.fixture
def cabinet(tmp_path: Path) -> Cabinet:
    return Cabinet(tmp_path)


def shows(bench: Bench, *words: str) -> None:
    """Wait until the newest screen holds all these words."""

    def there() -> bool:
        screens = [line for _, line in bench.seen if line.startswith("screen ")]
        return bool(screens) and all(word in screens[-1] for word in words)

    bench.until(there, f"a screen with {words}")


def enter(bench: Bench, digits: str) -> None:
    """Digits and ENTER on the keypad."""
    bench.say(*(f"key {key}" for key in (*digits, "ENTER")))


def records_of(cabinet: Cabinet, kind: type[Happened]) -> list[Happened]:
    return [row.event for row in records(cabinet.journal) if isinstance(row.event, kind)]


def ends(running: Running) -> int:
    running.bench.until(lambda: running.process.poll() is not None, "the end of this start")
    return running.ended()[0]


def commission(cabinet: Cabinet, bench: Bench) -> None:
    """Both persons read, turn their keys and hold GAME OVER; then they note the key."""
    with cabinet.start(bench) as running:
        shows(bench, "MESA NUEVA SIM-1")
        for line in ("supervisor", "technician", "game_over"):
            move(bench, f"on {line}", 10)
        shows(bench, "MESA HABILITADA")
        for line in ("supervisor", "technician", "game_over"):
            move(bench, f"off {line}", 10)
        press(bench, "game_over")
        assert ends(running) == 1


def test_a_new_table_is_shown_whole_and_commissioned_by_both_keys_alone(
    cabinet: Cabinet, bench: Bench
) -> None:
    with cabinet.start(bench) as running:
        shows(
            bench,
            "MESA NUEVA SIM-1",
            "Mesa simulada - Poker Caribeño con Pozo Progresivo",
            "APUESTA $ 10,00, 7 ASIENTOS",
            "EMPIEZA CON $ 100.000,00, VUELVE CON $ 10.000,00, LÍMITE $ 10.000.000,00",
            "50 % DE CADA APUESTA, RESERVA 5 %",
            "ESCALERA REAL: 100 % DEL POZO",
            "COLOR: $ 500,00",
        )
        for one in ("supervisor", "technician"):
            move(bench, f"on {one}", 10)
            move(bench, "on game_over", 3_300)
            move(bench, "off game_over", 10)
            move(bench, f"off {one}", 10)
        assert not cabinet.journal.exists()
        running.process.terminate()
        assert running.ended()[0] == 0
    commission(cabinet, bench)
    last = ends_of(cabinet.journal)
    assert isinstance(last.first.event, ev.Commissioned)
    assert last.last.state.pot.levels[0].current == 10_000_000
    with cabinet.start(bench) as running:
        shows(bench, "MESA CERRADA")
        assert "slots" not in bench.on
        running.process.terminate()
        assert running.ended()[0] == 0


def test_the_first_persons_enter_their_pins_at_the_table_and_the_supervisor_opens_it_without_a_terminal(
    cabinet: Cabinet, bench: Bench
) -> None:
    cabinet.edit("pin = []", 'pin = ["supervisor", "technician"]')
    commission(cabinet, bench)
    with cabinet.start(bench) as running:
        shows(bench, "AÚN SIN USUARIOS", "LAS DOS LLAVES: CADA UNO")
        assert not {"slots", "release", "bell"} & bench.on
        for line in ("supervisor", "technician"):
            move(bench, f"on {line}", 10)
        for page, number in (("JEFE DE MESA NUEVO", "7"), ("TÉCNICO NUEVO", "12")):
            shows(bench, page, "NÚMERO: -")
            enter(bench, number)
            shows(bench, f"{number} - PIN NUEVO: -")
            enter(bench, "2580")
            shows(bench, "OTRA VEZ: -")
            assert records_of(cabinet, ev.UserChanged) == []
            enter(bench, "2580")
        shows(bench, "USUARIOS LISTOS", "Jefe de mesa 7", "Técnico 12", "VUELVA LAS DOS LLAVES")
        for line in ("supervisor", "technician"):
            move(bench, f"off {line}", 60)
        press(bench, "game_over")
        shows(bench, "MESA CERRADA")
        move(bench, "on supervisor", 60)
        enter(bench, "7")
        enter(bench, "2580")
        bench.until(
            lambda: records_of(cabinet, ev.PersonIdentified) != [], "the supervisor, known by his PIN"
        )
        running.process.terminate()
        assert running.ended()[0] == 0
    assert [each.number for each in records_of(cabinet, ev.UserChanged)] == [7, 12]
    assert b"2580" not in b"".join(file.read_bytes() for file in cabinet.data.glob("journal.db*"))
    with cabinet.start(bench) as running:
        shows(bench, "LLAVE DEL JEFE DE MESA")
        assert not any("SIN USUARIOS" in line for _, line in bench.seen), (
            "once there is somebody it is not asked"
        )


def test_a_table_without_persons_plays_on_where_game_over_says_not_now(
    cabinet: Cabinet, bench: Bench
) -> None:
    cabinet.edit("pin = []", 'pin = ["supervisor", "technician"]')
    commission(cabinet, bench)
    with cabinet.start(bench) as running:
        shows(bench, "AÚN SIN USUARIOS")
        press(bench, "game_over")
        shows(bench, "MESA CERRADA")
        running.process.terminate()
        assert running.ended()[0] == 0
    with cabinet.start(bench) as running:
        shows(bench, "AÚN SIN USUARIOS")
        running.process.terminate()
        assert running.ended()[0] == 0
    assert records_of(cabinet, ev.UserChanged) == []


def test_F101_a_mistake_is_shown_with_line_and_key_and_its_repair_starts_the_table_without_a_shell(
    cabinet: Cabinet, bench: Bench
) -> None:
    cabinet.edit(GOOD, BAD)
    line = (cabinet.boot / "table.toml").read_text().split(BAD)[0].count("\n") + 1
    with cabinet.start(bench) as running:
        # Without a file in force and without a journal no board is known: the process lives, and its log says why.
        assert running.process.stderr is not None
        said = running.process.stderr.readline() + running.process.stderr.readline()
        assert f"table.toml, line {line}: release.pulse_ms" in said.decode()
        cabinet.edit(BAD, GOOD)
        assert ends(running) == 1
    commission(cabinet, bench)
    cabinet.config.unlink()
    cabinet.edit(GOOD, BAD)
    with cabinet.start(bench) as running:
        shows(bench, "FUERA DE SERVICIO", f"table.toml - LÍNEA {line}", "release.pulse_ms", "NO SE ADMITE")
        bench.until(lambda: bench.heard("out lamp_7 on"), "lamps that wink")
        bench.until(lambda: bench.heard("out lamp_7 off"), "and go out again")
        assert not {"slots", "release", "bell"} & bench.on
        cabinet.edit(BAD, GOOD)
        assert ends(running) == 1
    with cabinet.start(bench) as running:
        shows(bench, "MESA CERRADA")


def test_F152_a_mistake_in_a_new_file_is_shown_and_the_table_goes_on_with_the_old_one(
    cabinet: Cabinet, bench: Bench, tmp_path: Path
) -> None:
    commission(cabinet, bench)
    before = cabinet.config.read_bytes()
    cabinet.edit('name = "Mesa simulada"', "name = “Mesa 4”")
    kept = {"RUNTIME_DIRECTORY": str(tmp_path)}
    with cabinet.start(bench, kept) as running:
        shows(bench, "ARCHIVO NUEVO NO TOMADO", "CARÁCTER RARO EN LA COLUMNA 8")
        press(bench, "game_over")
        shows(bench, "MESA CERRADA")
        running.process.terminate()
        assert running.ended()[0] == 0
    assert cabinet.config.read_bytes() == before
    with cabinet.start(bench, kept) as running:
        shows(bench, "MESA CERRADA")
        assert not any("ARCHIVO NUEVO" in line for _, line in bench.seen), "once a power-up is enough"
        running.process.kill()


def test_other_values_than_were_agreed_to_are_shown_and_wait_for_both_keys(
    cabinet: Cabinet, bench: Bench
) -> None:
    commission(cabinet, bench)
    cabinet.edit('reset_amount = "10000.00"', 'reset_amount = "20000.00"')
    with cabinet.start(bench) as running:
        shows(
            bench,
            "EL ARCHIVO NO DICE LO QUE SE ACORDÓ",
            "levels.main.reset_amount: 1000000 -> 2000000",
            "pozo commission",
        )
        running.process.terminate()
        assert running.ended()[0] == 0
    assert not [row for row in records(cabinet.journal) if isinstance(row.event, ev.ParametersChanged)]


def test_a_second_copy_leaves_the_table_s_displays_alone(cabinet: Cabinet, bench: Bench) -> None:
    commission(cabinet, bench)
    with cabinet.start(bench) as first:
        shows(bench, "MESA CERRADA")
        seen = len(bench.seen)
        second = Bench()
        try:
            with cabinet.start(second) as running:
                assert ends(running) == 1
            assert second.seen == []
        finally:
            second.close()
        assert bench.read() == []
        assert len(bench.seen) == seen
        first.process.terminate()
        assert first.ended()[0] == 0


def test_a_file_that_cannot_be_looked_at_keeps_no_table_from_its_displays(
    cabinet: Cabinet, bench: Bench
) -> None:
    """A name that leads nowhere, or a spoilt entry of a FAT: the unit ended before it had shown anything."""
    for folder in (cabinet.boot, cabinet.data):
        (folder / "before.toml").symlink_to("gone")
    with cabinet.start(bench) as running:
        shows(bench, "MESA NUEVA SIM-1")
        running.process.terminate()
        assert running.ended()[0] == 0
