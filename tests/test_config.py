"""The shipped configurations, what `load` makes of them, and a drill's overrides."""

import hashlib
from datetime import UTC
from pathlib import Path

import msgspec
import pytest

from controller.config import ConfigError, Kind, game_digest, load, names
from controller.core.game import (
    Fixed,
    Fund,
    Hand,
    JudgedOn,
    LevelRules,
    Order,
    OverflowUse,
    Policies,
    Prize,
    RoyalExcludes,
    RoyalSplit,
    Share,
)
from controller.core.money import Currency
from controller.inputs import Timings
from hal.interface import Device, Factory, Input, Output, Pull
from tests.helpers_config import CONFIG, TABLE, refusal, table, with_profile, written


def test_every_shipped_table_loads_without_a_warning() -> None:
    assert names(Kind.TABLE) == ("simulated", "table")
    for name in names(Kind.TABLE):
        assert load(name).warnings == ()


def test_montevideo_is_what_its_articles_say() -> None:
    game = load("simulated").game
    fixed = [
        (hand, Fixed(amount))
        for hand, amount in ((Hand.FOUR_OF_A_KIND, 500_000), (Hand.FULL_HOUSE, 100_000), (Hand.FLUSH, 50_000))
    ]
    assert game.prizes == (
        Prize(Hand.ROYAL_FLUSH, "main", Share(1_000_000), Fund.POT, "art. 17"),
        Prize(Hand.STRAIGHT_FLUSH, "main", Share(100_000), Fund.POT, "art. 17"),
        *(Prize(hand, "main", pays, Fund.HOUSE, "art. 17") for hand, pays in fixed),
    )
    assert game.policies == Policies(
        order=Order.SEAT,
        royal_split=RoyalSplit.EQUAL,
        royal_excludes=RoyalExcludes.HAND,
        fold_forfeits=True,
        purchase_forfeits=False,
        judged_on=JudgedOn.DEALT,
        award_when_bank_does_not_open=True,
        bet_returned_with_progressive=None,
        award_key_from=0,
        require_sign=True,
        require_host=False,
    )
    assert (game.profile, game.currency, game.seats) == ("uy-montevideo-caribbean", Currency.UYU, 7)


def test_the_simulated_table_has_house_values_in_centesimos() -> None:
    settings = load("simulated")
    level = LevelRules("main", 10_000_000, 1_000_000, 500_000, 50_000, 1_000_000_000, OverflowUse.NEXT_RESET)
    assert settings.game.levels == (level,)
    assert (settings.game.wager, settings.game.payable_unit, settings.game.release_ms) == (1000, 1, 500)
    assert settings.wiring.factory is Factory.SIMULATED
    assert set(settings.wiring.devices) == set(Device)
    assert settings.journal == Path.home() / ".local/state/pozo/simulated.db"


def test_the_reference_board_uses_21_pins_and_leaves_the_buses_alone() -> None:
    settings = load("table")
    wiring = settings.wiring
    assert wiring.factory is Factory.LGPIO
    assert wiring.inputs[0] == Input("seat_1", 4, active_low=True, pull=Pull.UP)
    assert wiring.outputs[-1] == Output("bell", 26, active_low=False)
    used = {line.pin for line in wiring.inputs} | {line.pin for line in wiring.outputs}
    assert len(used) == 21
    assert not used & {0, 1, 2, 3, 14, 15}
    assert settings.timings == Timings(10, 10, 1000, 20, 5000, 1000, 2, 3, 100, 50, 5, 20)


def test_settings_name_every_file_with_the_digest_sha256sum_prints() -> None:
    settings = load("table")
    paths = [
        CONFIG / name
        for name in ("table.toml", "games/uy-montevideo-caribbean.toml", "boards/rpi-7seat.toml")
    ]
    assert [used.path for used in settings.files] == paths
    assert [used.digest for used in settings.files] == [
        hashlib.sha256(p.read_bytes()).hexdigest() for p in paths
    ]
    assert (settings.source, settings.digest) == (paths[0], settings.files[0].digest)
    assert all(used.changed.tzinfo is UTC for used in settings.files)


def test_a_path_means_that_file_and_names_in_it_count_from_its_folder(tmp_path: Path) -> None:
    settings = load(str(with_profile(tmp_path, ('"5000.00"', '"5001.00"'))))
    assert settings.source == tmp_path / "mesa.toml"
    assert settings.game.profile == "game"
    four = settings.game.prize(Hand.FOUR_OF_A_KIND)
    assert four is not None
    assert four.pays == Fixed(500_100)


def test_the_digest_of_a_game_is_that_of_its_json_and_moves_with_any_rule() -> None:
    game = load("simulated").game
    assert game_digest(game) == hashlib.sha256(msgspec.json.encode(game)).hexdigest()
    assert game_digest(game) == game_digest(load("simulated").game)
    dearer = load("simulated", {"prizes.flush.amount": "501.00"}).game
    assert game_digest(dearer) != game_digest(game)


@pytest.mark.parametrize(
    ("key", "text", "path", "value"),
    [
        ("wager.amount", "20.00", ("game", "wager"), 2000),
        ("game", "uy-montevideo-caribbean", ("game", "profile"), "uy-montevideo-caribbean"),
        ("policies.require_sign", "false", ("game", "policies", "require_sign"), False),
        ("policies.royal_excludes", "round", ("game", "policies", "royal_excludes"), RoyalExcludes.ROUND),
        ("table.name", "Mesa 4", ("name",), "Mesa 4"),
        ("table.seats", "5", ("game", "seats"), 5),
        ("timings.settle_ms", "5", ("timings", "settle_ms"), 5),
        ("release.pulse_ms", "250", ("game", "release_ms"), 250),
        ("journal.path", "/tmp/x.db", ("journal",), Path("/tmp/x.db")),
        ("witness.path", "/tmp/x.second", ("witness",), Path("/tmp/x.second")),
    ],
)
def test_a_drill_sets_one_value_by_its_dotted_key(
    key: str, text: str, path: tuple[str, ...], value: object
) -> None:
    found: object = load("simulated", {key: text})
    for name in path:
        found = getattr(found, name)
    assert found == value


def test_a_drill_sets_a_level_of_the_pot() -> None:
    given = {"pot.main.increment_rate_ppm": "700000", "pot.main.limit": "200000.00"}
    (level,) = load("simulated", given).game.levels
    assert (level.increment_rate_ppm, level.limit) == (700_000, 20_000_000)


@pytest.mark.parametrize(
    ("key", "text", "told"),
    [
        ("wager.amont", "1.00", 'Did you mean "amount"?'),
        ("wagr.amount", "1.00", 'Did you mean "wager"?'),
        ("wager.amount.x", "1.00", "is a single value"),
        ("wager", "1.00", "must be a table"),
        ("pot.main.increment_rate_ppm", "0.5", "whole parts per million"),
        ("pot.main.increment_rate_ppm", "1000001", "whole parts per million"),
        ("policies.require_sign", "yes", "true or false"),
        ("policies.order", "rnak", 'Did you mean "rank"?'),
        ("wager.amount", "10,00", "decimal sign is a point"),
        ("timings.settle_ms", "20 ms", "whole milliseconds, 5 to 50"),
        ("pot.mian.limit", "1.00", 'Did you mean "main"?'),
        ("game", "uy-montevideo", 'Did you mean "uy-montevideo-caribbean"?'),
        ("", "", "has no key"),
    ],
)
def test_a_drill_that_sets_what_cannot_be_is_refused(key: str, text: str, told: str) -> None:
    message = refusal("simulated", {key: text})
    assert told in message
    assert key.rpartition(".")[0] in message


def test_a_drill_may_try_what_the_rules_fix_and_is_told_so() -> None:
    settings = load("simulated", {"policies.royal_split": "first_takes_all"})
    assert settings.game.policies.royal_split is RoyalSplit.FIRST_TAKES_ALL
    (warning,) = settings.warnings
    assert "first_takes_all departs from the rules: it is fixed at equal (art. 17)" in warning


def test_a_table_file_may_not_change_what_the_rules_fix(tmp_path: Path) -> None:
    line = 'award_key_from = "0.00" '
    path = table(tmp_path, (line, f'royal_split = "first_takes_all"\n{line}'))
    told = 'policies.royal_split = "first_takes_all": is fixed at equal (art. 17); take it out'
    assert told in refusal(path)


def test_a_table_file_may_repeat_what_the_rules_fix(tmp_path: Path) -> None:
    line = 'award_key_from = "0.00" '
    path = table(tmp_path, (line, f'royal_split = "equal"\n{line}'))
    assert load(str(path)).game.policies.royal_split is RoyalSplit.EQUAL


def test_fewer_seats_than_the_board_has_leave_the_other_lines_unclaimed() -> None:
    settings = load("simulated", {"table.seats": "5"})
    lines = {line.name for line in settings.wiring.inputs} | {line.name for line in settings.wiring.outputs}
    assert {"seat_5", "lamp_5"} <= lines
    assert not {"seat_6", "lamp_6", "seat_7", "lamp_7"} & lines
    assert "the board simulated-7seat has 7" in refusal("simulated", {"table.seats": "8"})


def test_values_for_one_game_count_for_that_game_only(tmp_path: Path) -> None:
    special = (
        '\n[for."uy-montevideo-caribbean".wager]\namount = "25.00"\n[for.other.wager]\namount = "99.00"\n'
    )
    path = written(tmp_path / "mesa.toml", TABLE + special)
    assert load(str(path)).game.wager == 2500
    wrong = special.replace('"25.00"', "25").replace('"99.00"', "99")
    message = refusal(written(tmp_path / "mesa.toml", TABLE + wrong))
    assert "2 things are wrong" in message
    first = TABLE.count("\n") + 3
    assert f"line {first}: wager.amount = 25: must be an amount" in message
    assert f"line {first + 2}: for.other.wager.amount = 99: must be an amount" in message


def test_all_problems_of_a_file_are_reported_together(tmp_path: Path) -> None:
    path = table(
        tmp_path,
        ('day_starts_at = "06:00"', 'day_starts_at = "6"'),
        ("pulse_ms = 500", "pulse_ms = 5"),
        ('fund = "house"\n\n[prizes.full_house]', 'fund = "casa"\n\n[prizes.full_house]'),
    )
    with pytest.raises(ConfigError) as refused:
        load(str(path))
    assert len(refused.value.problems) == 3
    assert "3 things are wrong" in str(refused.value)


def test_a_name_that_is_not_shipped_is_refused_with_what_there_is() -> None:
    assert 'Did you mean "simulated"?' in refusal("simulatd")
    assert "Known here: simulated, table." in refusal("zzz")
    assert refusal("../config/table").endswith("there is no such file; check the name and the folder")
    assert "holds characters nobody can see" in refusal("/tmp/a\0b.toml")
