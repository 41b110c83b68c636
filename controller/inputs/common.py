"""Lows of several seats at once, which are noise of the whole table or chips that fell together.

It may know the seats' lows, past and present; it does not know what becomes of them.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from controller.core.events import CommonModeSeen
from controller.inputs.outbox import Outbox, Press
from controller.inputs.timings import MS, NEVER, Timings

SHORT_MAX = 8
"""Short lows remembered per line. Faster noise on one line is no evidence about the others."""

BURSTS_MAX = 4
"""Common-mode bursts remembered for the buttons: a press is settled long before so many can pass."""


TOLD_MOST = 6
TOLD_WITHIN_NS = 60_000 * MS
"""Of bursts over seats that were all told of already, so many in so long are records of their own; more are counted
on their lines. So a contactor beside the table that switches all day fills no journal, and one that comes again after
its warning was cleared is told again."""


class Pulse(NamedTuple):
    """A low that has ended. Where its rise was lost, it lies between `rise_from_ns` and `rise_ns`."""

    seat: int
    fall_ns: int
    rise_from_ns: int
    rise_ns: int


Short = tuple[int, int, int]
"""A pulse's three stamps, as a seat's line keeps its short ones: there may be ten thousand a second."""


class Slot(Protocol):
    """What this room must know of a seat's line."""

    seat: int
    low_ns: int
    short: deque[Short]

    @property
    def suspect(self) -> bool:
        """Whether the low that is going on may yet be noise."""

    def proven(self, pulse: Pulse) -> None:
        """The held low `pulse` was a chip."""

    def refuted(self, pulse: Pulse, at_ns: int) -> None:
        """The held low `pulse` was noise that nobody is told of again; that was found out at `at_ns`."""


class Held:
    """A settled low that is held back. `pulse` is set once it has ended."""

    __slots__ = ("fall_ns", "noise", "pulse", "slot")

    def __init__(self, slot: Slot) -> None:
        self.slot = slot
        self.fall_ns = slot.low_ns
        self.pulse: Pulse | None = None
        self.noise = False


class CommonMode:
    """Holds back lows that began together, and judges each when no later rise can be compared with its own.

    A low is noise if it and others, `common_mode_lines` seats in all, fell within `common_mode_ms` of each other
    and also rose within `common_mode_ms` of each other; both limits belong to the time.
    """

    def __init__(self, timings: Timings, outbox: Outbox) -> None:
        self.due_ns = NEVER
        self.slots: list[Slot] = []
        self._span_ns = timings.common_mode_ms * MS
        self._lines = timings.common_mode_lines
        self._outbox = outbox
        self._held: list[Held] = []
        self._told: deque[tuple[int, frozenset[int]]] = deque()
        self._bursts: deque[tuple[Pulse, ...]] = deque(maxlen=BURSTS_MAX)

    def together(self, slot: Slot) -> bool:
        """Whether enough seats fell within one span that holds the start of `slot`'s low."""
        # No fall of a line is newer than the start of its newest low.
        recent = [other for other in self.slots if other.low_ns >= slot.low_ns - self._span_ns]
        if len(recent) < self._lines:
            return False
        falls = list(self._falls_near(slot.low_ns))
        if len({seat for seat, _ in falls}) < self._lines:
            return False
        starts = {at_ns for _, at_ns in falls if at_ns <= slot.low_ns}
        return any(
            len({seat for seat, at_ns in falls if start <= at_ns <= start + self._span_ns}) >= self._lines
            for start in starts
        )

    def hold(self, slot: Slot) -> Held:
        """Hold back the low that is going on."""
        held = Held(slot)
        self._held.append(held)
        return held

    def rose(self, held: Held, from_ns: int, at_ns: int) -> None:
        """A held low ended at `at_ns` (or since `from_ns`, where its rise was lost)."""
        held.pulse = Pulse(held.slot.seat, held.fall_ns, from_ns, at_ns)
        self._set_due()
        self._outbox.wake(self.due_ns)

    def forget(self, held: Held) -> None:
        """A held low has become a jam: no chip, no noise."""
        self._held.remove(held)

    def expire(self) -> None:
        """Judge every low whose rise is old enough."""
        at_ns = self.due_ns
        for held in self._held.copy():
            if held.noise or held.pulse is None or self._judged_ns(held.pulse) > at_ns:
                continue
            alike = self._alike(held.pulse)
            if alike:
                self._tell_noise(alike, at_ns)
            else:
                self._held.remove(held)
                held.slot.proven(held.pulse)
        # A judged low stays for comparison until no other can rise within a span of it and be judged.
        self._held = [
            held
            for held in self._held
            if not (held.noise and held.pulse and held.pulse.rise_ns + 2 * self._span_ns < at_ns)
        ]
        self._set_due()

    def undecided(self, before_ns: int) -> bool:
        """Whether a low that began before `before_ns` is still held back."""
        return any(held.fall_ns < before_ns and not held.noise for held in self._held)

    def undecided_near(self, at_ns: int) -> bool:
        """Whether a low that began before `at_ns` or together with it is still held back."""
        return self.undecided(at_ns + self._span_ns + 1)

    def unclear_until_ns(self, press: Press) -> int:
        """Until when a press that is still down may yet rise together with a burst it fell with; 0: it cannot."""
        if press.end_ns is not None:
            return 0
        return max(
            (
                max(pulse.rise_ns for pulse in burst) + self._span_ns + 1
                for burst in self._bursts
                if self._seats_with(burst, press.fall_ns, None) >= self._lines
            ),
            default=0,
        )

    def took(self, press: Press) -> bool:
        """Whether a press fell and rose together with a burst: it was noise like the rest."""
        return press.end_ns is not None and any(
            self._seats_with(burst, press.fall_ns, press.end_ns) >= self._lines for burst in self._bursts
        )

    def _falls_near(self, fall_ns: int) -> Iterator[tuple[int, int]]:
        """Seat and stamp of each fall within a span of `fall_ns`, its own included."""
        least, most = fall_ns - self._span_ns, fall_ns + self._span_ns
        for slot in self.slots:
            if slot.suspect and least <= slot.low_ns <= most:
                yield slot.seat, slot.low_ns
            for fall, _, _ in slot.short:
                if least <= fall <= most:
                    yield slot.seat, fall
        for held in self._held:
            if least <= held.fall_ns <= most:
                yield held.slot.seat, held.fall_ns

    def _alike(self, own: Pulse) -> set[Pulse]:
        """Every pulse that makes `own` noise, itself included; empty if it was none."""
        near = [pulse for pulse in self._ended() if self._within(pulse, own)]
        alike: set[Pulse] = set()
        if len({pulse.seat for pulse in near}) < self._lines:
            return alike
        for first_fall in {pulse.fall_ns for pulse in near}:
            for first_rise in {pulse.rise_ns for pulse in near}:
                box = [pulse for pulse in near if self._inside(pulse, first_fall, first_rise)]
                if own in box and len({pulse.seat for pulse in box}) >= self._lines:
                    alike.update(box)
        return alike

    def _ended(self) -> Iterator[Pulse]:
        for held in self._held:
            if held.pulse is not None:
                yield held.pulse
        for slot in self.slots:
            for short in slot.short:
                yield Pulse(slot.seat, *short)

    def _within(self, pulse: Pulse, own: Pulse) -> bool:
        span = self._span_ns
        return (
            abs(pulse.fall_ns - own.fall_ns) <= span
            and pulse.rise_ns >= own.rise_from_ns - span
            and pulse.rise_from_ns <= own.rise_ns + span
        )

    def _inside(self, pulse: Pulse, first_fall: int, first_rise: int) -> bool:
        return (
            first_fall <= pulse.fall_ns <= first_fall + self._span_ns
            and pulse.rise_ns >= first_rise
            and pulse.rise_from_ns <= first_rise + self._span_ns
        )

    def _tell_noise(self, alike: set[Pulse], at_ns: int) -> None:
        found = [held for held in self._held if not held.noise and held.pulse in alike]
        for held in found:
            held.noise = True
        self._bursts.append(tuple(sorted(alike)))
        first_ns = min(pulse.fall_ns for pulse in alike)
        seats = frozenset(pulse.seat for pulse in alike)
        while self._told and first_ns - self._told[0][0] >= TOLD_WITHIN_NS:
            self._told.popleft()
        if len(self._told) >= TOLD_MOST and seats <= frozenset().union(*(told for _, told in self._told)):
            for held in found:
                if held.pulse is not None:
                    held.slot.refuted(held.pulse, at_ns)
            return
        self._told.append((first_ns, seats))
        self._outbox.put(CommonModeSeen(first_ns, tuple(sorted(seats))))

    def _seats_with(self, burst: Sequence[Pulse], fall_ns: int, rise_ns: int | None) -> int:
        """How many of a burst's seats fell (and rose) within a span of a button's stamps."""
        span = self._span_ns
        return len(
            {
                pulse.seat
                for pulse in burst
                if abs(pulse.fall_ns - fall_ns) <= span
                and (rise_ns is None or pulse.rise_from_ns - span <= rise_ns <= pulse.rise_ns + span)
            }
        )

    def _judged_ns(self, pulse: Pulse) -> int:
        """When nothing can rise within a span of this pulse any more."""
        return pulse.rise_ns + self._span_ns + 1

    def _set_due(self) -> None:
        self.due_ns = min(
            (self._judged_ns(held.pulse) for held in self._held if held.pulse and not held.noise),
            default=NEVER,
        )
