"""Journals as rows that a forger rewrites: digests and signatures by the documented formulas, not by our code."""

import csv
import hashlib
import io
import json
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from controller.drill.parse import parse
from controller.drill.play import Drill
from controller.journal.record import COLUMNS, Row

SEED = bytes(32)
"""The virtual tables' key (controller/drill/key.py)."""
PUBLIC = "3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29"
"""Its public half, as any Ed25519 tool gives it for a seed of zeros."""

FORGER = bytes(range(32))
ONE_ROUND = """
power on
chip 1 3
press coin_in
press game_over
chip 2
power off
"""
Edit = Callable[[dict[str, object]], object]


def played(folder: Path, script: str = ONE_ROUND, name: str = "kept.db") -> Path:
    """The journal a script leaves behind."""
    kept = folder / name
    Drill(keep=kept).play(parse(script))
    return kept


def rows_of(journal: Path) -> list[Row]:
    """All rows, read with SQLite alone."""
    with closing(sqlite3.connect(journal)) as connection:
        return connection.execute(f"SELECT {', '.join(COLUMNS)} FROM journal ORDER BY seq").fetchall()


def digest_of(previous: str, row: Row) -> str:
    """A row's digest after the formula in controller/journal/chain.py."""
    text = json.dumps([previous, *row[:-1]], separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def signature_of(seed: bytes, *parts: object) -> str:
    """An Ed25519 signature under a JSON array, after the formulas in controller/signing/heads.py."""
    message = json.dumps(parts, separators=(",", ":"), ensure_ascii=False).encode()
    return Ed25519PrivateKey.from_private_bytes(seed).sign(message).hex()


def public_of(seed: bytes) -> str:
    """The public half of a seed."""
    return Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw().hex()


def with_event(row: Row, edit: Edit) -> Row:
    """The row with its event edited."""
    event = json.loads(row[6])
    edit(event)
    text = json.dumps(event, separators=(",", ":"), ensure_ascii=False)
    return (*row[:6], text, *row[7:])


def with_state(row: Row, edit: Edit) -> Row:
    """The row with its state edited."""
    state = json.loads(row[8])
    edit(state)
    text = json.dumps(state, separators=(",", ":"), ensure_ascii=False)
    return (*row[:8], text, row[9])


def rechained(
    rows: Iterable[Row], seed: bytes | None = None, table: str = "SIM-1", kept: int = 0
) -> list[Row]:
    """The rows numbered and chained anew; with `seed`, every signed head signs its new predecessor with that key.

    Signatures among the first `kept` rows stay as they are.
    """
    previous = "0" * 64
    made: list[Row] = []
    for number, old in enumerate(rows, start=1):
        row = (number, *old[1:])
        if seed is not None and number > kept and row[5] == "head_signed":
            row = with_event(row, _signing(seed, table, number - 1, previous))
        previous = digest_of(previous, row)
        made.append((*row[:-1], previous))
    return made


def _signing(seed: bytes, table: str, seq: int, digest: str) -> Edit:
    def edit(event: dict[str, object]) -> None:
        event |= {"seq": seq, "digest": digest, "key": public_of(seed)}
        event["signature"] = signature_of(seed, "pozo head 1", table, seq, digest)

    return edit


def as_csv(rows: Iterable[Row], file: Path) -> Path:
    """A copy in CSV, written with Python's own writer."""
    text = io.StringIO()
    csv.writer(text).writerows([COLUMNS, *rows])
    file.write_bytes(text.getvalue().encode())
    return file
