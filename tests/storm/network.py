"""The network between tables and floor: each table's line can be parted from it and mended.

Where this process may, each table's link lives in a network namespace of its own on a bridge: a parted line loses its
packets, silently. Elsewhere each line goes through a relay that keeps silent, and cuts when it is mended.
"""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from typing import NamedTuple, Protocol

from tests.helpers_link import Cable

PORT = 5432


class Door(NamedTuple):
    """How a table's link comes to the floor: address and port, and what its command begins with."""

    address: str
    port: int
    command: tuple[str, ...]


class Network(Protocol):
    """Lines by the table's number, from 1."""

    kind: str
    address: str
    """Where the floor listens."""

    def door(self, number: int) -> Door: ...

    def part(self, numbers: Sequence[int]) -> None: ...

    def mend(self, numbers: Sequence[int]) -> None: ...


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


class Namespaces:
    """A bridge with the floor on it, and a namespace for each table."""

    kind = "network namespaces"

    def __init__(self, tables: int) -> None:
        number = os.getpid()
        self._net = f"198.{18 + (number >> 8) % 2}.{number % 256}"
        self._tag = f"pz{number}"
        self.address = f"{self._net}.1"
        self._made: list[str] = []
        ip("link", "add", self._tag, "type", "bridge")
        try:
            ip("address", "add", f"{self.address}/24", "dev", self._tag)
            ip("link", "set", self._tag, "up")
            for each in range(1, tables + 1):
                self._add(each)
        except BaseException:
            self.close()
            raise

    def _add(self, number: int) -> None:
        space, line = self._space(number), self._line(number)
        ip("netns", "add", space)
        self._made.append(space)
        ip("link", "add", line, "type", "veth", "peer", "name", "eth0", "netns", space)
        ip("link", "set", line, "master", self._tag, "up")
        ip("-n", space, "address", "add", f"{self._net}.{number + 1}/24", "dev", "eth0")
        ip("-n", space, "link", "set", "eth0", "up")

    def door(self, number: int) -> Door:
        return Door(self.address, PORT, ("ip", "netns", "exec", self._space(number)))

    def part(self, numbers: Sequence[int]) -> None:
        for each in numbers:
            ip("link", "set", self._line(each), "down")

    def mend(self, numbers: Sequence[int]) -> None:
        for each in numbers:
            ip("link", "set", self._line(each), "up")

    def close(self) -> None:
        for space in self._made:
            ip("netns", "delete", space)  # its line goes with it
        ip("link", "delete", self._tag)

    def _space(self, number: int) -> str:
        return f"{self._tag}-{number}"

    def _line(self, number: int) -> str:
        return f"{self._tag}.{number}"


class Relays:
    """A relay for each table, in this process."""

    kind = "relays"

    def __init__(self, tables: int) -> None:
        number = os.getpid()
        self.address = f"127.77.{(number >> 8) % 256}.{number % 256}"
        ears = [socket.create_server(("127.0.0.1", 0)) for _ in range(tables)]
        self._ports = [int(ear.getsockname()[1]) for ear in ears]
        self._cables = [Cable(ear, (self.address, PORT)) for ear in ears]

    def door(self, number: int) -> Door:
        return Door("127.0.0.1", self._ports[number - 1], ())

    def part(self, numbers: Sequence[int]) -> None:
        for each in numbers:
            self._cables[each - 1].silent = True

    def mend(self, numbers: Sequence[int]) -> None:
        """What was lost on the way leaves a line that nobody can use."""
        for each in numbers:
            self._cables[each - 1].cut()
            self._cables[each - 1].silent = False

    def close(self) -> None:
        with ExitStack() as stack:
            for cable in self._cables:
                stack.callback(cable.close)


@contextmanager
def network(tables: int, *, relays: bool) -> Iterator[Network]:
    """Namespaces where they can be had, else relays; or relays anyway."""
    made: Namespaces | Relays
    try:
        may = os.geteuid() == 0 and shutil.which("ip") is not None and not relays
        made = Namespaces(tables) if may else Relays(tables)
    except subprocess.CalledProcessError:
        made = Relays(tables)  # a container may forbid it
    with closing(made):
        yield made
