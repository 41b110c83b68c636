"""Puts a backup's journal where there is none, on a spare machine or a new card. Nothing that is there is replaced.

The journal gets its name last. Until two persons have brought the table back with both keys (`pozo recover`) it does
not play: there is no witness, or one that knows more.
"""

import os
import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from controller.backup.listing import JOURNAL, NAME, SLIPS, BackupError, Listing, check, digest_of, read
from controller.config import Settings
from controller.journal import Head, JournalError, marker
from controller.journal.marker import sync_directory
from controller.journal.read import ends_of
from controller.signing.audit import prove
from controller.slips.register import path_of as slips_of


def newest(place: Path, table: str) -> Path:
    """The newest backup of `table` in a folder of backups, or the folder itself if it is one.

    Raises `BackupError` with what is there instead.
    """
    if (place / NAME).is_file():
        return place
    found: list[tuple[int, Path]] = []
    others: set[str] = set()
    for folder in sorted(place.glob(f"*/{NAME}")):
        try:
            listing = read(folder.parent)
        except BackupError:
            continue  # the next newest will do, and a person who names this one is told what is wrong with it
        if listing.table == table:
            found.append((listing.seq, folder.parent))
        else:
            others.add(listing.table)
    if not found:
        what = f"those there are of {', '.join(sorted(others))}" if others else "there is none at all"
        raise BackupError(f"{place} has no backup of table {table} that can be read: {what}")
    return max(found)[1]


def put_back(settings: Settings, folder: Path, filed: str, heads: Sequence[Head] = ()) -> Listing:
    """Put the journal of the backup in `folder` in its place, proven, durable on return. The caller holds the lock.

    `filed`: the public half of the table's key as it was filed; `heads`: those known from slips and reports. May be
    called again after a cut. Raises `BackupError` and the journal's errors; then nothing is in the journal's place.
    """
    listing = read(folder)
    journal = settings.journal
    if listing.table != settings.table_id:
        raise BackupError(
            f"{folder} is of table {listing.table}, and {settings.source} is of table {settings.table_id}: "
            "nothing was changed"
        )
    check(folder, listing, filed)
    _refuse_over(journal, listing)
    proof = prove(folder / JOURNAL, heads, (listing.key,))
    if proof.bad is not None:
        raise BackupError(
            f"{folder} is not good at record {proof.bad.seq} ({proof.bad.flaw}: {proof.bad.detail}): "
            "take another backup"
        )
    try:
        _place(folder / JOURNAL, journal, listing, ends_of(folder / JOURNAL).first.wall_ns)
        if SLIPS in listing.files and not slips_of(journal).exists():
            _copied(folder / SLIPS, slips_of(journal), listing.files[SLIPS]).rename(slips_of(journal))
            sync_directory(journal.parent)
    except (OSError, sqlite3.Error) as error:
        raise BackupError(
            f"{journal} cannot be written ({error}): look at the medium, then say it again"
        ) from error
    return listing


def _refuse_over(journal: Path, listing: Listing) -> None:
    """Raise `BackupError` where a journal, or a part of one, is; but for this very one, from before a cut."""
    if journal.exists() and not _is_it(journal, listing):
        raise BackupError(
            f"there is a journal at {journal}: it is not replaced by a copy. `pozo recover --config FILE` says what it "
            "and the witness hold, and sets it aside if it is not good"
        )
    log = journal.with_name(f"{journal.name}-wal")
    if not journal.exists() and log.exists():
        raise BackupError(
            f"{log} is there without its journal: keep it elsewhere first; it would be read into the copy"
        )


def _is_it(journal: Path, listing: Listing) -> bool:
    """Whether a journal ends with the very record the backup ends with: then all before it is the same too."""
    try:
        last = ends_of(journal).last
    except JournalError:
        return False
    return (last.seq, last.digest) == (listing.seq, listing.digest)


def _place(copy: Path, journal: Path, listing: Listing, wall_ns: int) -> None:
    if not journal.exists():
        draft = _copied(copy, journal, listing.files[JOURNAL])
        with closing(sqlite3.connect(draft, isolation_level=None)) as journal_again:
            # As a table's own journal has it; one page is written.
            journal_again.execute("PRAGMA journal_mode=WAL")
        # The marker first: from here on a history is expected, and nobody begins one.
        marker.write(journal, listing.table, wall_ns)
        draft.rename(journal)
    marker.write(journal, listing.table, wall_ns)
    sync_directory(journal.parent)


def _copied(source: Path, target: Path, digest: str) -> Path:
    """Copy a file to a draft beside `target`, durable and what was signed on return; an older draft goes."""
    draft = target.with_name(f"{target.name}.put-back")
    with source.open("rb") as old, draft.open("wb") as new:
        shutil.copyfileobj(old, new)
        new.flush()
        os.fsync(new.fileno())
        # What is compared comes from the medium, not from memory.
        os.posix_fadvise(new.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    if digest_of(draft) != digest:
        draft.unlink()
        raise BackupError(
            f"what was copied to {target} is not what {source} holds by its signed list: nothing was put in its place. "
            "Say it again; if it comes again, one of the two media is bad"
        )
    return draft
