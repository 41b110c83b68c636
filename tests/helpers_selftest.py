"""A technician at a simulated table's self-test, and the table's hands; time is the test's own."""

from collections.abc import Mapping
from types import TracebackType
from typing import Self

from msgspec.structs import replace

from controller.config import load
from controller.core.events import PartTested
from controller.selftest.phrases import Phrases
from controller.selftest.plan import plan
from controller.selftest.session import Session
from hal.interface import KeypadKind, KeypadWiring, Wiring
from hal.simulated import SimulatedHal
from tests.helpers_rigs import Ticker

MS = 1_000_000
LIMIT_S = 30


def wiring() -> Wiring:
    """The shipped simulated board, with a keypad of two keys."""
    board = load("simulated").wiring
    pad = KeypadWiring(KeypadKind.SERIAL, "/dev/pad", {"7": "7", "E": "ENTER"})
    return replace(board, keypad=pad)


class Technician:
    """Runs a session. `crossed` says which line really moves when another one's part is pressed."""

    def __init__(self, crossed: Mapping[str, str] | None = None, language: str = "es") -> None:
        self.wiring = wiring()
        self.clock = Ticker()
        self.hal = SimulatedHal(self.wiring, self.clock)
        self.told: list[str] = []
        self.crossed = crossed or {}
        self.steps = plan(self.wiring)
        self.session = Session(
            self.hal,
            self.steps,
            Phrases(language, self.steps),
            self.told.append,
            limit_ns=LIMIT_S * 1_000 * MS,
            release_ns=500 * MS,
        )

    def __enter__(self) -> Self:
        self.session.start(self.clock())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.session.close()

    @property
    def asked(self) -> str:
        """The part that is being tested."""
        return self.steps[len(self.session.found)].part

    @property
    def last(self) -> PartTested:
        return self.session.found[-1]

    def lit(self) -> list[str]:
        """The outputs that are on."""
        return [line for line, on in self.hal.outputs.items() if on]

    def wait(self, ms: int) -> None:
        self.clock.now_ns += ms * MS
        self.session.turn((), self.clock())

    def press(self, line: str, ms: int = 40) -> None:
        moved = self.crossed.get(line, line)
        self.hal.drive(moved, active=True)
        self.wait(ms)
        self.hal.drive(moved, active=False)
        self.wait(1)

    def say(self, text: str = "") -> None:
        self.session.turn((text,), self.clock())

    def good(self) -> None:
        """Make the part that is asked for pass."""
        line = self.asked
        if line in {each.name for each in self.wiring.inputs}:
            self.press(line)
        elif line.startswith("keypad "):
            self.hal.press_key(line.removeprefix("keypad "))
            self.wait(1)
        else:
            self.say()

    def up_to(self, part: str) -> None:
        while self.asked != part:
            self.good()
