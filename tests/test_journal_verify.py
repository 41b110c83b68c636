"""`verify` finds every damage: ten thousand random ones, and each kind of flaw by name."""

import random
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from controller.journal import Flaw, Head, schema, verify
from controller.journal.chain import GENESIS, digest
from controller.journal.verify import check
from tests.helpers_table import WALL_NS, a_round, new_journal

RECORDS = 29
SEED = 20_260_101
TEXTS = ("kind", "event", "results", "state", "digest")
NUMBERS = ("boot", "at_ns", "wall_ns", "wall_trusted")
COLUMNS = ("seq", *NUMBERS, *TEXTS)
LOOSE_SQL = f"CREATE TABLE journal(seq INTEGER PRIMARY KEY, {', '.join(NUMBERS + TEXTS)})"
TYPES = ", ".join(f"typeof({column})" for column in COLUMNS)

Row = tuple[object, ...]
Damage = Callable[[sqlite3.Connection, random.Random], None]


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A journal of 29 records as one file's bytes."""
    directory = tmp_path_factory.mktemp("pristine")
    journal = new_journal(directory)
    for number in range(1, 8):
        journal.append(a_round(number), WALL_NS + number, wall_trusted=True)
    journal.close()
    image = bytearray((directory / "pozo.db").read_bytes())
    image[18:20] = b"\x01\x01"  # not WAL: an image in memory has none (SQLite's file format)
    return bytes(image)


def loaded(image: bytes) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.deserialize(image)
    return connection


def rows_of(connection: sqlite3.Connection) -> list[Row] | None:
    """What is stored, read without the code under test and as bytes; None if SQLite cannot."""
    connection.text_factory = bytes
    try:
        return connection.execute(f"SELECT *, {TYPES} FROM journal").fetchall()
    except (sqlite3.Error, UnicodeError):
        return None
    finally:
        connection.text_factory = str


def with_schema(connection: sqlite3.Connection, sql: str) -> None:
    connection.execute("PRAGMA writable_schema=ON")
    connection.execute("UPDATE sqlite_schema SET sql=?", (sql,))
    connection.execute("PRAGMA writable_schema=RESET")


def seq(draw: random.Random) -> int:
    return draw.randint(1, RECORDS)


def change_text(connection: sqlite3.Connection, draw: random.Random) -> None:
    column, at = draw.choice(TEXTS), seq(draw)
    (text,) = connection.execute(f"SELECT {column} FROM journal WHERE seq=?", (at,)).fetchone()
    place = draw.randrange(len(text))
    new = draw.choice([text[:place] + text[place + 1 :], text[:place] + "7" + text[place:], text + " ", ""])
    connection.execute(f"UPDATE journal SET {column}=? WHERE seq=?", (new, at))


def change_number(connection: sqlite3.Connection, draw: random.Random) -> None:
    by = draw.choice([1, -1, 2, 10**9])
    connection.execute(
        f"UPDATE journal SET {draw.choice(NUMBERS)} = {draw.choice(NUMBERS)} + {by} WHERE seq={seq(draw)}"
    )


def change_type(connection: sqlite3.Connection, draw: random.Random) -> None:
    column = draw.choice(TEXTS + NUMBERS)
    kind = draw.choice(["BLOB", "REAL", "TEXT"]) if column in NUMBERS else "BLOB"
    with_schema(connection, LOOSE_SQL)
    connection.execute(f"UPDATE journal SET {column}=CAST({column} AS {kind}) WHERE seq=?", (seq(draw),))
    with_schema(connection, schema.TABLE_SQL)


def renumber(connection: sqlite3.Connection, draw: random.Random) -> None:
    new = draw.choice([-5, 0, RECORDS + 1, RECORDS + 5, 10**12, 2**63 - 1, -(2**63)])
    connection.execute("UPDATE journal SET seq=? WHERE seq=?", (new, seq(draw)))


def swap_numbers(connection: sqlite3.Connection, draw: random.Random) -> None:
    one, other = draw.sample(range(1, RECORDS + 1), 2)
    for old, new in ((one, -1), (other, one), (-1, other)):
        connection.execute("UPDATE journal SET seq=? WHERE seq=?", (new, old))


def swap_contents(connection: sqlite3.Connection, draw: random.Random) -> None:
    one, other = draw.sample(range(1, RECORDS + 1), 2)
    columns = draw.sample(TEXTS + NUMBERS, draw.randint(1, 9))
    names = ", ".join(columns)
    values = {
        at: connection.execute(f"SELECT {names} FROM journal WHERE seq=?", (at,)).fetchone()
        for at in (one, other)
    }
    setting = ", ".join(f"{column}=?" for column in columns)
    connection.execute(f"UPDATE journal SET {setting} WHERE seq=?", (*values[one], other))
    connection.execute(f"UPDATE journal SET {setting} WHERE seq=?", (*values[other], one))


def remove(connection: sqlite3.Connection, draw: random.Random) -> None:
    connection.execute("DELETE FROM journal WHERE seq=?", (seq(draw),))


def remove_and_close_up(connection: sqlite3.Connection, draw: random.Random) -> None:
    at = seq(draw)
    connection.execute("DELETE FROM journal WHERE seq=?", (at,))
    connection.execute("UPDATE journal SET seq=-seq WHERE seq>?", (at,))
    connection.execute("UPDATE journal SET seq=-seq-1 WHERE seq<0")


def insert_copy(connection: sqlite3.Connection, draw: random.Random) -> None:
    names = ", ".join(NUMBERS + TEXTS)
    at = draw.choice([-1, 0, RECORDS + 1, RECORDS + 9])
    connection.execute(f"INSERT INTO journal SELECT ?, {names} FROM journal WHERE seq=?", (at, seq(draw)))


def cut_off(connection: sqlite3.Connection, draw: random.Random) -> None:
    connection.execute("DELETE FROM journal WHERE seq>?", (draw.randint(0, RECORDS - 1),))


def flip_bytes(connection: sqlite3.Connection, draw: random.Random) -> None:
    image = bytearray(connection.serialize())
    for _ in range(draw.choice([1, 1, 1, 2, 8])):
        image[draw.randrange(100, len(image))] ^= 1 << draw.randrange(8)
    connection.deserialize(bytes(image))


DAMAGES: tuple[Damage, ...] = (
    change_text,
    change_number,
    change_type,
    renumber,
    swap_numbers,
    swap_contents,
    remove,
    remove_and_close_up,
    insert_copy,
    cut_off,
    flip_bytes,
    flip_bytes,
)


def damaged_images(
    pristine: bytes, number: int
) -> Iterator[tuple[str, list[Row] | None, sqlite3.Connection]]:
    draw = random.Random(SEED)
    for _ in range(number):
        with closing(loaded(pristine)) as connection:
            damage = draw.choice(DAMAGES)
            damage(connection, draw)
            yield damage.__name__, rows_of(connection), connection


def test_none_of_ten_thousand_random_damages_is_missed(pristine: bytes) -> None:
    with closing(loaded(pristine)) as connection:
        right = rows_of(connection)
        whole = check(connection)
    assert whole.bad is None
    assert whole.records == RECORDS
    real: Counter[str] = Counter()
    missed = []
    # Some change nothing that is stored: equal values swapped, a flipped byte nobody reads. They are no damage.
    for name, found, connection in damaged_images(pristine, 11_500):
        if found != right:
            real[name] += 1
            if check(connection, whole.head).bad is None:
                missed.append((name, found))
    assert missed == []
    assert real.total() >= 10_000
    assert min(real.values()) > 700
    assert len(real) == len(set(DAMAGES))


def rewritten(pristine: bytes, change: str) -> sqlite3.Connection:
    """A journal changed by somebody who can compute digests: every one after the change is made right again."""
    connection = loaded(pristine)
    connection.execute(change)
    previous = GENESIS
    for row in connection.execute("SELECT * FROM journal ORDER BY seq").fetchall():
        previous = digest(previous, row[:-1])
        connection.execute("UPDATE journal SET digest=? WHERE seq=?", (previous, row[0]))
    return connection


@pytest.mark.parametrize(
    ("change", "seq", "flaw", "detail"),
    [
        ("UPDATE journal SET kind='chip_late' WHERE seq=7", 7, Flaw.RECORD, "kind is 'chip_late'"),
        ("UPDATE journal SET at_ns=5 WHERE seq=7", 7, Flaw.RECORD, "at_ns is 5"),
        ("UPDATE journal SET wall_trusted=2 WHERE seq=7", 7, Flaw.RECORD, "wall_trusted is 2"),
        ("UPDATE journal SET state='{}' WHERE seq=7", 7, Flaw.RECORD, "cannot be read"),
        ("UPDATE journal SET boot=3 WHERE seq=7", 8, Flaw.BOOT, "session 1, after one of 3"),
        ("DELETE FROM journal WHERE seq=7", 7, Flaw.MISSING, "record 8 follows 6"),
        ("DELETE FROM journal WHERE seq=1", 1, Flaw.MISSING, "record 2 follows 0"),
        ("UPDATE journal SET seq=-1 WHERE seq=29", 1, Flaw.ORDER, "record -1 stands in its place"),
        ("DELETE FROM journal", 1, Flaw.BEGINNING, "no record"),
        ("CREATE INDEX extra ON journal(kind)", 0, Flaw.FORMAT, "altered"),
        ("PRAGMA application_id=1", 0, Flaw.FORMAT, "another program"),
        ("PRAGMA user_version=9", 0, Flaw.FORMAT, "format 9, this program knows 1"),
    ],
)
def test_a_flaw_is_named_even_where_the_digests_were_made_right(
    pristine: bytes, change: str, seq: int, flaw: Flaw, detail: str
) -> None:
    with closing(rewritten(pristine, change)) as connection:
        bad = check(connection).bad
    assert bad is not None
    assert (bad.seq, bad.flaw) == (seq, flaw)
    assert detail in bad.detail


def test_a_broken_structure_is_found_although_every_record_is_right(pristine: bytes) -> None:
    image = bytearray(pristine)
    image[36:40] = (5).to_bytes(4, "big")  # five free pages that are not there (SQLite's file format, 1.3)
    with closing(loaded(bytes(image))) as connection:
        verdict = check(connection)
    assert verdict.records == RECORDS
    assert verdict.bad is not None
    assert (verdict.bad.seq, verdict.bad.flaw) == (0, Flaw.PAGE)


def test_a_second_commissioning_is_a_flaw(pristine: bytes) -> None:
    copy = "UPDATE journal SET (kind, at_ns, event) = (SELECT kind, at_ns, event FROM journal WHERE seq=1) WHERE seq=7"
    with closing(rewritten(pristine, copy)) as connection:
        bad = check(connection).bad
    assert bad is not None
    assert (bad.seq, bad.flaw) == (7, Flaw.BEGINNING)


def test_a_changed_record_is_named(pristine: bytes) -> None:
    with closing(loaded(pristine)) as connection:
        connection.execute("UPDATE journal SET state=replace(state,'10002000','10002001') WHERE seq=4")
        verdict = check(connection)
    assert verdict.bad is not None
    assert (verdict.bad.seq, verdict.bad.flaw, verdict.records) == (4, Flaw.DIGEST, 3)


def test_a_cut_off_end_is_found_with_the_head_only(tmp_path: Path) -> None:
    journal = new_journal(tmp_path)
    journal.append(a_round(1), WALL_NS, wall_trusted=True)
    head = journal.head
    journal.close()
    path = tmp_path / "pozo.db"
    assert verify(path, head).bad is None
    assert verify(path, Head(5, "0" * 64)).bad is not None
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM journal WHERE seq = 5")
    assert verify(path).bad is None
    bad = verify(path, head).bad
    assert bad is not None
    assert (bad.seq, bad.flaw) == (5, Flaw.TRUNCATED)


def test_a_rewritten_history_is_found_with_the_head(pristine: bytes) -> None:
    with closing(loaded(pristine)) as connection:
        head = check(connection).head
    with closing(rewritten(pristine, "UPDATE journal SET wall_ns=wall_ns+1 WHERE seq=7")) as connection:
        assert check(connection).bad is None
        bad = check(connection, head).bad
    assert bad is not None
    assert (bad.seq, bad.flaw) == (29, Flaw.HEAD)


def test_an_older_head_proves_a_journal_that_has_grown(tmp_path: Path) -> None:
    with closing(new_journal(tmp_path)) as journal:
        journal.append(a_round(1), WALL_NS, wall_trusted=True)
        head = journal.head
        journal.append(a_round(2), WALL_NS, wall_trusted=True)
        verdict = verify(tmp_path / "pozo.db", head)
        assert verdict.bad is None
        assert verdict.head == journal.head


def test_verifying_changes_no_byte(tmp_path: Path) -> None:
    with closing(new_journal(tmp_path)) as journal:
        journal.append(a_round(1), WALL_NS, wall_trusted=True)
        files = {name: (tmp_path / name).read_bytes() for name in ("pozo.db", "pozo.db-wal")}
        verify(tmp_path / "pozo.db")
        assert {name: (tmp_path / name).read_bytes() for name in files} == files
