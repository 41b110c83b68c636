"""What comes in over a link: the beats a table hears, an adapter's cursor, a webhook's answer."""

from contextlib import suppress
from http.client import HTTPResponse
from io import BytesIO
from typing import cast

import msgspec

from controller.config import Webhook
from controller.journal.chain import GENESIS
from controller.link import beat
from controller.link.courier import AdapterError
from controller.link.cursor import Cursor, CursorError
from controller.link.said import WHY_MAX
from controller.link.webhook import Hook
from controller.signing.key import PrivateKey
from tests.fuzz.target import Target, put

SAID = beat.Beat("mesa-4", 1, "", 7, "ab" * 32, -5)


def beat_heard(data: bytes) -> None:
    """A datagram: a beat within its bounds, or none; what was decoded comes out as it went in."""
    with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        heard = beat.decode(data)
        assert heard.sent_ns >= 0
        assert len(heard.why) <= WHY_MAX
        assert heard.head is None or (heard.head.seq >= 0 and len(heard.head.digest) == len(GENESIS))
        assert beat.decode(beat.encode(heard)) == heard


def cursor_file(data: bytes) -> None:
    """An adapter's cursor: a place in the journal, or an error that says what to do."""
    with suppress(CursorError):
        assert Cursor(put("journal.db.folder.cursor", data)).read().seq >= 0


class _Answered:
    """A response as a receiver may give it."""

    status, reason = 200, "OK"

    def __init__(self, body: bytes) -> None:
        self._body = BytesIO(body)

    def read(self, most: int) -> bytes:
        return self._body.read(most)


def webhook_answer(data: bytes) -> None:
    """An answer of the receiver: a number, or nothing counts as delivered."""
    with suppress(AdapterError):
        assert isinstance(HOOK._acknowledged(cast("HTTPResponse", _Answered(data))), int)


HOOK = Hook("mesa-4", Webhook("https://casino.example/", None), lambda: PrivateKey.from_seed(bytes(32)))
TARGETS = {
    "beat": Target(beat_heard, (beat.encode(SAID), beat.encode(beat.Beat("m", 0, "the floor is away")))),
    "cursor": Target(cursor_file, (b'{"seq":5,"digest":"' + GENESIS.encode() + b'"}',)),
    "answer": Target(webhook_answer, (b'{"acknowledged": 9}',)),
}
