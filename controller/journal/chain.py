"""The hash chain: each record's digest covers the record before it and every column of its own.

    digest(n) = sha256( JSON array [ digest(n-1), seq, boot, at_ns, wall_ns, wall_trusted,
                                     kind, event, results, state ] ) in hexadecimal
    digest(0) = 64 zeros

The array is written without blanks, in UTF-8, numbers as digits and texts as JSON strings (the three JSON columns
too: their text counts, not their meaning). So no two different rows give the same bytes: a number is not its text,
and nothing can move from one column into the next. A change anywhere changes every digest after it; whoever wrote
down `SEQ:DIGEST` of the last record (the head) can prove the whole history, its end included.

The chain finds errors and tampering against a head kept elsewhere. It holds no key: somebody who can rewrite the
whole file can write a consistent other one. What tells are heads: those signed in the journal (`controller.signing`),
and those on paper.
"""

from hashlib import sha256
from typing import Final, NamedTuple

import msgspec

GENESIS: Final = "0" * 64
"""What record 1 takes for its predecessor's digest."""

_encode = msgspec.json.Encoder().encode

PAPER_DIGITS: Final = 16
"""Hexadecimal digits of a digest on paper: 64 bits, enough to tell a record from any other of its number."""

Body = tuple[int, int, int, int, int, str, str, str, str]
"""A row without its digest."""


class Head(NamedTuple):
    """The last record as somebody outside wrote it down: its number and its digest."""

    seq: int
    digest: str

    def __str__(self) -> str:
        return f"{self.seq}:{self.digest}"


def digest(previous: str, body: Body) -> str:
    """The digest of a row's `body` that follows a record with the digest `previous`."""
    return sha256(_encode((previous, *body))).hexdigest()


def short_digest(digest: str) -> str:
    """The first digits of a digest as paper has them, in groups people can compare."""
    return " ".join(digest[start : start + 4] for start in range(0, PAPER_DIGITS, 4))
