"""One self-test on a table's hardware: messages in, outputs out, sentences to the technician.

It sees the hardware through `hal.interface` only. Its thread is the caller's; `put` may be called from any. Slots are
open only while they are asked about, and everything is off again at the end.
"""

import os
from collections import Counter, deque
from collections.abc import Callable, Sequence
from typing import TypeAlias

from controller.core.events import Finding, PartTested
from controller.screen import Look, draw
from controller.selftest.pattern import pattern
from controller.selftest.phrases import Phrases
from controller.selftest.plan import Kind, Step
from controller.selftest.pulses import Pulses
from controller.selftest.texts import Say
from controller.selftest.walk import (
    SECOND_NS,
    Answered,
    Happened,
    Passed,
    Said,
    Walk,
    advance,
    question,
    stop,
    swapped,
)
from hal.interface import Device, Edge, Hal, Message, Picture, Screen

BELL_NS, BELL_EVERY_NS = SECOND_NS, 3 * SECOND_NS
RELEASE_EVERY_NS = 5 * SECOND_NS
"""A coil is not held longer than in play, and has time to cool."""
PATTERN_NS = 2 * SECOND_NS
"""Each of the two test pictures stands so long."""
SIGN_PAGE = "0123456789"
WAITING_MAX = 4096
"""Messages that may wait; a line that chatters more loses its own oldest ones, and the technician tries again."""

Tell: TypeAlias = Callable[[str], None]


class Session:
    """Runs the steps on `hal`, from `start` until `done`. `release_ns`: how long the chips' release is held."""

    def __init__(
        self, hal: Hal, steps: Sequence[Step], phrases: Phrases, tell: Tell, *, limit_ns: int, release_ns: int
    ) -> None:
        self._hal = hal
        self._steps = tuple(steps)
        self._phrases = phrases
        self._tell = tell
        self._limit_ns = limit_ns
        self._release_ns = release_ns
        self._waiting: deque[Message] = deque(maxlen=WAITING_MAX)
        self._pulses = Pulses()
        self._on: frozenset[str] = frozenset()
        self._shown: Screen | None = None
        self._signed = ""
        self._stopping = False
        self._lines: tuple[str, ...] = ()
        self._walk = Walk(self._steps, limit_ns, 0)
        self.fileno = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)

    @property
    def done(self) -> bool:
        """Whether every part has its finding."""
        return self._walk.step is None

    @property
    def found(self) -> tuple[PartTested, ...]:
        """The findings so far."""
        return self._walk.found

    def put(self, message: Message) -> None:
        """Take a message of the hardware, from any thread."""
        self._waiting.append(message)
        os.eventfd_write(self.fileno, 1)

    def start(self, now_ns: int) -> None:
        """Claim the hardware and ask for the first part. Raises `HalError`."""
        self._hal.start(self.put)
        self._walk = Walk(self._steps, self._limit_ns, now_ns)
        self._ask()
        self._apply(now_ns)

    def turn(self, answers: Sequence[str], now_ns: int) -> None:
        """Take what has happened and what was typed, and show what comes of it."""
        if self._stopping:
            self._walk = stop(self._walk)
        for happened in [*self._heard(), *map(Answered, answers)]:
            self._advance(happened, now_ns)
        levels = self._hal.levels()
        self._advance(Passed(frozenset(line for line, active in levels.items() if active)), now_ns)
        self._apply(now_ns)

    def stop(self) -> None:
        """End with the next turn, before its time; what was not tried is skipped. From any thread or signal."""
        self._stopping = True

    def close(self) -> None:
        """Outputs off, hardware released. May be called again."""
        self._hal.close()
        if self.fileno >= 0:
            os.close(self.fileno)
            self.fileno = -1

    def summary(self) -> list[str]:
        """The findings in words: swapped lines first, then how many of each kind."""
        pairs = [
            self._phrases.tell(Say.SWAPPED, what=self._phrases.named(one), other=self._phrases.named(other))
            for one, other in swapped(self.found)
        ]
        count = Counter(part.finding for part in self.found)
        good, failed, skipped = count[Finding.OK], count[Finding.FAILED], count[Finding.SKIPPED]
        return [*pairs, self._phrases.tell(Say.SUMMARY, good=good, failed=failed, skipped=skipped)]

    def _heard(self) -> list[Happened]:
        heard: list[Happened] = []
        while self._waiting:
            message = self._waiting.popleft()
            happened = self._pulses.feed(message) if isinstance(message, Edge) else message
            if happened is not None:
                heard.append(happened)
        return heard

    def _advance(self, happened: Happened, now_ns: int) -> None:
        before = self._walk.step
        self._walk, said = advance(self._walk, happened, now_ns)
        for sentence in said:
            self._say(sentence)
        if self._walk.step is not before:
            self._ask()

    def _say(self, said: Said) -> None:
        words = self._phrases.say(said)
        self._tell(words)
        if said.text is Say.OTHER_MOVED:
            moved = self._phrases.tell(Say.MOVED, other=self._phrases.named(said.other))
            self._lines = (self._phrases.short(said.step).upper(), moved)

    def _ask(self) -> None:
        step = self._walk.step
        if step is None:
            self._lines = (self._phrases.tell(Say.SIGN_TEST),)
            return
        self._tell(f"[{len(self.found) + 1}/{len(self._steps)}] {self._phrases.say(question(step))}")
        self._lines = (self._phrases.short(step).upper(), step.where)

    def _apply(self, now_ns: int) -> None:
        wanted = _outputs(self._walk, now_ns, self._release_ns)
        for line in sorted(self._on - wanted):
            self._hal.write(line, on=False)
        for line in sorted(wanted - self._on):
            self._hal.write(line, on=True)
        self._on = wanted
        self._show(now_ns)

    def _show(self, now_ns: int) -> None:
        step = self._walk.step
        if Device.SCREEN in self._hal.devices and self._hal.panel is not None:
            picture = self._picture(now_ns)
            screen = Screen(self._lines, picture, state="" if step is None else step.part)
            if screen != self._shown:
                self._shown = screen
                self._hal.show(screen)
        sign = SIGN_PAGE if step is not None and step.kind is Kind.SIGN else self._phrases.tell(Say.SIGN_TEST)
        if Device.SIGN in self._hal.devices and sign != self._signed:
            self._signed = sign
            self._hal.sign(sign)

    def _picture(self, now_ns: int) -> Picture:
        """The test pattern while the screen is asked about, else the part's name and pin."""
        panel, step = self._hal.panel, self._walk.step
        if panel is None:
            raise TypeError("a table without a screen has no picture")
        if step is not None and step.kind is Kind.SCREEN:
            second = (now_ns - self._walk.began_ns) // PATTERN_NS % 2
            return pattern(panel, inverted=second == 1)
        return draw(self._lines, panel, Look())


def _outputs(walk: Walk, now_ns: int, release_ns: int) -> frozenset[str]:
    """The outputs that are on now: a lamp and the open slots as long as they are asked about, coils for moments."""
    step, since_ns = walk.step, now_ns - walk.began_ns
    if step is None:
        return frozenset()
    match step.kind:
        case Kind.LAMP | Kind.SLOTS_OPEN:
            on = True
        case Kind.BELL:
            on = since_ns % BELL_EVERY_NS < BELL_NS
        case Kind.RELEASE:
            on = since_ns % RELEASE_EVERY_NS < release_ns
        case _:
            on = False
    return frozenset({step.name}) if on else frozenset()
