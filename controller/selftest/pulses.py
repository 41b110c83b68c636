"""Edges become presses: an input that was active for longer than a bounce and is idle again. Pure."""

from controller.selftest.walk import Moved
from hal.interface import Edge

SETTLE_NS = 10_000_000
"""A shorter pulse is a bounce or noise."""


class Pulses:
    """Remembers since when each input is active. One that was active before the test began is no press."""

    def __init__(self) -> None:
        self._since: dict[str, int] = {}

    def feed(self, edge: Edge) -> Moved | None:
        """Take an edge; a press that it ends."""
        if edge.active:
            self._since[edge.line] = edge.at_ns
            return None
        since = self._since.pop(edge.line, None)
        if since is None or edge.at_ns - since < SETTLE_NS:
            return None
        return Moved(edge.line, since)
