"""The files beside a journal: users, witness, device key, signed list of files, register of papers, hostile rules."""

import sqlite3
from contextlib import closing, suppress
from hashlib import sha256
from pathlib import Path

import msgspec

from controller.administer import rules_in_force
from controller.core.game import Role
from controller.journal import Entry, Journal, JournalError
from controller.signing.audit import prove
from controller.signing.key import PrivateKey, is_key, public_line, read_private, read_public
from controller.signing.manifest import ManifestError
from controller.signing.manifest import read as read_manifest
from controller.slips.register import RegisterError, opened
from controller.slips.source import currency_of
from controller.users.person import User
from controller.users.secret import PinError
from controller.users.store import Store, UsersDamagedError, path_of
from controller.witness.errors import SlotError
from controller.witness.slot import SLOT_BYTES, decode_slot, encode
from tests.fuzz.stored import SEED_ROWS
from tests.fuzz.target import Target, folder, put
from tests.helpers_table import TABLE, WALL_NS, commissioning, filled

ANA = User(7, "Ana", Role.SUPERVISOR)
SEED = bytes(range(32)).hex()
KEY = PrivateKey.from_seed(bytes(range(32)))
_SUM = b',"sum":"'


def users_file(data: bytes) -> None:
    """The list of users, as anybody's bytes: trusted only under its seal."""
    path_of(JOURNAL).write_bytes(data)
    with suppress(UsersDamagedError, PinError):
        assert Store(JOURNAL).sealed() == (ANA,)


def witness_slot(data: bytes) -> None:
    """A slot of the witness as it may be found, filled up to its size."""
    with suppress(SlotError):
        decode_slot(data[:SLOT_BYTES].ljust(SLOT_BYTES, b" "))


def witness_forged(data: bytes) -> None:
    """A slot whose checksum somebody made good."""
    body = data.partition(_SUM)[0].replace(b"\n", b" ")
    whole = body + _SUM + sha256(body).hexdigest().encode() + b'"}\n'
    with suppress(SlotError):
        decode_slot(whole[:SLOT_BYTES].ljust(SLOT_BYTES, b" "))


def private_key(data: bytes) -> None:
    """The device's key file: a key, or an error that does not show it."""
    path = put("device.key", data)
    said = ""
    try:
        read_private(path)
    except JournalError as error:
        said = str(error)
    assert not any(SEED[at : at + 8] in said for at in range(len(SEED) - 7)), "the error shows the key"


def public_key(data: bytes) -> None:
    """A public half in a file."""
    with suppress(JournalError):
        assert is_key(read_public(put("device.pub", data)))


def manifest(data: bytes) -> None:
    """The signed list of the program's files: what the key did not sign is never taken."""
    with suppress(ManifestError):
        read_manifest(put("manifest.json", data), KEY.public)
        raise AssertionError("it was never signed")


def register(data: bytes) -> None:
    """The register of papers as an SQLite file."""
    put(f"{JOURNAL.name}.slips", data)
    _use_register()


def register_forged(data: bytes) -> None:
    """A register whose chain holds, with anything in its first row and in an act."""
    path = folder() / f"{JOURNAL.name}.slips"
    path.unlink(missing_ok=True)
    with suppress(JournalError, RegisterError), opened(JOURNAL, lambda: 1):
        pass
    act, _, detail = data.decode("utf-8", "replace").partition("\n")
    first = (1, "begun", 0, 0, detail)
    second = (1, act, 1, 0, "")
    chained = sha256(msgspec.json.encode(("0" * 64, *first))).hexdigest()
    after = sha256(msgspec.json.encode((chained, *second))).hexdigest()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("DELETE FROM papers")
        connection.execute("INSERT INTO papers VALUES(1,?,?,?,?,?,?)", (*first, chained))
        connection.execute("INSERT INTO papers VALUES(2,?,?,?,?,?,?)", (*second, after))
    _use_register()


def _use_register() -> None:
    with suppress(JournalError, RegisterError), opened(JOURNAL, lambda: 1) as found:
        found.history(1)
        found.due(3)
        found.given_up()
        found.start(1, "0" * 64, 2, trusted=True)


def rules(data: bytes) -> None:
    """A journal that says anything of its rules, its chain good."""
    path = folder() / "ruled.db"
    for old in folder().glob("ruled.db*"):
        old.unlink()
    begun = commissioning()
    event = msgspec.structs.replace(begun.event, rules=data.decode("utf-8", "replace"))
    Journal.create(path, TABLE, Entry(event, begun.results, begun.state), WALL_NS, wall_trusted=True).close()
    with suppress(JournalError):
        rules_in_force(path)
    with suppress(JournalError):
        currency_of(path)
    prove(path)


def _journal() -> Path:
    place = folder() / "beside"
    place.mkdir()
    return filled(place, 1).rename(folder() / "beside.db")


def _users() -> bytes:
    store = Store(JOURNAL)
    store.prepare((ANA,), 1)
    store.commit()
    return store.path.read_bytes()


def _register() -> bytes:
    with opened(JOURNAL, lambda: 1) as found:
        found.finish(found.start(1, "0" * 64, 2, trusted=True), 3)
    return (folder() / f"{JOURNAL.name}.slips").read_bytes()


JOURNAL = _journal()
USERS = _users()
REGISTER = _register()
SLOT = encode(TABLE, 3, SEED_ROWS[-1], KEY)
TARGETS = {
    "users": Target(users_file, (USERS,), 1 << 14),
    "witness": Target(witness_slot, (SLOT,), SLOT_BYTES),
    "witness_forged": Target(witness_forged, (SLOT,), 1 << 15),
    "private_key": Target(private_key, (KEY.line().encode(), public_line(KEY.public).encode()), 600),
    "public_key": Target(public_key, (KEY.line().encode(), public_line(KEY.public).encode()), 600),
    "manifest": Target(
        manifest,
        (
            b'{"manifest":{"files":{},"format":"pozo manifest 1","version":"1"},"signature":"'
            + b"0" * 128
            + b'"}',
        ),
        1 << 14,
    ),
    "register": Target(register, (REGISTER,), len(REGISTER)),
    "register_forged": Target(
        register_forged,
        (
            b'started\n{"table":"mesa-4","genesis":"'
            + SEED_ROWS[0][-1].encode()
            + b'","seq":1,"awards_made":0,"owed":[]}',
        ),
    ),
    "rules": Target(rules, (b'{"currency":"UYU","profile":"uy-montevideo-caribbean"}',)),
}
