"""A profile and the house's values: what must be given, by whom, and what must hold between them."""

from pathlib import Path

import pytest

from controller.config import load
from controller.core.game import Fixed, Fund, Hand, Share
from controller.core.money import Currency
from tests.helpers_config import (
    PROFILE,
    SIGN,
    TABLE,
    changed,
    line_of,
    refusal,
    table,
    with_board,
    with_profile,
    written,
)


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ('amount = "10.00" ', "wager.amount"),
        ('payable_unit = "1.00" ', "wager.payable_unit"),
        ('base_amount = "100000.00" ', "pot.main.base_amount"),
        ('reset_amount = "10000.00" ', "pot.main.reset_amount"),
        ("increment_rate_ppm = 500_000 ", "pot.main.increment_rate_ppm"),
        ("reserve_rate_ppm = 50_000 ", "pot.main.reserve_rate_ppm"),
        ('limit = "1000000.00" ', "pot.main.limit"),
        ('ante_min = "10.00" ', "base.ante_min"),
        ('ante_max = "1000.00" ', "base.ante_max"),
        ("ante_by_table = true ", "base.ante_by_table"),
    ],
)
def test_what_the_house_must_give_has_no_default(tmp_path: Path, line: str, key: str) -> None:
    message = refusal(table(tmp_path, (line, "")))
    assert f"{key}: is missing; the house must give it (" in message


@pytest.mark.parametrize("hand", ["four_of_a_kind", "full_house", "flush"])
def test_who_pays_a_fixed_prize_has_no_default(tmp_path: Path, hand: str) -> None:
    message = refusal(table(tmp_path, (f'[prizes.{hand}]\nfund = "house"\n', "")))
    assert f"prizes.{hand}.fund: is missing; the house must give it (not in the text)" in message


@pytest.mark.parametrize(
    "line",
    [
        'game = "uy-montevideo-caribbean" ',
        'board = "rpi-7seat" ',
        'id = "MESA-1" ',
        'name = "Mesa 1" ',
        'locale = "es_UY" ',
        'language = "es" ',
        'timezone = "America/Montevideo"',
        'day_starts_at = "06:00" ',
        "pulse_ms = 500 ",
        'path = "/var/lib/pozo/journal.db" ',
    ],
)
def test_a_table_says_who_and_where_it_is(tmp_path: Path, line: str) -> None:
    message = refusal(table(tmp_path, (line, "")))
    assert f"{line.partition(' ')[0]}: is missing; give it" in message


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (('"06:00"', '"6:00"'), 'a time of day in quotes, like "06:00"'),
        (('"06:00"', '"24:00"'), "a time of day"),
        (('"MESA-1"', '"MESA 1"'), "ASCII letters, digits, - and _"),
        (('"Mesa 1" ', '"" '), "1 to 60 characters"),
        (('"Mesa 1" ', f'"{"x" * 61}" '), "1 to 60 characters"),
        (('"es_UY"', '"es_AR"'), "must be one of es_UY, es_CL, es_PE"),
        (('language = "es" ', 'language = "pt" '), "must be one of es, en"),
        (('"America/Montevideo"', '"America/Montevido"'), 'Did you mean "America/Montevideo"?'),
        (('"America/Montevideo"', '"America"'), "knows no such time zone"),
        (('"America/Montevideo"', '"../etc/passwd"'), "knows no such time zone"),
        (("pulse_ms = 500", "pulse_ms = 49"), "milliseconds, 50 to 5000"),
        (("pulse_ms = 500", 'pulse_ms = "500"'), "write 500 without quotes"),
        (('"/var/lib/pozo/journal.db"', '"journal.db"'), "an absolute path in quotes"),
        (('"/var/lib/pozo/journal.db"', '"~nobody-at-all/x"'), "an absolute path in quotes"),
        (('"next_reset"          #', '"house_reset"  #'), 'must be one of "next_reset", "house"'),
        (("[release]", "[wagers]\n[release]"), 'wagers: there is no such key. Did you mean "wager"?'),
        (('amount = "10.00"', 'amount = "0.00"'), "0.00 is no wager: it must be above zero"),
        (
            ('payable_unit = "1.00"', 'payable_unit = "0.00"'),
            "must be at least 0.01, the smallest unit of UYU",
        ),
        (('payable_unit = "1.00"', 'payable_unit = "3.00"'), "5000.00 cannot be paid in units of 3.00"),
        (('limit = "1000000.00"', 'limit = "0.00"'), "leaves no room for a pot"),
        (('currency = "UYU"', 'currency = "USD"'), 'must be one of "UYU", "PEN", "CLP"'),
        (('currency = "UYU"', 'currency = "CLP"'), "is fixed at UYU (art. 17); take it out"),
        (("[pot.main]", "[pot.mian]"), 'pot.mian: this game has no such level. Did you mean "main"?'),
        (("[prizes.flush]", "[prizes.straight]"), "prizes.straight: this game has no such prize."),
        (
            ("[prizes.flush]\n", '[prizes.flush]\namount = "600.00"\n'),
            "is fixed at 500.00 (art. 17); take it out",
        ),
        (
            ("[prizes.flush]\n", "[prizes.flush]\nshare_ppm = 5\n"),
            "is not part of the rules (art. 17); take it out",
        ),
        (("require_host = false", "require_host = true"), "this table has no [link]"),
    ],
)
def test_a_table_file_that_is_not_right_is_refused(
    tmp_path: Path, change: tuple[str, str], told: str
) -> None:
    assert told in refusal(table(tmp_path, change))


def test_a_sign_that_is_required_must_be_described(tmp_path: Path) -> None:
    told = "policies.require_sign = true: the board ./board.toml has no sign: describe it in the board file"
    assert told in refusal(with_board(tmp_path, (SIGN, "")))


def test_the_rates_of_a_wager_may_take_all_of_it_and_not_more() -> None:
    given = {"pot.main.increment_rate_ppm": "600000", "pot.main.reserve_rate_ppm": "400000"}
    assert load("simulated", given).warnings == ()
    message = refusal("simulated", {**given, "pot.main.reserve_rate_ppm": "400001"})
    assert "the rates take 1000001 parts per million of a wager (main 600000 + 400001)" in message


def test_a_rate_of_zero_is_allowed_with_a_warning_and_so_is_a_doubtful_one() -> None:
    settings = load("simulated", {"pot.main.increment_rate_ppm": "0", "pot.main.reserve_rate_ppm": "25"})
    assert len(settings.warnings) == 2
    assert "increment_rate_ppm: is 0: no part of a wager goes there" in settings.warnings[0]
    assert "reserve_rate_ppm: is 25 parts per million, less than a tenth of a percent" in settings.warnings[1]


def test_an_empty_pot_and_a_reserve_that_never_fills_are_warnings() -> None:
    given = {"pot.main.base_amount": "0.00", "prizes.flush.fund": "reserve", "pot.main.reserve_rate_ppm": "0"}
    warnings = load("simulated", given).warnings
    assert any("is 0.00: the pot begins empty" in warning for warning in warnings)
    assert any("is the reserve, but pot.main.reserve_rate_ppm is 0" in warning for warning in warnings)


def test_each_ruling_names_its_article_or_the_house() -> None:
    rulings = {ruling.key: (ruling.value, ruling.source) for ruling in load("simulated").rulings}
    assert rulings["policies.order"] == (
        "seat",
        "art. 19, reading; art. 20 leaves the procedure to the Dirección",
    )
    assert rulings["policies.royal_split"] == ("equal", "art. 17")
    assert rulings["policies.fold_forfeits"] == ("true", "art. 10, reading")
    assert rulings["prizes.four_of_a_kind.amount"] == ("5000.00", "art. 17")
    assert rulings["prizes.four_of_a_kind.fund"] == ("house", "house")
    assert rulings["wager.amount"] == ("10.00", "house")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            ('royal_split = { value = "equal", source = "art. 17" }\n', ""),
            "policies.royal_split: is missing; give it a table",
        ),
        (
            ('{ value = "equal", source = "art. 17" }', '{ source = "art. 17" }'),
            "has neither a value nor house = true",
        ),
        (
            ('{ value = "equal", source = "art. 17" }', '{ value = "equal" }'),
            "policies.royal_split.source: is missing",
        ),
        (
            ('{ value = "equal", source = "art. 17" }', '"equal"'),
            "must be a table [...] with source, value, house",
        ),
        (('amount = "5000.00"', "amount = 5000"), "must be an amount in quotes"),
        (('amount = "5000.00"', 'amount = "5000"'), "\"5000\": '5000' is not an amount of UYU"),
        (
            ('amount = "5000.00"\n', ""),
            "must pay exactly one of share_ppm, amount, wager_multiple; it has none",
        ),
        (('amount = "5000.00"', 'amount = "5000.00"\nshare_ppm = 1'), "must pay exactly one of"),
        (('amount = "5000.00"', 'amount = "0.00"'), "the amount is 0: a prize that pays nothing is none"),
        (('amount = "5000.00"', 'amount = "5000.00"\ncap_wager_multiple = 5'), "only a share has a cap"),
        (("share_ppm = 100_000", "share_ppm = 0"), "share_ppm is 0: a prize that pays nothing is none"),
        (
            ('level = "main"\nshare_ppm = 100_000', 'level = "mega"\nshare_ppm = 100_000'),
            'there is no level "mega"; levels: main',
        ),
        (('"full_house", "flush"]', '"full_house"]'), "prizes.flush: is not among the winners."),
        (('"full_house", "flush"]', '"full_house", "flsh"]'), 'Did you mean "flush"?'),
    ],
)
def test_a_profile_that_is_not_right_is_refused(tmp_path: Path, change: tuple[str, str], told: str) -> None:
    assert told in refusal(with_profile(tmp_path, change))


@pytest.mark.parametrize(
    "change",
    [
        ('amount = "5000.00"', "wager_multiple = 1_000_000"),
        ("share_ppm = 100_000", "share_ppm = 100_000\ncap_wager_multiple = 1_000_000"),
    ],
)
def test_a_multiple_of_the_wager_beyond_any_amount_is_refused(
    tmp_path: Path, change: tuple[str, str]
) -> None:
    path = with_profile(
        tmp_path, change, table_changes=(('amount = "10.00"', 'amount = "1000000000000.00"'),)
    )
    assert "pays up to 1000000000000000000.00, more than any table does" in refusal(path)


def test_a_problem_of_the_profile_is_told_with_the_profiles_line(tmp_path: Path) -> None:
    line = line_of(PROFILE, "order = {")
    message = refusal(with_profile(tmp_path, ('{ value = "seat", source', '{ value = "seats", source')))
    assert f'game.toml, line {line}: policies.order.value = "seats"' in message
    assert 'Did you mean "seat"?' in message


CHILE = (
    ('"es_UY" ', '"es_CL" '),
    ('currency = "UYU"', 'currency = "CLP"'),
    ('amount = "10.00"', 'amount = "1000"'),
    ('payable_unit = "1.00"', 'payable_unit = "100"'),
    ('base_amount = "100000.00"', 'base_amount = "50000000"'),
    ('reset_amount = "10000.00"', 'reset_amount = "10000000"'),
    ('limit = "1000000.00"', 'limit = "900000000"'),
    ('award_key_from = "0.00"', 'award_key_from = "0"'),
    ('ante_min = "10.00"', 'ante_min = "1000"'),
    ('ante_max = "1000.00"', 'ante_max = "100000"'),
)
CHILE_RULES = (
    ('value = "UYU"', 'value = "CLP"'),
    ("share_ppm = 100_000", "share_ppm = 100_000\ncap_wager_multiple = 5000"),
    ('amount = "5000.00"', "wager_multiple = 500"),
    ('amount = "1000.00"', "wager_multiple = 100"),
    ('amount = "500.00"', "wager_multiple = 50"),
)


def test_prizes_in_multiples_of_the_wager_and_a_cap_in_a_currency_without_decimals(tmp_path: Path) -> None:
    game = load(str(with_profile(tmp_path, *CHILE_RULES, table_changes=CHILE))).game
    assert (game.currency, game.wager, game.levels[0].base_amount) == (Currency.CLP, 1000, 50_000_000)
    pays = {prize.hand: prize.pays for prize in game.prizes}
    assert pays[Hand.STRAIGHT_FLUSH] == Share(100_000, cap=5_000_000)
    assert pays[Hand.FOUR_OF_A_KIND] == Fixed(500_000)
    assert pays[Hand.FULL_HOUSE] == Fixed(100_000)
    assert pays[Hand.FLUSH] == Fixed(50_000)


def test_a_game_may_have_several_levels(tmp_path: Path) -> None:
    levels = PROFILE[PROFILE.index("[levels.main]") : PROFILE.index("[winners]")]
    mini = levels.replace("[levels.main]", "[levels.mini]")
    pot = TABLE[TABLE.index("[pot.main]") : TABLE.index("# Quien paga")]
    small = changed(
        pot,
        ("[pot.main]", "[pot.mini]"),
        ("500_000 ", "250_000 "),
        ('"100000.00"', '"500.00"'),
        ('"10000.00"', '"500.00"'),
    )
    path = with_profile(
        tmp_path,
        ("[winners]", f"{mini}\n[winners]"),
        ('level = "main"\nshare_ppm = 100_000', 'level = "mini"\nshare_ppm = 100_000'),
        table_changes=(("# Quien paga", f"{small}\n# Quien paga"),),
    )
    game = load(str(path)).game
    assert [(level.name, level.base_amount) for level in game.levels] == [
        ("main", 10_000_000),
        ("mini", 50_000),
    ]
    straight_flush = game.prize(Hand.STRAIGHT_FLUSH)
    assert straight_flush is not None
    assert straight_flush.level == "mini"


def test_a_prize_that_the_text_leaves_to_the_house_must_be_given_by_it(tmp_path: Path) -> None:
    left_open = (('amount = "5000.00"\n', "house = true\n"),)
    message = refusal(with_profile(tmp_path, *left_open))
    assert "mesa.toml, line" in message
    assert (
        "prizes.four_of_a_kind: must pay exactly one of share_ppm, amount, wager_multiple; it has none"
        in message
    )
    given = (
        (
            '[prizes.four_of_a_kind]\nfund = "house"',
            '[prizes.four_of_a_kind]\nfund = "pot"\nwager_multiple = 300',
        ),
    )
    four = load(str(with_profile(tmp_path, *left_open, table_changes=given))).game.prize(Hand.FOUR_OF_A_KIND)
    assert four is not None
    assert (four.pays, four.fund) == (Fixed(300_000), Fund.POT)


def test_the_house_may_choose_where_the_text_is_open(tmp_path: Path) -> None:
    line = 'award_key_from = "0.00" '
    policies = load(str(table(tmp_path, (line, f"fold_forfeits = false\n{line}")))).game.policies
    assert policies.fold_forfeits is False


def test_a_profile_or_board_that_is_not_there_is_refused(tmp_path: Path) -> None:
    assert "there is no such file" in refusal(table(tmp_path, ('"uy-montevideo-caribbean"', '"./nada.toml"')))
    assert 'Did you mean "rpi-7seat"?' in refusal(table(tmp_path, ('"rpi-7seat" ', '"rpi-7-seat" ')))
    assert "is empty" in refusal(
        table(written(tmp_path / "x.toml", "").parent, ('"uy-montevideo-caribbean"', '"./x.toml"'))
    )
