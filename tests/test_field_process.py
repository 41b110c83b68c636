"""Field-log rows that need a real process: how it ends, and what is left when it does."""

import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from controller.core import events as ev
from controller.core.game import Hand
from tests.helpers_ledger import audit, rows
from tests.helpers_process import (
    OPERATED,
    PATIENCE_S,
    ROOT,
    Bench,
    Running,
    chip,
    commissioned,
    journal_of,
    opened,
    pause,
    press,
)

OUT_OF_SERVICE = "FUERA DE SERVICIO"
THREADS_MAX = 4


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench()
    yield made
    made.close()


def phase(config: Path) -> str:
    """The phase in the last record."""
    found: str = rows(journal_of(config))[-1].state["phase"]
    return found


def count(config: Path, name: str) -> int:
    """The sum of a count over all seats."""
    return sum(seat.get(name, 0) for seat in rows(journal_of(config))[-1].state["seats"])


def lit_and_locked(bench: Bench) -> None:
    """Seats 1 and 4 are accepted, the slots locked."""
    chip(bench, 1, 4)
    bench.say("on coin_in")
    bench.until(lambda: {"lamp_1", "lamp_4"} <= bench.on and "slots" not in bench.on, "the locked round")


def test_F016_a_second_copy_refuses_before_it_touches_anything(tmp_path: Path, bench: Bench) -> None:
    config = opened(tmp_path)
    second = Bench()
    with Running(config, bench) as first:
        first.ready()
        for number in range(10):
            bench.say(f"on seat_{number % 7 + 1}")
            if number == 5:
                with Running(config, second) as other:
                    code, _, err = other.ended()
                assert code == 1
                assert f"already running (pid {first.process.pid})" in err
                assert "Traceback" not in err
            pause(bench, 30)
            bench.say(f"off seat_{number % 7 + 1}")
            pause(bench, 30)
        second.read()
        assert second.seen == [], "the second copy opened the bench channel"
        for command in (["journal", "verify", str(journal_of(config))], ["meters", str(journal_of(config))]):
            tool = subprocess.run(
                [sys.executable, "-m", "controller", *command], cwd=ROOT, capture_output=True, check=False
            )
            assert tool.returncode == 0, tool.stderr
        first.process.terminate()
        assert first.ended()[0] == 0
    second.close()
    assert count(config, "dropped") == 10
    assert count(config, "excess") == 3
    assert [row.event["kind"] for row in rows(journal_of(config))].count("started") == 2


@pytest.mark.slow
def test_F017_twenty_of_twenty_starts_succeed_after_a_kill(tmp_path: Path, bench: Bench) -> None:
    config = opened(tmp_path)
    for number in range(20):
        begin = time.monotonic()
        with Running(config, bench) as running:
            running.ready()
            assert time.monotonic() - begin < 5
            chip(bench, number % 7 + 1)
            running.process.kill()
            running.process.wait()
        pause(bench, 200)
    assert count(config, "dropped") == 20
    audit(journal_of(config))


@pytest.mark.parametrize(
    ("fault", "number", "code"),
    [
        ("none", signal.SIGTERM, 0),
        ("none", signal.SIGINT, 0),
        ("loop_fails", None, 1),
        ("thread_fails", None, 1),
        ("thread_exits", None, 1),
    ],
)
def test_F022_F106_however_it_ends_outputs_are_safe_within_a_second(
    tmp_path: Path, bench: Bench, fault: str, number: signal.Signals | None, code: int
) -> None:
    config = opened(tmp_path)
    with Running(config, bench, (*OPERATED, "--fault", fault)) as running:
        running.ready()
        lit_and_locked(bench)
        begin = time.monotonic()
        if number is None:
            bench.say("on seat_7")
        else:
            running.process.send_signal(number)
        bench.until(lambda: bench.heard("closed"), "the end")
        assert time.monotonic() - begin < 1
        assert bench.on == set()
        assert bench.heard(f"sign {OUT_OF_SERVICE}")
        ended, _, err = running.ended()
        assert ended == code
        assert ("Traceback" in err) is (code == 1), err
    assert phase(config) == "locked"
    with Running(config, bench) as again:
        again.ready()
        bench.until(lambda: {"lamp_1", "lamp_4"} <= bench.on, "the lamps of the stored round")
        assert "slots" not in bench.on


@pytest.mark.parametrize("after_ms", [0, 1, 5, 20, 100])
def test_F043_a_kill_around_a_falling_edge_counts_the_chip_once_or_not(
    tmp_path: Path, bench: Bench, after_ms: int
) -> None:
    config = opened(tmp_path)
    with Running(config, bench) as running:
        running.ready()
        bench.say("on seat_3")
        pause(bench, after_ms)
        running.process.kill()
        running.process.wait()
    before = count(config, "dropped")
    assert before <= 1
    with Running(config, bench) as running:
        running.ready()
        pause(bench, 100)
    assert count(config, "dropped") == before
    assert audit(journal_of(config)).placed.keys() == ({3} if before else set())


@pytest.mark.parametrize("after_ms", [0, 1, 5, 20])
def test_F043_a_kill_after_the_commit_finds_the_chip_lit(tmp_path: Path, bench: Bench, after_ms: int) -> None:
    config = opened(tmp_path)
    with Running(config, bench) as running:
        running.ready()
        bench.say("on seat_3")
        bench.until(lambda: count(config, "dropped") == 1, "the record", look_s=0.001)
        pause(bench, after_ms)
        running.process.kill()
        running.process.wait()
    with Running(config, bench) as running:
        running.ready()
        # Its lamp blinks: attract would light lamp 3 once in 2.1 seconds only.
        bench.until(
            lambda: [line for _, line in bench.seen].count("out lamp_3 on") >= 3, "the placed lamp", 2.0
        )
    assert count(config, "dropped") == 1


def test_a_table_runs_on_four_threads_at_most(tmp_path: Path, bench: Bench) -> None:
    with Running(opened(tmp_path), bench) as running:
        running.ready()
        assert len(list(Path(f"/proc/{running.process.pid}/task").iterdir())) <= THREADS_MAX


def test_F099_the_service_manager_hears_when_it_plays_lives_and_ends(tmp_path: Path, bench: Bench) -> None:
    address = tmp_path / "notify"
    manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    manager.bind(str(address))
    manager.settimeout(PATIENCE_S)
    environ = {"NOTIFY_SOCKET": str(address), "WATCHDOG_USEC": "1000000"}
    with Running(opened(tmp_path), bench, environ=environ) as running:
        assert manager.recv(100) == b"READY=1"
        bench.until(lambda: "slots" in bench.on, "the open slots, which are shown before")
        heard = [manager.recv(100) for _ in range(4)]
        assert heard == [b"WATCHDOG=1\nSTATUS=open, round 1", *[b"WATCHDOG=1"] * 3]
        begin = time.monotonic()
        running.process.terminate()
        assert running.ended()[0] == 0
        passed = time.monotonic() - begin
    manager.setblocking(False)
    rest = []
    while True:
        try:
            rest.append(manager.recv(100))
        except BlockingIOError:
            break
    assert rest[-1] == b"STOPPING=1"
    assert len(rest) <= 2 * passed + 2
    manager.close()


def test_F106_a_pin_thread_that_is_gone_ends_the_process_which_names_it(tmp_path: Path, bench: Bench) -> None:
    config = opened(tmp_path)
    with Running(config, bench, (*OPERATED, "--fault", "pins_end")) as running:
        running.ready()
        lit_and_locked(bench)
        bench.say("on seat_7")
        bench.until(lambda: bench.heard("closed"), "the end")
        assert bench.on == set()
        assert running.ended()[0] == 1
    ends = [row.event["why"] for row in rows(journal_of(config)) if row.event["kind"] == "stopped"]
    assert ends[-1] == "pins: it has ended"


def to_phase(running: Running, config: Path, wanted: str) -> None:
    """Lead an open table to a phase."""
    bench = running.bench
    if wanted in {"locked", "award_pending"}:
        lit_and_locked(bench)
    if wanted == "award_pending":
        running.operate(ev.AwardClaimed(time.monotonic_ns(), 4, Hand.FLUSH))
    bench.until(lambda: phase(config) == wanted, wanted)


@pytest.mark.parametrize("wanted", ["closed", "test", "open", "locked", "award_pending"])
def test_F107_SIGTERM_in_each_state_and_twice_ends_in_order(
    tmp_path: Path, bench: Bench, wanted: str
) -> None:
    config = commissioned(tmp_path) if wanted in {"closed", "test"} else opened(tmp_path)
    with Running(config, bench, OPERATED) as running:
        running.ready()
        if wanted == "test":
            bench.say("on technician")
        to_phase(running, config, wanted)
        begin = time.monotonic()
        running.process.terminate()
        running.process.terminate()
        bench.until(lambda: bench.heard("closed"), "the end")
        running.process.terminate()
        code, _, err = running.ended()
        assert time.monotonic() - begin < 3
        assert "Traceback" not in err
        assert code in {0, -signal.SIGTERM}, err
        assert bench.on == set()
        assert bench.heard(f"sign {OUT_OF_SERVICE}")
        assert any(line.startswith("screen") and OUT_OF_SERVICE in line for _, line in bench.seen)
    last, signed = rows(journal_of(config))[-2:]
    assert last.event == {"kind": "stopped", "at_ns": last.event["at_ns"], "why": "SIGTERM"}
    assert (signed.event["kind"], signed.event["seq"]) == ("head_signed", last.seq)
    assert phase(config) == wanted
    audit(journal_of(config))


def test_F107_SIGTERM_in_the_first_100_ms_ends_cleanly(tmp_path: Path, bench: Bench) -> None:
    config = opened(tmp_path)
    for after_ms in range(0, 101, 10):
        with Running(config, bench) as running:
            pause(bench, after_ms)
            running.process.terminate()
            code, _, err = running.ended()
            assert code in {0, -signal.SIGTERM}
            assert "Traceback" not in err
            bench.read()
            assert bench.on == set()
    assert phase(config) == "open"
    audit(journal_of(config))


@pytest.mark.slow
def test_F103_no_chip_is_half_taken_while_the_process_stops(tmp_path: Path, bench: Bench) -> None:
    """A line moves every 5 ms while SIGTERM is handled; 20 fresh processes, the 200 of the row in one process below."""
    config = opened(tmp_path)
    fallen = 0
    for number in range(20):
        with Running(config, bench) as running:
            running.ready()
            moves = [f"{what} seat_{seat}" for seat in (1, 2, 3, 4) for what in ("on", "off")]
            for move in range(4 * (3 + number % 5)):
                bench.say(moves[move % len(moves)])
                fallen += moves[move % len(moves)].startswith("on")
                pause(bench, 5)
            running.process.terminate()
            while running.process.poll() is None:
                bench.say(moves[0], moves[1])
                pause(bench, 5)
            code, _, err = running.ended()
            assert code == 0
            assert err == ""
            assert bench.on == set()
    assert count(config, "dropped") <= fallen
    audit(journal_of(config))


def interrupt(running: Running, bench: Bench, point: int, after_ms: float) -> None:
    """Claim and approve, with SIGTERM `after_ms` before the claim (point 0), between both (1) or after both (2)."""
    now = time.monotonic_ns()
    asked = (ev.AwardClaimed(now, 2, Hand.STRAIGHT_FLUSH), ev.AwardsApproved(now))
    with suppress(BrokenPipeError):  # it has ended before it could be asked
        running.operate(*asked[:point])
        pause(bench, after_ms)
        running.process.terminate()
        pause(bench, after_ms)
        running.operate(*asked[point:])


def approve(config: Path, bench: Bench, point: int, after_ms: float) -> str:
    """Play to a claim and its approval, interrupted by SIGTERM; say what is left of it."""
    with Running(config, bench, OPERATED) as running:
        running.ready()
        bench.say("on supervisor")
        bench.until(lambda: rows(journal_of(config))[-1].state.get("supervisor", False), "the key")
        running.operate(ev.AwardsApproved(time.monotonic_ns()))
        bench.until(lambda: phase(config) != "award_pending", "the approval that was asked for before")
        if phase(config) == "locked":
            press(bench, "game_over")
            bench.until(lambda: phase(config) == "open", "the next round")
        chip(bench, 2)
        bench.until(
            lambda: rows(journal_of(config))[-1].state["seats"][1].get("wager") == "placed", "the chip"
        )
        press(bench, "coin_in")
        bench.until(lambda: phase(config) == "locked", "the lock")
        interrupt(running, bench, point, after_ms)
        begin = time.monotonic()
        code, _, err = running.ended()
        assert time.monotonic() - begin < 5
        assert (code, err) == (0, "")
    if phase(config) == "award_pending":
        return "asked again at the next start"
    assert phase(config) == "locked"
    awarded = rows(journal_of(config))[-1].state["seats"][1].get("awarded", False)
    return "approved" if awarded else "not claimed"


def approve_often(folder: Path, seed: int, times: int) -> Counter[str]:
    config, bench, chance = opened(folder, f"mesa-{seed}"), Bench(), random.Random(seed)
    try:
        points = [number % 3 for number in range(times)]
        left = Counter(approve(config, bench, point, chance.uniform(0, 4)) for point in points)
    finally:
        bench.close()
    ledger = audit(journal_of(config))
    approvals = ledger.seen["award_approved"]
    assert approvals == ledger.awards
    # What was pending is approved at the next start, but for the last; nothing is approved twice.
    assert left["approved"] <= approvals <= left["approved"] + left["asked again at the next start"]
    return left


@pytest.mark.slow
def test_F108_an_approval_that_SIGTERM_interrupts_is_whole_or_not_there(tmp_path: Path) -> None:
    """63 fresh processes on three tables; the row's 1,000 would take ten minutes."""
    with ThreadPoolExecutor(3) as pool:
        runs = [pool.submit(approve_often, tmp_path, seed, 21) for seed in range(3)]
        left = sum((run.result() for run in runs), Counter[str]())
    assert left.total() == 63
    assert left["approved"] > 0
    assert left["not claimed"] + left["asked again at the next start"] > 0


def test_F102_a_round_is_played_with_nothing_of_a_shell_around_it(tmp_path: Path, bench: Bench) -> None:
    """The environment, working directory and umask that `pozo-table.service` gives, and no more."""
    config = opened(tmp_path)
    unit = (ROOT / "systemd" / "pozo-table.service").read_text(encoding="utf-8")
    environ = dict(
        word.split("=", 1)
        for line in unit.splitlines()
        if line.startswith("Environment=")
        for word in line.removeprefix("Environment=").split()
    )
    assert "PATH" not in environ
    nowhere = tmp_path / "nowhere"
    nowhere.mkdir()
    umask = os.umask(0o077)
    try:
        running = Running(config, bench, environ={**environ, "LG_WD": str(nowhere)}, cwd=nowhere, alone=True)
    finally:
        os.umask(umask)
    with running:
        running.ready()
        chip(bench, 3)
        press(bench, "coin_in")
        bench.until(lambda: phase(config) == "locked", "the lock")
        assert "lamp_3" in bench.on
        press(bench, "game_over")
        bench.until(lambda: phase(config) == "open", "the next round")
        running.process.terminate()
        assert running.ended()[0] == 0
    assert list(nowhere.iterdir()) == []
    audit(journal_of(config))


@pytest.mark.parametrize("fault", ["loop_hangs", "thread_hangs"])
def test_F109_what_hangs_cannot_hold_the_end_up(tmp_path: Path, bench: Bench, fault: str) -> None:
    config = opened(tmp_path)
    with Running(config, bench, (*OPERATED, "--fault", fault)) as running:
        running.ready()
        bench.say("on seat_7")
        bench.until(lambda: count(config, "dropped") == 1, "the chip's record")
        pause(bench, 20)
        begin = time.monotonic()
        running.process.terminate()
        code, _, err = running.ended()
        assert time.monotonic() - begin < 5
        assert code == 1
        assert "Timeout" in err
        assert "hang" in err, "where it hung is told"
    audit(journal_of(config))
