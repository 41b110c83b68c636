"""What a link says to its table each second: how far the floor is, or why it cannot be asked.

One datagram on a Unix socket that the table owns, at most `BYTES_MAX` long. A beat is about one moment: the table takes
none that is older than another, or older than `OLD_NS`, so that saying it again changes nothing.
"""

import errno
import logging
import socket
from pathlib import Path
from typing import Annotated, Final

import msgspec

from controller.journal.chain import Head
from controller.link.said import AnswerSaid, LinkSaid, Why

BYTES_MAX: Final = 16_384
"""A longer message is none. Two answers to claims of ten winners each fit in it."""

ANSWERS_MAX: Final = 2
"""Answers in one beat; the others are said once the table has taken these."""

EVERY_NS: Final = 1_000_000_000
OLD_NS: Final = 5_000_000_000
"""A beat this old says nothing any more."""

LOG = logging.getLogger(__name__)

_Seq = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
_Digest = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]

NOBODY_HEARS: Final = frozenset(
    {errno.ENOENT, errno.ECONNREFUSED, errno.EAGAIN, errno.ENOBUFS, errno.EACCES, errno.EPERM}
)
"""No table runs, it has no time, or it is somebody else's: play is not the link's business."""


class Beat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How far the floor is with this table.

    `sent_ns`: CLOCK_MONOTONIC of this machine. `why`: empty if the floor answered, else why there is no floor for this
    table now. `seq` and `digest` are its newest record of this table, None while it was never asked. `offset_ns`: this
    machine's wall clock minus the floor's. `links` and `answers`: its linked pots, and claims it has not taken yet.
    """

    table: str
    sent_ns: _Seq
    why: Why
    seq: _Seq | None = None
    digest: _Digest | None = None
    offset_ns: int = 0
    links: Annotated[tuple[LinkSaid, ...], msgspec.Meta(max_length=8)] = ()
    answers: Annotated[tuple[AnswerSaid, ...], msgspec.Meta(max_length=ANSWERS_MAX)] = ()

    @property
    def head(self) -> Head | None:
        """The floor's newest record of this table, as it was known when this was sent."""
        return None if self.seq is None or self.digest is None else Head(self.seq, self.digest)


encode: Final = msgspec.json.Encoder().encode
decode: Final = msgspec.json.Decoder(Beat).decode
"""Raises `msgspec.DecodeError`, and `UnicodeDecodeError` for what is no text."""


class Mouth:
    """Says beats on the table's socket. Nobody needs to hear."""

    def __init__(self, path: Path) -> None:
        self._path = str(path)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
        self._unheard = 0

    def __call__(self, beat: Beat) -> None:
        """Send a beat. A table that does not listen is no error, but it is said once in the log."""
        try:
            self._socket.sendto(encode(beat), socket.MSG_DONTWAIT, self._path)
        except OSError as error:
            if error.errno not in NOBODY_HEARS:
                raise
            if self._unheard == 0:
                LOG.warning("no table listens on %s: %s", self._path, error.strerror)
            self._unheard += 1
        else:
            self._unheard = 0

    def close(self) -> None:
        """Let go of the socket."""
        self._socket.close()
