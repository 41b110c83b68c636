"""Records to an HTTPS address, each delivery signed with the table's own key.

    POST   the rows as JSON lines, one record a line, as `pozo journal export` writes them
    Pozo-Table, Pozo-First, Pozo-Last    which records these are; table and number tell a record that comes again
    Pozo-Key          the public half of the table's key, as filed at its commissioning
    Pozo-Signature    Ed25519( JSON array [ "pozo webhook 1", table, first, last, SHA-256 of the body in hex ] ), in hex
    answer            200 and {"acknowledged": N}: records up to N are safe there

Why the table's key and not a shared secret: the receiver holds the public half only, which was filed on paper, so that
whoever reads its configuration can check and cannot forge; and the table has no second secret to keep.
"""

import ssl
from collections.abc import Callable, Sequence
from hashlib import sha256
from http.client import HTTPException, HTTPResponse, HTTPSConnection
from typing import Final
from urllib.parse import urlsplit

import msgspec

from controller.config import Webhook
from controller.journal.export import json_line
from controller.journal.record import Row
from controller.link.courier import AdapterError
from controller.link.patience import limited
from controller.signing.key import PrivateKey

WAIT_S: Final = 10.0
"""For each step of a delivery."""

LIMIT_S: Final = 30.0
"""For the whole of it."""

ANSWER_MAX: Final = 4096

_encode = msgspec.json.Encoder().encode


class _Answer(msgspec.Struct, frozen=True):
    acknowledged: int


_answer = msgspec.json.Decoder(_Answer).decode


def message(table_id: str, first: int, last: int, body: bytes) -> bytes:
    """What a delivery's signature covers."""
    return _encode(("pozo webhook 1", table_id, first, last, sha256(body).hexdigest()))


class Hook:
    """Delivers the records of table `table_id`; `key` gives the key in force at each delivery."""

    name = "webhook"

    def __init__(self, table_id: str, webhook: Webhook, key: Callable[[], PrivateKey]) -> None:
        self._table_id = table_id
        self._url = webhook.url
        self._address = urlsplit(webhook.url)
        self._key = key
        self._context = ssl.create_default_context(cafile=None if webhook.ca is None else str(webhook.ca))

    def deliver(self, rows: Sequence[Row]) -> int:
        """Post the rows. Raises `AdapterError` for any answer that is not the one agreed on."""
        first, last = rows[0][0], rows[-1][0]
        body = b"".join(map(json_line, rows))
        key = self._key()
        headers = {
            "Content-Type": "application/jsonl",
            "Pozo-Table": self._table_id,
            "Pozo-First": str(first),
            "Pozo-Last": str(last),
            "Pozo-Key": key.public,
            "Pozo-Signature": key.sign(message(self._table_id, first, last, body)),
        }
        try:
            return self._posted(body, headers)
        except (OSError, HTTPException) as error:
            raise AdapterError(
                f"{self._url} cannot be reached: {error!r}; see to the network or the receiver"
            ) from error

    def _posted(self, body: bytes, headers: dict[str, str]) -> int:
        address = self._address
        connection = HTTPSConnection(
            address.hostname or "", address.port, timeout=WAIT_S, context=self._context
        )
        try:
            connection.connect()
            target = f"{address.path or '/'}{f'?{address.query}' if address.query else ''}"
            with limited(connection.sock.fileno(), LIMIT_S):
                connection.request("POST", target, body, headers)
                return self._acknowledged(connection.getresponse())
        finally:
            connection.close()

    def _acknowledged(self, response: HTTPResponse) -> int:
        answer = response.read(ANSWER_MAX)
        if response.status != 200:
            raise AdapterError(
                f"{self._url} answered {response.status} {response.reason}: nothing counts as delivered"
            )
        try:
            return _answer(answer).acknowledged
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise AdapterError(
                f'{self._url} answered 200 without {{"acknowledged": N}} ({error}): nothing counts as delivered'
            ) from error
