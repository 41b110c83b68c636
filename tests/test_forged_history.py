"""Whoever can write a table's files and has no key brings in no record that the table's rules do not make."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from controller.journal import DamagedError, Flaw
from controller.journal.record import Row
from controller.signing.audit import prove
from controller.signing.device import key_in_force
from tests.helpers_signing import digest_of, played, rows_of

NOTED = '[{"kind":"noted"}]'
Edit = Callable[[dict[str, object]], object]


def nothing(_: dict[str, object]) -> None:
    """The state stays as it is."""


def forged(journal: Path, event: dict[str, object], results: str = NOTED, edit: Edit = nothing) -> Row:
    """Put one more record behind the last, its digest right, its state edited; the row."""
    last = rows_of(journal)[-1]
    state = json.loads(last[8])
    edit(state)
    stamped = {**event, "at_ns": last[2] + 1}
    columns = (str(event["kind"]), json.dumps(stamped), results, json.dumps(state))
    row = (last[0] + 1, last[1], last[2] + 1, last[3] + 1, last[4], *columns, "")
    row = (*row[:-1], digest_of(last[-1], row))
    with closing(sqlite3.connect(journal)) as connection, connection:
        connection.execute(f"INSERT INTO journal VALUES ({', '.join('?' * len(row))})", row)
    return row


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """One round's history, closed with a signed stop."""
    return played(tmp_path)


KEY_CHANGE = {
    "kind": "device_key_changed",
    "old": "",
    "new": "ab" * 32,
    "endorsed": "",
    "supervisor": "Ana",
    "technician": "Luis",
    "reason": "x",
}


@pytest.mark.parametrize("event", [{"kind": "table_closed"}, KEY_CHANGE], ids=["table_closed", "key_changed"])
def test_a_record_without_a_result_is_a_flaw_not_an_exception(
    journal: Path, event: dict[str, object]
) -> None:
    row = forged(journal, event, "[]")
    bad = prove(journal).bad
    assert bad is not None
    assert (bad.seq, bad.flaw) == (row[0], Flaw.RECORD)


def test_a_change_of_key_without_a_result_ends_no_start(journal: Path) -> None:
    forged(journal, KEY_CHANGE, "[]")
    with pytest.raises(DamagedError, match="no result"):
        key_in_force(journal)
