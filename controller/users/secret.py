"""PINs: which are too easy, how one becomes a hash, and the device's own secret that goes into every hash.

A PIN of four digits has 10,000 values, so no hash alone protects it: whoever holds a copy of the list would have it in
minutes. The pepper, which never leaves the device, is what makes the list alone worthless; scrypt makes each guess
dear where both were copied. Its cost (2**12 × 8: 4 MiB, 9 ms of processor time where it was measured, a few times
that on a Raspberry Pi) is what the deciding thread can stand still for while a round is open: chips are stamped by
the kernel, and 500 ms would be a stall.
"""

import hashlib
import hmac
import os
import secrets
from itertools import pairwise
from pathlib import Path
from typing import Final

import msgspec

from controller.journal.marker import sync_directory
from controller.menu.known import PIN_LEAST, PIN_MOST

COST_N: Final = 2**12
COST_R: Final = 8
MEMORY_MOST: Final = 64 * 1024 * 1024
SALT_BYTES: Final = 16
HASH_BYTES: Final = 32
PEPPER_BYTES: Final = 32


class PinError(ValueError):
    """A PIN that may not be one, or a device secret that cannot be used; the message never quotes a digit of it."""


class Secret(msgspec.Struct, frozen=True):
    """A PIN's salt and hash."""

    salt: bytes
    hash: bytes


def weak(pin: str, number: int) -> str:
    """Why this may not be the PIN of the person known as `number`; empty if it may."""
    if not (pin.isascii() and pin.isdigit()) or not PIN_LEAST <= len(pin) <= PIN_MOST:
        return f"a PIN is {PIN_LEAST} to {PIN_MOST} digits"
    steps = {int(after) - int(before) for before, after in pairwise(pin)}
    if steps in ({0}, {1}, {-1}):
        return "a PIN of equal digits, or of digits one after the other, is the first that anybody tries"
    if int(pin) == number:
        return "a PIN may not be the person's own number"
    return ""


def hashed(pin: str, pepper_: bytes, salt: bytes | None = None) -> Secret:
    """A PIN's hash under a fresh salt, or under the one given."""
    salt = secrets.token_bytes(SALT_BYTES) if salt is None else salt
    peppered = hmac.digest(pepper_, pin.encode(), "sha256")
    found = hashlib.scrypt(peppered, salt=salt, n=COST_N, r=COST_R, p=1, maxmem=MEMORY_MOST, dklen=HASH_BYTES)
    return Secret(salt, found)


def check_pin(pin: str, secret: Secret | None, pepper_: bytes) -> bool:
    """Whether the PIN is the one behind `secret`; without one the same time is spent, and it is not."""
    known = Secret(bytes(SALT_BYTES), bytes(HASH_BYTES)) if secret is None else secret
    right = hmac.compare_digest(hashed(pin, pepper_, known.salt).hash, known.hash)
    return right and secret is not None


def pepper_path(journal: Path) -> Path:
    """Where the device secret of this journal's table lies."""
    return journal.with_name(journal.name + ".pepper")


def pepper(journal: Path) -> bytes:
    """The device secret that goes into every hash. Raises `PinError` where it is missing or no such secret.

    It is a file of its own, and not derived from the key that signs heads: that key may be changed with both keys,
    and everybody's PIN would be gone with it.
    """
    path = pepper_path(journal)
    try:
        found = path.read_bytes()
    except OSError as error:
        raise PinError(
            f"{path} cannot be read ({error.strerror}): without it no PIN can be checked. Put it back from the backup, "
            "or have every PIN set anew: `pozo users restore`"
        ) from error
    if len(found) != PEPPER_BYTES:
        raise PinError(
            f"{path} is damaged: {len(found)} bytes instead of {PEPPER_BYTES}: `pozo users restore`"
        )
    return found


def make_pepper(journal: Path) -> bytes:
    """The device secret, made and durable if there is none yet. Raises `PinError` as `pepper` does."""
    path = pepper_path(journal)
    if path.exists():
        return pepper(journal)
    fresh = secrets.token_bytes(PEPPER_BYTES)
    new = path.with_name(path.name + ".new")
    write(new, fresh)
    rename(new, path)
    return fresh


def write(path: Path, data: bytes) -> None:
    """Write a whole new file that only its owner may read; durable on return. Raises `OSError`."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    sync_directory(path.parent)


def rename(new: Path, path: Path) -> None:
    """Put a written file in another's place; durable on return. Raises `OSError`."""
    new.replace(path)
    sync_directory(path.parent)


def set_aside(path: Path) -> Path | None:
    """Give a file that cannot be used another name, and say which; None where there is none. It is never removed."""
    if not path.exists():
        return None
    number = 1
    while (aside := path.with_name(f"{path.name}.bad-{number}")).exists():
        number += 1
    rename(path, aside)
    return aside
