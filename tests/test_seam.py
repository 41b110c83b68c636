"""Real table processes on a medium that is slow, full, read-only, or fails in a flush, by a preloaded library."""

import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from controller.journal import verify
from tests.helpers_ledger import audit, rows
from tests.helpers_process import Bench, Running, chip, journal_of, opened, pause, press
from tests.test_sigkill import may_be_attract

SOURCE = Path(__file__).parent / "seam" / "seam.c"
MS = 1_000_000
SLOW_MS = 250
"""How long an SD card may be busy with one write, by its specification."""

needs_compiler = pytest.mark.skipif(
    shutil.which("gcc") is None,
    reason="the library between process and medium is compiled with gcc; there is none",
)
pytestmark = needs_compiler


class Call(NamedTuple):
    """A flush or write as the library saw it."""

    call: str
    name: str
    result: str
    size: int
    begin_ns: int
    end_ns: int


class Seam:
    """The library, its orders and its log."""

    def __init__(self, library: Path, folder: Path, own: Path) -> None:
        self._order, self._log = own / "order", own / "log"
        self.environ = {
            "LD_PRELOAD": str(library),
            "SEAM_DIR": str(folder),
            "SEAM_ORDER": str(self._order),
            "SEAM_LOG": str(self._log),
        }

    def order(self, what: str) -> None:
        """From the next call on; a new order begins to count anew."""
        draft = self._order.with_suffix(".new")
        draft.write_text(what)
        draft.replace(self._order)

    def calls(self) -> list[Call]:
        """All that was done so far."""
        if not self._log.exists():
            return []
        calls: list[Call] = []
        for line in self._log.read_text().splitlines():
            call, name, result, *numbers = line.split(" ")
            size, begin_ns, end_ns = map(int, numbers)
            calls.append(Call(call, name, result, size, begin_ns, end_ns))
        return calls

    def forget(self) -> None:
        self._log.unlink(missing_ok=True)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("seam") / "seam.so"
    flags = ("-Wall", "-Wextra", "-Werror", "-O2", "-shared", "-fPIC")
    subprocess.run(["gcc", *flags, "-o", made, SOURCE, "-ldl"], check=True)
    return made


@pytest.fixture
def seam(library: Path, tmp_path: Path) -> Seam:
    (tmp_path / "table").mkdir()
    (tmp_path / "own").mkdir()
    return Seam(library, tmp_path / "table", tmp_path / "own")


@pytest.fixture
def config(seam: Seam) -> Path:
    return opened(Path(seam.environ["SEAM_DIR"]))


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench()
    yield made
    made.close()


def started(config: Path, bench: Bench, seam: Seam) -> Running:
    return Running(config, bench, environ=seam.environ)


def seen_at(bench: Bench, line: str, since: int) -> int:
    """When a line was read for the first time after `since`."""
    return next(at_ns for at_ns, said in bench.seen if said == line and at_ns > since)


def test_on_a_slow_medium_slots_lock_at_once_and_lamps_wait_for_the_flush(
    config: Path, bench: Bench, seam: Seam
) -> None:
    with started(config, bench, seam) as running:
        running.ready()
        seam.order(f"slow {SLOW_MS}")
        fell = time.monotonic_ns()
        bench.say("on seat_3")
        pause(bench, 40)
        bench.say("off seat_3")
        bench.until(
            lambda: len(rows(journal_of(config))[-1].state["seats"][2].get("wager", "")) > 0, "the wager"
        )
        stored = next(
            call.end_ns for call in seam.calls() if call.call == "fdatasync" and call.begin_ns > fell
        )
        assert stored - fell > SLOW_MS * MS
        early = [at_ns for at_ns, line in bench.seen if line == "out lamp_3 on" and fell < at_ns < stored]
        assert all(may_be_attract(3, at_ns) for at_ns in early)
        pressed = time.monotonic_ns()
        bench.say("on coin_in")
        bench.until(lambda: "slots" not in bench.on, "the lock")
        locked = seen_at(bench, "out slots off", pressed)
        bench.until(
            lambda: "lamp_3" in bench.on and rows(journal_of(config))[-1].state["phase"] == "locked", "it"
        )
        flushed = [call for call in seam.calls() if call.call == "fdatasync" and call.begin_ns > pressed]
        assert locked < flushed[0].end_ns
        lit = [at_ns for at_ns, line in bench.seen if line == "out lamp_3 on" and at_ns > locked]
        assert all(at_ns > flushed[0].end_ns for at_ns in lit)
        bench.say("off coin_in")
        press(bench, "game_over")
        bench.until(lambda: "slots" in bench.on, "the next round")
        seam.order("")
    audit(journal_of(config))


def test_a_failed_flush_ends_the_process_and_is_never_tried_again(
    config: Path, bench: Bench, seam: Seam
) -> None:
    with started(config, bench, seam) as running:
        running.ready()
        before = rows(journal_of(config))
        seam.forget()
        seam.order("eio 1 -wal")
        bench.say("on seat_3")
        code, _, err = running.ended()
        seam.order("")
        assert code == 1
        assert "could not be written" in err
        assert "pozo journal verify" in err
        bench.read()
        assert bench.on == set()
        assert bench.heard("sign FUERA DE SERVICIO")
        calls = seam.calls()
        failed = next(number for number, call in enumerate(calls) if call.result == "EIO")
        assert calls[failed].name.endswith("-wal")
        assert [
            call for call in calls[failed + 1 :] if ".db" in call.name and "pulses" not in call.name
        ] == []
    restarted(config, bench, seam, before[-1].seq)


def restarted(config: Path, bench: Bench, seam: Seam, stored: int) -> None:
    """The next start writes the log anew and flushes it before it writes over one page of the journal."""
    seam.forget()
    with started(config, bench, seam) as running:
        running.ready()
        calls = [(call.call, call.name) for call in seam.calls() if call.name.startswith("mesa.db")]
        first_page = calls.index(("pwrite", "mesa.db"))
        again = calls.index(("pwrite", "mesa.db-wal"))
        assert again < calls.index(("fsync", "mesa.db-wal")) < first_page
        history = rows(journal_of(config))
        assert history[stored].event["kind"] in {"chip_dropped", "started"}
        chip(bench, 5)
        bench.until(
            lambda: rows(journal_of(config))[-1].state["seats"][4].get("wager") == "placed", "a new wager"
        )
    audit(journal_of(config))
    last = rows(journal_of(config))[-1]
    assert verify(journal_of(config)).bad is None
    assert last.seq > stored


@pytest.mark.parametrize("room", [0, 100, 3_000])
def test_on_a_full_medium_nothing_is_taken_and_play_goes_on_when_there_is_room(
    config: Path, bench: Bench, seam: Seam, room: int
) -> None:
    with started(config, bench, seam) as running:
        running.ready()
        seam.order(f"enospc {room}")
        for seat in (1, 2, 3):
            chip(bench, seat, ms=200)
        bench.until(lambda: "slots" not in bench.on, "the lock")
        taken = [seat.get("wager") for seat in rows(journal_of(config))[-1].state["seats"][:3]]
        for number, wager in enumerate(taken, start=1):
            assert wager == "placed" or f"lamp_{number}" not in bench.on
        assert running.process.poll() is None
        seam.order("")
        bench.until(
            lambda: any(row.event["kind"] == "storage_failed" for row in rows(journal_of(config))),
            "the record of the failure",
        )
        pause(bench, 100)
        # That records were missing is for a person to look at: the slots stay locked until then.
        assert "slots" not in bench.on
    counts = audit(journal_of(config)).counts
    assert sum(counts[seat, "dropped"] for seat in (1, 2, 3)) == 3


@pytest.mark.parametrize("order", ["eio 1 slot-", "enospc 0 slot-", "enospc 1000 slot-"])
def test_a_witness_that_cannot_be_written_lets_the_round_end_and_no_other_begin(
    config: Path, bench: Bench, seam: Seam, order: str
) -> None:
    def told(kind: str) -> bool:
        return any(row.event["kind"] == kind for row in rows(journal_of(config)))

    with started(config, bench, seam) as running:
        running.ready()
        chip(bench, 2)
        seam.forget()
        seam.order(order)
        bench.say("on coin_in")
        bench.until(lambda: told("witness_lost"), "the loss")
        assert rows(journal_of(config))[-1].state["phase"] == "locked"
        bench.say("off coin_in")
        failed = next(call for call in seam.calls() if call.result in {"EIO", "ENOSPC"})
        assert failed.name.startswith("mesa.witness/slot-")
        seam.order("")
        bench.until(lambda: told("witness_found"), "the witness")
        # What a failed flush left in a slot is never asked: a new file takes its place.
        slot = failed.name.removesuffix(".new")
        after = [(call.call, call.name) for call in seam.calls() if call.begin_ns > failed.end_ns]
        assert ("fsync", f"{slot}.new") in after
        press(bench, "game_over")
        bench.until(lambda: "slots" in bench.on, "the next round")
    audit(journal_of(config))


def test_a_medium_that_turns_read_only_ends_the_process_and_the_next_start_says_why(
    config: Path, bench: Bench, seam: Seam
) -> None:
    with started(config, bench, seam) as running:
        running.ready()
        before = rows(journal_of(config))
        seam.order("erofs")
        chip(bench, 3)
        code, _, err = running.ended()
        assert (code, "Traceback" in err) == (1, False), err
        assert str(journal_of(config)) in err
        bench.read()
        assert bench.on == set()
    assert rows(journal_of(config)) == before
    with started(config, bench, seam) as running:
        code, _, err = running.ended()
        assert (code, "Traceback" in err) == (1, False), err
        seam.order("")
    with started(config, bench, seam) as running:
        running.ready()
    audit(journal_of(config))
