"""Makes a backup: the journal as it stands, proven record by record where it lies then, beside what belongs to it.

The journal is read in one snapshot and never written. A backup gets its name when it is whole and on the medium; what a
cut leaves behind has another name, and the next one made clears it away.
"""

import errno
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from importlib.metadata import version
from pathlib import Path
from typing import Final, NamedTuple

from controller.backup.listing import (
    FORMAT,
    JOURNAL,
    NAME,
    SLIPS,
    TABLE,
    BackupError,
    Listing,
    digest_of,
    read,
    signed,
)
from controller.clock import Clock
from controller.config import Settings
from controller.config.shipped import folder as shipped_folder
from controller.journal.errors import primary_code
from controller.journal.marker import sync_directory
from controller.journal.read import reader
from controller.signing.audit import Proof, prove
from controller.signing.device import key_of
from controller.signing.key import PrivateKey
from controller.slips.register import path_of as slips_of

MARGIN_BYTES: Final = 8 << 20
"""What must stay free on the medium: on the second medium the witness needs room for a slot."""

DRAFT: Final = ".unfinished"


class Made(NamedTuple):
    """A backup: where it is, what it says, and whether it was there already."""

    folder: Path
    listing: Listing
    already: bool


def make(settings: Settings, clock: Clock, place: Path) -> Made:
    """Make a backup of this table in the folder `place`, durable and proven on return.

    Nothing is made where the newest record is in one already. Raises `BackupError` and the journal's errors; then
    nothing of it is left but perhaps a folder with another name.
    """
    key = key_of(settings.journal)
    try:
        _clear_drafts(place, settings.table_id)
        place.mkdir(parents=True, exist_ok=True)
        _refuse_full(settings, place)
        draft = place / f"{settings.table_id}{DRAFT}"
        draft.mkdir()
        try:
            return _made(settings, clock, key, place, draft)
        except BaseException:
            shutil.rmtree(draft, ignore_errors=True)
            raise
    except OSError as error:
        raise _not_made(place, error) from error


def _made(settings: Settings, clock: Clock, key: PrivateKey, place: Path, draft: Path) -> Made:
    _copy_journal(settings.journal, draft / JOURNAL)
    if slips_of(settings.journal).exists():
        uri = f"{slips_of(settings.journal).absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True)) as slips:
            _copy(slips, draft / SLIPS)
    for source, name in _files(settings):
        (draft / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, draft / name)
        _flush(draft / name)
    proof = _proven(draft / JOURNAL, key)
    final = place / f"{settings.table_id}-{proof.head.seq:010d}"
    there = _there(final, proof)
    if there is not None:
        shutil.rmtree(draft)
        return Made(final, there, already=True)
    shutil.rmtree(final, ignore_errors=True)
    names = sorted(path.relative_to(draft).as_posix() for path in draft.rglob("*") if path.is_file())
    listing = Listing(
        FORMAT,
        settings.table_id,
        proof.head.seq,
        proof.head.digest,
        clock.wall_ns(),
        version("pozo"),
        key.public,
        {name: digest_of(draft / name) for name in names},
    )
    (draft / NAME).write_bytes(signed(listing, key))
    _flush(draft / NAME)
    for folder in (*(path for path in draft.rglob("*") if path.is_dir()), draft):
        sync_directory(folder)
    draft.rename(final)
    sync_directory(place)
    return Made(final, listing, already=False)


def thin(place: Path, table: str, keep: int) -> tuple[str, ...]:
    """Remove a table's oldest backups but `keep`; the names of what was removed. Raises `BackupError`."""
    found = sorted(
        folder.name
        for folder in place.glob(f"{table}-*")
        # Another table's name may begin with this one's and a dash: its backups are not counted.
        if folder.name[len(table) + 1 :].isdecimal() and (folder / NAME).is_file()
    )
    old = tuple(found[: max(len(found) - keep, 0)])
    try:
        for name in old:
            # Without its list a folder is no backup: a cut leaves no half one that looks whole.
            (place / name / NAME).unlink()
            shutil.rmtree(place / name)
    except OSError as error:
        raise _not_made(place, error) from error
    return old


def _clear_drafts(place: Path, table: str) -> None:
    draft = place / f"{table}{DRAFT}"
    if draft.exists():
        shutil.rmtree(draft)


def _refuse_full(settings: Settings, place: Path) -> None:
    journal = settings.journal
    there = [journal.with_name(journal.name + tail) for tail in ("", "-wal")] + [slips_of(journal)]
    needed = sum(path.stat().st_size for path in there if path.exists()) + MARGIN_BYTES
    state = os.statvfs(place)
    free = state.f_bavail * state.f_frsize
    if free < needed:
        raise BackupError(
            f"{place} has {free >> 20} MiB free and a backup of this table needs {-(-needed >> 20)} MiB: free space "
            "there, or take a larger medium. Nothing was made, the backups there stay"
        )


def _copy_journal(journal: Path, target: Path) -> None:
    """One snapshot of the journal through SQLite's own backup, as a file that needs no log."""
    with reader(journal) as connection:
        _copy(connection, target)


def _copy(source: sqlite3.Connection, target: Path) -> None:
    try:
        with closing(sqlite3.connect(target, isolation_level=None)) as copy:
            source.backup(copy)
            copy.execute("PRAGMA journal_mode=DELETE")
    except sqlite3.Error as error:
        full = primary_code(error) == sqlite3.SQLITE_FULL
        raise OSError(errno.ENOSPC if full else errno.EIO, str(error)) from error
    _flush(target)


def _files(settings: Settings) -> Iterator[tuple[Path, str]]:
    """The table's own file and those it names, by their place beside it, without those that come with the program."""
    folder = settings.source.parent
    yield settings.source, TABLE
    for used in settings.files[1:]:
        if not used.path.is_relative_to(shipped_folder()) and used.path.is_relative_to(folder):
            yield used.path, used.path.relative_to(folder).as_posix()


def _flush(path: Path) -> None:
    """Make a file durable, and have it read from the medium the next time."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(descriptor)


def _proven(copy: Path, key: PrivateKey) -> Proof:
    """The whole chain of the copy, read from where it lies."""
    proof = prove(copy, replay=False)
    if proof.bad is not None:
        raise BackupError(
            f"the copy is not good at record {proof.bad.seq} ({proof.bad.flaw}: {proof.bad.detail}): it was thrown "
            "away. If `pozo journal verify` says the same of the table's own journal, call the technician; else the "
            "medium is bad"
        )
    if all(named.key != key.public for named in proof.keys):
        raise BackupError(
            "the journal does not name the key at hand: `pozo journal key` says which it trusts"
        )
    return proof


def _there(folder: Path, proof: Proof) -> Listing | None:
    """The list of the backup of this very record, if it is there and good; a spoilt one is made anew."""
    if not (folder / NAME).is_file():
        return None
    try:
        listing = read(folder)
    except BackupError:
        return None
    good = (listing.seq, listing.digest) == (proof.head.seq, proof.head.digest) and all(
        (folder / name).is_file() and digest_of(folder / name) == digest
        for name, digest in listing.files.items()
    )
    return listing if good else None


def _not_made(place: Path, error: OSError) -> BackupError:
    why = error.strerror or str(error)
    return BackupError(
        f"no backup was made in {place}: {why}. The journal was not touched and the backups there stay: look at the "
        "medium"
    )
