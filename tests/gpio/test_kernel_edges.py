"""The real table's pins through lgpio on the kernel's own GPIO lines."""

import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import pairwise

import pytest

from controller.core import events as ev
from hal.interface import Edge, Factory, Message
from hal.raspberry import RaspberryHal
from tests.helpers_inputs import START_NS, Change, Driver
from tests.helpers_kernel import Heard, Push, level, push, pushed
from tests.helpers_wiring import SEATS, reference_wiring

MS = 1_000_000
WIRING = reference_wiring(Factory.LGPIO, devices=())
PIN = {line.name: line.pin for line in WIRING.inputs} | {line.name: line.pin for line in WIRING.outputs}
INPUTS = [line.name for line in WIRING.inputs]


class Table:
    """A started table and what it put, each edge with the time of its arrival."""

    def __init__(self) -> None:
        self.heard = Heard()
        self.arrived_ns: list[int] = []
        self.hal = RaspberryHal(WIRING)
        self.hal.start(self.put)

    def put(self, message: Message) -> None:
        self.arrived_ns.append(time.monotonic_ns())
        self.heard.append(message)

    def edges(self, line: str) -> list[Edge]:
        return [edge for edge in self.heard if isinstance(edge, Edge) and edge.line == line]


@pytest.fixture
def table() -> Iterator[Table]:
    made = Table()
    yield made
    made.hal.close()


def square(line: str, edges: int, period_ns: int) -> list[Push]:
    """A line goes down and up again, `edges` times in all, one every `period_ns`."""
    return [Push(number * period_ns, PIN[line], number % 2 == 1) for number in range(edges)]


def test_a_line_that_nobody_pulls_is_idle_by_its_own_resistor() -> None:
    for line in INPUTS:
        push(PIN[line], False)
    made = Table()
    assert made.hal.levels() == dict.fromkeys(INPUTS, False)
    made.hal.close()


@pytest.mark.parametrize("period_ns", [5 * MS, 1 * MS])
def test_no_edge_is_lost_at_a_thousand_a_second_and_each_has_the_kernels_stamp(
    table: Table, capsys: pytest.CaptureFixture[str], period_ns: int
) -> None:
    count = 3_000 if period_ns == MS else 600
    done = pushed(square("seat_3", count, period_ns))
    table.heard.until(count)
    edges = table.edges("seat_3")
    assert len(table.heard) == len(edges) == count
    assert [edge.active for edge in edges] == [number % 2 == 0 for number in range(count)]
    assert table.hal.implausible_stamps == 0
    # The kernel stamps while the line is pushed, not when the edge arrives here.
    stamped = sorted(edge.at_ns - at for edge, at in zip(edges, done, strict=True))
    assert stamped[0] >= 0
    assert stamped[count // 2] < MS
    late = sorted(arrived - edge.at_ns for arrived, edge in zip(table.arrived_ns, edges, strict=True))
    median, p99 = (late[count * part // 100] / MS for part in (50, 99))
    with capsys.disabled():
        sys.stdout.write(f" [{count} edges arrived {median:.1f} ms after their stamp, p99 {p99:.1f} ms] ")


def test_seven_chips_at_once_are_fourteen_edges(table: Table) -> None:
    seats = [f"seat_{seat}" for seat in range(1, SEATS + 1)]
    falls = [Push(0, PIN[seat], False) for seat in seats]
    rises = [Push((40 + 5 * number) * MS, PIN[seat], True) for number, seat in enumerate(seats)]
    pushed([*falls, *rises])
    table.heard.until(14)
    assert [[edge.active for edge in table.edges(seat)] for seat in seats] == [[True, False]] * 7


def test_every_output_reaches_its_wire_and_falls_back_when_the_table_ends(table: Table) -> None:
    outputs = [line.name for line in WIRING.outputs]
    for line in outputs:
        table.hal.write(line, True)
        assert level(PIN[line])
    table.hal.close()
    assert not any(level(PIN[line]) for line in outputs)


def low(line: str, at_ms: int, for_ms: int) -> list[Push]:
    return [Push(at_ms * MS, PIN[line], False), Push((at_ms + for_ms) * MS, PIN[line], True)]


RECORDS: dict[str, tuple[list[Push], type[ev.Event]]] = {
    "a chip": (low("seat_1", 0, 40), ev.ChipDropped),
    "spikes": ([push for at in range(0, 56, 8) for push in low("seat_2", at, 3)], ev.NoiseSeen),
    "a chip that bounces": (
        [*low("seat_3", 0, 2), *low("seat_3", 4, 2), *low("seat_3", 8, 40), *low("seat_3", 50, 2)],
        ev.ChipDropped,
    ),
    "a dip of three lines": (
        [push for n in (1, 2, 3) for push in low(f"seat_{n}", 0, 30)],
        ev.CommonModeSeen,
    ),
    "chips around COIN IN": (
        [*low("seat_5", 0, 45), *low("coin_in", 20, 120), *low("seat_6", 30, 45)],
        ev.CoinInPressed,
    ),
    "a jam": (low("seat_7", 0, 1_200), ev.SeatJammed),
    "a held GAME OVER": (low("game_over", 0, 1_300), ev.GameOverHeld),
}
LINE = {line.pin: line.name for line in WIRING.inputs}
SAME_NS = MS
TRIES = 30
TOGETHER_NS = 3 * SAME_NS // 4
"""Three lines pushed one after the other so quickly lie well within the filter's 2 ms."""


def decided(edges: Sequence[Edge]) -> list[tuple[type[ev.AnyEvent], int]]:
    """What the filter makes of these edges, the first at its beginning: each event and its seat."""
    changes = [Change(START_NS + edge.at_ns - edges[0].at_ns, edge.line, edge.active) for edge in edges]
    return [(type(event), getattr(event, "seat", 0)) for event in Driver().run(changes, 64_000)]


def played(table: Table, record: Sequence[Push], kind: type[ev.Event]) -> tuple[list[Edge], list[Edge]]:
    """A record by script and through the kernel: once more where this machine, busy elsewhere, has spoilt it."""
    record = sorted(record)
    for _ in range(TRIES):
        table.heard.clear()
        done = pushed(record)
        table.heard.until(len(record))
        through = [edge for edge in table.heard if isinstance(edge, Edge)]
        script = [Edge(LINE[push.pin], not push.level, at) for push, at in zip(record, done, strict=True)]
        same = all(abs(one.at_ns - two.at_ns) < SAME_NS for one, two in zip(through, script, strict=True))
        planned = pairwise(zip(record, done, strict=True))
        together = all(
            two_ns - one_ns < TOGETHER_NS
            for (one, one_ns), (two, two_ns) in planned
            if one.at_ns == two.at_ns
        )
        if same and together and kind in {event for event, _ in decided(script)}:
            return script, through
    raise AssertionError(
        f"in {TRIES} tries the kernel's stamps were not those of the pushes: {script}, {through}"
    )


@pytest.mark.parametrize("record", RECORDS)
def test_F036_recorded_edges_give_the_same_events_by_script_and_through_the_kernel(
    table: Table, record: str
) -> None:
    pushes, kind = RECORDS[record]
    script, through = played(table, pushes, kind)
    assert [(edge.line, edge.active) for edge in through] == [(edge.line, edge.active) for edge in script]
    assert decided(through) == decided(script)


DEAF = """
import threading
from hal.interface import Factory, HalThread
from hal.raspberry import RaspberryHal
from tests.helpers_kernel import push
from tests.helpers_wiring import reference_wiring
threading.excepthook = lambda args: ended.set()
ended = threading.Event()
def put(message):
    raise RuntimeError("an error in a callback")
hal = RaspberryHal(reference_wiring(Factory.LGPIO, devices=()))
hal.start(put)
assert hal.beats()[HalThread.PINS] > 0
push(5, False)
assert ended.wait(10)
hal_thread = [thread for thread in threading.enumerate() if thread is not threading.main_thread()]
for thread in hal_thread:
    thread.join(10)
print("pins", hal.beats()[HalThread.PINS])
hal.close()
"""


def test_an_error_that_ends_lgpios_only_thread_shows_in_its_beat() -> None:
    done = subprocess.run([sys.executable, "-c", DEAF], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("pins 0\n", 0), done.stderr


SECOND = """
from hal.interface import ClaimError, Factory
from hal.raspberry import RaspberryHal
from tests.helpers_wiring import reference_wiring
try:
    RaspberryHal(reference_wiring(Factory.LGPIO, devices=())).start(lambda _message: None)
except ClaimError as error:
    print(error)
"""


def test_another_process_on_the_same_lines_is_refused_and_the_first_goes_on(table: Table) -> None:
    table.hal.write("lamp_1", True)
    done = subprocess.run([sys.executable, "-c", SECOND], capture_output=True, text=True, check=False)
    assert "lamp_1 (GPIO4) could not be claimed, tried 3 times" in done.stdout, done.stderr
    assert level(PIN["lamp_1"])
    push(PIN["seat_2"], False)
    push(PIN["seat_2"], True)
    table.heard.until(2)
    assert [edge.active for edge in table.edges("seat_2")] == [True, False]
