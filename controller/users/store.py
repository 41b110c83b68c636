"""The file of a table's persons, beside its journal: JSON, readable by its owner alone, replaced as a whole.

It is sealed with the device secret: somebody who can write the file but not read the secret cannot put a hash of his
own into it. It carries the number of changes that the journal has seen, so that an older copy, with a dismissed person
or an old PIN in it, is noticed. A file that does not fit is refused and left as it is.

A change is first written whole beside the file, then journaled, then put in the file's place; whoever reads takes the
one of the two that the journal speaks of, so that power lost in between changes nothing or everything.
"""

import hashlib
import hmac
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from controller.users.person import USERS_MOST, User
from controller.users.secret import make_pepper, pepper, rename, write

FORMAT: Final = 1
BYTES_MOST: Final = 512 * USERS_MOST
"""A list of as many persons as there may be is smaller than this; a larger file is none."""


class UsersDamagedError(ValueError):
    """The file of users cannot be trusted. It stays as it is; the table plays on without the acts that need a PIN."""


class UsersMissingError(UsersDamagedError):
    """The journal knows users, and their file is gone."""


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    format: int
    changes: int
    users: tuple[User, ...]
    seal: bytes


def path_of(journal: Path) -> Path:
    """Where the users of this journal's table are kept."""
    return journal.with_name(journal.name + ".users")


class Store:
    """The users of one table. Every change writes the whole file; nothing is cached."""

    def __init__(self, journal: Path) -> None:
        self.path = path_of(journal)
        self._new = self.path.with_name(self.path.name + ".new")
        self._journal = journal

    def load(self, changes: int) -> tuple[User, ...]:
        """The list after so many changes, by number; none where the journal has seen no change and no file is there.

        Raises `UsersDamagedError` for a file that cannot be read, does not fit its seal or is another than the journal
        speaks of, `PinError` where the device secret is gone.
        """
        try:
            found = self._read(self.path)
        except FileNotFoundError:
            found = None
        if found is not None and found.changes == changes:
            return found.users
        beside = self._beside()
        if beside is not None and beside.changes == changes:
            return beside.users
        if found is not None:
            what = f"has seen {found.changes} changes, the journal {changes}: it is another copy than the table's last"
            raise UsersDamagedError(f"{self.path} {what}. {_THEN}")
        if changes:
            raise UsersMissingError(f"{self.path} is gone, and the journal knows users. {_THEN}")
        return ()

    def sealed(self) -> tuple[User, ...]:
        """The list as it stands there, whatever the journal says of it. Raises as `load` does, or `OSError`."""
        return self._read(self.path).users

    def prepare(self, users: Sequence[User], changes: int) -> None:
        """Write the list after `changes` changes beside the file; durable on return.

        Raises `OSError`, and `PinError` where the device secret cannot be made or read.
        """
        kept = tuple(users)
        secret = make_pepper(self._journal)
        write(self._new, msgspec.json.encode(_File(FORMAT, changes, kept, _seal(changes, kept, secret))))

    def commit(self) -> None:
        """Put what was prepared in the file's place. Raises `OSError`; a list once prepared is found all the same."""
        rename(self._new, self.path)

    def _beside(self) -> _File | None:
        """What was prepared and not put in place; one that is cut off or false was never journaled either."""
        try:
            return self._read(self._new)
        except (FileNotFoundError, UsersDamagedError):
            return None

    def _read(self, path: Path) -> _File:
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            raise
        except OSError as error:
            raise UsersDamagedError(f"{path} cannot be read: {error.strerror}. {_THEN}") from error
        if len(data) > BYTES_MOST:
            raise UsersDamagedError(f"{path} has {len(data)} bytes, more than any list of users. {_THEN}")
        try:
            found = msgspec.json.decode(data, type=_File)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            # The decoder's words may quote what stands there, and so may its traceback.
            raise UsersDamagedError(f"{path} is damaged: it is no list of users. {_THEN}") from None
        if found.format != FORMAT:
            what = f"has format {found.format}, this program knows {FORMAT}"
            raise UsersDamagedError(f"{path} {what}. {_THEN}")
        if not hmac.compare_digest(found.seal, _seal(found.changes, found.users, pepper(self._journal))):
            what = "does not fit its seal: it was changed by hand or is damaged"
            raise UsersDamagedError(f"{path} {what}. {_THEN}")
        return found


_THEN = "Put the file back from the backup, or have every PIN set anew from the journal's list: `pozo users restore`"


def _seal(changes: int, users: tuple[User, ...], secret: bytes) -> bytes:
    return hashlib.blake2b(
        msgspec.json.encode((changes, users)), key=secret, person=b"pozo users", digest_size=32
    ).digest()
