"""The croupier's two buttons and the two key switches: levels that settle in both directions.

It may know its own line only.
"""

from abc import abstractmethod
from collections import deque
from enum import Enum
from typing import assert_never

from controller.core.events import (
    Button,
    ButtonFreed,
    ButtonStuck,
    CoinInPressed,
    GameOverHeld,
    GameOverPressed,
    Key,
    KeyTurned,
)
from controller.inputs.line import Line, Setup
from controller.inputs.outbox import Press
from controller.inputs.timings import MS, NEVER

PRESSES_KEPT = 16
"""Presses of GAME OVER whose beginning is remembered: more than a finger makes while one pass is late."""


class State(Enum):
    """Where a button or key stands."""

    UP = "idle"
    PRESSING = "down, not settled yet"
    DOWN = "down"
    RELEASING = "up again, not settled yet"


class Switch(Line):
    """A level that counts once it has settled. Down at start it has acted already: it does nothing until freed."""

    __slots__ = ("_settle_ns", "high_ns", "press", "state")

    def __init__(self, name: str, active: bool, setup: Setup) -> None:
        super().__init__(name, 0, active, setup)
        self._settle_ns = setup.timings.button_settle_ms * MS
        self.high_ns = setup.now_ns
        """Start of the idle stretch that may become the release."""
        self.press = Press(setup.now_ns)
        self.state = State.DOWN if active else State.UP

    @property
    def down(self) -> bool:
        """The settled level."""
        return self.state is State.DOWN or self.state is State.RELEASING

    @abstractmethod
    def pressed(self) -> None:
        """The low since `low_ns` has settled."""

    @abstractmethod
    def released(self) -> None:
        """The idle level since `high_ns` has settled."""

    @abstractmethod
    def next_due_ns(self) -> int:
        """While down: when something happens even without an edge."""

    @abstractmethod
    def overdue(self) -> None:
        """While down: what was due has come."""

    def fall(self, at_ns: int) -> None:
        """See `Line.fall`."""
        self.active = True
        match self.state:
            case State.UP:
                self._press_at(at_ns)
            case State.PRESSING:
                if at_ns > self._echo_ns:
                    self.noise.add(self.low_ns, at_ns)
                self._press_at(at_ns)
            case State.DOWN:
                pass  # the rise of a bounce was lost: it is down, as believed
            case State.RELEASING:
                self._go_down()
            case _:
                assert_never(self.state)

    def rise(self, at_ns: int) -> None:
        """See `Line.rise`."""
        self.active = False
        match self.state:
            case State.UP:
                if at_ns > self._echo_ns:
                    self.edge_lost(at_ns)
            case State.PRESSING:
                self.noise.add(self.low_ns, at_ns)
                self.state = State.UP
                self.due_ns = NEVER
            case State.DOWN | State.RELEASING:
                self.state = State.RELEASING
                self.high_ns = at_ns
                self.due_ns = at_ns + self._settle_ns
                if self.press.end_ns is None:
                    self.press.end_ns = at_ns
            case _:
                assert_never(self.state)

    def expire(self) -> None:
        """Settled, or down for so long that it means something."""
        match self.state:
            case State.PRESSING:
                self.press = Press(self.low_ns)
                self.pressed()
                self._go_down()
            case State.DOWN:
                self.overdue()
                self._go_down()
            case State.RELEASING:
                self.state = State.UP
                self.due_ns = NEVER
                self.released()
            case State.UP:
                raise AssertionError(f"{self.name}: a deadline while it is up, where it has none")
            case _:
                assert_never(self.state)

    def repair(self, at_ns: int) -> None:
        """See `Line.repair`. The lost edge is taken as if it had come at `at_ns`."""
        self._echo_ns = at_ns
        if self.active:
            self.rise(at_ns)
        else:
            self.fall(at_ns)

    def _press_at(self, at_ns: int) -> None:
        self.state = State.PRESSING
        self.low_ns = at_ns
        self.due_ns = at_ns + self._settle_ns

    def _go_down(self) -> None:
        self.state = State.DOWN
        self.due_ns = self.next_due_ns()


class PushButton(Switch):
    """A button: what leans on it for too long is told, and told again when it has gone."""

    __slots__ = ("_button", "_stuck", "_stuck_ns")

    def __init__(self, button: Button, active: bool, setup: Setup) -> None:
        super().__init__(button.value, active, setup)
        self._button = button
        self._stuck_ns = setup.timings.stuck_ms * MS
        self._stuck = False
        if active:
            self._go_down()

    def next_due_ns(self) -> int:
        """See `Switch.next_due_ns`."""
        return NEVER if self._stuck else self.low_ns + self._stuck_ns

    def overdue(self) -> None:
        """See `Switch.overdue`."""
        self._stuck = True
        self._outbox.put(ButtonStuck(self.due_ns, self._button))

    def released(self) -> None:
        """See `Switch.released`."""
        if self._stuck:
            self._stuck = False
            self._outbox.put(ButtonFreed(self.high_ns, self._button))


class CoinIn(PushButton):
    """COIN IN acts when it goes down."""

    __slots__ = ()

    def __init__(self, active: bool, setup: Setup) -> None:
        super().__init__(Button.COIN_IN, active, setup)

    @property
    def undecided_ns(self) -> int:
        """A press counts from its fall; a release only ends a stuck button."""
        if self.state is State.PRESSING:
            return self.low_ns
        return self.high_ns if self.state is State.RELEASING and self._stuck else NEVER

    def pressed(self) -> None:
        """See `Switch.pressed`."""
        self._outbox.put(CoinInPressed(self.low_ns), self.press)


class GameOver(PushButton):
    """GAME OVER acts when it comes up; held down it opens the menu instead."""

    __slots__ = ("_acted", "_hold_ns", "began")

    def __init__(self, active: bool, setup: Setup) -> None:
        self.began: deque[tuple[int, int]] = deque(maxlen=PRESSES_KEPT)
        """Of the last presses: the stamp they acted at, and their fall."""
        self._acted = active
        self._hold_ns = setup.timings.hold_ms * MS
        super().__init__(Button.GAME_OVER, active, setup)

    @property
    def undecided_ns(self) -> int:
        """A press counts from its release."""
        return self.high_ns if self.state is State.RELEASING else NEVER

    def pressed(self) -> None:
        """See `Switch.pressed`."""
        self._acted = False

    def next_due_ns(self) -> int:
        """See `Switch.next_due_ns`."""
        return super().next_due_ns() if self._acted else self.low_ns + self._hold_ns

    def overdue(self) -> None:
        """See `Switch.overdue`."""
        if self._acted:
            super().overdue()
        else:
            self._acted = True
            self.began.append((self.due_ns, self.press.fall_ns))
            self._outbox.put(GameOverHeld(self.due_ns))

    def released(self) -> None:
        """See `Switch.released`."""
        if not self._acted:
            self.began.append((self.high_ns, self.press.fall_ns))
            self._outbox.put(GameOverPressed(self.high_ns), self.press)
        super().released()


class KeySwitch(Switch):
    """A key switch: each turn is told, how it stands at start is no turn."""

    __slots__ = ("_key",)

    def __init__(self, key: Key, active: bool, setup: Setup) -> None:
        super().__init__(key.value, active, setup)
        self._key = key

    @property
    def undecided_ns(self) -> int:
        """A turn counts from the edge that settled."""
        if self.state is State.PRESSING:
            return self.low_ns
        return self.high_ns if self.state is State.RELEASING else NEVER

    def pressed(self) -> None:
        """See `Switch.pressed`."""
        self._outbox.put(KeyTurned(self.low_ns, self._key, on=True))

    def released(self) -> None:
        """See `Switch.released`."""
        self._outbox.put(KeyTurned(self.high_ns, self._key, on=False))

    def next_due_ns(self) -> int:
        """A key may stay turned for ever."""
        return NEVER

    def overdue(self) -> None:
        """A key has no such deadline."""
        raise AssertionError(f"{self.name}: a key that is on has no deadline")
