"""The meters carry the regulators' names, and their sums are right."""

from controller.core.game import Fund, Hand
from controller.core.state import Award, Level, Phase, Pot, Seat, Table
from controller.meters import is_money, meters

AWARDS = (
    Award(1, 9, 2, Hand.FLUSH, "main", 50_000, Fund.HOUSE, paid=True),
    Award(2, 9, 3, Hand.FULL_HOUSE, "main", 100_000, Fund.HOUSE),
    Award(3, 9, 5, Hand.FLUSH, "minor", 2_500, Fund.POT),
)

TABLE = Table(
    "digest",
    Phase.LOCKED,
    (Seat(), Seat(dropped=9, accepted=5, excess=1, late=2, voided=3, noise=7, tested=4)),
    Pot(
        (
            Level("main", 10_000, 5, 300, 6, 40, 2, 150_000, 150_000, 11_000, 7),
            Level("minor", 900, 0, 30, 0, 4, 1, 2_500, 0, 500, 0),
        ),
        in_meter=77_000,
        in_count=77,
        refund_meter=1_000,
        house_share=12,
    ),
    awards=AWARDS,
)


def test_every_meter_by_name() -> None:
    assert meters(TABLE) == {
        "current": 10_900,
        "in_meter": 77_000,
        "in_count": 77,
        "hits_meter": 3,
        "wins_meter": 152_500,
        "overflow_meter": 44,
        "reserve_pool": 330,
        "refund_meter": 1_000,
        "house_funding": 11_500,
        "unpaid": 102_500,
        "main.current": 10_000,
        "main.hits_meter": 2,
        "main.wins_meter": 150_000,
        "main.overflow_meter": 40,
        "main.reserve_pool": 300,
        "main.house_funding": 11_000,
        "main.unpaid": 100_000,
        "minor.current": 900,
        "minor.hits_meter": 1,
        "minor.wins_meter": 2_500,
        "minor.overflow_meter": 4,
        "minor.reserve_pool": 30,
        "minor.house_funding": 500,
        "minor.unpaid": 2_500,
        "seat_1.dropped": 0,
        "seat_1.accepted": 0,
        "seat_1.excess": 0,
        "seat_1.late": 0,
        "seat_1.voided": 0,
        "seat_1.noise": 0,
        "seat_1.tested": 0,
        "seat_2.dropped": 9,
        "seat_2.accepted": 5,
        "seat_2.excess": 1,
        "seat_2.late": 2,
        "seat_2.voided": 3,
        "seat_2.noise": 7,
        "seat_2.tested": 4,
    }


def test_counts_are_no_money() -> None:
    counts = {"in_count", "hits_meter"} | {f"{level}.hits_meter" for level in ("main", "minor")}
    names = meters(TABLE)
    assert {name for name in names if not is_money(name) and not name.startswith("seat_")} == counts
    assert not any(is_money(name) for name in names if name.startswith("seat_"))
