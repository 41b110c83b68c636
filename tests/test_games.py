"""Every shipped game against its text: the numbers here were written down from the seeds, not from the profiles."""

from pathlib import Path
from typing import NamedTuple

import pytest

from controller.config import ConfigError, Kind, Settings, load, names, rulebook
from controller.config.profile import Conduct, Irregular, Remedy
from controller.core.game import (
    Fixed,
    Fund,
    Hand,
    JudgedOn,
    Order,
    OverflowUse,
    RoyalExcludes,
    RoyalSplit,
    Share,
)
from controller.core.money import Currency
from controller.core.punto.rules import DECKS_ALLOWED, SEATED_LEAST, BankLow
from controller.core.settlement import Opening, Tie
from tests.helpers_config import CONFIG, changed, refusal, written
from tests.helpers_shipped import playing

CLP, PEN, UYU = Currency.CLP, Currency.PEN, Currency.UYU


class Facts(NamedTuple):
    """What a text says of its table: most seats, cards of a hand, A-2-3-4-5, currency, pots, chips in the slots."""

    seats: int
    dealt: int
    ace_low: bool
    currency: Currency
    pots: int
    wager: bool


FACTS = {
    "cl-caribbean": Facts(7, 5, True, CLP, 0, False),
    "cl-caribbean-plus": Facts(7, 5, True, CLP, 0, False),
    "cl-caribbean-plus-progressive": Facts(7, 5, True, CLP, 1, True),
    "cl-caribbean-progressive": Facts(7, 5, True, CLP, 1, True),
    "cl-draw": Facts(6, 5, True, CLP, 0, False),
    "cl-draw-progressive": Facts(6, 5, True, CLP, 1, True),
    "cl-go-poker": Facts(7, 5, True, CLP, 0, False),  # 3 covered and 2 common
    "cl-go-poker-progressive": Facts(7, 5, True, CLP, 1, True),
    "cl-holdem-limit": Facts(10, 7, True, CLP, 0, False),  # 2 and 5 common
    "cl-holdem-no-limit": Facts(10, 7, True, CLP, 0, False),
    "cl-omaha": Facts(7, 9, True, CLP, 0, False),  # 4 and 5 common
    "cl-seven-stud": Facts(7, 7, True, CLP, 0, False),
    "cl-stud": Facts(7, 5, True, CLP, 0, False),
    "cl-three-card": Facts(7, 3, True, CLP, 0, False),
    "pe-caribbean": Facts(7, 5, True, PEN, 0, True),
    "uy-montevideo-caribbean": Facts(7, 5, False, UYU, 1, True),
    "uy-montevideo-punto-banca": Facts(16, 0, False, UYU, 0, False),
}
PROGRESSIVE = tuple(name for name, facts in FACTS.items() if facts.pots)
AGAINST_THE_BANK = {
    "uy-montevideo-caribbean": (Opening.ACE_KING, False, 0),
    "cl-caribbean": (Opening.ACE_KING, False, 0),
    "cl-caribbean-plus": (Opening.ACE_KING, True, 0),
    "cl-caribbean-progressive": (Opening.ACE_KING, False, 0),
    "cl-caribbean-plus-progressive": (Opening.ACE_KING, True, 0),
    "cl-draw": (Opening.PAIR_OF_EIGHTS, False, 2),
    "cl-draw-progressive": (Opening.PAIR_OF_EIGHTS, False, 2),
}
"""What the bank opens with, whether a card can be bought, how many may be changed."""

# Seed 000 art. 14 and seed 004's table: the same multiples.
TO_ONE = {
    Hand.HIGH_CARD: 1,
    Hand.PAIR: 1,
    Hand.TWO_PAIR: 2,
    Hand.THREE_OF_A_KIND: 3,
    Hand.STRAIGHT: 4,
    Hand.FLUSH: 5,
    Hand.FULL_HOUSE: 7,
    Hand.FOUR_OF_A_KIND: 20,
    Hand.STRAIGHT_FLUSH: 50,
    Hand.ROYAL_FLUSH: 100,
}


def shipped(name: str) -> Settings:
    """The simulated table playing this game."""
    return load("simulated", {"game": name})


def test_every_game_of_the_texts_is_shipped() -> None:
    assert set(names(Kind.GAME)) == set(FACTS)


@pytest.mark.parametrize("name", FACTS)
def test_naming_a_game_is_enough_on_the_simulated_table(name: str) -> None:
    settings = shipped(name)
    game = settings.game
    facts = Facts(
        game.seats, game.dealt, game.ace_low_straight, game.currency, len(game.levels), bool(game.wager)
    )
    assert facts == FACTS[name]
    assert settings.warnings == ()
    assert bool(game.prizes) is facts.wager


@pytest.mark.parametrize(
    ("currency", "locale", "timezone"),
    [
        (CLP, "es_CL", "America/Santiago"),
        (PEN, "es_PE", "America/Lima"),
        (UYU, "es_UY", "America/Montevideo"),
    ],
)
def test_locale_and_time_zone_go_with_the_game(currency: Currency, locale: str, timezone: str) -> None:
    for name, facts in FACTS.items():
        if facts.currency is currency:
            settings = shipped(name)
            assert (settings.locale, settings.timezone) == (locale, timezone), name


@pytest.mark.parametrize("name", ["cl-caribbean-progressive", "cl-caribbean-plus-progressive"])
def test_seed_004_6_6_prizes_are_wagers_and_shares(name: str) -> None:
    game = shipped(name).game
    assert game.wager == 1000
    assert [(prize.hand, prize.level, prize.pays, prize.fund, prize.source) for prize in game.prizes] == [
        (Hand.ROYAL_FLUSH, "main", Share(1_000_000), Fund.POT, "seed 004, 6.6"),
        (Hand.STRAIGHT_FLUSH, "main", Share(100_000, cap=5_000_000), Fund.POT, "seed 004, 6.6"),
        (Hand.FOUR_OF_A_KIND, "main", Fixed(500_000), Fund.HOUSE, "seed 004, 6.6"),
        (Hand.FULL_HOUSE, "main", Fixed(100_000), Fund.HOUSE, "seed 004, 6.6"),
        (Hand.FLUSH, "main", Fixed(50_000), Fund.HOUSE, "seed 004, 6.6"),
    ]


@pytest.mark.parametrize("name", PROGRESSIVE)
def test_policies_of_the_progressive_games(name: str) -> None:
    policies = shipped(name).game.policies
    assert policies.order is Order.SEAT
    assert policies.royal_split is RoyalSplit.EQUAL
    assert policies.royal_excludes is RoyalExcludes.HAND
    assert policies.fold_forfeits is True
    assert policies.award_when_bank_does_not_open is True
    assert policies.award_key_from == 0
    assert shipped(name).game.levels[0].overflow_use is OverflowUse.NEXT_RESET
    assert (policies.require_sign, policies.require_host) == (True, False)
    # Only seed 004 has an exception to the bet's return.
    of_seed_004 = name.startswith("cl-caribbean")
    assert policies.bet_returned_with_progressive is (True if of_seed_004 else None)
    assert policies.judged_on is (JudgedOn.FINAL if "draw" in name else JudgedOn.DEALT)
    assert policies.purchase_forfeits is name.startswith("cl-caribbean")


@pytest.mark.parametrize("name", AGAINST_THE_BANK)
def test_the_game_against_the_bank(name: str) -> None:
    base = shipped(name).base
    assert base is not None
    assert (base.bank_opens, base.card_can_be_bought, base.changes_most) == AGAINST_THE_BANK[name]
    assert base.bet_times_ante == 2
    assert (base.unopened_pays_ante, base.unopened_returns_bet, base.tie) == (True, True, Tie.PUSH)
    assert base.ante_by_table is (name == "uy-montevideo-caribbean")
    assert base.most_per_hand is None
    if "draw" not in name:
        assert base.pays.to_one == TO_ONE
        assert rulebook(name).base


def test_what_settles_a_hand_is_made_of_the_profile() -> None:
    settings = load("simulated", {"game": "cl-caribbean-plus", "base.most_per_hand": "500000"})
    assert settings.base is not None
    rules = settings.base.rules(settings.game)
    assert rules is not None
    assert (rules.ace_low_straight, rules.bank_opens, rules.card_can_be_bought) == (
        True,
        Opening.ACE_KING,
        True,
    )
    assert (rules.ante_by_table, rules.most_per_hand) == (False, 500_000)
    go = shipped("cl-go-poker")
    assert go.base is not None
    assert go.base.rules(go.game) is None


def test_the_bono_is_paid_by_the_house_without_a_pot() -> None:
    game = shipped("pe-caribbean").game
    assert game.levels == ()
    assert {prize.level for prize in game.prizes} == {None}
    assert {prize.fund for prize in game.prizes} == {Fund.HOUSE}
    # The simulated house: 2,000 x 5.00 for a royal, 350.00 for a full house.
    assert {prize.hand: prize.pays for prize in game.prizes} == {
        Hand.ROYAL_FLUSH: Fixed(1_000_000),
        Hand.STRAIGHT_FLUSH: Fixed(250_000),
        Hand.FOUR_OF_A_KIND: Fixed(100_000),
        Hand.FULL_HOUSE: Fixed(35_000),
        Hand.FLUSH: Fixed(25_000),
    }


def test_punto_y_banca_is_played_by_the_numbers_of_its_text() -> None:
    game = shipped("uy-montevideo-punto-banca").game
    assert game.punto is not None
    assert game.punto.decks in DECKS_ALLOWED == (6, 8)
    least = rulebook("uy-montevideo-punto-banca").players_least
    assert least is not None
    assert least.value == SEATED_LEAST == 5
    assert game.punto.policies.bank_low is BankLow.DRAWS
    assert game.punto.policies.bank_draws_to == 5


SEED_004_CASES = {
    Irregular.ONE_CARD_EXPOSED: Remedy.BURN_CARD,
    Irregular.CARDS_EXPOSED: Remedy.VOID_ROUND,
    Irregular.BANK_CARD_SEEN: Remedy.VOID_ROUND,
    Irregular.CARDS_STUCK: Remedy.PLAYER_CHOOSES,
    Irregular.PLAYER_COUNT_UNMENDED: Remedy.VOID_HAND,
    Irregular.BANK_CARD_COUNT: Remedy.VOID_ROUND,
    Irregular.LATE_BET: Remedy.BET_NULL,
}
PUNTO_CASES = {
    Irregular.CARDS_SEEN: (Remedy.VOID_ROUND, "num. 10"),
    Irregular.DOUBTFUL_DEAL: (Remedy.MAY_WITHDRAW, "num. 10"),
    Irregular.NOT_FACE_UP: (Remedy.VOID_ROUND, "num. 33"),
    Irregular.DISCARDED_EARLY: (Remedy.VOID_ROUND, "num. 35"),
    Irregular.TOO_FEW_CARDS: (Remedy.VOID_ROUND, "nums. 4 and 42"),
    Irregular.PUNTO_CARD_BY_MISTAKE: (Remedy.BURN_CARD, "num. 40"),
    Irregular.FACE_UP_IN_SHOE: (Remedy.BURN_CARD, "nums. 9 and 29"),
    Irregular.SHOE_TROUBLE: (Remedy.SHOE_MADE, "num. 19"),
    Irregular.OPTION_CLAIMED: (Remedy.OPTION_GIVEN, "num. 28"),
    Irregular.OPTION_CLAIMED_LATE: (Remedy.OPTION_STANDS, "nums. 28 and 29"),
}


def test_irregular_cases_are_those_of_the_texts() -> None:
    for name in ("cl-caribbean", "cl-caribbean-plus"):
        assert {case: text.does for case, text in rulebook(name).irregular.items()} == SEED_004_CASES
    lamp = {Irregular.LAMP_OFF: Remedy.BET_NULL}
    for name in ("cl-caribbean-progressive", "cl-caribbean-plus-progressive"):
        assert {case: text.does for case, text in rulebook(name).irregular.items()} == SEED_004_CASES | lamp
    punto = rulebook("uy-montevideo-punto-banca").irregular
    assert {case: (text.does, text.source) for case, text in punto.items()} == PUNTO_CASES
    uruguay = rulebook("uy-montevideo-caribbean").irregular
    assert {case: (text.does, text.source) for case, text in uruguay.items()} == {
        Irregular.PLAYER_CARD_COUNT: (Remedy.VOID_FOR_PLAYER, "art. 9"),
        Irregular.BANK_CARD_COUNT: (Remedy.VOID_ROUND, "art. 9"),
    }


def test_what_the_texts_ask_of_players() -> None:
    assert rulebook("uy-montevideo-caribbean").conduct == {
        Conduct.SEATED_ONLY: "art. 3",
        Conduct.NO_CHANGE_AFTER_FIRST_CARD: "art. 7",
        Conduct.CARDS_IN_SIGHT: "art. 11",
        Conduct.NO_VERBAL_BETS: "art. 12",
    }
    assert rulebook("uy-montevideo-punto-banca").conduct == {
        Conduct.NO_BET_AFTER_LOCK: "num. 25",
        Conduct.HALF_ON_THE_LINE: "num. 21",
        Conduct.TWO_HALVES_MOST: "num. 22",
        Conduct.NO_HALF_ON_BANK: "num. 23",
        Conduct.NO_HALF_STANDING: "num. 24",
        Conduct.CARDS_TURNED_AT_ONCE: "num. 31",
    }
    assert rulebook("pe-caribbean").conduct == {
        Conduct.ONE_PLAYER_PER_PLACE: "art. 9 a",
        Conduct.ONE_PLACE_PER_PLAYER: "art. 9 b",
        Conduct.STAY_AT_TABLE: "art. 9 c",
        Conduct.CARDS_IN_SIGHT: "art. 9 d",
        Conduct.NO_GAME_TALK: "art. 9 d",
        Conduct.NO_SHOWING: "art. 9 d",
        Conduct.NO_SWAPPING: "art. 9 d",
        Conduct.CHIPS_ONLY: "art. 9 e",
        Conduct.FIVE_CARDS_SHOWN: "art. 8",
    }


POT = [
    ("wager", "amount"),
    ("wager", "payable_unit"),
    *(
        ("pot.main", key)
        for key in ("base_amount", "reset_amount", "increment_rate_ppm", "reserve_rate_ppm", "limit")
    ),
]
FUNDS = [("prizes", hand) for hand in ("four_of_a_kind", "full_house", "flush")]
OF_THE_HOUSE = {
    "uy-montevideo-caribbean": [
        *POT,
        *FUNDS,
        *(("base", key) for key in ("ante_by_table", "ante_min", "ante_max")),
    ],
    "cl-caribbean": [],
    "cl-caribbean-plus": [],
    "cl-caribbean-progressive": [*POT, *FUNDS],
    "cl-caribbean-plus-progressive": [*POT, *FUNDS],
    "cl-draw": [("base.pays", "pair")],
    "cl-draw-progressive": [*POT, ("", "winners"), ("policies", "judged_on"), ("base.pays", "flush")],
    "cl-go-poker": [],
    "cl-go-poker-progressive": [*POT, ("", "winners")],
    "cl-three-card": [],
    **{
        name: [("circle", "house_share_ppm")]
        for name in ("cl-stud", "cl-seven-stud", "cl-omaha", "cl-holdem-limit", "cl-holdem-no-limit")
    },
    "pe-caribbean": [
        ("wager", "amount"),
        ("wager", "payable_unit"),
        ("", "winners"),
        ("policies", "fold_forfeits"),
        ("policies", "award_when_bank_does_not_open"),
        ("base", "bank_opens"),
        ("base", "unopened_pays_ante"),
        ("base", "unopened_returns_bet"),
        ("base", "bet_times_ante"),
        ("base", "ante_by_table"),
    ],
    "uy-montevideo-punto-banca": [
        ("punto", key)
        for key in (
            "decks",
            "bank_min",
            "bank_max",
            "bank_step",
            "discount",
            "commission_base",
            "first_discount",
            "first_discount_stacks",
            "encart_suite",
            "remainder",
            "bank_wins",
            "red_card",
            "left_plays",
            "first_win_counts",
            "frozen_into",
            "last_bank",
            "house_suite",
            "withdraw_before_win",
            "seated_by",
            "require_banker",
        )
    ],
}
"""What each text leaves to the house, beside the two policies of a table without prizes."""


def test_the_list_of_what_the_house_gives_names_every_game() -> None:
    assert set(OF_THE_HOUSE) == set(FACTS)


@pytest.mark.parametrize(
    ("name", "part", "key"),
    [(name, part, key) for name, keys in OF_THE_HOUSE.items() for part, key in keys],
)
def test_what_a_text_leaves_to_the_house_is_refused_when_missing(
    tmp_path: Path, name: str, part: str, key: str
) -> None:
    message = refusal(playing(name, tmp_path, (part, key)))
    dotted = f"{part}.{key}".lstrip(".")
    if part == "prizes":
        dotted += ".fund"
    if part == "base.pays":
        assert f"base.pays: has no line for {key}" in message
    else:
        assert f"{dotted}: is missing; the house must give it (" in message


@pytest.mark.parametrize(
    "name",
    [
        "cl-draw",
        "cl-draw-progressive",
        "cl-go-poker",
        "cl-go-poker-progressive",
        "cl-three-card",
        "pe-caribbean",
    ],
)
def test_a_pay_table_that_no_text_gives_is_refused_when_missing(tmp_path: Path, name: str) -> None:
    path = playing(name, tmp_path)
    head, _, rest = path.read_text(encoding="utf-8").partition(f"[for.{name}.base.pays]\n")
    path.write_text(head + rest[(rest + "[").index("[") :], encoding="utf-8")
    assert "base.pays: is missing; the house must give it (" in refusal(path)


@pytest.mark.parametrize("name", [name for name, facts in FACTS.items() if not facts.wager])
@pytest.mark.parametrize("key", ["require_sign", "require_host"])
def test_no_game_without_prizes_starts_without_the_two_policies_of_every_table(
    tmp_path: Path, name: str, key: str
) -> None:
    message = refusal(playing(name, tmp_path, ("policies", key)))
    assert f"policies.{key}: is missing; the house must give it (not in the text)" in message


@pytest.mark.parametrize("name", [name for name, facts in FACTS.items() if facts.wager])
def test_a_game_with_prizes_ships_the_policies_of_the_rules_table_and_the_house_may_differ(
    tmp_path: Path, name: str
) -> None:
    """Rules, section 5: the key from 0, the sign required, the host not."""
    left_out = [("policies", key) for key in ("require_sign", "require_host", "award_key_from")]
    policies = load(str(playing(name, tmp_path, *left_out))).game.policies
    assert (policies.award_key_from, policies.require_sign, policies.require_host) == (0, True, False)
    other = {"game": name, "policies.require_sign": "false"}
    assert load("simulated", other).game.policies.require_sign is False


@pytest.mark.parametrize("name", FACTS)
def test_only_plus_sells_a_card(name: str) -> None:
    """Seed 004, 3.3.1 and "Opción de Compra (Solo Variante Plus)"."""
    assert shipped(name).game.sells_card is ("plus" in name)


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("cl-draw", ("table.seats", "7"), "this game has at most 6 (seed 002, Jugadores, no. 2)"),
        ("cl-holdem-limit", ("table.seats", "11"), "this game has at most 10 (seed 002, Jugadores, no. 7)"),
        ("cl-draw", ("wager.amount", "1000"), "this game has no progressive wager; take it out"),
        ("cl-draw", ("pot.main.limit", "1000"), "this game has no pot; take it out"),
        ("cl-draw", ("policies.order", "seat"), "this game's rules do not have this policy; take it out"),
        ("cl-draw", ("base.most_per_hand", "1"), "this game's rules do not have it; take it out"),
        ("cl-draw", ("prizes.flush.fund", "house"), "no hand of this game wins a prize; take it out"),
        ("cl-draw", ("circle.house_share_ppm", "1"), "circle: this game has no such part; take it out"),
        ("cl-stud", ("base.bet_times_ante", "2"), "base: this game has no such part; take it out"),
        ("cl-go-poker", ("base.bet_times_ante", "2"), "this game's rules do not have it; take it out"),
        ("cl-go-poker", ("punto.decks", "6"), "punto: this game has no such part; take it out"),
        ("pe-caribbean", ("prizes.flush.share_ppm", "5"), "must pay exactly one of"),
        ("pe-caribbean", ("prizes.flush.level", "main"), "this prize has no pot; take it out"),
        (
            "uy-montevideo-caribbean",
            ("base.ante_min", "0.00"),
            "base.ante_min: 0.00 is no ante: it must be above zero",
        ),
        (
            "uy-montevideo-caribbean",
            ("base.ante_min", "1000.01"),
            "base.ante_min: 1000.01 is above base.ante_max 1000.00",
        ),
        ("pe-caribbean", ("base.bank_opens", "queen"), '"ace_king", "pair_of_eights"'),
        ("uy-montevideo-punto-banca", ("punto.decks", "7"), "punto.decks = 7: must be one of 6, 8"),
        (
            "uy-montevideo-punto-banca",
            ("punto.bank_draws_to", "8"),
            "punto.bank_draws_to = 8: must be one of 2, 3, 4, 5, 6, 7",
        ),
    ],
)
def test_what_a_game_does_not_have_is_refused(name: str, value: tuple[str, str], told: str) -> None:
    assert told in refusal("simulated", {"game": name, value[0]: value[1]})


def test_a_table_may_have_fewer_seats_than_the_text_allows() -> None:
    assert load("simulated", {"game": "cl-holdem-limit", "table.seats": "8"}).game.seats == 8


def test_only_a_game_without_a_wager_may_have_more_seats_than_the_board_has_slots(tmp_path: Path) -> None:
    settings = shipped("uy-montevideo-punto-banca")
    assert (settings.game.seats, settings.slots) == (16, 7)
    assert "10 seats, but the board simulated-7seat has 7" in refusal(
        "simulated", {"game": "uy-montevideo-caribbean", "table.seats": "10"}
    )
    assert playing("cl-draw", tmp_path).is_file()
    assert load(str(playing("cl-draw", tmp_path))).slots == 6


def test_a_bono_is_paid_by_the_house_and_takes_no_share(tmp_path: Path) -> None:
    path = playing("pe-caribbean", tmp_path, ("prizes", "flush"))
    text = path.read_text(encoding="utf-8")
    path.write_text(
        text.replace("[for.pe-caribbean.prizes]", "[for.pe-caribbean.prizes]\nflush.share_ppm = 5")
    )
    assert "prizes.flush: there is no pot to take a share of" in refusal(path)


def test_a_profile_that_is_asked_for_alone_is_read_alone() -> None:
    assert rulebook("cl-stud").circle is not None
    with pytest.raises(ConfigError, match='Did you mean "cl-stud"'):
        rulebook("cl-stut")


GAMES = CONFIG / "games"


def own(folder: Path, name: str, *changes: tuple[str, str]) -> Path:
    """A table that plays a changed copy of a shipped profile, with the house's values of that game."""
    profile = changed((GAMES / f"{name}.toml").read_text(encoding="utf-8"), *changes)
    written(folder / "own.toml", profile)
    path = playing(name, folder)
    text = path.read_text(encoding="utf-8").replace(f'game = "{name}"', 'game = "./own.toml"')
    for end in (".", "]"):
        text = text.replace(f"[for.{name}{end}", f'[for."./own.toml"{end}')
    return written(path, text)


PRIZES_TOO = (
    '[winners]\nsource = "x"\nvalue = ["flush"]\n\n[policies]\norder = { value = "seat", source = "x" }\n'
)
LEVEL_TOO = (
    "[policies]\n",
    '[prizes.flush]\nsource = "x"\nwager_multiple = 5\nfund = { value = "house", source = "x" }\n\n[policies]\n',
)


@pytest.mark.parametrize(
    ("name", "change", "told"),
    [
        ("cl-draw", ("[policies]\n", PRIZES_TOO), "wager.amount: is missing; where a hand wins a prize"),
        ("cl-draw", LEVEL_TOO, "winners: is missing; a game with a wager says which hands win a prize"),
        (
            "cl-draw",
            ("[policies]\n", '[policies]\norder = { value = "seat", source = "x" }\n'),
            "policies.order: is about awards, and no hand of this game wins a prize; take it out",
        ),
        (
            "cl-draw",
            ("late_bet =", "late_bat ="),
            'irregular.late_bat: is not known. Did you mean "late_bet"?',
        ),
        (
            "pe-caribbean",
            ('fund = { value = "house", source =', 'fund = { value = "pot", source ='),
            "prizes.flush.fund: there is no pot and no reserve: the house pays this prize",
        ),
        (
            "pe-caribbean",
            ("no_showing =", "no_showings ="),
            'conduct.no_showings: is not known. Did you mean "no_showing"?',
        ),
    ],
)
def test_a_profile_whose_parts_do_not_go_together_is_refused(
    tmp_path: Path, name: str, change: tuple[str, str], told: str
) -> None:
    assert told in refusal(own(tmp_path, name, change))


def test_a_procedure_nobody_knows_is_refused(tmp_path: Path) -> None:
    changes = ("prizes_last =", "prizes_lost =")
    assert 'procedure.prizes_lost: is not known. Did you mean "prizes_last"?' in refusal(
        own(tmp_path, "uy-montevideo-caribbean", changes)
    )


def test_montevideos_tie_is_fixed_and_chiles_is_the_houses() -> None:
    """Seed 000 art. 16; seed 004 is silent."""
    (warning,) = load("simulated", {"base.tie": "bank"}).warnings
    assert "bank departs from the rules: it is fixed at push (art. 16)" in warning
    settings = load("simulated", {"game": "cl-caribbean", "base.tie": "bank"})
    assert settings.warnings == ()
    assert settings.base is not None
    assert settings.base.tie is Tie.BANK


@pytest.mark.parametrize("winners", ['["flush", "flush"]', "[]"])
def test_the_house_names_at_least_one_winner_and_each_once(tmp_path: Path, winners: str) -> None:
    path = playing("pe-caribbean", tmp_path, ("", "winners"))
    text = path.read_text(encoding="utf-8")
    given = f"[for.pe-caribbean]\nwinners = {winners}\n"
    path.write_text(text.replace("[for.pe-caribbean]\n", given), encoding="utf-8")
    assert "winners: must name at least one hand, and each only once" in refusal(path)


def test_fewer_seats_than_the_text_allows_are_no_departure_from_it(tmp_path: Path) -> None:
    path = playing("cl-holdem-limit", tmp_path)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("[for.cl-holdem-limit.table]\n", "[for.cl-holdem-limit.table]\nseats = 6\n"))
    settings = load(str(path))
    assert (settings.game.seats, settings.warnings) == (6, ())
