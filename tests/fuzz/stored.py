"""What is stored and read back: the journal as a file, a row of it, copies of it, and the small files beside it."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import msgspec
from msgspec.structs import replace

from controller import pulse_file, transfer
from controller.backup import listing
from controller.console import access
from controller.core.money import Currency
from controller.journal import JournalError, ends_of, marker, recent, schema, verify
from controller.journal.chain import GENESIS, digest
from controller.journal.copies import copied_rows, format_of
from controller.journal.export import Format, lines
from controller.journal.record import LineError, Row, RowError, columns_of, decode
from controller.signing.key import PrivateKey
from tests.fuzz.target import Target, folder, put
from tests.helpers_table import TABLE, a_round, commissioning, filled

ROUNDS = 2
ENTRIES = (commissioning(), *a_round(1))
COLUMNS = ("event", "results", "state")


def journal_file(data: bytes) -> None:
    """A journal's file: proved good or found bad, read or refused."""
    path = put("journal.db", data)
    for beside in ("-wal", "-shm", ".id"):
        path.with_name(path.name + beside).unlink(missing_ok=True)
    with suppress(JournalError):
        verify(path)
    with suppress(JournalError):
        ends_of(path)
    with suppress(JournalError):
        recent(path, 5)


def journal_wal(data: bytes) -> None:
    """A journal's write-ahead log beside a good file."""
    path = put("with-wal.db", SEED_FILE)
    put("with-wal.db-wal", data)
    path.with_name(path.name + "-shm").unlink(missing_ok=True)
    with suppress(JournalError):
        verify(path)
    with suppress(JournalError):
        recent(path, 5)


def row(data: bytes) -> None:
    """A row whose columns are anything: event, results and state, parted by newlines, under a good digest."""
    event, results, state = _columns(data)
    texts = [part.decode("utf-8", "surrogateescape") for part in (event, results, state)]
    for kind in ("commissioned", "chip_dropped"):
        with suppress(RowError):
            decode((1, 1, 1, 1, 1, kind, texts[0], texts[1], texts[2], "0" * 64))


def row_in_a_file(data: bytes) -> None:
    """As `row`, through a file whose chain holds: proved good or found bad."""
    path = folder() / "rows.db"
    path.unlink(missing_ok=True)
    event, results, state = _columns(data)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA application_id={schema.APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version={schema.VERSION}")
        connection.execute(schema.TABLE_SQL)
        for found in _rows_of(event, results, state):
            # The casts put bytes in as text that need not be UTF-8, as a hand with a hex editor would.
            connection.execute(
                "INSERT INTO journal VALUES(?,?,?,?,?,?,CAST(? AS TEXT),CAST(? AS TEXT),CAST(? AS TEXT),?)",
                found,
            )
    assert verify(path).records <= 2  # two were written
    with suppress(JournalError):
        ends_of(path)
    with suppress(JournalError):
        recent(path, 5)


def _rows_of(event: bytes, results: bytes, state: bytes) -> Iterator[tuple[object, ...]]:
    columns = columns_of(ENTRIES[0])
    first = digest(GENESIS, (1, 1, ENTRIES[0].event.at_ns, 1, 1, *columns))
    yield (1, 1, ENTRIES[0].event.at_ns, 1, 1, columns[0], *(text.encode() for text in columns[1:]), first)
    try:
        after = digest(
            first,
            (2, 1, 10_000_000_000, 1, 1, "chip_dropped", event.decode(), results.decode(), state.decode()),
        )
    except UnicodeError:
        after = first
    yield (2, 1, 10_000_000_000, 1, 1, "chip_dropped", event, results, state, after)


def _columns(data: bytes) -> tuple[bytes, bytes, bytes]:
    event, _, rest = data.partition(b"\n")
    results, _, state = rest.partition(b"\n")
    return event, results, state


def copy(data: bytes) -> None:
    """An exported copy: each line is a row or an error, and a row is written again as it was read."""
    path = put("copy", data)
    try:
        form = format_of(path)
    except JournalError:
        return
    if form is None:
        return
    found = list(copied_rows(path, form))
    assert all(isinstance(it, LineError) or len(it) == len(SEED_ROWS[0]) for it in found)
    rows = [it for it in found if not isinstance(it, LineError)]
    again = put("again", "".join(lines(rows, form)).encode())
    assert list(copied_rows(again, form)) == rows


def transfer_file(data: bytes) -> None:
    """A transfer file: meant for this table and of an amount there can be, or refused."""
    with suppress(transfer.TransferError):
        found = transfer.read(put("transfer", data), TABLE, Currency.UYU, SENDER.public)
        assert (found.to_table, found.currency) == (TABLE, Currency.UYU)


def marker_file(data: bytes) -> None:
    """The marker beside a journal: whatever stands there, a history is expected."""
    put("marked.db.id", data)
    assert marker.expected(folder() / "marked.db") is not None


def pulses(data: bytes) -> None:
    """The pulses of a running table: a help, never an obstacle."""
    put("pulses.db.pulses", data)
    pulse_file.read(folder() / "pulses.db")


def access_file(data: bytes) -> None:
    """Who may look at the console."""
    with suppress(access.AccessError):
        found = access.read(put("access", data))
        assert not found.knows_token("guess")


def backup_list(data: bytes) -> None:
    """The list of a backup: signed by the key it names, and naming files inside of it, or refused."""
    place = folder() / "backup"
    place.mkdir(exist_ok=True)
    (place / listing.NAME).write_bytes(data)
    with suppress(listing.BackupError):
        found = listing.read(place)
        listing.check(place, found, SENDER.public)
        assert found.key == SENDER.public
        assert all(place in (place / name).resolve().parents for name in found.files)


def _seed_file() -> Path:
    place = folder() / "seed"
    place.mkdir()
    return filled(place, ROUNDS)


SEED_PATH = _seed_file()
SEED_FILE = SEED_PATH.read_bytes()


def _seed_rows() -> tuple[Row, ...]:
    with closing(sqlite3.connect(SEED_PATH)) as connection:
        return tuple(connection.execute("SELECT * FROM journal ORDER BY seq"))


SEED_ROWS = _seed_rows()
SEED_COLUMNS = tuple("\n".join(row[6:9]).encode() for row in SEED_ROWS)
SENDER = PrivateKey.from_seed(bytes(32))


def _seed_transfer() -> bytes:
    parts = (transfer.FORMAT, "t1", "mesa-1", TABLE, "main", 5_000, Currency.UYU, 7, "0" * 64, SENDER.public)
    unsigned = transfer.Transfer(*parts, signature="")
    return msgspec.json.encode(replace(unsigned, signature=SENDER.sign(unsigned.message())))


TRANSFER = _seed_transfer()
BACKUP = listing.signed(
    listing.Listing(listing.FORMAT, TABLE, 7, "0" * 64, 1, "1", SENDER.public, {"journal.db": "0" * 64}),
    SENDER,
)
ACCESS = b"password scrypt " + b"00" * 16 + b" " + b"11" * 32 + b"\ntoken sha256 " + b"22" * 32 + b"\n"
TARGETS = {
    "journal": Target(journal_file, (SEED_FILE,), len(SEED_FILE)),
    "wal": Target(journal_wal, (SEED_FILE[:4096],), 1 << 15),
    "row": Target(row, SEED_COLUMNS, 1 << 15),
    "row_in_a_file": Target(row_in_a_file, SEED_COLUMNS, 1 << 15),
    "copy": Target(copy, tuple("".join(lines(SEED_ROWS, form)).encode() for form in Format), 1 << 15),
    "transfer": Target(transfer_file, (TRANSFER,), 1 << 15),
    "marker": Target(marker_file, (b'{"table":"mesa-4","created_ns":1}',), 1 << 15),
    "pulses": Target(pulses, (b'{"seat_1":[{"width_ns":40000000,"gap_ns":1}]}',), 1 << 15),
    "backup": Target(backup_list, (BACKUP,), 1 << 15),
    "access": Target(access_file, (ACCESS,)),
}
