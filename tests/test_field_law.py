"""F123: the regulators' equation after any random run, from results alone; and contributions nobody can make."""

import random
from fractions import Fraction

from controller.core import events as ev
from controller.core.game import Hand
from controller.core.state import Closure
from controller.core.table import step
from tests.helpers_game import key, opened, with_level
from tests.helpers_world import powered

GAME = with_level(increment_rate_ppm=275_003, reserve_rate_ppm=32_501, base_amount=1_000_000, limit=1_005_000)
PRIZES = (Hand.ROYAL_FLUSH, Hand.STRAIGHT_FLUSH, Hand.FLUSH)


def test_F123_seed_and_contributions_less_wins_are_what_is_there_to_the_smallest_unit() -> None:
    """seed + Σ(in × rate) + carried fraction + resets - wins = meter + overflow + reserve, at every record."""
    choose = random.Random(123)
    table, _ = step(GAME, opened(GAME), key(True))
    level = GAME.levels[0]
    owed = Fraction(level.base_amount)
    for _ in range(3_000):
        seats = choose.sample(range(1, 8), choose.randrange(0, 8))
        events: list[ev.AnyEvent] = [ev.ChipDropped(1, seat) for seat in seats]
        events.append(ev.CoinInPressed(2))
        winners = [seat for seat in seats if choose.random() < 0.05]
        events += [ev.AwardClaimed(3, seat, choose.choice(PRIZES)) for seat in winners]
        events += [ev.AwardsApproved(4)] if winners else []
        for event in [*events, ev.GameOverPressed(5)]:
            table, results = step(GAME, table, event)
            for result in results:
                match result:
                    case ev.RoundLocked(amount=amount):
                        owed += Fraction(amount * (275_003 + 32_501), 1_000_000)
                    case ev.AwardApproved():
                        owed -= result.from_pot + result.from_reserve
                    case ev.PotReset(from_house=from_house):
                        owed += from_house
                    case _:
                        continue
            now = table.pot.levels[0]
            fraction = Fraction(now.carry + now.reserve_carry, 1_000_000)
            assert owed == now.current + now.overflow_meter + now.reserve_pool + fraction
    assert table.pot.levels[0].overflow_meter > 0
    assert table.awards_made > 20


def test_F123_an_unreasonable_contribution_stops_the_seat_and_alarms() -> None:
    """600 pulses in less than a second from one seat: no wager more than one, the seat is closed with a fault."""
    with powered() as world:
        for _ in range(600):
            world.drive("seat_3", active=True)
            world.pass_time(700_000)
            world.drive("seat_3", active=False)
            world.pass_time(700_000)
        assert world.loop is not None
        seat = world.loop.table.seats[2]
        assert seat.dropped == 0
        for _ in range(30):
            world.drive("seat_3", active=True)
            world.pass_time(11_000_000)
            world.drive("seat_3", active=False)
            world.pass_time(11_000_000)
        seat = world.loop.table.seats[2]
        assert seat.closed is Closure.FAULT
        assert seat.dropped - seat.excess == 1
