"""What is to be sent: the journal's rows after a head that somebody outside has.

The journal itself is the store: nothing waits in memory but one page, however long nobody takes it.
"""

from pathlib import Path
from typing import Final

from controller.journal import page, reader
from controller.journal.chain import GENESIS, Head
from controller.journal.errors import damaged
from controller.journal.read import last_row
from controller.journal.record import Row

PAGE: Final = 100
"""Rows in one page: about a megabyte at most, and some milliseconds of reading."""

START: Final = Head(0, GENESIS)
"""What a receiver has that has nothing."""


class OtherHistoryError(LookupError):
    """Somebody outside has a record that this journal lacks, or another one under its number."""

    def __init__(self, receiver: str, head: Head, found: Head | None) -> None:
        here = "has no such record" if found is None else f"has {found} there"
        super().__init__(
            f"{receiver} has record {head} of this table, and the journal {here}: it is older, or not the one reported "
            f"before. Nothing more is sent. What {receiver} has up to record {head.seq} is to be trusted: stop the "
            "table and find out which journal is the true one. One that began anew after a recovery is let in by two "
            "persons at the floor: `pozo floor accept` (docs/link.md)"
        )
        self.head = head


def newest(journal: Path) -> Row:
    """The journal's last row, as it stands there. Raises the journal's errors."""
    with reader(journal) as connection:
        row = last_row(connection)
    if row is None:
        raise damaged(journal, "it holds no record, not even the commissioning")
    return row


def after(journal: Path, head: Head, receiver: str, limit: int = PAGE) -> list[Row]:
    """The rows after `head`, `limit` at most, of a journal that has `head`.

    `receiver` names who has it, for the text. Raises `OtherHistoryError` and the journal's errors.
    """
    if head.seq == 0:
        return page(journal, 0, limit)
    rows = page(journal, head.seq - 1, limit + 1)
    if not rows or rows[0][0] != head.seq:
        raise OtherHistoryError(receiver, head, None)
    if rows[0][-1] != head.digest:
        raise OtherHistoryError(receiver, head, Head(head.seq, rows[0][-1]))
    return rows[1:]
