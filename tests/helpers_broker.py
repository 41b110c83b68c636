"""A real MQTT broker for tests: mosquitto on a free port of this machine, and a screen that watches it."""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, Queue
from typing import NamedTuple

import pytest
from paho.mqtt.client import Client, ConnectFlags, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

PATIENCE_S = 30.0
TRIES = 2_000


def binary() -> str:
    """Debian's mosquitto. Without it the test is skipped, on CI it fails."""
    found = shutil.which("mosquitto") or shutil.which("/usr/sbin/mosquitto")
    if found is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("needs a broker: apt-get install mosquitto")
    return str(found)


class Broker:
    """A broker whose settings are `lines`; it forgets when it ends."""

    def __init__(self, folder: Path, *lines: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self._config = folder / "mosquitto.conf"
        head = (f"listener {self.port} 127.0.0.1", "persistence false", "allow_anonymous true")
        self._config.write_text(
            "\n".join((*head, *(("user root",) if os.geteuid() == 0 else ()), *lines)) + "\n"
        )
        self._log = folder / "mosquitto.log"
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        """Start, and wait until it listens."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen([binary(), "-c", self._config], stdout=log, stderr=log)
        for _ in range(TRIES):
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_S):
                return
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(0.01)
                break
        raise AssertionError(self._log.read_text())

    def kill(self) -> None:
        """It dies at once, and all that it had acknowledged with it."""
        assert self._process is not None
        self._process.kill()
        self._process.wait(PATIENCE_S)


class Heard(NamedTuple):
    """A message as a screen got it; `mirror`: it says itself that it is one."""

    topic: str
    payload: bytes
    retained: bool
    mirror: bool


class Screen:
    """Somebody who watches everything that a broker tells."""

    def __init__(self, port: int, ca: Path | None = None) -> None:
        self._heard: Queue[Heard] = Queue()
        self._client = Client(CallbackAPIVersion.VERSION2, protocol=MQTTProtocolVersion.MQTTv5)
        self._client.on_message = self._on_message
        self._client.on_connect = self._on_connect
        if ca is not None:
            self._client.tls_set(str(ca))
        self._client.connect("127.0.0.1" if ca is None else "localhost", port)
        self._client.loop_start()

    def next(self, what: str) -> Heard:
        """The next message about `what`."""
        while True:
            try:
                heard = self._heard.get(timeout=PATIENCE_S)
            except Empty:
                raise AssertionError(f"no {what} was told") from None
            if heard.topic.endswith(f"/{what}"):
                return heard

    def close(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()

    def _on_connect(
        self, client: Client, _data: object, _flags: ConnectFlags, _code: ReasonCode, _more: Properties | None
    ) -> None:
        client.subscribe("#", qos=1)

    def _on_message(self, _client: Client, _data: object, message: MQTTMessage) -> None:
        told = getattr(message.properties, "UserProperty", [])
        self._heard.put(
            Heard(message.topic, bytes(message.payload), message.retain, ("pozo", "mirror") in told)
        )


@contextmanager
def broker(folder: Path, *lines: str) -> Iterator[Broker]:
    """A broker for as long as the test runs."""
    made = Broker(folder, *lines)
    try:
        yield made
    finally:
        made.kill()


@contextmanager
def watching(port: int, ca: Path | None = None) -> Iterator[Screen]:
    """A screen for as long as the test runs."""
    screen = Screen(port, ca)
    try:
        yield screen
    finally:
        screen.close()
