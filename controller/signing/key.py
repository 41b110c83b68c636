"""Ed25519 keys and the files they are kept in: one line of text, the private half readable by its owner only.

    pozo-private-key ed25519 SEED PUBLIC CHECK    the 32 bytes of the seed (RFC 8032, section 5.1.5), its public half,
                                                  and the first 16 digits of the SHA-256 of all that is before them
    pozo-public-key ed25519 PUBLIC                the 32 bytes of the public key; all in hexadecimal

On paper a public half has a short form too: its first 20 digits in fours. Eighty bits are more than anybody can search
through for a key of his own that begins alike.

It knows `cryptography` and files, and nothing of records. The library is loaded when it is first needed: a command that
neither signs nor checks does without.
"""

import os
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from controller.journal import JournalError
from controller.journal.errors import from_os
from controller.journal.marker import sync_directory

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

PUBLIC_DIGITS: Final = 64
"""Hexadecimal digits of a public key, and of a seed."""

CHECK_DIGITS: Final = 16

SHORT_DIGITS: Final = 20
"""Digits of a public half that its short form on paper has."""

FILE_BYTES_MAX: Final = 512
"""A key file is a line of under 200 bytes; a longer file is something else, and only this much of it is read."""

_PRIVATE, _PUBLIC = "pozo-private-key ed25519 ", "pozo-public-key ed25519 "


class KeyProblemError(JournalError, ValueError):
    """A key that is missing, damaged or another one than is trusted. The text says which, and what to do."""


class PrivateKey:
    """A key that signs: the seed's 32 bytes and the public half. Nothing prints the private half by accident."""

    def __init__(self, seed: bytes, public: str) -> None:
        self.public = public
        self._seed = seed
        self._key: Ed25519PrivateKey | None = None

    @classmethod
    def new(cls) -> Self:
        """A new key from the system's random numbers."""
        return cls.from_seed(os.urandom(PUBLIC_DIGITS // 2))

    @classmethod
    def from_seed(cls, seed: bytes) -> Self:
        """The key of 32 given bytes: for virtual worlds, whose runs repeat. Raises `ValueError` for another length."""
        return cls(seed, _private(seed).public_key().public_bytes_raw().hex())

    def sign(self, message: bytes) -> str:
        """The signature of `message`, 128 hexadecimal digits."""
        if self._key is None:
            self._key = _private(self._seed)
        return self._key.sign(message).hex()

    def line(self) -> str:
        """What its file holds. For `write_private`; it is the secret itself."""
        text = f"{_PRIVATE}{self._seed.hex()} {self.public} "
        return f"{text}{_check(text)}\n"


def load_library() -> None:
    """Load what signs, so that the first signature takes no longer than the others."""
    import_module("cryptography.hazmat.primitives.asymmetric.ed25519")


def _private(seed: bytes) -> "Ed25519PrivateKey":
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415, loaded late

    return Ed25519PrivateKey.from_private_bytes(seed)


def genuine(public: str, message: bytes, signature: str) -> bool:
    """Whether `signature` is that of `message` under the key `public`; what is no signature at all is none."""
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415, loaded late
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415, loaded late

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


def short_key(public: str) -> str:
    """A public half's short form, as it is printed to be filed: compared by persons, never by the program alone."""
    digits = public[:SHORT_DIGITS]
    return "-".join(digits[place : place + 4] for place in range(0, len(digits), 4))


def is_filed(text: str) -> bool:
    """Whether a text is a public half as paper has it: all its digits, or its short form without the dashes."""
    return is_key(text) or _is_hex(text, SHORT_DIGITS)


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
    if not text.startswith(_PRIVATE):
        # What stands there is not quoted: it may be the key without its name.
        raise KeyProblemError(f"{path} holds no private key: it does not begin with {_PRIVATE!r}")
    before, check = text[:-CHECK_DIGITS], text[-CHECK_DIGITS:]
    words = before.removeprefix(_PRIVATE).split(" ")
    if (
        len(words) != len(("seed", "public", ""))
        or not (is_key(words[0]) and is_key(words[1]))
        or check != _check(before)
    ):
        raise KeyProblemError(f"{path} is damaged: its line is no private key any more")
    key = PrivateKey.from_seed(bytes.fromhex(words[0]))
    if key.public != words[1]:
        raise KeyProblemError(f"{path} is made up: the public half it names is not that of its private half")
    return key


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


def _check(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:CHECK_DIGITS]


def _is_hex(text: str, digits: int) -> bool:
    return len(text) == digits and all(letter in "0123456789abcdefABCDEF" for letter in text)
