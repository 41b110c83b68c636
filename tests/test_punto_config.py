"""What a table's file may not say of Punto y Banca, and what it should not (seed 001 nums. 3, 5)."""

import pytest

from controller.config import ConfigError, load

GAME = {"game": "uy-montevideo-punto-banca"}


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("punto.bank_step", "0.00", "punto.bank_step: 0.00 is too little: at least 0.01"),
        ("punto.bank_min", "0.00", "punto.bank_min: 0.00 is too little: at least 0.01"),
        ("punto.bank_min", "-1.00", "punto.bank_min"),
        ("punto.bank_max", "999.99", "punto.bank_max: 999.99 is below punto.bank_min 1000.00"),
    ],
)
def test_num_5_limits_that_no_bank_can_meet_are_refused(key: str, value: str, said: str) -> None:
    with pytest.raises(ConfigError) as refused:
        load("simulated", {**GAME, key: value})
    assert said in str(refused.value)


def test_num_5_one_size_of_bank_in_steps_of_the_smallest_coin_is_allowed() -> None:
    sizes = {"punto.bank_min": "1000.00", "punto.bank_max": "1000.00", "punto.bank_step": "0.01"}
    assert load("simulated", {**GAME, **sizes}).warnings == ()


def test_num_3_a_table_that_counts_open_seats_is_warned() -> None:
    (warning,) = load("simulated", {**GAME, "punto.seated_by": "open_seats"}).warnings
    assert "punto.seated_by: a seat counts as taken unless it is closed" in warning


def test_nums_4_and_42_the_shoe_is_fixed_by_the_text() -> None:
    settings = load("simulated", GAME)
    assert settings.game.punto is not None
    assert settings.game.punto.policies.require_shoe
    (warning,) = load("simulated", {**GAME, "punto.require_shoe": "false"}).warnings
    assert "departs from the rules: it is fixed at true (nums. 4 and 42)" in warning
