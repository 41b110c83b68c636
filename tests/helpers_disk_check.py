"""What must be true of every state that a recorded disk may be left in, opened by the real program.

What it shows is compared with what was promised outside it: the rows SQLite was given, and the batches of which those
who watch were told. The witness's slots are read here without a line of the program.
"""

import hashlib
import json
import shutil
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import msgspec

from controller.assemble import assemble, commission_table
from controller.clock import VirtualClock
from controller.drill.key import VIRTUAL_KEY
from controller.journal import verify
from controller.soak.disk import MEMORY, write_tree
from controller.soak.disk_model import Tree
from controller.soak.disk_ops import FailedFlush
from hal.simulated import SimulatedHal
from tests.helpers_disk import TABLE, WITNESS, Segment, Texts, last_row

SLOTS = tuple(f"{WITNESS}/slot-{letter}" for letter in "ab")
BEHIND = 3
"""A batch that locked a round is in the witness when this many later ones have been told."""

Slot = tuple[int, str]
"""Number and digest of the record in it."""


class Opener:
    """Opens state after state in one folder, as the program does at its start."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="pozo-states-", dir=MEMORY))
        self.opened = 0

    def close(self) -> None:
        shutil.rmtree(self.folder)

    def flaw(self, tree: Tree, segment: Segment, done: int, *, thorough: bool) -> str | None:
        """What is wrong with a state after `done` things, or None."""
        self.opened += 1
        fresh = "journal.db" not in tree
        if fresh and ("journal.db" in segment.base or _commissioned(segment, done)):
            return "the journal is gone"
        self._fill(tree)
        settings = msgspec.structs.replace(
            TABLE, journal=self.folder / "journal.db", witness=self.folder / WITNESS
        )
        clock = VirtualClock()
        hal = SimulatedHal(settings.wiring, clock.monotonic_ns)
        try:
            if fresh:
                commission_table(settings, clock, key=VIRTUAL_KEY)
            started, inbox = assemble(settings, hal, clock, lambda _: None)
        except Exception as error:  # noqa: BLE001, whatever it is, a start after a power cut must not end so
            return f"it does not start: {type(error).__name__}: {error}"
        try:
            seq, texts = last_row(settings.journal)
            if msgspec.json.encode(started.table).decode() != texts[2]:
                return f"the table shows another state than record {seq}"
            if not fresh and not _may_end(segment, done, seq, texts):
                return f"it ends at record {seq}, {texts[0]}: {_promised(segment, done)}"
            if thorough:
                started.start()
        finally:
            started.abandon()
            inbox.close()
        if thorough:
            bad = verify(settings.journal).bad
            return None if bad is None else str(bad)
        return _witness_flaw(tree, settings.journal, segment, done)

    def _fill(self, tree: Tree) -> None:
        for path in self.folder.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()
        write_tree(tree, self.folder)


def _commissioned(segment: Segment, done: int) -> bool:
    return any(since <= done for since in segment.commissioned)


def _may_end(segment: Segment, done: int, seq: int, texts: Texts) -> bool:
    """Whether this is the last record that was promised, or that of a batch that had begun after it."""
    begun = [batch for batch in segment.batches[_first_allowed(segment, done) :] if batch.begun <= done]
    return any((batch.seq, batch.rows[-1]) == (seq, texts) for batch in begun)


def _first_allowed(segment: Segment, done: int) -> int:
    """The place of the newest batch that was promised by then; 0 before the first."""
    first = 0
    for since, row in segment.promises:
        if since <= done:
            first = next(
                (
                    number
                    for number, batch in enumerate(segment.batches)
                    if number >= first and row in batch.rows
                ),
                len(segment.batches),
            )
    return first


def _promised(segment: Segment, done: int) -> str:
    first = _first_allowed(segment, done)
    if first == len(segment.batches):
        return "a batch was promised that SQLite had not been given yet"
    return f"record {segment.batches[first].seq} was promised"


def slot(data: bytes) -> Slot | None:
    """What a slot of the witness holds, read by its description alone; None if it is damaged."""
    text, _, check = data.partition(b"\n")[0].rstrip(b" ").rpartition(b',"sum":"')
    if check != hashlib.sha256(text).hexdigest().encode() + b'"}':
        return None
    record = json.loads(text + b"}")["record"]
    return record["seq"], record["digest"]


def _witness_flaw(tree: Tree, journal: Path, segment: Segment, done: int) -> str | None:
    """One write at a time and one slot at a time: a good slot is always there, and the journal has its record."""
    good = [found for name in SLOTS if name in tree for found in [slot(tree[name])] if found is not None]
    if not good and _commissioned(segment, done):
        return "no slot of the witness is good"
    with closing(sqlite3.connect(f"{journal.as_uri()}?mode=ro", uri=True)) as connection:
        for seq, digest in good:
            if connection.execute("SELECT digest FROM journal WHERE seq=?", (seq,)).fetchall() != [(digest,)]:
                return f"the witness holds record {seq}, and the journal another or none"
    least = _witnessed(segment, done)
    if least > max((seq for seq, _ in good), default=0):
        return f"the witness is behind record {least}"
    return None


def _witnessed(segment: Segment, done: int) -> int:
    """The newest record of a locked round that must be in the witness by then, 0 for none.

    None after a flush of the witness failed: the table says so itself, ends its round and tries again.
    """
    if any(isinstance(op, FailedFlush) and op.name.startswith(WITNESS) for op in segment.log[:done]):
        return 0
    told = segment.batches[: max(0, _first_allowed(segment, done) + 1 - BEHIND)]
    locked = [batch.seq for batch in told if any('"kind":"round_locked"' in row[1] for row in batch.rows)]
    return max(locked, default=0)
