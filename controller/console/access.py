"""Who may look at a console that is not on loopback: one password or token, kept only as a hash, and sessions.

The file is made by `pozo access`; it must belong to one user alone, since whoever reads it may try hashes at leisure.
"""

import hashlib
import hmac
import secrets
import stat
from collections import OrderedDict, deque
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

SESSION_S: Final = 12 * 3600
"""A shift, with room: then the password is asked for again."""

SESSIONS_MAX: Final = 64
TRIES: Final = 5
TRIES_S: Final = 60.0
"""So many wrong tries in so many seconds, whoever makes them; then nobody is let in until the oldest is over."""

PASSWORD_MIN: Final = 10
_COST, _BLOCK, _LANES = 2**15, 8, 1
_MEMORY = 64 * 1024 * 1024


class AccessError(ValueError):
    """The access file cannot be used; the text says why and what to do."""


class Access(NamedTuple):
    """What a file lets in: a password's salt and hash, and hashes of tokens."""

    salt: bytes
    password: bytes
    tokens: tuple[bytes, ...]

    def lets_in(self, secret: str) -> bool:
        """Whether this is the password or a token; the password's hash takes its time on purpose."""
        return self.knows_token(secret) or (
            bool(self.password) and hmac.compare_digest(_stretched(secret, self.salt), self.password)
        )

    def knows_token(self, secret: str) -> bool:
        """Whether this is a token."""
        hashed = _hashed(secret)
        return any(hmac.compare_digest(hashed, token) for token in self.tokens)


def password_line(password: str) -> str:
    """The line that lets this password in. Raises `AccessError` for one that is too short."""
    if len(password) < PASSWORD_MIN:
        raise AccessError(f"a password has {PASSWORD_MIN} letters at least; this one has {len(password)}")
    salt = secrets.token_bytes(16)
    return f"password scrypt {salt.hex()} {_stretched(password, salt).hex()}\n"


def token_line() -> tuple[str, str]:
    """A new token, and the line that lets it in."""
    token = secrets.token_urlsafe(32)
    return token, f"token sha256 {_hashed(token).hex()}\n"


def read(path: Path) -> Access:
    """Read an access file. Raises `AccessError`."""
    try:
        mode = path.stat().st_mode
        text = path.read_text(encoding="ascii")
    except (OSError, UnicodeError) as error:
        raise AccessError(
            f"{path} cannot be read: {error}. Make one with: pozo access password {path}"
        ) from error
    if stat.S_IMODE(mode) & 0o077:
        raise AccessError(f"{path} can be read by others: chmod 600 {path}")
    salt = password = b""
    tokens: list[bytes] = []
    for number, line in enumerate(text.splitlines(), start=1):
        match line.split():
            case ["password", "scrypt", salt_hex, hash_hex] if _is_hex(salt_hex) and _is_hex(hash_hex):
                salt, password = bytes.fromhex(salt_hex), bytes.fromhex(hash_hex)
            case ["token", "sha256", hash_hex] if _is_hex(hash_hex):
                tokens.append(bytes.fromhex(hash_hex))
            case []:
                continue
            case _:
                raise AccessError(
                    f"{path} line {number} is neither a password nor a token; make the file anew"
                )
    if not password and not tokens:
        raise AccessError(f"{path} lets nobody in: pozo access password {path}")
    return Access(salt, password, tuple(tokens))


class Sessions:
    """Who has shown the secret, and how often somebody failed to. Times are seconds of a monotonic clock."""

    def __init__(self, access: Access, now: Callable[[], float]) -> None:
        self._access = access
        self._now = now
        self._until: OrderedDict[bytes, float] = OrderedDict()
        self._failed: deque[float] = deque(maxlen=TRIES)

    @property
    def barred(self) -> bool:
        """Whether nobody is let in now, because of too many wrong tries."""
        return len(self._failed) == TRIES and self._now() - self._failed[0] < TRIES_S

    def begin(self, secret: str) -> str | None:
        """A new session for who knows the secret, else None; that counts as a try, unless nobody is let in anyway."""
        if self.barred:
            return None
        if not self._access.lets_in(secret):
            self._failed.append(self._now())
            return None
        session = secrets.token_urlsafe(32)
        self._until[_hashed(session)] = self._now() + SESSION_S
        while len(self._until) > SESSIONS_MAX:
            self._until.popitem(last=False)
        return session

    def admits(self, secret: str) -> bool:
        """Whether a program that shows this secret with its request may pass; a wrong one counts as a try."""
        if self.barred:
            return False
        if self._access.knows_token(secret):
            return True
        self._failed.append(self._now())
        return False

    def knows(self, session: str) -> bool:
        """Whether a session is one of ours and still lasts."""
        return self._until.get(_hashed(session), 0.0) > self._now()

    def end(self, session: str) -> None:
        """Forget a session."""
        self._until.pop(_hashed(session), None)


def _stretched(secret: str, salt: bytes) -> bytes:
    return hashlib.scrypt(secret.encode(), salt=salt, n=_COST, r=_BLOCK, p=_LANES, maxmem=_MEMORY, dklen=32)


def _hashed(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()


def _is_hex(text: str) -> bool:
    return len(text) % 2 == 0 and all(letter in "0123456789abcdef" for letter in text)
