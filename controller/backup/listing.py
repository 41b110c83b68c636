"""The list of a backup: what is in it, up to which record, signed by the device that made it.

    {"backup": {"format": "pozo backup 1", "table": …, "seq": …, "digest": …, "wall_ns": …, "version": …,
                "key": PUBLIC, "files": {NAME: SHA-256, …}}, "signature": HEX}

    signature = Ed25519( JSON array [ "pozo backup 1", TEXT ] ), TEXT being what stands between `"backup":` and
    `,"signature"`, to the letter, as a JSON string

A folder without it is no backup: it is written last.
"""

import hashlib
from pathlib import Path
from typing import Annotated, Final

import msgspec

from controller.config.kinds import TableId
from controller.signing.key import PrivateKey, genuine, short_key

FORMAT: Final = "pozo backup 1"
NAME: Final = "backup.json"
BYTES_MOST: Final = 64 << 10
"""What is read of a list; one has under two thousand bytes."""

FILES_MOST: Final = 32
JOURNAL: Final = "journal.db"
SLIPS: Final = "journal.db.slips"
TABLE: Final = "table.toml"

_FileName = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._ /-]{0,120}$")]
_Digest = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]


class BackupError(ValueError):
    """A backup that cannot be made or used; the text says why and what to do."""


class Listing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a backup says of itself: number and digest of the journal's newest record; the wall time is for people."""

    format: str
    table: TableId
    seq: Annotated[int, msgspec.Meta(ge=1)]
    digest: _Digest
    wall_ns: int
    version: str
    key: _Digest
    files: Annotated[dict[_FileName, _Digest], msgspec.Meta(max_length=FILES_MOST)]


class _Signed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    backup: msgspec.Raw
    signature: str


def signed(listing: Listing, key: PrivateKey) -> bytes:
    """The list as its file holds it."""
    text = msgspec.json.encode(listing, order="sorted")
    return msgspec.json.encode(_Signed(msgspec.Raw(text), key.sign(_message(text)))) + b"\n"


def read(folder: Path) -> Listing:
    """The list of a backup, its signature checked against the key it names.

    Whose key that is is for the caller to say. Raises `BackupError`, `OSError`.
    """
    path = folder / NAME
    try:
        with path.open("rb") as file:
            data = file.read(BYTES_MOST)
    except FileNotFoundError as error:
        raise BackupError(
            f"{folder} has no {NAME}: it is no backup, or its making was cut short; take another one"
        ) from error
    try:
        found = msgspec.json.decode(data, type=_Signed)
        text = bytes(found.backup)
        listing = msgspec.json.decode(text, type=Listing)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise BackupError(f"{path} is damaged ({error}): take another backup") from error
    if listing.format != FORMAT:
        raise BackupError(f"{path} is of the format {listing.format!r}; this program reads {FORMAT!r}")
    if not genuine(listing.key, _message(text), found.signature):
        raise BackupError(
            f"{path} was changed: its signature is not that of the key it names; take another backup"
        )
    return listing


def check(folder: Path, listing: Listing, filed: str) -> None:
    """Compare every file with the list, and the key with the filed one. Raises `BackupError`, `OSError`."""
    if listing.key != filed.lower():
        raise BackupError(
            f"{folder} is signed with the key {short_key(listing.key)}, the filed one is {short_key(filed.lower())}: "
            "another device made it. Look at the paper filed last: a recovery gives a table another key"
        )
    for name, digest in listing.files.items():
        if ".." in Path(name).parts:
            raise BackupError(f"{folder / NAME} names a file outside of the backup: {name!r}")
        try:
            found = digest_of(folder / name)
        except FileNotFoundError as error:
            raise BackupError(f"{folder / name} is missing: take another backup") from error
        if found != digest:
            raise BackupError(f"{folder / name} is damaged: it is not what was copied; take another backup")


def digest_of(path: Path) -> str:
    """SHA-256 of a file. Raises `OSError`."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _message(text: bytes) -> bytes:
    return msgspec.json.encode((FORMAT, text.decode()))
