"""One seat's sensor line: which of its lows are chips, which are noise, which are jams.

It may know its own line and asks `CommonMode` about the others; it knows nothing of bets.
"""

from collections import deque
from enum import Enum
from typing import Final, assert_never

from controller.core.events import ChipDropped, JamCleared, SeatChattered, SeatJammed
from controller.inputs.common import SHORT_MAX, CommonMode, Held, Pulse, Short
from controller.inputs.line import Line, Setup
from controller.inputs.timings import MS, NEVER, SECOND


class State(Enum):
    """Where a seat's line stands."""

    IDLE = "idle"
    FALLEN = "low, not settled yet"
    HELD = "low with others at once, judged after its rise"
    SPENT = "low, its chip counted already; or a bounce of that pulse"
    JAMMED = "low for too long"
    CLEARING = "idle after a jam, not for long enough yet"
    START = "low since the program came up"
    UNSEEN = "low, but only a snapshot told so"


# On Python 3.11 looking an enum's member up costs as much as the rest of an edge's work.
_IDLE: Final = State.IDLE
_FALLEN: Final = State.FALLEN
_HELD: Final = State.HELD


class SeatLine(Line):
    """A seat's line. `short` keeps its last lows that were too short, for the comparison with other lines."""

    __slots__ = (
        "_armed_ns",
        "_chattering",
        "_common",
        "_counted",
        "_held",
        "_jam_ns",
        "_rearm_ns",
        "_settle_ns",
        "_unproven_ns",
        "short",
        "state",
    )

    def __init__(
        self, seat: int, active: bool, setup: Setup, common: CommonMode, *, jammed: bool = False
    ) -> None:
        super().__init__(f"seat_{seat}", seat, active, setup)
        timings = setup.timings
        self._common = common
        self._settle_ns = timings.settle_ms * MS
        self._rearm_ns = timings.rearm_ms * MS
        # "Longer than the limit": a rise at the limit itself still comes in time.
        self._jam_ns = timings.jam_ms * MS + 1
        self._armed_ns = setup.now_ns
        self._unproven_ns = NEVER
        self._held: Held | None = None
        self._counted: deque[int] = deque(maxlen=timings.chatter_per_s + 1)
        self._chattering = False
        self.short: deque[Short] = deque(maxlen=SHORT_MAX)
        self.state = State.IDLE
        if active and jammed:
            self._jammed(setup.now_ns)
        elif active:
            self._low(State.START, setup.now_ns)

    @property
    def suspect(self) -> bool:
        """Whether the low that is going on may yet turn out to be common-mode noise."""
        return self.state is _FALLEN or self.state is _HELD

    @property
    def undecided_ns(self) -> int:
        """The start of a low that has not settled; a held one blocks nothing but the buttons."""
        return self.low_ns if self.state is _FALLEN else NEVER

    def fall(self, at_ns: int) -> None:
        """See `Line.fall`."""
        self.active = True
        if self.state is _IDLE and at_ns >= self._armed_ns:
            self._candidate(at_ns)
            return
        match self.state:
            case State.IDLE:
                self._low(State.SPENT, at_ns)
            case State.FALLEN:
                self._too_short(self.low_ns, at_ns, at_ns)
                self._candidate(at_ns)
            case State.HELD:
                self.edge_lost(at_ns)
            case State.SPENT:
                if at_ns > self._echo_ns:
                    self.edge_lost(at_ns)
                self._low(State.SPENT, at_ns)
            case State.JAMMED:
                pass  # a lost bounce inside the jam: the line is low, and told as jammed already
            case State.CLEARING:
                self._jammed(at_ns)
            case State.START:
                if at_ns > self._echo_ns:
                    self.edge_lost(at_ns)
            case State.UNSEEN:
                if at_ns > self.low_ns:
                    self.edge_lost(at_ns)
                self._candidate(at_ns)
            case _:
                assert_never(self.state)

    def rise(self, at_ns: int) -> None:
        """See `Line.rise`."""
        self.active = False
        if self.state is _FALLEN:
            self._too_short(self.low_ns, at_ns, at_ns)
            self._idle()
            return
        match self.state:
            case State.SPENT:
                self._armed_ns = at_ns + self._rearm_ns
                self._idle()
            case State.HELD:
                self._released(at_ns, at_ns)
            case State.JAMMED | State.CLEARING:
                self.state = State.CLEARING
                self.due_ns = at_ns + self._rearm_ns
            case State.START:
                self._idle()
            case State.UNSEEN:
                self.edge_lost(at_ns)
                self._idle()
            case State.IDLE:
                self._rise_again(at_ns)
            case _:
                assert_never(self.state)

    def _rise_again(self, at_ns: int) -> None:
        """A rise of an idle line: its fall, or the news that a snapshot brought already, came too late."""
        if at_ns <= self._echo_ns:
            if self._unproven_ns == self.low_ns and at_ns - self.low_ns >= self._settle_ns:
                self.edge_lost(at_ns)
        elif at_ns < self._armed_ns:
            self._armed_ns = at_ns + self._rearm_ns
        else:
            self.edge_lost(at_ns)

    def expire(self) -> None:
        """Settled, jammed, or idle for long enough after a jam."""
        match self.state:
            case State.FALLEN if self._common.together(self):
                self._held = self._common.hold(self)
                self._low(State.HELD, self.low_ns)
            case State.FALLEN:
                self._low(State.SPENT, self.low_ns)
                self._tell_chip(self.low_ns)
            case State.HELD | State.SPENT | State.START | State.UNSEEN:
                if self._held is not None:
                    self._common.forget(self._held)
                    self._held = None
                self._outbox.put(SeatJammed(self.due_ns - 1, self.seat, self.low_ns))
                self._jammed(self.low_ns)
            case State.CLEARING:
                self._outbox.put(JamCleared(self.due_ns, self.seat))
                self._idle()
            case State.IDLE | State.JAMMED:
                raise AssertionError(f"{self.name}: a deadline in state {self.state.name}, which has none")
            case _:
                assert_never(self.state)

    def repair(self, at_ns: int) -> None:
        """See `Line.repair`. A low whose rise was lost before it settled is no chip; nor is an unseen fall."""
        self._echo_ns = at_ns
        if not self.active:
            self.active = True
            if self.state is State.IDLE and at_ns >= self._armed_ns:
                self._low(State.UNSEEN, at_ns)
            else:
                self.fall(at_ns)
            return
        self.active = False
        last_low_ns = max(self.low_ns, self.agreed_ns)
        if self.state is State.FALLEN:
            self._too_short(self.low_ns, last_low_ns, at_ns)
            self._unproven_ns = self.low_ns
            self._idle()
        elif self.state is State.HELD:
            self._released(last_low_ns, at_ns)
        else:
            self.rise(at_ns)

    def proven(self, pulse: Pulse) -> None:
        """A held low was no noise: it is a chip, and from its rise on the line must re-arm."""
        self._tell_chip(pulse.fall_ns)
        bounce_until_ns = pulse.rise_ns + self._rearm_ns
        if self.state is State.FALLEN and self.low_ns < bounce_until_ns:
            self._low(State.SPENT, self.low_ns)
        last_rise_ns = max(pulse.rise_ns, self.last_ns) if self.state is State.IDLE else pulse.rise_ns
        self._armed_ns = max(self._armed_ns, last_rise_ns + self._rearm_ns)

    def refuted(self, pulse: Pulse, at_ns: int) -> None:
        """A held low was noise of the whole table, as others a moment before."""
        self.noise.add(pulse.fall_ns, at_ns)

    def _candidate(self, at_ns: int) -> None:
        self.state = _FALLEN
        self.low_ns = at_ns
        self.due_ns = at_ns + self._settle_ns

    def _low(self, state: State, since_ns: int) -> None:
        self.state = state
        self.low_ns = since_ns
        self.due_ns = since_ns + self._jam_ns

    def _jammed(self, since_ns: int) -> None:
        self.state = State.JAMMED
        self.low_ns = since_ns
        self.due_ns = NEVER

    def _idle(self) -> None:
        self.state = _IDLE
        self.due_ns = NEVER

    def _released(self, from_ns: int, at_ns: int) -> None:
        if self._held is not None:
            self._common.rose(self._held, from_ns, at_ns)
            self._held = None
        self._idle()

    def _too_short(self, fall_ns: int, rise_from_ns: int, rise_ns: int) -> None:
        self.noise.add(fall_ns, rise_ns)
        self.short.append((fall_ns, rise_from_ns, rise_ns))

    def _tell_chip(self, fall_ns: int) -> None:
        self._outbox.put(ChipDropped(fall_ns, self.seat))
        counted = self._counted
        if not counted or fall_ns - counted[-1] >= SECOND:
            self._chattering = False
        counted.append(fall_ns)
        full = len(counted) == counted.maxlen
        if full and fall_ns - counted[0] < SECOND and not self._chattering:
            self._chattering = True
            self._outbox.put(SeatChattered(fall_ns, self.seat))
