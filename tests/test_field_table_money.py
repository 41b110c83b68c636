"""Field-log rows on a whole table under power: the medium, the clocks, awards and the pot over power cuts."""

import os
import sqlite3
from contextlib import closing
from random import Random
from typing import Any

import pytest

from controller.core import events as ev
from controller.core.faults import FaultCode
from controller.core.game import Hand
from controller.core.state import Phase
from controller.core.table import bets
from controller.drill.medium import Medium, MediumConnection
from controller.drill.play import settings_of
from controller.drill.statements import Part
from controller.drill.world import World
from controller.outputs import Lamp
from hal.interface import Device
from tests.helpers_world import (
    MS,
    SECOND,
    act,
    chip,
    intact,
    key,
    lamp,
    low,
    meter,
    now,
    play,
    powered,
    press,
    running,
    stored,
    switched,
    table,
    told,
)

DAY = 86_400 * SECOND
MINUTE = 60 * SECOND
EVIDENCE = {Lamp.PLACED, Lamp.ACCEPTED, Lamp.WINNER}


def evidence(world: World) -> dict[int, Lamp]:
    """The lamps that stand for a wager."""
    return {seat: lamp(world, seat) for seat in range(1, 8) if lamp(world, seat) in EVIDENCE}


def cut(world: World) -> None:
    """The power goes and comes back."""
    world.power_cut()
    world.power_on(open_table=False)


@pytest.mark.slow
def test_F083_every_lamp_that_was_lit_has_its_chip_in_the_journal_after_a_cut() -> None:
    """1,000 cuts at random instants, between any two turns; cuts inside a turn are tests/test_powercut.py's."""
    random = Random(83)
    lit = 0
    with powered() as world:
        for _ in range(1_000):
            seat = random.randrange(1, 8)
            moves = low(f"seat_{seat}", 0, 40 * MS)
            if random.random() < 0.3:
                moves += low(random.choice(["coin_in", "game_over"]), random.randrange(80 * MS), 40 * MS)
            cut_ns = random.randrange(110 * MS)
            play(world, [move for move in moves if move[0] <= cut_ns], cut_ns)
            before = evidence(world), bets(table(world))
            world.power_cut()
            for line in (f"seat_{seat}", "coin_in", "game_over"):
                world.drive(line, active=False)
            world.power_on(open_table=False)
            assert (evidence(world), bets(table(world))) == before
            lit += len(before[0])
        assert lit > 1_000
        assert intact(world)
        # No coin twice: what was accepted is what the rounds say.
        rounds = [result for result in told(world, ev.RoundLocked) if isinstance(result, ev.RoundLocked)]
        accepted = sum(len(result.seats) for result in rounds)
        assert meter(world, "in_count") == str(accepted)


def test_F086_a_long_read_of_an_export_holds_up_no_chip() -> None:
    with (
        powered() as world,
        closing(sqlite3.connect(f"{world.medium.journal.as_uri()}?mode=ro", uri=True)) as reader,
    ):
        reader.execute("BEGIN")
        first = reader.execute("SELECT count(*) FROM journal").fetchone()
        for _ in range(10):
            chip(world, 4)
            press(world, ev.Button.COIN_IN)
            assert lamp(world, 4) is Lamp.ACCEPTED
            press(world, ev.Button.GAME_OVER)
            world.pass_time(6 * SECOND)
        assert reader.execute("SELECT count(*) FROM journal").fetchone() == first
        # 100,000.00 and 10 x 5.00
        assert (meter(world, "in_count"), meter(world, "current")) == ("10", "100050.00")
        assert len(stored(world, ev.ChipDropped)) == 10
        assert stored(world, ev.StorageFailed, ev.LoopStalled) == []


def test_F087_a_nearly_full_medium_is_a_warning_before_it_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    full = os.statvfs_result((4096, 4096, 10_000, 15_000, 12_000, 1, 1, 1, 0, 255))
    with powered() as world:
        monkeypatch.setattr(os, "statvfs", lambda _path: full)
        world.pass_time(2 * MINUTE)
        assert [fault.code for fault in table(world).faults] == [FaultCode.STORAGE_LOW]
        chip(world, 1)
        assert lamp(world, 1) is Lamp.PLACED


def test_F087_a_full_medium_stops_play_without_a_loop_and_loses_no_cent() -> None:
    with powered() as world:
        chip(world, 1, 2)
        press(world, ev.Button.COIN_IN)
        act(world, ev.AwardClaimed(now(world), 1, Hand.FLUSH))
        key(world, ev.Key.SUPERVISOR, on=True)
        world.break_part(Part.DISK_FULL, broken=True)
        assert act(world, ev.AwardsApproved(now(world))) == ()
        chip(world, 3)
        world.pass_time(10 * MINUTE)
        assert table(world).phase is Phase.AWARD_PENDING
        assert evidence(world) == {1: Lamp.WINNER, 2: Lamp.ACCEPTED}
        assert world.hal.outputs["slots"] is False
        assert meter(world, "unpaid") == "0.00"
        world.break_part(Part.DISK_FULL, broken=False)
        world.pass_time(2 * SECOND)
        assert [fault.code for fault in table(world).faults] == [FaultCode.STORAGE_FAILED]
        assert (meter(world, "seat_3.late"), meter(world, "seat_3.dropped")) == ("1", "1")
        act(world, ev.AwardsApproved(now(world)))
        assert meter(world, "unpaid") == "500.00"
        key(world, ev.Key.TECHNICIAN, on=True)
        world.act(ev.FaultClearAsked(now(world), FaultCode.STORAGE_FAILED))
        press(world, ev.Button.GAME_OVER)
        chip(world, 3)
        press(world, ev.Button.COIN_IN)
        # 3 wagers of 10.00, half of each to the pot of 100,000.00
        assert (meter(world, "in_meter"), meter(world, "current")) == ("30.00", "100015.00")
        assert len(stored(world, ev.StorageFailed)) == 1
        assert intact(world)


def test_F092_on_a_read_only_medium_nothing_reports_success() -> None:
    with powered() as world:
        chip(world, 1)
        press(world, ev.Button.COIN_IN)
        key(world, ev.Key.SUPERVISOR, on=True)
        act(world, ev.AwardClaimed(now(world), 1, Hand.FLUSH))
        act(world, ev.AwardsApproved(now(world)))
        press(world, ev.Button.GAME_OVER)
        world.break_part(Part.JOURNAL, broken=True)
        begin = now(world)
        chip(world, 5)
        assert lamp(world, 5) is Lamp.OFF
        assert "FALLA DEL REGISTRO" in world.hal.screen[0]
        assert world.hal.signs == "FUERA DE SERVICIO"
        assert now(world) - begin < SECOND
        press(world, ev.Button.COIN_IN)
        assert table(world).phase is Phase.OPEN
        assert act(world, ev.AwardPaid(now(world), 1, ev.Payment.CASH, signed=True)) == ()
        assert meter(world, "unpaid") == "500.00"
        assert meter(world, "in_count") == "1"


def test_F094_a_wall_clock_13_days_behind_orders_nothing_and_says_that_it_is_not_trusted() -> None:
    with powered() as world:
        chip(world, 1)
        world.power_cut()
        world.clock.step_wall(-13 * DAY)
        world.clock.trusted = False
        before = stored(world)[-1]
        world.power_on(open_table=False)
        press(world, ev.Button.COIN_IN)
        press(world, ev.Button.GAME_OVER)
        for _ in range(4):
            one_round(world)
        world.clock.step_wall(13 * DAY)
        world.clock.trusted = True
        for _ in range(5):
            one_round(world)
        after = [record for record in stored(world) if record.seq > before.seq]
        assert [record.seq for record in after] == list(range(before.seq + 1, before.seq + 1 + len(after)))
        assert told(world, ev.Refused) == []
        (stepped,) = stored(world, ev.ClockStepped)
        assert isinstance(stepped.event, ev.ClockStepped)
        assert stepped.event.by_ns == 13 * DAY
        assert [record.wall_trusted for record in after] == [record.seq >= stepped.seq for record in after]
        assert meter(world, "in_count") == "10"


def one_round(world: World) -> None:
    """A wager at seat 1, locked and ended."""
    chip(world, 1)
    press(world, ev.Button.COIN_IN)
    press(world, ev.Button.GAME_OVER)


def test_F095_a_wall_clock_that_jumps_fires_no_timer_early_or_late() -> None:
    with powered() as world:
        world.clock.trusted = False
        world.pass_time(20 * SECOND)
        world.drive("seat_1", active=True)
        chip(world, 2)
        begin = now(world)
        press(world, ev.Button.COIN_IN)
        world.clock.step_wall(-3 * DAY)
        world.pass_time(2 * SECOND)
        (jam,) = stored(world, ev.SeatJammed)
        (ended,) = stored(world, ev.ReleaseEnded)
        # The jam a second after its fall, 100 ms before COIN IN; the release 500 ms after COIN IN's own stamp.
        assert jam.event.at_ns == begin - 100 * MS + SECOND
        assert ended.event.at_ns == begin + 500 * MS
        # Opened 500 ms after the press and not held by anything that the wall clock says.
        assert switched(world.hal, "release", on=False) == [begin + 500 * MS]
        assert stored(world, ev.LoopStalled) == []


def test_F114_a_win_declared_as_the_links_break_stays_declared_over_a_reboot() -> None:
    with powered({"policies.require_sign": "true", "policies.require_host": "true"}) as world:
        chip(world, 3, 5)
        press(world, ev.Button.COIN_IN)
        act(world, ev.AwardClaimed(now(world), 3, Hand.STRAIGHT_FLUSH))
        world.pass_time(5 * MS)
        for device in (Device.SIGN, Device.HOST):
            world.hal.fail(device)
        world.pass_time(10 * MS)
        cut(world)
        world.pass_time(10 * MINUTE)
        assert table(world).phase is Phase.AWARD_PENDING
        assert evidence(world) == {3: Lamp.WINNER, 5: Lamp.ACCEPTED}
        assert world.hal.outputs["bell"] is True
        assert any("ASIENTO 3: ESCALERA COLOR" in line for line in world.hal.screen)
        press(world, ev.Button.GAME_OVER)
        press(world, ev.Button.COIN_IN)
        assert table(world).phase is Phase.AWARD_PENDING
        for device in (Device.SIGN, Device.HOST):
            world.hal.mend(device)
        key(world, ev.Key.SUPERVISOR, on=True)
        act(world, ev.AwardsApproved(now(world)))
        # 10 % of 100,010.00, once
        assert meter(world, "unpaid") == "10001.00"
        assert len(told(world, ev.AwardRequested)) == len(told(world, ev.AwardApproved)) == 1


def test_F115_a_won_amount_is_frozen_while_the_new_pot_runs_on() -> None:
    values = {
        "pot.main.base_amount": "25546.00",
        "pot.main.reset_amount": "12500.00",
        "pot.main.increment_rate_ppm": "500000",
        "pot.main.reserve_rate_ppm": "0",
    }
    with powered(values) as world:
        chip(world, 1, 2, 3)
        press(world, ev.Button.COIN_IN)
        assert meter(world, "current") == "25561.00"
        act(world, ev.AwardClaimed(now(world), 1, Hand.ROYAL_FLUSH))
        key(world, ev.Key.SUPERVISOR, on=True)
        act(world, ev.AwardsApproved(now(world)))
        press(world, ev.Button.GAME_OVER)
        chip(world, 4, 5, 6)
        press(world, ev.Button.COIN_IN)
        cut(world)
        world.pass_time(40 * MINUTE)
        # 12,500.00 + 3 x 5.00: the three chips belong to the new pot only.
        assert meter(world, "current") == "12515.00"
        assert "12.515,00" in world.hal.signs
        assert any("25.561,00" in line for line in world.hal.screen)
        paid = act(world, ev.AwardPaid(now(world), 1, ev.Payment.CASH, signed=True))
        assert paid == (ev.AwardSettled(1, 1, 2_556_100),)
        assert not any("25.561,00" in line for line in world.hal.screen)
        assert meter(world, "unpaid") == "0.00"


class SlowConnection(MediumConnection):
    """A commit takes 400 ms, and looks at the lamps in the meantime."""

    medium: "SlowMedium"

    def execute(self, sql: str, rows: Any = (), /) -> sqlite3.Cursor:  # noqa: ANN401, sqlite3's own signature
        if sql.startswith("INSERT"):
            self.medium.wait()
        return super().execute(sql, rows)


class SlowMedium(Medium):
    """A card that is busy for 400 ms at each record."""

    connection = SlowConnection

    def __init__(self) -> None:
        super().__init__()
        self.world: World | None = None
        self.seen: list[tuple[tuple[Lamp, ...], bool]] = []

    def wait(self) -> None:
        """Let the time pass, and note what the table shows before the record is durable."""
        if self.world is not None:
            self.seen.append((running(self.world).lamps, self.world.hal.outputs["slots"]))
            self.world.clock.move_to(now(self.world) + 400 * MS)


def test_F127_a_lamp_lights_only_after_its_commit_while_the_slots_lock_before() -> None:
    medium = SlowMedium()
    world = World(settings_of("simulated", {}), medium=medium)
    with powered(world=world):
        medium.world = world
        chip(world, 3)
        (lamps, slots), *_ = medium.seen
        assert (lamps[2], slots) == (Lamp.ATTRACT, True)
        assert lamp(world, 3) is Lamp.PLACED
        medium.seen.clear()
        world.drive("coin_in", active=True)
        world.pass_time(40 * MS)
        (lamps, slots), *_ = medium.seen
        assert (lamps[2], slots) == (Lamp.PLACED, False)
        assert lamp(world, 3) is Lamp.ACCEPTED
        # The dealer compares the number with the lamps and the bucket before dealing.
        assert "VERIFIQUE 1 FICHA" in world.hal.screen[0]
        world.drive("coin_in", active=False)
        medium.world = None


def test_F127_slots_lock_before_an_older_record_although_coin_in_still_waits_for_a_group() -> None:
    medium = SlowMedium()
    world = World(settings_of("simulated", {}), medium=medium)
    with powered(world=world):
        medium.world = world
        # In one turn: a chip to store, and a COIN IN that waits for three lines that fell together and are still low.
        moves = [*low("seat_5", 0, 40 * MS), *((90 * MS, f"seat_{seat}", True) for seat in (1, 2, 3))]
        moves.append((100 * MS, "coin_in", True))
        world.frozen_during(lambda: play(world, moves, 130 * MS))
        (lamps, slots), *_ = medium.seen
        assert (lamps[4], slots) == (Lamp.ATTRACT, False)
        assert stored(world, ev.CoinInPressed) == []
        medium.world = None


def test_F127_a_commit_that_fails_leaves_the_seat_dark_and_the_chip_to_be_given_back() -> None:
    with powered() as world:
        world.break_part(Part.DISK_FULL, broken=True)
        chip(world, 6)
        assert lamp(world, 6) is Lamp.OFF
        world.break_part(Part.DISK_FULL, broken=False)
        world.pass_time(2 * SECOND)
        assert lamp(world, 6) is Lamp.OFF
        assert told(world, ev.ChipLate) == [ev.ChipLate(6)]
        assert any("DEVUELVA FICHA - ASIENTO 6" in line for line in world.hal.screen)
        assert meter(world, "in_count") == "0"
