"""The newest record on an MQTT 5 broker, for screens that watch: a mirror, and never the record.

    PREFIX/TABLE/newest    {"mirror": true, "table": TABLE, "record": the line of `pozo journal export`}
    PREFIX/TABLE/status    online, or offline as the broker itself says once it hears no more

Both are retained, with QoS 1.

A broker acknowledges before it has stored (docs/floor.md): nothing that it says moves a cursor, and records in between
two looks are not sent. Who needs each record takes them from the floor, a webhook or a folder.
"""

import logging
import ssl
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Final
from urllib.parse import quote

import msgspec
from paho.mqtt.client import Client, MQTTMessageInfo
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from controller.clock import Clock
from controller.config import Mqtt
from controller.journal import JournalError
from controller.journal.export import json_line
from controller.journal.record import Row
from controller.link import outbox
from controller.link.courier import LOOK_NS, AdapterError
from controller.link.pauses import Pauses

WAIT_S: Final = 5.0
"""For each answer of the broker's."""

KEEPALIVE_S: Final = 30
"""The broker says `offline` after one and a half times as long without a sign of life."""

QOS: Final = 1
ONLINE, OFFLINE = "online", "offline"
LOG = logging.getLogger(__name__)
_BLANKS: Final = "\t\n\r"
"""Between the parts of JSON; within a text these are never bare."""

_encode = msgspec.json.Encoder().encode


class Mirror:
    """Shows a journal's newest record on a broker. `chance` spreads its pauses (`Pauses`)."""

    def __init__(
        self, table_id: str, journal: Path, broker: Mqtt, clock: Clock, chance: Callable[[], float]
    ) -> None:
        self._table_id = table_id
        self._journal = journal
        self._broker = broker
        self._clock = clock
        self._pauses = Pauses(chance)
        self._line: _Line | None = None
        self._shown: tuple[int, str] | None = None
        self.trouble = ""
        """Why nothing is shown now; empty while all is well."""

    def turn(self) -> int:
        """Show the newest record if it is another one. The monotonic time of the next turn, in nanoseconds."""
        try:
            self._look()
        except (AdapterError, JournalError) as error:
            self._hang_up()
            self._say(str(error))
            return self._clock.monotonic_ns() + self._pauses.next_ns()
        self._say("")
        self._pauses.over()
        return self._clock.monotonic_ns() + LOOK_NS

    def close(self) -> None:
        """Say that it ends, and hang up; safe to call twice."""
        if self._line is not None and not self.trouble:
            self._line.publish("status", OFFLINE.encode())
        self._hang_up()

    def _look(self) -> None:
        if self._line is None:
            self._line = _Line(self._broker, self._table_id)
            self._line.open()
            self._line.publish("status", ONLINE.encode())
        self._line.demand_open()
        row = outbox.newest(self._journal)
        if (row[0], row[-1]) != self._shown:
            self._line.publish("newest", self._message(row))
            self._shown = (row[0], row[-1])

    def _message(self, row: Row) -> bytes:
        record = msgspec.Raw(json_line(row))
        told = _encode({"mirror": True, "table": self._table_id, "record": record}).decode()
        return "".join(
            each if each.isprintable() or each in _BLANKS else _named(each) for each in told
        ).encode()

    def _hang_up(self) -> None:
        self._shown = None
        if self._line is not None:
            self._line.close()
            self._line = None

    def _say(self, trouble: str) -> None:
        if trouble != self.trouble:
            self.trouble = trouble
            LOG.warning("mqtt: %s", trouble or "showing again")


class _Line:
    """One connection, never mended: who finds it broken makes another."""

    def __init__(self, broker: Mqtt, table_id: str) -> None:
        self._broker = broker
        self._where = f"broker {broker.host}:{broker.port}"
        self._topic = f"{broker.prefix}/{quote(table_id, safe='')}"
        self._answered = Event()
        self._refusal = ""
        self._client = Client(
            CallbackAPIVersion.VERSION2,
            client_id=f"pozo-{quote(table_id, safe='')}",
            protocol=MQTTProtocolVersion.MQTTv5,
            reconnect_on_failure=False,
        )
        self._client.connect_timeout = WAIT_S
        self._client.will_set(f"{self._topic}/status", OFFLINE, QOS, retain=True)
        self._client.on_connect = self._on_connect
        self._client.on_disconnect = self._on_disconnect
        self._client.on_publish = self._on_publish
        if broker.tls:
            self._client.tls_set_context(_context(broker))

    def open(self) -> None:
        """Connect and be let in. Raises `AdapterError`."""
        try:
            self._client.connect(self._broker.host, self._broker.port, KEEPALIVE_S)
        except (OSError, ValueError) as error:
            raise AdapterError(
                f"the {self._where} cannot be reached: {error}; see to it or to the network"
            ) from error
        self._client.loop_start()
        if not self._answered.wait(WAIT_S):
            raise AdapterError(f"the {self._where} does not answer; is it one that speaks MQTT 5?")
        self.demand_open()

    def demand_open(self) -> None:
        """Raise `AdapterError` if the line is broken."""
        if self._refusal or not self._client.is_connected():
            raise AdapterError(f"the {self._where} is gone: {self._refusal or 'it hung up'}")

    def publish(self, what: str, payload: bytes) -> None:
        """Publish, retained, and wait until the broker has said that it has it. Raises `AdapterError`."""
        properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]  # as its library has it
        properties.ContentType = "application/json" if what == "newest" else "text/plain"
        properties.UserProperty = ("pozo", "mirror")
        told = self._client.publish(f"{self._topic}/{what}", payload, QOS, retain=True, properties=properties)
        if not _acknowledged(told) or self._refusal:
            raise AdapterError(f"the {self._where} did not take {what}: {self._refusal or 'no answer'}")

    def close(self) -> None:
        """Hang up in order, so that the broker does not take it for a failure unless it was one."""
        self._client.disconnect()
        self._client.loop_stop()

    def _on_connect(
        self, _client: Client, _data: object, _flags: object, code: ReasonCode, _more: object
    ) -> None:
        if code.is_failure:
            self._refusal = str(code)
        self._answered.set()

    def _on_disconnect(
        self, _client: Client, _data: object, _flags: object, code: ReasonCode, _more: object
    ) -> None:
        self._refusal = self._refusal or (str(code) if code.is_failure else "")
        self._answered.set()

    def _on_publish(
        self, _client: Client, _data: object, _number: int, code: ReasonCode, _more: object
    ) -> None:
        if code.is_failure:
            self._refusal = str(code)


def _named(unprintable: str) -> str:
    """A letter that does not print, as JSON names it in a text: it means the same, and no screen obeys it."""
    units = unprintable.encode("utf-16-be")
    return "".join(f"\\u{high:02x}{low:02x}" for high, low in zip(units[::2], units[1::2], strict=True))


def _acknowledged(told: MQTTMessageInfo) -> bool:
    try:
        told.wait_for_publish(WAIT_S)
    except (RuntimeError, ValueError):
        return False  # the line broke, or its queue is full: the caller says which
    return told.is_published()


def _context(broker: Mqtt) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=None if broker.ca is None else str(broker.ca))
    if broker.certificate is not None:
        context.load_cert_chain(str(broker.certificate), None if broker.key is None else str(broker.key))
    return context
