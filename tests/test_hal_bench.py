"""The bench channel, over real ptys and sockets."""

import json
import os
import pty
import signal
import socket
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Queue

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hal.bench import BenchHal, open_stream
from hal.channel import LINE_BYTES, REPORTS, Channel
from hal.interface import (
    ClaimError,
    Device,
    DeviceError,
    DeviceFailed,
    DeviceMended,
    Edge,
    KeyPressed,
    Message,
)
from tests.helpers_wiring import reference_wiring, screen

ROOT = Path(__file__).parents[1]
ALL_DEVICES = (Device.SCREEN, Device.SIGN, Device.KEYPAD)


class Bench:
    """A bench table on a pty, and the person at the pty's other end."""

    def __init__(self) -> None:
        self.master, slave = pty.openpty()
        self.path = Path(os.ttyname(slave))
        self.heard: Queue[Message] = Queue()
        self.hal = BenchHal(reference_wiring(devices=ALL_DEVICES), self.path, lambda: 77)
        self.hal.start(self.heard.put_nowait)
        os.close(slave)
        self.reader = os.fdopen(self.master, "r+b", buffering=0)
        self._rest = b""

    def say(self, *lines: str) -> None:
        self.reader.write("".join(f"{line}\n" for line in lines).encode())

    def read(self) -> str:
        while b"\n" not in self._rest:
            self._rest += os.read(self.master, 4096)
        line, _, self._rest = self._rest.partition(b"\n")
        return line.decode()

    def ask(self, line: str) -> str:
        self.say(line)
        return self.read()


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench()
    assert made.read() == "started"
    yield made
    made.hal.close()
    made.reader.close()


def test_edges_come_in_with_their_stamps(bench: Bench) -> None:
    assert bench.ask("on seat_1") == "ok on seat_1"
    assert bench.ask("off seat_1") == "ok off seat_1"
    assert bench.heard.get_nowait() == Edge("seat_1", True, 77)
    assert bench.heard.get_nowait() == Edge("seat_1", False, 77)


def test_a_dropped_edge_changes_the_level_only(bench: Bench) -> None:
    bench.say("on seat_6", "drop seat_6 idle", "off seat_6")
    assert [bench.read() for _ in range(3)] == ["ok on seat_6", "ok drop seat_6 idle", "ok off seat_6"]
    assert json.loads(bench.ask("levels?").removeprefix("ok "))["seat_6"] is False
    assert bench.heard.get_nowait() == Edge("seat_6", True, 77)
    assert bench.heard.empty()


def test_keys_and_devices(bench: Bench) -> None:
    bench.say("key ENTER", "fail sign", "mend sign")
    assert [bench.read() for _ in range(3)] == ["ok key ENTER", "ok fail sign", "ok mend sign"]
    assert bench.heard.get_nowait() == KeyPressed("ENTER", 77)
    assert bench.heard.get_nowait() == DeviceFailed(Device.SIGN, "the simulation made it fail", 77)
    assert bench.heard.get_nowait() == DeviceMended(Device.SIGN, 77)


def test_what_the_program_changes_is_reported_and_can_be_asked(bench: Bench) -> None:
    bench.hal.write("lamp_1", True)
    bench.hal.write("lamp_1", True)
    bench.hal.show(screen("3 APUESTAS", "¿COIN IN?"))
    bench.hal.sign("100.003,50\n€")

    assert [bench.read() for _ in range(3)] == [
        "out lamp_1 on",
        'screen ["3 APUESTAS","¿COIN IN?"]',
        "sign 100.003,50 €",
    ]
    outputs = json.loads(bench.ask("outputs?").removeprefix("ok "))
    assert [line for line, on in outputs.items() if on] == ["lamp_1"]
    assert bench.ask("screen?") == 'ok ["3 APUESTAS","¿COIN IN?"]'
    assert json.loads(bench.ask("sign?").removeprefix("ok ")) == "100.003,50\n€"
    assert bench.ask("failed?") == "ok []"


def test_close_reports_the_outputs_going_off(bench: Bench) -> None:
    channel = bench.hal._channel
    assert channel is not None
    bench.hal.write("slots", True)
    bench.hal.close()
    assert not channel._thread.is_alive()
    assert [bench.read() for _ in range(3)] == ["out slots on", "out slots off", "closed"]


@pytest.mark.parametrize(
    ("line", "allowed"),
    [
        ("on seat_8", "the board file's inputs are: seat_1, "),
        ("on lamp_1", "'lamp_1' is not an input"),
        ("fail toaster", "allowed are: screen, sign, keypad, host"),
        ("fail host", "names these devices: keypad, screen, sign"),
        ("drop seat_1 up", "drop LINE active|idle"),
        ("hello", "allowed are: on LINE"),
        ("x" * (LINE_BYTES + 1), f"{LINE_BYTES} bytes at most"),
        ("x" * 20_000, f"{LINE_BYTES} bytes at most"),
        ("\x00\x7f", "allowed are"),
    ],
)
def test_bad_input_is_told_what_is_allowed_and_the_next_line_works(
    bench: Bench, line: str, allowed: str
) -> None:
    answer = bench.ask(line)
    assert answer.startswith("error ")
    assert allowed in answer
    assert bench.ask("on seat_2") == "ok on seat_2"


def test_a_line_of_the_longest_length_is_still_read(bench: Bench) -> None:
    assert "is no command" in bench.ask("x" * LINE_BYTES)


def test_a_line_without_end_takes_no_memory() -> None:
    lengths: list[int] = []

    class Measured(Channel):
        def _take(self, line: bytes) -> None:
            lengths.append(len(line))
            super()._take(line)

    ours, theirs = socket.socketpair()
    channel = Measured(ours.detach(), lambda line: line)
    with theirs:
        theirs.sendall(b"x" * 500_000 + b"\n")
        assert theirs.recv(100).startswith(b"error a line may have")
    channel.close()
    assert lengths == [LINE_BYTES + 2]


def test_a_second_start_is_refused_and_the_first_goes_on(bench: Bench) -> None:
    channel = bench.hal._channel
    with pytest.raises(ClaimError, match="already started"):
        bench.hal.start(lambda _message: None)
    assert bench.hal._channel is channel
    assert bench.ask("on seat_3") == "ok on seat_3"


def test_it_can_be_started_again(bench: Bench) -> None:
    bench.hal.close()
    assert bench.read() == "closed"
    bench.hal.start(bench.heard.put_nowait)
    assert bench.read() == "started"
    assert bench.ask("on coin_in") == "ok on coin_in"
    assert bench.heard.get_nowait() == Edge("coin_in", True, 77)


def test_a_hang_up_leaves_the_table_standing() -> None:
    bench = Bench()
    bench.reader.close()
    assert bench.hal._channel is not None
    bench.hal._channel._thread.join(5)
    assert not bench.hal._channel._thread.is_alive()

    bench.hal.write("lamp_2", True)
    assert bench.hal.outputs["lamp_2"] is True
    bench.hal.close()


@pytest.mark.parametrize("make", [Path.exists, Path.touch, Path.mkdir, os.mkfifo])
def test_what_is_no_port_is_refused(tmp_path: Path, make: Callable[[Path], object]) -> None:
    path = tmp_path / "port"
    make(path)
    with pytest.raises(DeviceError, match=str(path)):
        BenchHal(reference_wiring(), path).start(lambda _message: None)


def test_reports_never_wait_and_lost_ones_are_counted() -> None:
    ours, theirs = socket.socketpair()
    theirs.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    channel = Channel(ours.detach(), lambda line: line)
    said = 50 * REPORTS
    for n in range(said):
        channel.report(f"out lamp_{n} on " + "." * 80)

    reader = theirs.makefile("r")
    channel.report("last")
    seen = lost = 0
    for line in reader:
        if line.startswith("lost "):
            lost += int(line.split()[1])
        elif line == "last\n":
            break
        else:
            seen += 1

    assert lost > 0
    assert seen + lost == said
    channel.close()
    theirs.close()
    reader.close()


def test_close_does_not_wait_for_one_who_does_not_read() -> None:
    ours, theirs = socket.socketpair()
    channel = Channel(ours.detach(), lambda line: line)
    for _ in range(REPORTS):
        channel.report("." * 1000)
    channel.close()
    assert not channel._thread.is_alive()
    theirs.close()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.binary(max_size=400), max_size=8))
def test_no_bytes_whatever_end_the_conversation(noise: list[bytes]) -> None:
    ours, theirs = socket.socketpair()
    hal = BenchHal(reference_wiring(), Path("unused"), lambda: 1)
    channel = Channel(ours.detach(), hal._obey)
    with theirs, theirs.makefile("rb") as reader:
        for piece in noise:
            theirs.sendall(piece)
        theirs.sendall(b"\n" + b"on seat_1\n")
        while reader.readline() != b"ok on seat_1\n":
            pass
        channel.close()
    assert hal.physical["seat_1"] is True


def test_F017_children_do_not_inherit_the_channel(bench: Bench) -> None:
    assert bench.hal._channel is not None
    assert not os.get_inheritable(bench.hal._channel._fd)
    assert not os.get_inheritable(bench.hal._channel._wake)


def test_a_killed_program_is_started_again_on_the_same_port() -> None:
    master, slave = pty.openpty()
    program = textwrap.dedent("""
        import sys, threading
        from pathlib import Path
        from tests.helpers_wiring import reference_wiring
        from hal.bench import BenchHal
        hal = BenchHal(reference_wiring(), Path(sys.argv[1]))
        hal.start(lambda edge: hal.write("lamp_1", edge.active))
        threading.Event().wait()
    """)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with os.fdopen(master, "r+b", buffering=0) as port:
        for _ in range(3):
            process = subprocess.Popen([sys.executable, "-c", program, os.ttyname(slave)], env=environment)
            said = b""
            while b"started\n" not in said:
                said += os.read(port.fileno(), 4096)
            port.write(b"on seat_1\n")
            while b"out lamp_1 on\n" not in said:
                said += os.read(port.fileno(), 4096)
            process.send_signal(signal.SIGKILL)
            assert process.wait(10) == -signal.SIGKILL
    os.close(slave)


def test_a_port_is_opened_raw() -> None:
    master, slave = pty.openpty()
    fd = open_stream(Path(os.ttyname(slave)))
    os.write(fd, b"a\nb\n")
    assert os.read(master, 100) == b"a\nb\n"  # cooked, the pty would have made it a\r\nb\r\n
    for descriptor in (fd, slave, master):
        os.close(descriptor)
