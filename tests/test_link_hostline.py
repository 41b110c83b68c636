"""The table's ear: who may speak, what counts, and when the host is lost."""

import os
import socket
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.core import events as ev
from controller.hostline import HostLine, HostLineError
from controller.inbox import Act, FloorHeard
from controller.journal import Head
from controller.link.beat import BYTES_MAX, Beat, Mouth, encode
from hal.interface import Device, DeviceFailed, DeviceMended
from tests.helpers_world import MS, SECOND

START = 1_000 * SECOND
HEAD = Head(7, "ab" * 32)
TABLE = "mvd-07"


class Ear:
    """A host line on a clock of its own."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.now = START
        self.line = HostLine(path, TABLE)
        self.line.open(self.now)
        self._speaker = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)

    def hear(self, *messages: bytes, after: int = SECOND) -> list[object]:
        """What comes of these messages, looked at `after` the last look."""
        self.now += after
        for message in messages:
            self._speaker.sendto(message, str(self.path))
        return [*self.line.look(self.now)]

    def beat(self, head: Head | None = HEAD, why: str = "", table: str = TABLE, age: int = 0) -> bytes:
        seq, digest = (None, None) if head is None else head
        return encode(Beat(table, self.now + SECOND - age, why, seq, digest, 3 * MS))

    def close(self) -> None:
        self._speaker.close()
        self.line.close()


@pytest.fixture
def ear(tmp_path: Path) -> Iterator[Ear]:
    made = Ear(tmp_path / "link.sock")
    yield made
    made.close()


def kinds(heard: list[object]) -> list[type]:
    return [type(each) for each in heard]


def test_the_host_is_lost_until_it_is_heard_and_the_floors_head_comes_first(ear: Ear) -> None:
    (lost,) = ear.hear(after=0)
    assert isinstance(lost, DeviceFailed)
    assert (lost.device, lost.why) == (Device.HOST, "no word from `pozo link`")
    assert ear.line.told == "no floor"
    assert ear.hear(ear.beat()) == [
        FloorHeard(7, "ab" * 32, START + SECOND),
        DeviceMended(Device.HOST, START + SECOND),
    ]
    assert ear.line.told == "floor heard, clock +3 ms from its"


def test_five_seconds_of_silence_and_not_a_moment_less(ear: Ear) -> None:
    ear.hear(ear.beat())
    assert ear.hear(after=5 * SECOND - 1) == []
    assert kinds(ear.hear(after=MS * 100)) == [DeviceFailed]
    assert ear.hear(after=60 * SECOND) == [], "told once"
    assert kinds(ear.hear(ear.beat())) == [FloorHeard, DeviceMended]


def test_a_loop_that_stood_still_reads_what_waited_before_it_calls_the_host_silent(ear: Ear) -> None:
    ear.hear(ear.beat())
    beat = encode(Beat(TABLE, ear.now + 58 * SECOND, "", *HEAD))
    assert kinds(ear.hear(beat, after=60 * SECOND)) == [FloorHeard]


def test_a_link_without_a_floor_says_why_and_the_floors_last_head_counts_all_the_same(ear: Ear) -> None:
    ear.hear(ear.beat())
    told: list[object] = []
    for _ in range(6):
        told += ear.hear(ear.beat(why="the floor does not answer"))
    assert [each.why for each in told if isinstance(each, DeviceFailed)] == ["the floor does not answer"]
    assert kinds(told).count(FloorHeard) == 6


def test_a_link_that_never_asked_the_floor_mends_nothing(ear: Ear) -> None:
    ear.hear(after=0)
    assert ear.hear(ear.beat(head=None)) == []


@pytest.mark.parametrize("age", [5 * SECOND + 1, -SECOND - 1])
def test_a_beat_of_another_moment_is_none(ear: Ear, age: int) -> None:
    ear.hear(after=0)
    (told,) = ear.hear(ear.beat(age=age))
    assert told == Act(ev.HostGarbled(START + SECOND, 1, "a beat of another moment"))


def test_saying_a_beat_again_changes_nothing(ear: Ear) -> None:
    old = ear.beat()
    ear.hear(old)
    (told,) = ear.hear(*[old] * 5)
    assert told == Act(ev.HostGarbled(START + 2 * SECOND, 5, "a beat of another moment"))
    assert kinds(ear.hear(old, after=4 * SECOND)) == [DeviceFailed], "a replay is no word of the link's"


@pytest.mark.parametrize(
    "message",
    [
        b"",
        b"\xff\xfe",
        b"{}",
        b"[" * 1000,
        b'{"table":"mvd-07","sent_ns":-1,"why":""}',
        b'{"table":"mvd-07","sent_ns":1001000000000,"why":"","seq":7,"digest":"XY"}',
        b'{"table":"mvd-07","sent_ns":1001000000000,"why":"","more":1}',
        b'{"table":"mvd-07","sent_ns":1001000000000,"why":""}'.ljust(BYTES_MAX + 1),
        b"x" * 100_000,
        encode(Beat("mvd-08", START + SECOND, "", *HEAD)),
    ],
)
def test_what_is_no_beat_is_counted_and_nothing_else(ear: Ear, message: bytes) -> None:
    ear.hear(after=0)
    (told,) = ear.hear(message)
    assert isinstance(told, Act)
    assert isinstance(told.event, ev.HostGarbled)
    assert told.event.messages == 1
    assert told.event.why


def test_garbage_is_told_once_a_minute_with_its_number(ear: Ear) -> None:
    ear.hear(after=0)
    told: list[object] = []
    for _ in range(120):
        told += ear.hear(b"?", b"?")
    events = [each.event for each in told if isinstance(each, Act)]
    assert [event.messages for event in events if isinstance(event, ev.HostGarbled)] == [2, 120]


def test_a_flood_is_read_some_messages_at_a_time_and_the_link_is_heard_behind_it(ear: Ear) -> None:
    ear.hear(after=0)
    waiting = int(Path("/proc/sys/net/unix/max_dgram_qlen").read_text(encoding="ascii"))
    ear.hear(*[b"?"] * min(waiting, 10), ear.beat(), after=SECOND)
    assert ear.line.told.startswith("floor heard")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can have the kernel say that somebody else spoke")
def test_another_user_is_not_heard(ear: Ear) -> None:
    ear.hear(after=0)
    assert ear.path.stat().st_mode & 0o777 == 0o600
    nobody = (socket.SOL_SOCKET, socket.SCM_CREDENTIALS, struct.pack("iII", os.getpid(), 65534, 65534))
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as speaker:
        speaker.sendmsg([ear.beat()], [nobody], 0, str(ear.path))
    assert ear.hear() == [Act(ev.HostGarbled(START + SECOND, 1, "user 65534 is not this table's"))]


def test_a_socket_left_by_a_killed_table_is_taken_over_and_a_file_is_not(tmp_path: Path) -> None:
    path = tmp_path / "link.sock"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as left:
        left.bind(str(path))
    made = Ear(path)
    assert kinds(made.hear(made.beat())) == [FloorHeard]
    made.close()
    assert not path.exists()
    path.write_text("somebody's", encoding="utf-8")
    with pytest.raises(HostLineError, match="something else is there"):
        HostLine(path, TABLE).open(START)
    assert path.read_text(encoding="utf-8") == "somebody's"
    with pytest.raises(HostLineError, match="its directory must exist"):
        HostLine(tmp_path / "none" / "link.sock", TABLE).open(START)


def test_a_mouth_speaks_whether_anybody_hears_or_not(tmp_path: Path) -> None:
    path = tmp_path / "link.sock"
    mouth = Mouth(path)
    mouth(Beat(TABLE, START, "nobody is there"))
    made = Ear(path)
    mouth(Beat(TABLE, START + SECOND, "", *HEAD))
    assert kinds(made.hear()) == [FloorHeard]
    for _ in range(1_000):
        mouth(Beat(TABLE, START + SECOND, "", *HEAD))
    mouth.close()
    made.close()
