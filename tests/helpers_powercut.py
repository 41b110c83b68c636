"""Parts of a table that lose their power between any two steps of a turn, and look at every lamp that lights.

The plug counts steps: each reading of the levels, each statement of the journal (before and after it), each output,
each write of the second copy.
A cut is raised as a `BaseException`, so that no handler of the program can take it for an error.
"""

import json
import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from controller.drill.medium import Medium, MediumConnection, MediumFiles
from controller.drill.statements import Part
from hal.interface import Device, Wiring
from hal.simulated import Shown, Signed, SimulatedHal
from tests.helpers_ledger import RELEASE_NS, Json

ATTRACT_NS = 300_000_000
PROBLEM_NS = 2_000_000_000
PROBLEM_ON_NS = 100_000_000
SEATS = 7
MEMORY = Path("/dev/shm")
"""Power is cut in a copy of files, not in a device: where there is memory for them no test waits for a disk."""

LOOKS_APART_NS = 100_000_000
STATE_COLUMN = 8
"""The ninth column of a row is the state."""


class PowerCut(BaseException):
    """The power is gone at this instant."""


class Plug:
    """Pulled at the step after `left` more of its kind; never while that is None."""

    def __init__(self) -> None:
        self.left: int | None = None
        self.kind = ""
        self.pulled_at: list[str] = []

    def loosen(self, steps: int, kind: str = "") -> None:
        """Pull it after so many steps whose name contains `kind`."""
        self.left, self.kind = steps, kind

    def step(self, what: str) -> None:
        if self.left is None or self.kind not in what:
            return
        self.left -= 1
        if self.left < 0:
            self.left = None
            self.pulled_at.append(what)
            raise PowerCut(what)


class _CutFiles(MediumFiles):
    """The second copy's files: the power may go before a write, in its middle, and after it."""

    def __init__(self, plug: Plug) -> None:
        super().__init__()
        self._plug = plug

    def overwrite(self, path: Path, data: bytes) -> None:
        self._plug.step("witness")
        super().overwrite(path, data[: len(data) // 4])
        self._plug.step("witness torn")
        super().overwrite(path, data)
        self._plug.step("witness written")


class CutMedium(Medium):
    """A medium whose writer may lose its power around every statement, and its second copy in every write."""

    def __init__(self, plug: Plug) -> None:
        super().__init__(MEMORY if MEMORY.is_dir() else None)
        self.plug = plug
        self._files = _CutFiles(plug)
        self.hal: SimulatedHal | None = None
        self.chosen: Callable[[], int] = lambda: 0
        """The seat on which the dealer's menu stands: its lamp blinks, whatever is stored. 0: none."""
        self.full = False
        """No record is taken, though the journal can be opened: what a start on a full medium meets."""
        self._reader: sqlite3.Connection | None = None
        self._read = 0
        self._state: Json = {}

    def stored(self) -> Json:
        """The state of the last record that is on the medium, read past the program."""
        if self._reader is None:
            self._reader = sqlite3.connect(f"{self.journal.absolute().as_uri()}?mode=ro", uri=True)
        newest = self._reader.execute("SELECT max(seq) FROM journal").fetchone()[0]
        if newest != self._read:
            found = self._reader.execute("SELECT state FROM journal WHERE seq = ?", (newest,)).fetchone()[0]
            self._state, self._read = json.loads(found), newest
        return self._state

    def check_locked(self, row: Sequence[Any]) -> None:
        """The safe direction does not wait: what locks the slots finds them locked before it is stored."""
        if self.hal is not None and not slots_may_open(json.loads(row[STATE_COLUMN])):
            assert not self.hal.outputs["slots"], row

    def refuse_if_full(self) -> None:
        if self.full:
            self.fail(Part.DISK_FULL)
            self.refuse_if_broken()

    def mend(self) -> None:
        self.full = False
        super().mend()

    def cut(self) -> None:
        self._forget_reader()
        super().cut()

    def close(self) -> None:
        self._forget_reader()
        super().close()

    def _forget_reader(self) -> None:
        if self._reader is not None:
            self._reader.close()
        self._reader, self._read = None, 0


class _CutConnection(MediumConnection):
    medium: CutMedium

    def executemany(self, sql: str, rows: Iterable[Any], /) -> sqlite3.Cursor:
        self.medium.plug.step("before insert")
        self.medium.refuse_if_full()
        batch = list(rows)
        for row in batch:
            self.medium.check_locked(row)
        done = super().executemany(sql, batch)
        self.medium.plug.step("before commit")
        return done

    def execute(self, sql: str, rows: Any = (), /) -> sqlite3.Cursor:  # noqa: ANN401, sqlite3's own
        word = sql.split(maxsplit=1)[0].lower()
        self.medium.plug.step(f"before {word}")
        if word == "insert":
            self.medium.refuse_if_full()
            self.medium.check_locked(rows)
        done = super().execute(sql, rows)
        self.medium.plug.step(f"after {word}")
        return done


CutMedium.connection = _CutConnection


class WatchedHal(SimulatedHal):
    """A simulated table that may lose its power at each output, and that lets no lamp light without its wager."""

    medium: CutMedium
    """Given by `hal_on`."""
    released_ns = 0
    """How long one release pulse has been seen on, while the program looked at its lines regularly."""
    looked_ns = 0
    pulse: int | None = None

    def levels(self) -> dict[str, bool]:
        now_ns, pulse = self._now_ns(), self.medium.stored().get("release_until_ns")
        same = self.outputs["release"] and pulse == self.pulse
        self.pulse = pulse
        if same and now_ns - self.looked_ns < LOOKS_APART_NS:
            self.released_ns += now_ns - self.looked_ns
            assert self.released_ns < RELEASE_NS + LOOKS_APART_NS, "a release pulse without an end"
        else:
            self.released_ns = 0
        self.looked_ns = now_ns
        self.medium.plug.step("levels")
        return dict(super().levels())

    def write(self, line: str, on: bool) -> None:
        self.medium.plug.step(line)
        if on:
            self._justify(line)
        super().write(line, on)

    def _justify(self, line: str) -> None:
        """Nothing is switched on but by what is on the medium already."""
        state = self.medium.stored()
        if line.startswith("lamp_"):
            number = int(line.removeprefix("lamp_"))
            chosen = number == self.medium.chosen()
            assert chosen or lamp_may_light(state, number, self._now_ns()), (line, state)
        elif line == "slots":
            assert slots_may_open(state), state
        elif line == "release":
            assert "release_until_ns" in state, state
        elif line == "bell":
            assert state["phase"] == "award_pending", state


def hal_on(medium: CutMedium) -> Callable[..., WatchedHal]:
    """How a world makes its hardware, so that it and the medium know each other."""

    def shown(told: object) -> None:
        match told:
            case Shown():
                medium.plug.step("screen")
            case Signed():
                medium.plug.step("sign")
            case _:
                pass  # lines take their step before they switch, the rest is no output

    def make(
        wiring: Wiring,
        now_ns: Callable[[], int],
        *,
        levels: Mapping[str, bool] | None = None,
        failed: Collection[Device] = (),
    ) -> WatchedHal:
        hal = WatchedHal(wiring, now_ns, levels=levels, failed=failed, watch=shown)
        hal.medium = medium
        medium.hal = hal
        return hal

    return make


def slots_may_open(state: Json) -> bool:
    """Whether a stored table may have its slots open at all."""
    return state["phase"] in {"open", "test"}


def lamp_may_light(state: Json, number: int, now_ns: int) -> bool:
    """Whether a seat's lamp may be lit: for a stored wager or claim, or by the patterns that mean none."""
    seat = state["seats"][number - 1]
    if state["phase"] == "test" or state.get("lamp_test"):
        return True
    if seat.get("wager") in {"placed", "accepted"} or number in lit_claims(state):
        return True
    if seat.get("closed") == "fault":
        return now_ns % PROBLEM_NS < PROBLEM_ON_NS
    return slots_may_open(state) and now_ns // ATTRACT_NS % SEATS == number - 1


def lit_claims(state: Json) -> set[int]:
    return {claim["seat"] for claim in state.get("claims", [])}
