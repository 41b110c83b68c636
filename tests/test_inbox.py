"""The door between the threads that see and the one that decides."""

import signal
import threading
import time
from collections.abc import Iterator

import pytest

from controller.core import events as ev
from controller.inbox import LINE_SHARE, Act, Arrival, Inbox, Overflow, Stop
from hal.interface import Device, DeviceFailed, DeviceMended, Edge, KeyPressed

LINES = ("seat_1", "seat_2", "coin_in")


@pytest.fixture
def inbox() -> Iterator[Inbox]:
    made = Inbox(LINES)
    yield made
    made.close()


def edge(line: str, at_ns: int) -> Edge:
    return Edge(line, at_ns % 2 == 0, at_ns)


def test_messages_come_out_in_the_order_of_arrival(inbox: Inbox) -> None:
    sent: list[Arrival] = [
        edge("seat_2", 5),
        KeyPressed("3", 4),
        Act(ev.AwardsApproved(3)),
        DeviceFailed(Device.SIGN, "unplugged", 2),
        edge("seat_1", 1),
        DeviceMended(Device.SIGN, 6),
        Stop("SIGTERM"),
    ]
    for message in sent:
        inbox.put(message)
    assert inbox.drain() == sent
    assert inbox.drain() == []
    assert inbox.overflows() == []


def test_F005_a_line_that_floods_loses_its_own_edges_and_starves_no_other(inbox: Inbox) -> None:
    flood = 40 * LINE_SHARE
    for at_ns in range(flood):
        inbox.put(edge("seat_1", at_ns))
        if at_ns % LINE_SHARE == 0:
            inbox.put(edge("seat_2", at_ns))
    taken = inbox.drain()
    assert [message for message in taken if isinstance(message, Edge) and message.line == "seat_2"] == [
        edge("seat_2", LINE_SHARE * number) for number in range(40)
    ]
    assert len(taken) == LINE_SHARE + 40
    assert inbox.overflows() == [Overflow("seat_1", flood - LINE_SHARE)]
    assert inbox.overflows() == [], "an overflow is told once"


def test_a_drained_line_has_its_whole_share_again(inbox: Inbox) -> None:
    for _ in range(3):
        for at_ns in range(LINE_SHARE):
            inbox.put(edge("coin_in", at_ns))
        assert len(inbox.drain()) == LINE_SHARE
    assert inbox.overflows() == []


def test_every_source_has_a_limit_and_is_named_when_it_is_reached(inbox: Inbox) -> None:
    for number in range(LINE_SHARE + 2):
        inbox.put(KeyPressed("3", number))
        inbox.put(DeviceFailed(Device.SIGN, "flaps", number))
        inbox.put(Act(ev.AwardsApproved(number)))
    assert len(inbox.drain()) == 3 * LINE_SHARE
    assert set(inbox.overflows()) == {Overflow("keypad", 2), Overflow("devices", 2), Overflow("operators", 2)}


def test_the_order_to_stop_is_heard_in_any_flood(inbox: Inbox) -> None:
    for number in range(2 * LINE_SHARE):
        inbox.put(Act(ev.AwardsApproved(number)))
    inbox.put(Stop("SIGTERM"))
    assert inbox.drain()[-1] == Stop("SIGTERM")


def test_F105_a_message_that_came_before_the_wait_ends_it_at_once(inbox: Inbox) -> None:
    inbox.put(edge("seat_1", 1))
    begin = time.monotonic()
    inbox.wait(60_000_000_000)
    assert time.monotonic() - begin < 30
    assert inbox.drain() == [edge("seat_1", 1)]


def test_a_message_from_another_thread_wakes_the_waiting_one(inbox: Inbox) -> None:
    def put() -> None:
        while not inbox._asleep:
            pass
        inbox.put(edge("seat_1", 1))

    thread = threading.Thread(target=put)
    thread.start()
    inbox.wait(60_000_000_000)
    assert inbox.drain() == [edge("seat_1", 1)]
    thread.join()


def test_a_signal_handler_wakes_the_thread_it_interrupts(inbox: Inbox) -> None:
    before = signal.signal(signal.SIGALRM, lambda *_: inbox.put(Stop("SIGALRM")))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        inbox.wait(60_000_000_000)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert inbox.drain() == [Stop("SIGALRM")]


def test_a_wait_without_a_message_ends_when_its_time_is_over(inbox: Inbox) -> None:
    inbox.wait(1_000_000)
    inbox.wait(-5)
    assert inbox.drain() == []


def test_no_edge_of_four_threads_is_lost_or_doubled_while_one_drains(inbox: Inbox) -> None:
    per_line = 20_000

    def send(line: str, inbox: Inbox) -> None:
        for at_ns in range(per_line):
            inbox.put(edge(line, at_ns))

    threads = [threading.Thread(target=send, args=(line, inbox)) for line in LINES]
    for thread in threads:
        thread.start()
    taken: dict[str, list[int]] = {line: [] for line in LINES}
    lost = dict.fromkeys(LINES, 0)
    while any(thread.is_alive() for thread in threads) or inbox._waiting:
        inbox.wait(1_000_000)
        for message in inbox.drain():
            assert isinstance(message, Edge)
            taken[message.line].append(message.at_ns)
        for overflow in inbox.overflows():
            lost[overflow.line] += overflow.lost
    for overflow in inbox.overflows():
        lost[overflow.line] += overflow.lost
    for line in LINES:
        assert taken[line] == sorted(set(taken[line]))
        assert len(taken[line]) + lost[line] == per_line
