"""The floor's functions against the table's own arithmetic: the same vectors, equal to the unit; and by hand."""

from functools import cache

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from controller.core.awards import serve
from controller.core.events import AwardApproved, PotReset
from controller.core.game import (
    Fixed,
    Fund,
    Game,
    Hand,
    LevelRules,
    Order,
    OverflowUse,
    Prize,
    RoyalSplit,
    Share,
)
from controller.core.pot import commissioned, take
from controller.core.state import Claim, Level, Pot
from controller.floor import link_rules
from tests.helpers_floor import Hall
from tests.helpers_game import GAME, POLICIES, with_level, with_policies
from tests.helpers_postgres import shared_cluster

RF, SF, K4, FH, FL = Hand.ROYAL_FLUSH, Hand.STRAIGHT_FLUSH, Hand.FOUR_OF_A_KIND, Hand.FULL_HOUSE, Hand.FLUSH
Told = tuple[AwardApproved | PotReset, ...]
TABLES = ("one", "two")
METERS = (
    "current",
    "carry",
    "reserve_pool",
    "reserve_carry",
    "overflow_meter",
    "hits_meter",
    "wins_meter",
    "house_prizes",
    "house_funding",
)


@cache
def a_hall() -> Hall:
    made = Hall(shared_cluster())
    for table in TABLES:
        made.table(table).close()
    return made


class OnTheFloor:
    """A linked level whose stakes are put into its tables' rows by hand, without any report."""

    def __init__(self, game: Game) -> None:
        self.hall = a_hall()
        self.hall.link(game, *TABLES, name="vector")
        for table in TABLES:
            self.hall.rows(
                "INSERT INTO pozo.members (link, table_id, from_seq, version) VALUES ('vector', %s, 0, 1)"
                " RETURNING 1",
                table,
            )
        self.claims = 0

    def take(self, staked: int, table: str) -> None:
        self.hall.rows(
            "UPDATE pozo.members SET staked = staked + %s, last_seq = last_seq + 1"
            " WHERE link = 'vector' AND table_id = %s RETURNING 1",
            staked,
            table,
        )

    def tick(self) -> None:
        """Fold, however short ago that was done."""
        self.hall.rows("UPDATE pozo.links SET folded_at = '-infinity' WHERE link = 'vector' RETURNING 1")
        self.hall.one("SELECT pozo.tick('vector', 100)")

    def serve(self, claims: tuple[Claim, ...], made: int) -> Told:
        self.claims += 1
        told = self.hall.one(
            "SELECT s.told FROM pozo.links AS k CROSS JOIN LATERAL pozo.serve_claim(k, 1, %s, 'one', %s, 1, %s,"
            " %s::integer[], %s::text[], 1, %s) AS s WHERE k.link = 'vector'",
            f"c{self.claims}",
            self.claims,
            made,
            [claim.seat for claim in claims],
            [claim.hand.value for claim in claims],
            self.claims,
        )
        return msgspec.json.decode(str(told), type=Told)

    def level(self) -> Level:
        """As it is with what no fold has brought in."""
        (row,) = self.hall.rows(f"SELECT {', '.join(METERS)} FROM pozo.levels WHERE link = 'vector'")
        assert all(value == int(str(value)) for value in row)
        return msgspec.convert(
            {"name": "main", **dict(zip(METERS, (int(str(value)) for value in row), strict=True))}, Level
        )

    def sound(self) -> bool:
        return self.hall.one("SELECT pozo.imbalance('vector')") == 0


def funds() -> st.SearchStrategy[Fund]:
    return st.sampled_from(Fund)


@st.composite
def games(draw: st.DrawFn) -> Game:
    """Odd units, small limits, every fund, split and order: where arithmetic goes wrong if it can."""
    increment = draw(st.integers(0, 1_000_000))
    limit = draw(st.integers(0, 5_000_000))
    level = LevelRules(
        name="main",
        base_amount=draw(st.integers(0, limit)),
        reset_amount=draw(st.integers(0, limit)),
        increment_rate_ppm=increment,
        reserve_rate_ppm=draw(st.integers(0, 1_000_000 - increment)),
        limit=limit,
        overflow_use=draw(st.sampled_from(OverflowUse)),
    )
    prizes = [Prize(RF, "main", Share(1_000_000), draw(funds()), "a")]
    for hand in (SF, K4):
        cap = draw(st.none() | st.integers(0, 400_000))
        prizes.append(Prize(hand, "main", Share(draw(st.integers(0, 999_999)), cap), draw(funds()), "b"))
    prizes.append(Prize(FL, "main", Fixed(draw(st.integers(0, 60_000))), draw(funds()), "c"))
    return replace(
        GAME,
        wager=draw(st.integers(1, 100_000)),
        payable_unit=draw(st.sampled_from((1, 5, 100, 1000))),
        levels=(level,),
        prizes=tuple(prizes),
        policies=replace(
            POLICIES, order=draw(st.sampled_from(Order)), royal_split=draw(st.sampled_from(RoyalSplit))
        ),
    )


claims_of_a_round = st.dictionaries(st.integers(1, 7), st.sampled_from((RF, SF, K4, FL)), min_size=1).map(
    lambda hands: tuple(Claim(seat, hand) for seat, hand in hands.items())
)
steps = st.lists(
    st.tuples(st.sampled_from(TABLES), st.integers(1, 7)) | claims_of_a_round | st.none(), max_size=14
)


def level_of(pot: Pot) -> Level:
    return replace(pot.levels[0], corrections=0)


@settings(max_examples=150, deadline=None)
@given(game=games(), moves=steps)
def test_the_floor_decides_as_the_table_does(
    game: Game, moves: list[tuple[str, int] | tuple[Claim, ...] | None]
) -> None:
    """Stakes of two tables, folds at any time (None), claims in any order: pots, awards and resets are equal."""
    with a_hall().owner.transaction(force_rollback=True):
        floor, pot, made = OnTheFloor(game), commissioned(game), 0
        for move in moves:
            match move:
                case None:
                    floor.tick()
                case (str(table), int(count)):
                    pot, _ = take(game, pot, count)
                    floor.take(count * game.wager, table)
                case claims:
                    served = serve(game, pot, claims, 1, made)
                    assert floor.serve(claims, made) == served.told
                    pot, made = served.pot, made + len(served.awards)
            assert floor.level() == level_of(pot)
            assert floor.sound()


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize(
    ("game", "hands", "amounts", "pot"),
    [
        (GAME, {2: SF, 5: SF}, [1_000_000, 900_000], 8_100_000),
        (GAME, {2: SF, 5: RF}, [1_000_000, 9_000_000], 1_000_000),
        (GAME, {2: RF, 5: SF}, [10_000_000, 100_000], 900_000),
        (GAME, {2: RF, 5: RF}, [5_000_000, 5_000_000], 1_000_000),
        (GAME, {2: RF, 4: SF, 6: RF}, [5_000_000, 5_000_000, 100_000], 900_000),
        (with_level(base_amount=1_000_001), {1: RF, 7: RF}, [500_000, 500_000], 1_000_001),
        (
            with_policies(royal_split=RoyalSplit.FIRST_TAKES_ALL),
            {2: RF, 5: RF},
            [10_000_000, 1_000_000],
            1_000_000,
        ),
        (with_policies(order=Order.RANK), {2: SF, 5: RF}, [10_000_000, 100_000], 900_000),
        (replace(GAME, payable_unit=100), {1: RF, 3: RF, 7: RF}, [3_333_300] * 3, 1_000_100),
    ],
)
def test_the_worked_examples_of_the_rules(
    game: Game, hands: dict[int, Hand], amounts: list[int], pot: int, *, backwards: bool
) -> None:
    """Rules, section 5.4: pot 100,000.00, reset 10,000.00; worked out there, in the order of serving."""
    with a_hall().owner.transaction(force_rollback=True):
        floor = OnTheFloor(game)
        claims = tuple(Claim(seat, hand) for seat, hand in hands.items())
        told = floor.serve(claims[::-1] if backwards else claims, 0)
        assert [each.amount for each in told if isinstance(each, AwardApproved)] == amounts
        assert floor.level().current == pot


def test_the_scj_cap_and_the_order_of_the_reset() -> None:
    """Pot 80,000,000: 10 % would be 8,000,000, pays 5,000,000. Then overflow 2,000 and reserve 400 go first."""
    capped = Prize(SF, "main", Share(100_000, cap=5_000_000), Fund.POT, "seed 004")
    game = replace(with_level(base_amount=80_000_000), prizes=(capped,))
    with a_hall().owner.transaction(force_rollback=True):
        (award,) = OnTheFloor(game).serve((Claim(3, SF),), 0)
        assert isinstance(award, AwardApproved)
        assert (award.amount, award.capped, award.pot_after) == (5_000_000, True, 75_000_000)
    full = with_level(limit=10_000_000, reserve_rate_ppm=100_000, increment_rate_ppm=500_000)
    with a_hall().owner.transaction(force_rollback=True):
        floor = OnTheFloor(full)
        floor.take(4_000, "two")
        reset = floor.serve((Claim(1, RF),), 0)[-1]
        assert isinstance(reset, PotReset)
        assert (reset.from_overflow, reset.from_reserve, reset.from_house) == (2_000, 400, 997_600)


def test_a_share_that_is_just_its_cap_was_not_held_down() -> None:
    """10 % of 100,000.00 is 10,000.00, and so is the cap; one unit less cuts."""
    for cap, capped in ((1_000_000, False), (999_999, True)):
        game = replace(GAME, prizes=(Prize(SF, "main", Share(100_000, cap=cap), Fund.POT, "seed 004"),))
        with a_hall().owner.transaction(force_rollback=True):
            (award,) = OnTheFloor(game).serve((Claim(3, SF),), 0)
            assert isinstance(award, AwardApproved)
            assert (award.amount, award.capped) == (cap, capped)


def test_F143_a_million_and_three_wagers_lose_no_millionth_between_tables_and_folds() -> None:
    """Rate 27.5 % of 1.00 and reserve 3.25 %: 1,000,003 wagers give 27,500,082.5 and 3,250,009.75 minor units."""
    game = replace(with_level(base_amount=0, increment_rate_ppm=275_000, reserve_rate_ppm=32_500), wager=100)
    with a_hall().owner.transaction(force_rollback=True):
        floor = OnTheFloor(game)
        for count, table in ((1, "one"), (333_333, "two"), (1, "one"), (666_667, "one"), (1, "two")):
            floor.take(count * 100, table)
            floor.tick()
        level = floor.level()
        assert (level.current, level.carry) == (27_500_082, 500_000)
        assert (level.reserve_pool, level.reserve_carry) == (3_250_009, 750_000)
        assert floor.sound()


def test_a_fraction_of_a_minor_unit_is_refused_never_rounded() -> None:
    with a_hall().owner.transaction(force_rollback=True), pytest.raises(Exception, match="whole_number"):
        a_hall().one("SELECT 0.5::pozo.whole")


def test_rules_that_differ_in_one_value_have_another_digest() -> None:
    digest = link_rules(GAME, "main").digest
    assert digest == link_rules(replace(GAME, seats=5, release_ms=100), "main").digest
    for other in (
        with_level(limit=99_999_999),
        with_policies(order=Order.RANK),
        replace(GAME, wager=2_000),
        replace(GAME, payable_unit=100),
        replace(GAME, prizes=GAME.prizes[:4]),
    ):
        assert link_rules(other, "main").digest != digest
    with pytest.raises(LookupError, match="it has: main"):
        link_rules(GAME, "mini")
