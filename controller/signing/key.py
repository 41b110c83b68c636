"""Ed25519 keys and the files they are kept in: one line of text, the private half readable by its owner only.

    pozo-private-key ed25519 HEX    the 32 bytes of the seed (RFC 8032, section 5.1.5)
    pozo-public-key ed25519 HEX     the 32 bytes of the public key

It knows `cryptography` and files, and nothing of records. The library's own containers (PEM) are left alone: reading
them costs as much processor time again as the whole signature library.
"""

import os
from pathlib import Path
from typing import Final, Self

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from controller.journal import JournalError
from controller.journal.errors import from_os
from controller.journal.marker import sync_directory

PUBLIC_DIGITS: Final = 64
"""Hexadecimal digits of a public key, and of a seed."""

FILE_BYTES_MAX: Final = 512
"""A key file is a line of under 100 bytes; a longer file is something else, and only this much of it is read."""

_PRIVATE, _PUBLIC = "pozo-private-key ed25519 ", "pozo-public-key ed25519 "


class KeyProblemError(JournalError, ValueError):
    """A key that is missing, damaged or another one than is trusted. The text says which, and what to do."""


class PrivateKey:
    """A key that signs. Nothing prints it by accident: its private half leaves only through `write_private`."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.public = key.public_key().public_bytes_raw().hex()

    @classmethod
    def new(cls) -> Self:
        """A new key from the system's random numbers."""
        return cls(Ed25519PrivateKey.generate())

    @classmethod
    def from_seed(cls, seed: bytes) -> Self:
        """The key of 32 given bytes: for virtual worlds, whose runs repeat. Raises `ValueError` for another length."""
        return cls(Ed25519PrivateKey.from_private_bytes(seed))

    def sign(self, message: bytes) -> str:
        """The signature of `message`, 128 hexadecimal digits."""
        return self._key.sign(message).hex()

    def line(self) -> str:
        """What its file holds. For `write_private`; it is the secret itself."""
        return f"{_PRIVATE}{self._key.private_bytes_raw().hex()}\n"


def genuine(public: str, message: bytes, signature: str) -> bool:
    """Whether `signature` is that of `message` under the key `public`; what is no signature at all is none."""
    if not (is_key(public) and _is_hex(signature, 2 * PUBLIC_DIGITS)):
        return False
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(bytes.fromhex(signature), message)
    except InvalidSignature:
        return False
    return True


def is_key(text: str) -> bool:
    """Whether a text is a key's half as it is written in journals and on paper."""
    return _is_hex(text, PUBLIC_DIGITS)


def write_private(path: Path, key: PrivateKey) -> None:
    """Put the key into `path`, durable on return: there whole, or what was there before. Raises `JournalError`."""
    draft = path.with_name(path.name + ".draft")
    try:
        draft.unlink(missing_ok=True)
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(key.line().encode())
            file.flush()
            os.fsync(file.fileno())
        draft.rename(path)
        sync_directory(path.parent)
    except OSError as error:
        raise from_os(error, path) from error


def public_line(public: str) -> str:
    """What the file of a public half holds."""
    return f"{_PUBLIC}{public}\n"


def read_private(path: Path) -> PrivateKey | None:
    """The key in `path`, None if there is no such file. Raises `KeyProblemError` and the medium's errors."""
    text = _read(path)
    if text is None:
        return None
    seed = text.removeprefix(_PRIVATE)
    if seed == text or not is_key(seed):
        raise KeyProblemError(f"{path} holds no private key: it begins {text[:24]!r}, not {_PRIVATE!r}")
    return PrivateKey.from_seed(bytes.fromhex(seed))


def read_public(path: Path) -> str:
    """The public half in `path`. Raises `KeyProblemError` and the medium's errors."""
    text = _read(path)
    if text is None:
        raise KeyProblemError(f"there is no {path}: name the file of a public key")
    if text.startswith(_PRIVATE):
        raise KeyProblemError(
            f"{path} holds a private key: give the public half, and keep that file to yourself"
        )
    public = text.removeprefix(_PUBLIC)
    if not is_key(public):
        raise KeyProblemError(
            f"{path} holds no public key: {_PUBLIC!r} and {PUBLIC_DIGITS} hexadecimal digits"
        )
    return public.lower()


def _read(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            return file.read(FILE_BYTES_MAX).decode("ascii", "replace").strip()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise from_os(error, path) from error


def _is_hex(text: str, digits: int) -> bool:
    return len(text) == digits and all(letter in "0123456789abcdefABCDEF" for letter in text)
