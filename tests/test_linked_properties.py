"""No unit is lost or doubled, and no claim answered twice or forgotten, whatever comes between table and floor.

Random evenings: rounds, wins here and elsewhere, a line that is lost or holds answers back, words of the floor said
again and late, and a table that is started anew. What must hold is added up here by itself, in millionths.
"""

from collections.abc import Sequence
from typing import TypeVar

from hypothesis import given, settings
from hypothesis import strategies as st

from controller.core import events as ev
from controller.core.faults import FaultCode
from controller.core.game import Hand
from controller.core.invariants import check
from controller.core.state import Phase
from controller.core.table import step
from controller.drill.hub import EVERY_NS, Hub
from controller.floorear import FloorEar
from controller.hostline import Heard
from controller.inbox import LinksHeard
from controller.journal import Record
from controller.link.said import AnswerSaid
from tests.helpers_game import key
from tests.helpers_linked import LINKED, RF, SF, linked_open

MILLION = 1_000_000
Told = TypeVar("Told", bound=ev.Result)
HANDS = st.sampled_from([RF, SF, Hand.FLUSH])
ROUND = st.tuples(
    st.just("round"),
    st.sets(st.integers(1, 7), max_size=7),
    st.lists(st.tuples(st.integers(1, 7), HANDS), max_size=3),
)
ACTS = (
    ROUND
    | st.tuples(st.just("elsewhere"), st.integers(0, 40))
    | st.tuples(st.just("wins"), st.sampled_from([RF, SF]))
    | st.sampled_from([("lost",), ("back",), ("holds",), ("answers",), ("again",), ("restart",)])
    | st.tuples(st.sampled_from(["look", "unheard"]), st.integers(1, 8))
)


class Evening:
    """A table, its floor, and the words on the way."""

    def __init__(self) -> None:
        self.table = linked_open()
        self.records: list[Record] = []
        self.hub = Hub(LINKED, lambda after: self.records[after:])
        self.ear = FloorEar(LINKED)
        self.words: list[LinksHeard] = []
        self.now = 1_000
        self.here = self.elsewhere = self.won_elsewhere = 0

    def do(self, event: ev.AnyEvent) -> None:
        before = self.table
        self.table, results = step(LINKED, before, event)
        check(LINKED, before, self.table, results)
        self.records.append(
            Record(len(self.records) + 1, 1, self.now, 0, True, "", event, results, self.table, "")
        )

    def act(self, what: Sequence[object]) -> None:
        self.now += 1_000
        match what:
            case ("round", set() as seats, list() as wins):
                self.round(sorted(seats), wins)
            case ("elsewhere", int(wagers)):
                self.elsewhere += wagers
                self.hub.staked_elsewhere(wagers)
            case ("wins", Hand() as hand):
                before = self.hub.level("main").wins_meter
                self.hub.won_elsewhere(hand)
                self.won_elsewhere += self.hub.level("main").wins_meter - before
            case ("look", int(times)):
                for _ in range(times):
                    self.now += EVERY_NS
                    self.hear(self.hub.look(self.now))
            case ("unheard", int(times)):
                for _ in range(times):
                    self.now += EVERY_NS
                    self.hub.look(self.now)
            case ("again",):
                self.hear(self.words[-3:])
            case ("restart",):
                self.ear = FloorEar(LINKED)
                self.do(ev.Started(self.now, supervisor=False, technician=False))
            case ("lost",) | ("back",):
                self.hub.connected = what == ("back",)
            case _:
                self.hub.answering = what == ("answers",)

    def round(self, seats: list[int], wins: list[tuple[int, Hand]]) -> None:
        self.here += len(seats)
        for seat in seats:
            self.do(ev.ChipDropped(self.now, seat))
        self.do(ev.CoinInPressed(self.now + 1))
        self.do(key(on=True))
        for seat, hand in wins:
            self.do(ev.AwardClaimed(self.now + 2, seat, hand))
        if self.table.phase is Phase.AWARD_PENDING:
            self.do(ev.AwardsApproved(self.now + 3))
        self.do(key(on=False))
        self.do(ev.GameOverPressed(self.now + 4))
        for each in self.table.awards:
            self.do(ev.AwardPaid(self.now + 5, each.number, ev.Payment.CASH, signed=True))

    def hear(self, heard: Sequence[Heard]) -> None:
        for message in heard:
            if isinstance(message, LinksHeard):
                self.words.append(message)
                for event in self.ear.linked(self.table, message):
                    self.do(event)

    def results(self, kind: type[Told]) -> list[Told]:
        return [each for record in self.records for each in record.results if isinstance(each, kind)]


@settings(max_examples=150, deadline=None)
@given(st.lists(ACTS, max_size=40))
def test_no_unit_is_lost_or_doubled_and_every_claim_is_answered_once(acts: list[Sequence[object]]) -> None:
    evening = Evening()
    for act in acts:
        evening.act(act)
    for act in (("back",), ("answers",), ("look", 9)):
        evening.act(act)
    claimed = [each.claim for each in evening.results(ev.LinkClaimed)]
    served = [each.claim for each in evening.results(ev.ClaimServed)]
    assert sorted(served) == sorted(claimed)
    assert len(set(served)) == len(served)
    assert evening.table.link_claims == ()
    approved = evening.results(ev.AwardApproved)
    assert sorted(each.number for each in approved) == list(range(1, len(approved) + 1))
    level, floor = evening.table.pot.levels[0], evening.hub.level("main")
    of_the_pot = sum(each.amount for each in approved if each.hand in {RF, SF})
    assert level.link_in == of_the_pot
    assert floor.wins_meter == of_the_pot + evening.won_elsewhere
    assert level.link_out == evening.here * 1_000 * 550_000
    staked = (evening.here + evening.elsewhere) * 1_000 * 550_000
    inside = (floor.current + floor.reserve_pool + floor.overflow_meter) * MILLION
    inside += floor.carry + floor.reserve_carry
    assert staked + floor.house_funding * MILLION == inside + floor.wins_meter * MILLION
    assert level.told is not None
    assert (level.told.amount, level.told.wins) == (floor.current, evening.hub.wins["main"])


def test_the_same_words_said_each_second_leave_no_record() -> None:
    evening = Evening()
    evening.act(("look", 1))
    known = len(evening.records)
    evening.act(("look", 60))
    assert len(evening.records) == known


def test_growth_alone_is_taken_every_five_seconds_and_a_win_at_once() -> None:
    evening = Evening()
    evening.act(("look", 1))
    amounts: list[int] = []
    for _ in range(12):
        evening.act(("elsewhere", 1))
        evening.act(("look", 1))
        told = evening.table.pot.levels[0].told
        assert told is not None
        amounts.append(told.amount - 10_000_000)
    assert amounts == [500] * 5 + [3_000] * 5 + [5_500] * 2
    evening.act(("wins", SF))
    evening.act(("look", 1))
    told = evening.table.pot.levels[0].told
    assert told is not None
    assert told.wins == 1


def test_a_refusal_said_each_second_is_one_record() -> None:
    evening = Evening()
    evening.hub.refusing = True
    evening.act(("round", {1, 2}, [(2, SF)]))
    evening.act(("look", 9))
    assert [type(record.event) for record in evening.records].count(ev.ClaimRefused) == 1
    assert evening.table.link_claims
    evening.hub.refusing = False
    evening.act(("look", 2))
    assert evening.table.link_claims == ()


def test_a_refused_claim_is_still_told_after_another_was_answered() -> None:
    evening = Evening()
    evening.act(("lost",))
    evening.act(("round", {1}, [(1, SF)]))
    evening.act(("round", {2}, [(2, SF)]))
    evening.hub.refusing = True
    evening.act(("back",))
    evening.act(("look", 2))
    evening.hub.refusing = False
    del evening.hub.answers[1]
    good = evening.hub.look(evening.now + EVERY_NS)
    answers = [each for message in good if isinstance(message, LinksHeard) for each in message.answers]
    bad = [each for each in answers if each.claim == 1] + [AnswerSaid(2, why="no valid wager")]
    evening.hear([LinksHeard((), tuple(bad), evening.now)])
    assert [claim.number for claim in evening.table.link_claims] == [2]
    assert not evening.table.faults
    evening.hear([LinksHeard((), tuple(bad), evening.now)])
    assert [fault.code for fault in evening.table.faults] == [FaultCode.CLAIM_REFUSED]
