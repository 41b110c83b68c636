"""Sessions of a whole table on a recorded disk, and what must be true of every state that the disk may be left in.

What was promised is taken from outside the program: the rows that SQLite was given, and the batches of which those
who watch were told. A state is opened by the real program, and what it shows is compared with those.
"""

import random
import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from controller import loop
from controller.core import events as ev
from controller.core.game import Hand
from controller.drill.play import settings_of
from controller.drill.world import World
from controller.journal import Entry, JournalIOError
from controller.journal.record import columns_of
from controller.soak.disk import MEMORY, LossyConnection, LossyMedium, write_tree
from controller.soak.disk_calls import PowerCut
from controller.soak.disk_model import Tree
from controller.soak.disk_ops import Op, Trouble
from tests.helpers_ledger import RATES
from tests.helpers_world import SECOND, chip, key, press

WITNESS = "second/witness"
QUIET_BYTES = 16 * 1024
TABLE = settings_of("simulated", RATES)


Texts = tuple[str, str, str]
"""A row's event, results and state."""


class Batch(NamedTuple):
    """Rows as SQLite was given them."""

    begun: int
    """How many things had been done to the disk by then."""
    seq: int
    """The number of the last of them."""
    rows: list[Texts]


class Promise(NamedTuple):
    """From `since` on, those who watch had been told of a batch with this row in it."""

    since: int
    row: Texts


class Segment(NamedTuple):
    """What was done to a disk from one power cut to the next."""

    base: Tree
    log: list[Op]
    batches: list[Batch]
    promises: list[Promise]
    commissioned: list[int]
    """When the commissioning had ended, if it did; empty where it never did."""


class _Recorded(LossyConnection):
    medium: "RecordedMedium"

    def executemany(self, sql: str, rows: Iterable[Any], /) -> sqlite3.Cursor:
        batch = list(rows)
        self.medium.begun(batch)
        return super().executemany(sql, batch)

    def execute(self, sql: str, rows: Any = (), /) -> sqlite3.Cursor:  # noqa: ANN401, sqlite3's own
        if sql.startswith("INSERT"):
            self.medium.begun([rows])
        return super().execute(sql, rows)


class RecordedMedium(LossyMedium):
    """Keeps one segment after the other."""

    connection = _Recorded

    def __init__(self, seed: int) -> None:
        super().__init__(seed, log=[])
        self.segments = [Segment({}, self.log, [], [], [])]

    @property
    def witness(self) -> Path:
        """On a real table it lies elsewhere: no flush of the journal's directory makes its name safe."""
        return self.journal.parent / WITNESS

    @property
    def log(self) -> list[Op]:
        assert self.disk.log is not None
        return self.disk.log

    def begun(self, rows: Sequence[Sequence[Any]]) -> None:
        texts = [(row[6], row[7], row[8]) for row in rows]
        self.segments[-1].batches.append(Batch(len(self.log), rows[-1][0], texts))

    def cut(self) -> None:
        before = self.segments[-1]
        super().cut()
        self.disk.log = []
        base = self.disk.volume.seen()
        kept = [0] if before.commissioned else []
        batches = [Batch(0, seq, [texts]) for seq, texts in _newest(base)]
        promises = [Promise(0, texts) for _, texts in _newest(base)]
        self.segments.append(Segment(base, self.log, batches, promises, kept))


class LostError(AssertionError):
    """A table could not even be played on after a power cut."""


def _newest(tree: Tree) -> list[tuple[int, Texts]]:
    """The newest record that a disk holds at the beginning, none before there is a journal."""
    if "journal.db" not in tree:
        return []
    with tempfile.TemporaryDirectory(dir=MEMORY) as name:
        write_tree(tree, Path(name))
        try:
            return [last_row(Path(name) / "journal.db")]
        except sqlite3.Error as error:
            raise LostError(f"a journal that was cut cannot be read: {error}") from error


def last_row(path: Path) -> tuple[int, Texts]:
    """Number and texts of the newest record, read by SQLite alone."""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        seq, *texts = connection.execute(
            "SELECT seq, event, results, state FROM journal ORDER BY seq DESC LIMIT 1"
        ).fetchone()
        return seq, (texts[0], texts[1], texts[2])


class _Told(list[Entry]):
    """The list of what those who watch are told; a promise is made with each batch."""

    def __init__(self, medium: RecordedMedium) -> None:
        super().__init__()
        self._medium = medium

    def extend(self, entries: Iterable[Entry], /) -> None:
        told = list(entries)
        _, *texts = columns_of(told[-1])
        medium = self._medium
        medium.segments[-1].promises.append(Promise(len(medium.log), (texts[0], texts[1], texts[2])))
        super().extend(told)


class Session:
    """Random play of one table: rounds, awards, switching off, kills, power cuts, and a flush that fails."""

    def __init__(self, seed: int, moves: Sequence["Move"], length: int) -> None:
        self.rng = random.Random(seed)
        self.medium = RecordedMedium(seed)
        self.world = World(TABLE, medium=self.medium)
        self.world.told = _Told(self.medium)
        self.moves, self.length = moves, length

    def play(self) -> list[Segment]:
        """Play it, and give what was done to its disk. The log is moved into the journal often."""
        try:
            with patch.object(loop, "WAL_BYTES_QUIET", QUIET_BYTES):
                self._on()
                for _ in range(self.length):
                    self._survive(self.rng.choice(self.moves))
        finally:
            if self.world.powered:
                self.world.kill()
            self.world.close()
        return self.medium.segments

    def _on(self) -> None:
        """Start, and start again if the power goes in it."""
        while self.world.loop is None:
            if self.rng.random() < 0.2:
                self.medium.disk.cut_after(self.rng.randrange(40))
            try:
                self.world.power_on(open_table=True)
            except PowerCut:
                self.world.power_cut()
            if self.world.stranded is not None:
                raise LostError(f"after a power cut out of service: {self.world.stranded.plight}")
        self.medium.disk.cut_after(None)
        self.medium.segments[-1].commissioned.append(len(self.medium.log))

    def _survive(self, move: "Move") -> None:
        try:
            move(self)
        except PowerCut:
            self.world.power_cut()
        except JournalIOError:
            if self.rng.random() < 0.5 and self.world.loop is not None:
                self.world.loop.abandon()
            self.world.kill()
        self._on()


Move = Callable[[Session], None]


def a_round(session: Session) -> None:
    world, rng = session.world, session.rng
    chip(world, *rng.sample(range(1, 8), rng.randint(1, 4)))
    press(world, ev.Button.COIN_IN)
    if rng.random() < 0.3:
        chip(world, rng.randint(1, 7))
    press(world, ev.Button.GAME_OVER)


def an_award(session: Session) -> None:
    world, rng = session.world, session.rng
    seats = sorted(rng.sample(range(1, 8), 2))
    chip(world, *seats)
    press(world, ev.Button.COIN_IN)
    key(world, ev.Key.SUPERVISOR, on=True)
    now = world.clock.monotonic_ns()
    hands = rng.choices([Hand.ROYAL_FLUSH, Hand.STRAIGHT_FLUSH, Hand.FLUSH], k=2)
    world.act(*(ev.AwardClaimed(now, seat, hand) for seat, hand in zip(seats, hands, strict=True)))
    world.act(ev.AwardsApproved(now))
    if world.loop is not None:
        for award in world.loop.table.awards:
            world.act(ev.AwardPaid(now, award.number, ev.Payment.CASH, signed=True))
    key(world, ev.Key.SUPERVISOR, on=False)
    press(world, ev.Button.GAME_OVER)


def a_void(session: Session) -> None:
    world, seat = session.world, session.rng.randint(1, 7)
    chip(world, seat)
    press(world, ev.Button.COIN_IN)
    key(world, ev.Key.SUPERVISOR, on=True)
    world.act(ev.SeatVoided(world.clock.monotonic_ns(), seat, ev.Reason.NO_ANTE))
    key(world, ev.Key.SUPERVISOR, on=False)
    press(world, ev.Button.GAME_OVER)


def a_rest(session: Session) -> None:
    session.world.pass_time(SECOND)


def off_and_on(session: Session) -> None:
    session.world.power_off()


def a_kill(session: Session) -> None:
    session.world.kill()


def a_cut_inside(session: Session) -> None:
    """The power goes at some write or flush of the next round."""
    session.medium.disk.cut_after(session.rng.randrange(30))
    a_round(session)
    session.world.power_cut()


def a_flush_fails(session: Session) -> None:
    """The program must end at once; it is started again on the same system, which believes all is written."""
    session.medium.disk.fail(Trouble.IO, after=session.rng.choice((0, 0, 1, 2, 5)))
    try:
        a_round(session)
        a_rest(session)
    finally:
        session.medium.disk.mend()


MOVES: tuple[Move, ...] = (
    *(a_round,) * 6,
    *(an_award, a_void, a_rest) * 2,
    *(off_and_on, a_kill, a_cut_inside, a_flush_fails),
)
