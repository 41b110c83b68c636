"""Papers and proofs at a table that went on from its witness: what the lost journal held is told, and stops nothing."""

from collections.abc import Iterator

import pytest

from controller.core import events as ev
from controller.core.game import Hand
from controller.drill.world import World
from controller.proof import ProofError, proof
from controller.slips.award import award_slip
from controller.slips.follow import Follower
from controller.slips.source import EarlierError
from tests.helpers_slips import Tray, clock, house
from tests.helpers_witness import lose_journal, played, recovered
from tests.helpers_world import act, chip, key, press


@pytest.fixture
def recovered_world() -> Iterator[World]:
    """Award 1 is owed, seats 2 and 5 are lit; the journal is lost, and the table goes on in that round."""
    with played(1) as world:
        chip(world, 2, 5)
        press(world, ev.Button.COIN_IN)
        act(world, ev.AwardClaimed(0, 2, Hand.FLUSH))
        key(world, ev.Key.SUPERVISOR, on=True)
        act(world, ev.AwardsApproved(0))
        world.power_cut()
        lose_journal(world)
        recovered(world)
        world.power_on(open_table=True)
        yield world


def test_an_award_of_the_lost_journal_is_told_and_holds_up_no_later_slip(recovered_world: World) -> None:
    act(recovered_world, ev.AwardClaimed(0, 5, Hand.FLUSH))
    act(recovered_world, ev.AwardsApproved(0))
    journal = recovered_world.medium.journal
    said: list[str] = []
    tray = Tray()
    Follower(journal, tray, house(), clock(), said.append).turn()
    assert ["N.º 2" in paper for paper in tray.papers] == [True]
    assert said[0].startswith("slip 1: award 1 was approved before the recovery in record 1 of")
    assert [line.startswith("slip 2: printed") for line in said[1:]] == [True]


def test_slip_and_proof_say_where_the_award_is(recovered_world: World) -> None:
    journal = recovered_world.medium.journal
    with pytest.raises(EarlierError, match="The table owes it: pay it once, by the slip"):
        award_slip(journal, 1)
    with pytest.raises(ProofError, match="was approved before the recovery in record 1"):
        proof(journal, 1)
    with pytest.raises(ProofError, match="has no award 2"):
        proof(journal, 2)


def test_a_slip_from_before_a_recovery_is_not_to_be_paid_where_nothing_is_owed(
    recovered_world: World,
) -> None:
    """The second thief's finding 20: the award was paid, and a person with the first paper comes again."""
    act(recovered_world, ev.AwardPaid(0, 1, ev.Payment.CASH, signed=True))
    with pytest.raises(EarlierError, match=r"does not owe it .* pay nothing by its slip") as told:
        award_slip(recovered_world.medium.journal, 1)
    assert "pay it once" not in str(told.value)
