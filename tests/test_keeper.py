"""What becomes of decisions, facts and chips while the medium does not take records."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from controller.clock import VirtualClock
from controller.core import events as ev
from controller.core.faults import FaultCode
from controller.core.state import Closure, Doing, Phase, Wager
from controller.core.table import commission, slots_open
from controller.drill.medium import Medium, MediumConnection
from controller.drill.play import settings_of
from controller.drill.statements import Part
from controller.drill.world import World
from controller.journal import (
    Entry,
    Finding,
    Head,
    Journal,
    JournalError,
    JournalIOError,
    records,
    schema,
    verify,
)
from controller.keeper import CHIPS_MAX, MEMORY_AGAIN_NS, RETRY_NS, Keeper
from controller.witness import Witness
from tests.helpers_game import GAME
from tests.helpers_powercut import CutMedium, Plug, hal_on

MS = 1_000_000
TABLE = "mesa-4"


def unsealed(_entries: Sequence[Entry], _at_ns: int) -> None:
    """These tests are about storing; signed heads have their own."""


class Bench:
    """A keeper on a medium that can be broken, and the clock between them."""

    def __init__(self) -> None:
        self.medium = Medium()
        self.clock = VirtualClock()
        event = ev.Commissioned(0, TABLE, "digest", "{}")
        table, results = commission(GAME, event)
        first = Entry(event, results, table)
        Journal.create(
            self.medium.journal, TABLE, first, 0, wall_trusted=True, connect=self.medium.connect
        ).close()
        self.opened = self.proved = 0
        self.medium.witness.mkdir()
        witness = Witness(self.medium.witness, TABLE, self.medium.files)
        self.keeper = Keeper(
            GAME, self.reopen(), self.clock, self.reopen, unsealed, prove=self.prove, witness=witness
        )

    def reopen(self) -> Journal:
        self.opened += 1
        return Journal.open(self.medium.journal, TABLE, self.medium.connect)

    def prove(self, head: Head) -> Finding | None:
        self.proved += 1
        return verify(self.medium.journal, head).bad

    def settle(self, *events: ev.AnyEvent) -> bool:
        """One turn of the loop: True if something was stored."""
        entries = self.keeper.decide(events)
        return bool(entries) and self.keeper.store(entries)

    def later(self, ns: int = RETRY_NS) -> None:
        self.clock.move_to(self.clock.monotonic_ns() + ns)

    def kinds(self) -> list[str]:
        return [record.kind for record in records(self.medium.journal)]

    def open_table(self) -> None:
        assert self.settle(
            ev.KeyTurned(1, ev.Key.SUPERVISOR, on=True), ev.LampTestStarted(2), ev.TableOpened(3)
        )


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench()
    yield made
    made.keeper.close()
    made.medium.close()


@pytest.mark.parametrize("part", [Part.DISK_FULL, Part.JOURNAL])
def test_F092_what_is_not_stored_did_not_happen(bench: Bench, part: Part) -> None:
    bench.open_table()
    before = bench.keeper.table
    bench.medium.fail(part)
    assert not bench.settle(ev.ChipDropped(10, 3))
    assert bench.keeper.failing
    assert bench.keeper.table is before
    assert bench.keeper.retry_ns == bench.clock.monotonic_ns() + RETRY_NS
    assert not bench.settle(ev.CoinInPressed(20))
    assert bench.keeper.table is before


@pytest.mark.parametrize("part", [Part.DISK_FULL, Part.JOURNAL])
def test_chips_seen_meanwhile_are_late_once_records_can_be_stored(bench: Bench, part: Part) -> None:
    bench.open_table()
    bench.medium.fail(part)
    bench.settle(ev.ChipDropped(10, 3))
    bench.settle(ev.ChipDropped(20, 5), ev.ChipDropped(30, 3), ev.CoinInPressed(40))
    bench.medium.mend()
    assert not bench.settle(), "before the next try is due nothing is tried"
    bench.later()
    assert bench.settle()
    table = bench.keeper.table
    assert not bench.keeper.failing
    assert bench.keeper.retry_ns is None
    assert table.phase is Phase.OPEN, "COIN IN pressed meanwhile did not happen"
    assert [seat.late for seat in table.seats] == [0, 0, 2, 0, 1, 0, 0]
    assert [seat.dropped for seat in table.seats] == [0, 0, 2, 0, 1, 0, 0]
    assert all(seat.wager is Wager.NONE for seat in table.seats)
    assert [fault.code for fault in table.faults] == [FaultCode.STORAGE_FAILED]
    assert bench.kinds()[-1] == "storage_failed"


def test_a_failure_that_goes_on_is_tried_again_each_second_and_told_once(bench: Bench) -> None:
    bench.open_table()
    stored = len(bench.kinds())
    bench.medium.fail(Part.DISK_FULL)
    bench.settle(ev.ChipDropped(10, 1))
    for _ in range(5):
        bench.later()
        assert not bench.settle()
    assert len(bench.kinds()) == stored
    bench.medium.mend()
    bench.later()
    assert bench.settle()
    assert bench.kinds()[stored:] == ["storage_failed"]
    assert bench.keeper.table.seats[0].late == 1
    assert bench.settle(ev.DealerChanged(50, "Ana")), "after it everything is stored at once again"


def test_a_second_failure_tells_only_its_own_chips(bench: Bench) -> None:
    bench.open_table()
    for seat in (1, 2):
        bench.medium.fail(Part.DISK_FULL)
        bench.settle(ev.ChipDropped(10 * seat, seat))
        bench.medium.mend()
        bench.later()
        assert bench.settle()
    assert [seat.late for seat in bench.keeper.table.seats] == [1, 1, 0, 0, 0, 0, 0]


def test_a_read_only_medium_gets_a_new_writer_on_the_same_records(bench: Bench) -> None:
    bench.open_table()
    before = list(records(bench.medium.journal))[-1]
    bench.medium.fail(Part.JOURNAL)
    bench.settle(ev.ChipDropped(10, 3))
    bench.later()
    assert not bench.settle(), "the medium is still read-only"
    bench.medium.mend()
    bench.later()
    assert bench.settle()
    assert bench.opened == 3, "once at the start, once in vain, once in health"
    after = list(records(bench.medium.journal))[-1]
    assert (after.seq, after.kind) == (before.seq + 1, "storage_failed")
    assert after.boot > before.boot


def test_a_full_medium_keeps_its_writer(bench: Bench) -> None:
    bench.medium.fail(Part.DISK_FULL)
    bench.settle(ev.KeyTurned(1, ev.Key.SUPERVISOR, on=True))
    bench.medium.mend()
    bench.later()
    assert bench.settle()
    assert bench.opened == 1


def test_a_journal_that_ends_elsewhere_after_a_failure_stops_the_process(bench: Bench) -> None:
    bench.open_table()
    bench.medium.fail(Part.JOURNAL)
    bench.settle(ev.ChipDropped(10, 3))
    bench.medium.mend()
    bench.keeper.close()
    other = bench.reopen()
    other.append([Entry(ev.DealerChanged(5, "Ana"), (ev.Noted(),), bench.keeper.table)], 0, wall_trusted=True)
    other.close()
    bench.later()
    with pytest.raises(
        JournalError, match=r"ends at record 5 after a failure, not at 4.*call the technician"
    ):
        bench.settle()


def test_a_failed_flush_is_never_tried_again(bench: Bench, tmp_path: Path) -> None:
    class Worn(sqlite3.Connection):
        worn = False

        def execute(self, sql: str, rows: object = (), /) -> sqlite3.Cursor:
            if self.worn and sql == schema.INSERT_SQL:
                error = sqlite3.OperationalError("disk I/O error")
                error.sqlite_errorcode, error.sqlite_errorname = (
                    sqlite3.SQLITE_IOERR_FSYNC,
                    "SQLITE_IOERR_FSYNC",
                )
                raise error
            return super().execute(sql, rows)  # type: ignore[arg-type]

    path = tmp_path / "journal.db"
    event = ev.Commissioned(0, TABLE, "digest", "{}")
    table, results = commission(GAME, event)
    first = Entry(event, results, table)
    Journal.create(path, TABLE, first, 0, wall_trusted=True).close()

    def reopen() -> Journal:
        def connect(file: Path) -> sqlite3.Connection:
            return sqlite3.connect(file, isolation_level=None, factory=Worn)

        return Journal.open(path, TABLE, connect)

    witness = Witness(bench.medium.witness, TABLE, bench.medium.files)
    keeper = Keeper(GAME, reopen(), bench.clock, reopen, unsealed, prove=bench.prove, witness=witness)
    Worn.worn = True
    entries = keeper.decide([ev.KeyTurned(1, ev.Key.SUPERVISOR, on=True)])
    with pytest.raises(JournalIOError, match="stop, check the medium"):
        keeper.store(entries)
    Worn.worn = False
    with pytest.raises(JournalIOError, match="stores nothing more in this session"):
        keeper.store(entries)
    assert not keeper.table.supervisor
    keeper.close()


def test_keys_lines_and_devices_are_told_as_they_stand_now(bench: Bench) -> None:
    """Turned on and off and on, jammed and free and jammed, lost and found: the newest counts, older ones do not."""
    bench.open_table()
    bench.medium.fail(Part.DISK_FULL)
    bench.settle(
        ev.KeyTurned(10, ev.Key.SUPERVISOR, on=False), ev.DeviceLost(11, FaultCode.SIGN_LOST, "unplugged")
    )
    bench.settle(ev.SeatJammed(20, 2, 5), ev.JamCleared(21, 2), ev.SeatJammed(22, 2, 21))
    bench.settle(ev.KeyTurned(30, ev.Key.SUPERVISOR, on=True), ev.KeyTurned(31, ev.Key.TECHNICIAN, on=True))
    bench.settle(ev.DeviceFound(40, FaultCode.SIGN_LOST), ev.ButtonStuck(41, ev.Button.GAME_OVER))
    bench.medium.mend()
    bench.later()
    assert bench.settle()
    table = bench.keeper.table
    assert (table.supervisor, table.technician) == (True, True)
    assert table.seats[1].closed is Closure.FAULT
    assert table.seats[1].line_active, "it jammed again after it was free"
    assert {fault.code for fault in table.faults} == {
        FaultCode.SEAT_JAMMED,
        FaultCode.GAME_OVER_STUCK,
        FaultCode.STORAGE_FAILED,
    }


def test_the_end_of_an_errand_is_told_though_it_came_meanwhile(bench: Bench) -> None:
    """Nobody says it twice: without it the table would show the errand as under way, and refuse the next one."""
    keys = (ev.KeyTurned(number, key, on=True) for number, key in enumerate(ev.Key))
    bench.settle(*keys, ev.BackupAsked(10))
    assert bench.keeper.table.doing == Doing(ev.Errand.BACKUP, 10)
    bench.medium.fail(Part.DISK_FULL)
    bench.settle(ev.ErrandEnded(20, ev.Errand.BACKUP, 10, ev.Became.DONE))
    bench.medium.mend()
    bench.later()
    assert bench.settle()
    assert bench.keeper.table.doing == Doing(ev.Errand.BACKUP, 10, ev.Became.DONE)


def test_chips_of_the_test_mode_and_of_a_faulty_line_move_no_meter(bench: Bench) -> None:
    assert bench.settle(ev.SeatJammed(1, 2, 0), ev.KeyTurned(2, ev.Key.TECHNICIAN, on=True))
    assert bench.keeper.table.phase is Phase.TEST
    bench.medium.fail(Part.DISK_FULL)
    bench.settle(ev.ChipDropped(10, 3))
    bench.medium.mend()
    bench.later()
    assert bench.settle()
    assert bench.keeper.table.seats[2].tested == 1
    assert bench.settle(ev.KeyTurned(30, ev.Key.TECHNICIAN, on=False))
    bench.medium.fail(Part.DISK_FULL)
    bench.settle(ev.ChipDropped(40, 2), ev.ChipDropped(41, 3))
    bench.medium.mend()
    bench.later()
    assert bench.settle()
    assert [seat.dropped for seat in bench.keeper.table.seats] == [0, 0, 1, 0, 0, 0, 0]
    assert [seat.late for seat in bench.keeper.table.seats] == [0, 0, 1, 0, 0, 0, 0]


def test_chips_beyond_the_limit_of_a_failure_are_told_as_a_number(bench: Bench) -> None:
    bench.open_table()
    bench.medium.fail(Part.DISK_FULL)
    for number in range(CHIPS_MAX + 7):
        bench.settle(ev.ChipDropped(10 + number, 1))
    bench.medium.mend()
    bench.later()
    assert bench.settle()
    last = list(records(bench.medium.journal))[-1].event
    assert isinstance(last, ev.StorageFailed)
    assert last.why.endswith("; 7 more chips fell than are counted here")
    assert bench.keeper.table.seats[0].late == CHIPS_MAX


class Forgetful(MediumConnection):
    """A connection that takes its good file for a damaged one, as often as asked."""

    left = 0

    def execute(self, sql: str, rows: object = (), /) -> sqlite3.Cursor:
        if sql == schema.INSERT_SQL and Forgetful.left:
            Forgetful.left -= 1
            error = sqlite3.DatabaseError("database disk image is malformed")
            error.sqlite_errorcode, error.sqlite_errorname = sqlite3.SQLITE_CORRUPT, "SQLITE_CORRUPT"
            raise error
        return super().execute(sql, rows)


@pytest.fixture
def forgetful(monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    monkeypatch.setattr(Medium, "connection", Forgetful)
    made = Bench()
    made.open_table()
    yield made
    Forgetful.left = 0
    made.keeper.close()
    made.medium.close()


def damaged_in_memory(bench: Bench, *events: ev.AnyEvent, times: int = 1) -> None:
    """The next writes find the journal damaged; then it is opened anew."""
    Forgetful.left = times
    assert not bench.settle(*events)
    for _ in range(times):
        bench.later()
        bench.settle()
    assert not bench.keeper.failing


def test_F090_a_journal_damaged_in_memory_only_is_proved_opened_anew_and_told_once(forgetful: Bench) -> None:
    before = forgetful.kinds()
    damaged_in_memory(forgetful, ev.ChipDropped(10, 3))
    assert forgetful.kinds() == [*before, "journal_reopened"]
    assert (forgetful.opened, forgetful.proved) == (2, 1)
    table = forgetful.keeper.table
    assert [fault.code for fault in table.faults] == [FaultCode.JOURNAL_REOPENED]
    assert table.seats[2].late == 1
    assert slots_open(GAME, table)
    assert forgetful.settle(ev.ChipDropped(20, 3))
    assert forgetful.keeper.table.seats[2].wager is Wager.PLACED


@pytest.mark.parametrize(("after_ns", "kind"), [(-1, "storage_failed"), (0, "journal_reopened")])
def test_F090_a_second_time_within_an_hour_is_a_table_fault(
    forgetful: Bench, after_ns: int, kind: str
) -> None:
    damaged_in_memory(forgetful, ev.DealerChanged(10, "Ana"))
    # It was whole again one `RETRY_NS` after it had failed; from then on the hour counts.
    forgetful.later(MEMORY_AGAIN_NS + after_ns)
    damaged_in_memory(forgetful, ev.DealerChanged(20, "Ana"))
    assert forgetful.kinds()[-1] == kind
    assert (FaultCode.STORAGE_FAILED in [fault.code for fault in forgetful.keeper.table.faults]) is (
        kind == "storage_failed"
    )


def test_F090_damaged_again_at_once_is_a_table_fault_too(forgetful: Bench) -> None:
    damaged_in_memory(forgetful, ev.DealerChanged(10, "Ana"), times=2)
    assert forgetful.kinds()[-1] == "storage_failed"


def test_F090_a_journal_that_is_damaged_on_the_medium_ends_the_process_and_is_kept(forgetful: Bench) -> None:
    forgetful.keeper.checkpoint()
    Forgetful.left = 1
    assert not forgetful.settle(ev.DealerChanged(10, "Ana"))
    with closing(sqlite3.connect(forgetful.medium.journal)) as other, other:
        other.execute("UPDATE journal SET event = replace(event, 'supervisor', 'technician') WHERE seq = 2")
    kept = forgetful.medium.journal.read_bytes()
    forgetful.later()
    with pytest.raises(JournalError, match="damaged at record 2: its content does not give its digest"):
        forgetful.settle()
    assert forgetful.opened == 1
    assert forgetful.medium.journal.read_bytes() == kept


@pytest.mark.parametrize("part", [Part.DISK_FULL, Part.JOURNAL])
def test_a_checkpoint_that_fails_is_a_failure_to_store(bench: Bench, part: Part) -> None:
    bench.open_table()
    bench.medium.fail(part)
    bench.keeper.checkpoint()
    assert bench.keeper.failing
    bench.medium.mend()
    bench.later()
    assert bench.settle()
    assert bench.kinds()[-1] == "storage_failed"


def on(world: World, line: str) -> bool:
    return world.hal.outputs[line]


@pytest.mark.parametrize("opens", [True, False])
def test_a_start_on_a_full_medium_makes_its_release_pulse_when_it_is_recorded(opens: bool) -> None:
    """Cut off during the pulse, started on a full medium: no pulse until the start is stored, then 500 ms of it."""
    medium = CutMedium(Plug())
    world = World(settings_of("simulated", {}), medium=medium, make_hal=hal_on(medium))
    try:
        world.power_on(open_table=True)
        world.pass_time(10_000 * MS)
        world.drive("coin_in", active=True)
        world.pass_time(100 * MS)
        assert on(world, "release")
        world.drive("coin_in", active=False)
        world.power_cut()
        if opens:
            medium.full = True
        else:
            medium.fail(Part.DISK_FULL)
        world.power_on(open_table=False)
        for _ in range(30):
            world.pass_time(100 * MS)
            assert not on(world, "release")
            assert not on(world, "slots")
        medium.mend()
        world.pass_time(1_000 * MS)
        assert on(world, "release")
        assert medium.stored()["phase"] == "locked"
        world.pass_time(600 * MS)
        assert not on(world, "release")
    finally:
        world.close()
