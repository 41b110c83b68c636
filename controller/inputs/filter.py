"""The input filter: edges and snapshots of a table's lines in, events in the order of their stamps out.

It may know every line; it knows no clock, no phase and no bet. A deadline is decided by the stamps of edges
where they tell, however late the caller is; where no edge tells, a snapshot of the levels must agree.
"""

from collections.abc import Collection, Mapping, Sequence
from operator import attrgetter

from controller.core.events import AnyEvent, GameOverHeld, GameOverPressed, Key
from controller.inputs.common import CommonMode
from controller.inputs.line import Line, Minutes, Setup
from controller.inputs.order import Order
from controller.inputs.outbox import Outbox, Timer
from controller.inputs.seat import SeatLine
from controller.inputs.switch import CoinIn, GameOver, KeySwitch
from controller.inputs.timings import MS, Timings
from hal.interface import Edge

RECHECK_NS = MS
"""While a snapshot and the edges disagree, levels are read again this often."""

_stamp = attrgetter("at_ns")
_due = attrgetter("due_ns")


class Inputs:
    """A table's inputs: `seat_1` … `seat_N`, `coin_in`, `game_over`, `supervisor`, `technician`.

    `start_levels` says which lines are active at `now_ns`, nanoseconds of the clock that stamps edges; a line
    that is active then does nothing until it has come up; of the seats in `jammed` that is told.
    Raises `ValueError` for a line that is missing.
    """

    def __init__(
        self,
        timings: Timings,
        seats: int,
        start_levels: Mapping[str, bool],
        now_ns: int,
        jammed: Collection[int] = (),
    ) -> None:
        self._outbox = outbox = Outbox()
        self._common = CommonMode(timings, outbox)
        self._minutes = Minutes(outbox)
        names = [f"seat_{seat}" for seat in range(1, seats + 1)]
        names += ["coin_in", "game_over", *(key.value for key in Key)]
        missing = sorted(set(names) - set(start_levels))
        if missing:
            raise ValueError(
                f"no level at start for {', '.join(missing)}: the HAL must read every input line"
            )
        low, setup = start_levels, Setup(timings, outbox, self._minutes, now_ns)
        self._seats = [
            SeatLine(seat, low[f"seat_{seat}"], setup, self._common, jammed=seat in jammed)
            for seat in range(1, seats + 1)
        ]
        self._common.slots.extend(self._seats)
        self._keys = {key: KeySwitch(key, low[key], setup) for key in Key}
        self._game_over = GameOver(low["game_over"], setup)
        switches = [
            CoinIn(low["coin_in"], setup),
            self._game_over,
            *self._keys.values(),
        ]
        self._lines: dict[str, Line] = {line.name: line for line in [*self._seats, *switches]}
        self._doubtful: dict[Line, None] = {}
        self._order = Order(
            setup, self._common, seats=self._seats, switches=switches, doubtful=self._doubtful.keys()
        )
        self._timers: list[Timer] = [*self._lines.values(), self._common, self._minutes, self._order]
        self._poll_ns = timings.poll_ms * MS
        self._repair_ns = timings.repair_ms * MS
        self._looked_ns = now_ns
        self.repairs = 0
        """How many levels were found changed without their edge."""
        self._find_next()

    @property
    def deadline_ns(self) -> int:
        """When `feed` must be called next even without edges, and then with a snapshot of the levels."""
        look_again_ns = RECHECK_NS if self._doubtful else self._poll_ns
        return min(self._outbox.next_ns, self._looked_ns + look_again_ns)

    @property
    def lock_wanted(self) -> bool:
        """Whether a COIN IN has settled whose event still waits: the slots must lock now (safe direction)."""
        return self._outbox.coin_ins > 0

    def key_on(self, key: Key) -> bool:
        """Whether a key is turned, as far as it has settled."""
        return self._keys[key].down

    def fell_ns(self, event: GameOverPressed | GameOverHeld) -> int:
        """When the press behind this event began; 0 for one so old that it is forgotten."""
        return next((fell for acted, fell in self._game_over.began if acted == event.at_ns), 0)

    def feed(self, edges: Sequence[Edge], now_ns: int, levels: Mapping[str, bool] | None) -> list[AnyEvent]:
        """Take the edges of one pass, in any order, and return the events that may leave.

        `levels` is a snapshot of all lines read at `now_ns`; it must be given once `deadline_ns` is reached.
        Raises `ValueError` for an edge of a line the table does not have.
        """
        if len(edges) > 1:
            edges = sorted(edges, key=_stamp)
        if levels is not None:
            self._compare(edges, now_ns, levels)
        outbox, lines = self._outbox, self._lines
        for edge in edges:
            line = lines.get(edge.line)
            if line is None:
                raise ValueError(f"an edge of {edge.line!r}, which this table does not have: {sorted(lines)}")
            at_ns = edge.at_ns
            if at_ns < line.last_ns:  # noqa: PLR1730 - max() would be a call for every edge
                at_ns = line.last_ns
            if self._doubtful and levels is None:
                self._arrived(line, edge.active)
            if at_ns >= outbox.next_ns:
                self._run(at_ns)
            line.last_ns = at_ns
            if edge.active:
                line.fall(at_ns)
            else:
                line.rise(at_ns)
            if line.due_ns < outbox.next_ns:  # noqa: PLR1730 - as above
                outbox.next_ns = line.due_ns
            if outbox.entries:
                if at_ns >= outbox.next_ns:
                    self._run(at_ns)  # a bounce has just proven that something was due before it
                self._order.release(at_ns)
        if levels is not None:
            self._repair(now_ns)
            self._run(now_ns)
            self._order.release(now_ns)
        return self._order.fetch() if self._order.left else []

    def flush(self, now_ns: int) -> list[AnyEvent]:
        """At an orderly stop: everything decided that still waits for its turn, and the noise not yet told."""
        while self._outbox.entries:
            self._order.left.append(self._outbox.pop().event)
        self._minutes.end()
        self._order.release(now_ns)
        return self._order.fetch()

    def _compare(self, edges: Sequence[Edge], now_ns: int, levels: Mapping[str, bool]) -> None:
        """Find the lines whose level is not the one their edges tell: an edge is under way, or lost."""
        self._looked_ns = now_ns
        doubted = bool(self._doubtful)
        newest = {edge.line: edge for edge in edges}
        for line in self._lines.values():
            edge = newest.get(line.name)
            believed = line.active if edge is None else edge.active
            # An edge newer than the snapshot makes it old news.
            if levels[line.name] == believed or (edge is not None and edge.at_ns > now_ns):
                line.agreed_ns = now_ns
                self._doubtful.pop(line, None)
            elif edge is not None or line not in self._doubtful:
                self._doubtful[line] = None
                line.doubt_ns = now_ns
                line.doubt_after_ns = line.last_ns if edge is None else edge.at_ns
        if doubted or self._doubtful:
            self._find_next()

    def _arrived(self, line: Line, active: bool) -> None:
        """The edge that was under way is here."""
        if line in self._doubtful and active != line.active:
            del self._doubtful[line]
            self._find_next()

    def _repair(self, now_ns: int) -> None:
        """Give up waiting for edges that were under way for too long."""
        for line in list(self._doubtful):
            if now_ns - line.doubt_ns >= self._repair_ns:
                del self._doubtful[line]
                line.repair(line.doubt_ns)
                self.repairs += 1
                self._find_next()

    def _run(self, until_ns: int) -> None:
        """Decide everything due up to `until_ns`, in the order of the deadlines."""
        while (timer := self._earliest()).due_ns <= until_ns:
            at_ns = timer.due_ns
            timer.expire()
            if self._outbox.entries:
                self._order.release(at_ns)
        self._outbox.next_ns = timer.due_ns

    def _earliest(self) -> Timer:
        """The next deadline that can be decided: not of a line in doubt, nor a judgement that needs its rise."""
        if not self._doubtful:
            return min(self._timers, key=_due)
        barred: set[Timer] = {line for line in self._doubtful if line.last_ns >= line.doubt_after_ns}
        if any(seat.suspect for seat in self._seats if seat in barred):
            barred.add(self._common)
        return min((timer for timer in self._timers if timer not in barred), key=_due)

    def _find_next(self) -> None:
        self._outbox.next_ns = self._earliest().due_ns
