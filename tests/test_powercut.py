"""Random tables with power cuts between any two steps of a turn, against an account that is not the program's.

The fixed profile plays the same tables on every run, in about a minute. `POZO_LONG=1 pytest tests/test_powercut.py`
plays many more, and other ones each time.
"""

import os
from collections.abc import Callable

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule, run_state_machine_as_test

from controller.core import events as ev
from controller.core.game import Hand
from controller.drill.statements import Part
from hal.interface import Device
from tests.helpers_felt import MS, SEATS, SEEN, STEPS, Felt, powered, survives
from tests.helpers_powercut import lit_claims

LONG = os.environ.get("POZO_LONG") == "1"
PROFILE = settings(
    max_examples=3_000 if LONG else 400,
    stateful_step_count=60 if LONG else 50,
    derandomize=not LONG,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    print_blob=LONG,
)

MUST_BE_SEEN = {
    *("cut before insert", "cut after insert", "cut before commit", "cut after commit", "cut levels"),
    *("cut slots", "cut release", "cut bell", "cut screen", "cut sign", "cut lamp_1"),
    *("open", "locked", "award_pending", "closed", "test"),
    *("wager_placed", "chip_excess", "chip_late", "chip_ignored", "chip_tested", "round_ended"),
    *("award_approved", "pot_reset", "claim_dropped", "wager_voided", "wager_forfeited", "award_settled"),
    *("storage_failed", "seat_jammed", "common_mode_seen", "edge_lost", "late_locked", "loop_stalled"),
}
"""A run that never cuts there, or never gets there, proves nothing about it."""


class PowerCuts(Felt):
    """A Montevideo table, its people and what may break."""

    # The croupier and the supervisor.

    @precondition(powered)
    @rule()
    @survives
    def coin_in(self) -> None:
        """In health COIN IN locks an open table, whatever else happened before."""
        playing = self.stored()["phase"] == "open" and not self.stored().get("faults") and not self.broken
        self.press("coin_in", 120)
        if playing and not self.stored().get("faults"):
            assert self.stored()["phase"] == "locked"

    @precondition(powered)
    @rule(ms=st.sampled_from([120, 120, 120, 1_100]))
    @survives
    def game_over(self, ms: int) -> None:
        self.press("game_over", ms)

    @precondition(powered)
    @rule(seats=st.lists(SEATS, max_size=7, unique=True), on=st.booleans())
    @survives
    def round(self, seats: list[int], on: bool) -> None:
        """A whole round as it should be, up to its lock or to the next one's opening."""
        if self.stored()["phase"] == "locked":
            self.press("game_over", 120)
        self.drop(seats, 15)
        self.press("coin_in", 120)
        if on:
            self.wait_ms(500)
            self.press("game_over", 120)

    @precondition(powered)
    @rule(key=st.sampled_from([*ev.Key]), on=st.booleans())
    @survives
    def turn(self, key: ev.Key, on: bool) -> None:
        self.turned(key, on)

    @precondition(powered)
    @rule(
        nth=st.integers(0, 6),
        claims=st.lists(st.sampled_from([*Hand][:6]), min_size=1, max_size=3),
        then=st.sampled_from([ev.AwardsApproved, ev.AwardPaid, ev.AwardWithdrawn, None]),
        cut=st.none() | st.sampled_from(STEPS),
    )
    @survives
    def awards(self, nth: int, claims: list[Hand], then: type[ev.Event] | None, cut: str | None) -> None:
        """Claims of seats that may win, and what the supervisor makes of them."""
        if self.stored()["phase"] == "open":
            self.drop([1, 4, 6], 15)
            self.press("coin_in", 120)
        before = self.world.hal.physical["supervisor"]
        self.turned(ev.Key.SUPERVISOR, on=True)
        winners = self.winners()
        seats = [
            winners[(nth + number) % len(winners)] if winners else nth + 1 for number in range(len(claims))
        ]
        if cut is not None:
            self.plug.loosen(0, cut)
        self.world.act(*(ev.AwardClaimed(self.now, *claim) for claim in zip(seats, claims, strict=True)))
        if then in {ev.AwardsApproved, ev.AwardPaid}:
            self.world.act(ev.AwardsApproved(self.now))
        if then is ev.AwardPaid:
            for award in self.stored().get("awards", []):
                self.world.act(ev.AwardPaid(self.now, award["number"], ev.Payment.CASH, signed=True))
        if then is ev.AwardWithdrawn:
            for number in sorted(lit_claims(self.stored())):
                self.world.act(ev.AwardWithdrawn(self.now, number))
        self.turned(ev.Key.SUPERVISOR, on=before)

    @precondition(powered)
    @rule(
        what=st.sampled_from(
            [
                ev.AwardsApproved,
                ev.LateLocked,
                ev.CountConfirmed,
                ev.DiscrepancyAccepted,
                ev.LampTestStarted,
                ev.TableClosed,
            ]
        )
    )
    @survives
    def act(self, what: Callable[[int], ev.AnyEvent]) -> None:
        self.world.act(what(self.now))

    @precondition(powered)
    @rule(
        seat=SEATS,
        what=st.sampled_from(
            [
                ev.AwardWithdrawn,
                ev.HandFolded,
                ev.CardBought,
                ev.SeatClosed,
                ev.SeatOpened,
                ev.DisputeRaised,
                lambda now, seat: ev.AwardRejected(now, seat, "four cards"),
                lambda now, seat: ev.SeatVoided(now, seat, ev.Reason.NO_ANTE),
                lambda now, _: ev.RoundVoided(now, ev.Reason.EXPOSED_CARDS),
                lambda now, seat: ev.AwardPaid(now, seat, ev.Payment.CHIPS, signed=True),
                ev.DiscrepancyFound,
            ]
        ),
    )
    @survives
    def act_on(self, seat: int, what: Callable[[int, int], ev.AnyEvent]) -> None:
        winners = self.winners()
        self.world.act(what(self.now, winners[seat % len(winners)] if winners else seat))

    @precondition(powered)
    @rule(nth=st.integers(0, 6))
    @survives
    def fold(self, nth: int) -> None:
        """One of those who may still win gives the hand up."""
        if self.stored()["phase"] == "open":
            self.drop([2, 5], 15)
            self.press("coin_in", 120)
        winners = self.winners()
        self.world.act(ev.HandFolded(self.now, winners[nth % len(winners)] if winners else nth + 1))

    def winners(self) -> list[int]:
        """Seats whose wager can win, or could until the next COIN IN."""
        return [
            number
            for number, seat in enumerate(self.stored()["seats"], start=1)
            if seat.get("wager") == "accepted" or seat.get("claimable")
        ]

    @precondition(powered)
    @rule()
    @survives
    def put_right(self) -> None:
        """Clear every fault, re-open every seat and the table, as both keys may."""
        self.turned(ev.Key.SUPERVISOR, on=True)
        self.turned(ev.Key.TECHNICIAN, on=True)
        for fault in self.loop.table.faults:
            self.world.act(ev.FaultClearAsked(self.now, fault.code))
        self.release_lines()
        self.wait_ms(100)
        for seat in range(1, 8):
            self.world.act(ev.SeatOpened(self.now, seat))
        self.world.act(ev.LampTestStarted(self.now), ev.TableOpened(self.now))
        self.turned(ev.Key.TECHNICIAN, on=False)
        self.turned(ev.Key.SUPERVISOR, on=False)

    @precondition(powered)
    @rule(seats=st.lists(SEATS, max_size=3, unique=True), leave=st.booleans())
    @survives
    def test_mode(self, seats: list[int], leave: bool) -> None:
        """The table is closed, and the technician tries its slots."""
        if self.stored()["phase"] == "locked":
            self.press("game_over", 120)
        self.turned(ev.Key.SUPERVISOR, on=True)
        self.world.act(ev.TableClosed(self.now))
        self.turned(ev.Key.SUPERVISOR, on=False)
        self.turned(ev.Key.TECHNICIAN, on=True)
        self.drop(seats, 15)
        self.press("coin_in", 60)
        if leave:
            self.turned(ev.Key.TECHNICIAN, on=False)
            self.put_right()

    # What breaks.

    @precondition(powered)
    @rule(part=st.sampled_from([Part.SIGN, Part.SCREEN, Part.HOST, Part.KEYPAD]), broken=st.booleans())
    @survives
    def device(self, part: Part, broken: bool) -> None:
        if (Device(part) in self.world.hal.failed) is not broken:
            self.world.break_part(part, broken=broken)

    @precondition(powered)
    @rule(
        part=st.sampled_from([Part.JOURNAL, Part.DISK_FULL]), seats=st.lists(SEATS, max_size=3, unique=True)
    )
    @survives
    def medium_fails(self, part: Part, seats: list[int]) -> None:
        """Chips and both buttons while nothing can be stored."""
        self.broken = True
        self.world.break_part(part, broken=True)
        self.drop(seats, 15)
        self.press("coin_in", 60)
        self.press("game_over", 60)

    @precondition(lambda machine: powered(machine) and machine.broken)
    @rule()
    @survives
    def medium_mended(self) -> None:
        self.world.break_part(Part.JOURNAL, broken=False)
        self.wait_ms(2_100)
        self.broken = False
        assert not self.loop.failing

    @precondition(powered)
    @rule(seconds=st.sampled_from([-13 * 86_400, -3, 3_600]))
    @survives
    def clock_steps(self, seconds: int) -> None:
        self.world.clock.step_wall(seconds * 1_000 * MS)
        self.wait_ms(60)

    @precondition(powered)
    @rule(ms=st.sampled_from([1, 30, 300, 2_500]))
    @survives
    def wait(self, ms: int) -> None:
        self.wait_ms(ms)

    @precondition(powered)
    @rule(ms=st.integers(20, 900), seat=SEATS)
    @survives
    def freeze(self, ms: int, seat: int) -> None:
        """The loop stands still in the middle of a chip and a press."""

        def play() -> None:
            self.fall(f"seat_{seat}")
            self.wait_ms(ms)
            self.rise(f"seat_{seat}")
            self.press("coin_in", 60)

        if not self.world.hal.physical[f"seat_{seat}"]:
            self.world.frozen_during(play)
            self.wait_ms(60)


def test_random_tables_survive_power_cuts_between_any_two_steps() -> None:
    SEEN.clear()
    for name in ("PowerCuts", "MorePowerCuts", "StillMorePowerCuts"):
        # Hypothesis draws by the name: what the first tables never met, the next ones may.
        run_state_machine_as_test(type(name, (PowerCuts,), {}), settings=PROFILE)
        if set(SEEN) >= MUST_BE_SEEN:
            return
    assert sorted(MUST_BE_SEEN - set(SEEN)) == []
