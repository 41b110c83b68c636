"""One chain: every row's digest worked out again, beside the program's own proof.

The definition is that of the journal's own page: SHA-256 over a JSON array of the digest before and every column.
"""

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from controller.soak.checks.words import Checker, Findings

GENESIS = "0" * 64


class Chain:
    """The end of the chain so far."""

    def __init__(self) -> None:
        self.seq = 0
        self.digest = GENESIS

    def take(self, row: Sequence[Any], findings: Findings) -> None:
        """The next row must follow on the last one, and its digest must be that of its columns."""
        array = json.dumps([self.digest, *row[:-1]], ensure_ascii=False, separators=(",", ":"))
        due = hashlib.sha256(array.encode()).hexdigest()
        if row[0] != self.seq + 1 or row[-1] != due:
            findings.tell(Checker.CHAIN, f"record {row[0]} does not follow on record {self.seq}")
        self.seq, self.digest = row[0], row[-1]
