"""Dealer, players and supervisor at one table: they look what the table says it is, and do what comes next.

So they go on wherever a table comes back that died in the middle of something. What is played is drawn by seed.
"""

import random

from controller.core import events as ev
from controller.core.faults import FaultCode
from controller.core.game import Hand
from controller.core.state import Closure, Phase, Seat, Table, Wager
from tests.helpers_process import chip, move, press
from tests.storm.plan import Plan
from tests.storm.table import StormTable

STEP_S = 3.0
MENU_S = 25.0
"""The dealer's menu closes by itself before this; a slow hand may have opened it."""

HOST_S = 240.0
"""How long the floor may be away, and a link may pause after it, before a test gives up."""

STUCK = 40
"""So many steps in a row that changed nothing are a failure."""

HANDS = (Hand.ROYAL_FLUSH, Hand.STRAIGHT_FLUSH, Hand.FULL_HOUSE, Hand.FLUSH)
WEIGHTS = (2, 4, 2, 1)
WON = 0.3
NEVER = frozenset({FaultCode.FLOOR_DISAGREES, FaultCode.LINK_DISAGREES, FaultCode.CLAIM_REFUSED})


class Hands:
    """The people at `table`, who play `plan`."""

    def __init__(self, table: StormTable, plan: Plan) -> None:
        self.table = table
        self.bench = table.bench
        self.plan = plan
        self._idle = 0
        self._before: tuple[object, ...] = ()

    def step(self) -> int | None:
        """Do what comes next. The round the table was in; None once all is played, answered and paid."""
        self.table.revive()
        state = self.table.state
        self._watch(state)
        if self._over(state):
            return None
        match state.phase:
            case Phase.OPEN:
                self._open(state)
            case Phase.LOCKED:
                self._locked(state)
            case Phase.AWARD_PENDING:
                self._approve(state)
            case Phase.CLOSED | Phase.TEST:
                raise AssertionError(f"{self.table.name} is {state.phase}")
        return state.round

    def _over(self, state: Table) -> bool:
        played = state.round > self.plan.rounds and state.phase is Phase.OPEN
        return played and not state.link_claims and all(award.paid for award in state.awards)

    def _watch(self, state: Table) -> None:
        """No fault that may never be, and no standing still."""
        assert not NEVER & {fault.code for fault in state.faults}, (self.table.name, state.faults)
        known = (state.phase, state.round, state.seats, state.awards, state.link_claims)
        self._idle = self._idle + 1 if known == self._before else 0
        self._before = known
        said = [line for _, line in self.bench.seen[-15:]]
        assert self._idle < STUCK, f"{self.table.name} stands still: {state}; {said}; {self.table.said()}"

    def _open(self, state: Table) -> None:
        unpaid = [award.number for award in state.awards if not award.paid]
        if unpaid:
            self.table.operate(*(ev.AwardPaid(0, number, ev.Payment.CASH, signed=True) for number in unpaid))
            self._moved(state)
            return
        if state.round > self.plan.rounds:
            self.table.wait(lambda: not self.table.state.link_claims, HOST_S)
            return
        if not self.table.wait(lambda: "slots" in self.bench.on, HOST_S):
            return
        if not _with(state, Wager.PLACED):
            seats = self._usable(state)
            chip(
                self.bench,
                *self._draw(state.round, "seats").sample(seats, min(len(seats), 1 + state.round % 3)),
            )
        press(self.bench, "coin_in")
        self._moved(state)

    def _usable(self, state: Table) -> list[int]:
        """Seats that take a chip. One that a slow hand has jammed is opened again by the supervisor."""
        shut = [number for number, seat in enumerate(state.seats, start=1) if seat.closed is not Closure.NONE]
        if shut:
            move(self.bench, "on supervisor", 100)
            self.table.operate(*(ev.SeatOpened(0, number) for number in shut))
            move(self.bench, "off supervisor", 100)
        return [number for number in range(1, len(state.seats) + 1) if number not in shut] or [1]

    def _locked(self, state: Table) -> None:
        accepted = _with(state, Wager.ACCEPTED)
        draw = self._draw(state.round, "win")
        if accepted and not any(seat.awarded for seat in state.seats) and draw.random() < WON:
            winners = draw.sample(accepted, min(len(accepted), draw.choice((1, 1, 2, 3))))
            hands = draw.choices(HANDS, WEIGHTS, k=len(winners))
            self.table.operate(*(ev.AwardClaimed(0, *won) for won in zip(winners, hands, strict=True)))
        else:
            press(self.bench, "game_over")
        self._moved(state)

    def _approve(self, state: Table) -> None:
        move(self.bench, "on supervisor", 100)
        if self.table.wait(lambda: self.table.state.supervisor, STEP_S):
            self.table.operate(ev.AwardsApproved(0))
            self._moved(state)
        move(self.bench, "off supervisor", 100)

    def _moved(self, before: Table) -> None:
        """Wait until something came of it; now and then long enough for a menu to close."""
        known = (before.phase, before.round, before.awards)

        def moved() -> bool:
            now = self.table.state
            return (now.phase, now.round, now.awards) != known

        self.table.wait(moved, MENU_S if self._idle % 3 == 2 else STEP_S)

    def _draw(self, round_: int, what: str) -> random.Random:
        return random.Random(f"{self.plan.seed} {self.table.name} {round_} {what}")


def _with(state: Table, wager: Wager) -> list[int]:
    """Seats with such a wager."""

    def has(seat: Seat) -> bool:
        return seat.wager is wager

    return [number for number, seat in enumerate(state.seats, start=1) if has(seat)]
