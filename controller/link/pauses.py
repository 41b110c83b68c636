"""How long to wait after a failure: longer each time, and never in step with others."""

from collections.abc import Callable
from typing import Final

FIRST_NS: Final = 1_000_000_000
LONGEST_NS: Final = 60_000_000_000


class Pauses:
    """Pauses between half and the whole of a span that doubles from one second to a minute.

    `chance` gives numbers from 0 up to 1: tables that lost their floor together do not come back together.
    """

    def __init__(self, chance: Callable[[], float]) -> None:
        self._chance = chance
        self._span_ns = FIRST_NS

    def next_ns(self) -> int:
        """The next pause, in nanoseconds."""
        span = self._span_ns
        self._span_ns = min(2 * span, LONGEST_NS)
        return span // 2 + int(self._chance() * (span // 2))

    def over(self) -> None:
        """It worked: the next failure begins with the shortest pause."""
        self._span_ns = FIRST_NS
