"""The lines' own ledger: every fall of every line as the world made it, against the stamps in the journal.

A chip or a press in the journal must have been one on its line, at that very nanosecond; only where an edge was lost
may the program know it later, and never earlier.
"""

from collections import Counter

from controller.soak.checks.words import Checker, Findings, Rec

KEPT = 4_000
"""Falls of a line that are remembered."""


class Lines:
    """What fell and rose, by line."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._falls: dict[str, Counter[int]] = {}
        self._rises: dict[str, Counter[int]] = {}
        self._unsure: set[str] = set()
        """Lines of which the program was not told everything since it came up."""

    def restarted(self) -> None:
        """Another session: its clock begins where it will, and its lines stand as they stand."""
        self._falls.clear()
        self._rises.clear()
        self._unsure.clear()

    def edge(self, line: str, *, active: bool, at_ns: int, told: bool) -> None:
        """A line changed."""
        kept = (self._falls if active else self._rises).setdefault(line, Counter())
        if len(kept) >= KEPT:
            kept.clear()
            self._unsure.add(line)
        kept[at_ns] += 1
        if not told:
            self._unsure.add(line)

    def overflowed(self, line: str) -> None:
        """The program lost edges of this line, and said so."""
        self._unsure.add(line)

    def check(self, record: Rec) -> None:
        """A chip's and a press's stamps are those of the line."""
        at_ns = record.event["at_ns"]
        match record.kind:
            case "chip_dropped":
                self._was(self._falls, f"seat_{record.event['seat']}", at_ns, record)
            case "coin_in_pressed":
                self._was(self._falls, "coin_in", at_ns, record)
            case "game_over_pressed":
                self._was(self._rises, "game_over", at_ns, record)
            case "line_overflowed":
                self.overflowed(record.event["line"])
            case _:
                pass

    def _was(self, kept: dict[str, Counter[int]], line: str, at_ns: int, record: Rec) -> None:
        stamps = kept.get(line, Counter())
        if stamps[at_ns] > 0:
            stamps[at_ns] -= 1
        elif line not in self._unsure:
            what = f"record {record.seq} ({record.kind}): nothing moved on {line} at {at_ns}"
            self._findings.tell(Checker.LOCKOUT, what)
