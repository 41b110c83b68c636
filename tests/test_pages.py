"""The croupier's page and the sign, in words: order, forms, the arithmetic of awards, winners, and what comes next."""

import pytest
from msgspec.structs import replace

from controller.core import events as ev
from controller.core.game import Fund, Game, Hand, Prize, RoyalExcludes, Share
from controller.core.money import Currency
from controller.core.state import Phase, Table
from controller.pages import SIGN_WINNERS_MAX, screen, sign
from controller.texts import Text
from controller.words import Words
from tests.helpers_game import (
    GAME,
    PRIZES,
    chips,
    key,
    locked,
    new_table,
    opened,
    pending,
    play,
    with_policies,
)
from tests.helpers_world import SECOND, act, chip, now, powered, press

ES = Words("es", "es_UY", Currency.UYU, "Mesa 7")
EN = Words("en", "es_UY", Currency.UYU, "Table 7")


def page(table: Table, game: Game = GAME, words: Words = ES) -> list[str]:
    return [words.say(line) for line in screen(game, table)]


def on_sign(table: Table, game: Game = GAME, words: Words = ES) -> str:
    return words.say(sign(game, table))


@pytest.mark.parametrize(
    ("seats", "spanish", "english"),
    [
        ((), "NO VA MÁS - 0 APUESTAS - VERIFIQUE 0 FICHAS", "NO MORE BETS - 0 WAGERS - CHECK 0 CHIPS"),
        ((4,), "NO VA MÁS - 1 APUESTA - VERIFIQUE 1 FICHA", "NO MORE BETS - 1 WAGER - CHECK 1 CHIP"),
        ((1, 4, 6), "NO VA MÁS - 3 APUESTAS - VERIFIQUE 3 FICHAS", "NO MORE BETS - 3 WAGERS - CHECK 3 CHIPS"),
    ],
)
def test_the_count_stands_first_and_in_the_right_form(
    seats: tuple[int, ...], spanish: str, english: str
) -> None:
    assert page(locked(*seats))[0] == spanish
    assert page(locked(*seats), words=EN)[0] == english


def test_bets_open_shows_count_and_seats() -> None:
    table = play(GAME, opened(), chips(2, 6))
    assert page(table) == ["APUESTAS ABIERTAS - 2 FICHAS", "COLOCADAS: ASIENTO 2 6", "SIGUE: COIN IN"]


def test_what_must_be_done_now_comes_before_what_is_known() -> None:
    table = play(GAME, locked(2), [*chips(2, 3, at_ns=40), ev.DiscrepancyFound(41, 2), ev.CoinInPressed(42)])
    assert page(table) == [
        "NO VA MÁS - 1 APUESTA - VERIFIQUE 1 FICHA",
        "NO SE HIZO: AHORA NO CORRESPONDE",
        "DEVUELVA FICHA - ASIENTO 2 3",
        "CONTÓ 2 FICHAS - LLAME AL JEFE DE MESA",
        "INGRESADAS: ASIENTO 2",
        "SIGUE: GAME OVER",
    ]


def test_a_fault_of_the_table_stands_above_and_a_warning_below() -> None:
    table = play(GAME, locked(2), [ev.ButtonStuck(40, ev.Button.COIN_IN), ev.StorageFailed(41, "full", ())])
    assert page(table)[1:4] == [
        "FALLA: HUBO REGISTROS SIN GUARDAR, LLAME AL TÉCNICO",
        "FALLA: COIN IN ESTÁ APRETADO, SUÉLTELO",
        "INGRESADAS: ASIENTO 2",
    ]


def test_awards_are_told_step_by_step_with_their_arithmetic() -> None:
    """100,010.00: seat 2's tenth is 10,001.00; seat 5's royal takes the 90,009.00 that are left; reset 10,000.00."""
    table = pending({2: Hand.STRAIGHT_FLUSH, 5: Hand.ROYAL_FLUSH})
    assert page(table) == [
        "PREMIO PENDIENTE - LLAME AL JEFE DE MESA",
        "ASIENTO 2: ESCALERA COLOR",
        "ASIENTO 5: ESCALERA REAL",
        "ASIENTO 2: 10 % DE $ 100.010,00 = $ 10.001,00",
        "POZO DESPUÉS: $ 90.009,00",
        "ASIENTO 5: 100 % DE $ 90.009,00 = $ 90.009,00",
        "POZO DESPUÉS: $ 0,00",
        "EL POZO VUELVE A EMPEZAR CON $ 10.000,00",
        "SEGÚN LA MANO - ASIENTO 2: $ 10.001,00",
        "SEGÚN LA MANO - ASIENTO 5: $ 90.009,00",
        "SEGÚN EL PASE - ASIENTO 5: $ 100.010,00",
        "INGRESADAS: ASIENTO 2 5",
        "PARA APROBAR: MANTENGA GAME OVER",
    ]


def test_equal_parts_a_cap_a_fixed_prize_and_an_exclusion_say_what_they_are() -> None:
    split = page(pending({2: Hand.ROYAL_FLUSH, 5: Hand.ROYAL_FLUSH}))
    assert "ASIENTO 5: 100 % DE $ 100.010,00, EN 2 PARTES = $ 50.005,00" in split
    capped = replace(
        GAME, prizes=(Prize(Hand.FLUSH, "main", Share(100_000, 500_000), Fund.POT, "3.2"), *PRIZES[:4])
    )
    assert "ASIENTO 2: 10 % DE $ 100.005,00, TOPE $ 5.000,00" in page(
        pending({2: Hand.FLUSH}, capped), capped
    )
    assert "ASIENTO 3: PREMIO FIJO $ 500,00" in page(pending({3: Hand.FLUSH}))
    by_round = with_policies(royal_excludes=RoyalExcludes.ROUND)
    excluded = page(pending({2: Hand.FLUSH, 5: Hand.ROYAL_FLUSH}, by_round), by_round)
    assert "ASIENTO 2: LO EXCLUYE LA ESCALERA REAL" in excluded


def test_what_is_approved_and_unpaid_stays_on_the_page() -> None:
    table = play(GAME, pending({2: Hand.FLUSH}), [ev.AwardsApproved(40), ev.GameOverPressed(41)])
    assert "PAGUE ASIENTO 2: $ 500,00" in page(table)


@pytest.mark.parametrize(
    ("events", "text"),
    [
        ([], Text.NEXT_KEY_TO_OPEN),
        ([key(True)], Text.NEXT_HOLD_TO_OPEN),
        ([key(True), ev.LampTestStarted(1)], Text.NEXT_LAMPS),
        ([key(True, ev.Key.TECHNICIAN)], Text.NEXT_KEY_BACK),
    ],
)
def test_a_closed_table_says_what_comes_next(events: list[ev.AnyEvent], text: Text) -> None:
    assert screen(GAME, play(GAME, new_table(), events))[-1].text is text


def test_a_pending_award_asks_for_the_key_only_where_approval_needs_it() -> None:
    without = play(GAME, pending({2: Hand.FLUSH}), [key(False)])
    assert screen(GAME, without)[-1].text is Text.NEXT_KEY_TO_APPROVE
    # From 600.00 on the key is needed: 500.00 are the dealer's to approve.
    small = with_policies(award_key_from=60_000)
    table = play(small, pending({2: Hand.FLUSH}, small), [key(False)])
    assert screen(small, table)[-1].text is Text.NEXT_HOLD_TO_APPROVE


def test_the_sign_names_seat_amount_and_table_beside_the_new_pot_until_the_next_lock() -> None:
    table = play(GAME, pending({2: Hand.STRAIGHT_FLUSH}), [ev.AwardsApproved(40)])
    won = "ASIENTO 2 GANA $ 10.000,50 - Mesa 7 - POZO $ 90.004,50"
    assert on_sign(table) == won
    assert on_sign(table, words=EN) == "SEAT 2 WINS $ 10.000,50 - Table 7 - POT $ 90.004,50"
    paid = play(GAME, table, [ev.AwardPaid(41, 1, ev.Payment.CASH, True), ev.GameOverPressed(42)])
    assert on_sign(paid) == won
    assert on_sign(play(GAME, paid, [ev.CoinInPressed(50)])) == "$ 90.004,50"
    unpaid = play(GAME, table, [ev.GameOverPressed(42), ev.CoinInPressed(50)])
    assert on_sign(unpaid) == won


def test_the_sign_names_the_newest_winners_and_says_out_of_service_beside_them() -> None:
    table = pending(dict.fromkeys(range(1, 8), Hand.FLUSH))
    table = play(
        GAME, table, [ev.AwardsApproved(40), ev.GameOverPressed(41), *chips(1), ev.CoinInPressed(50)]
    )
    table = play(GAME, table, [ev.AwardClaimed(60, 1, Hand.FLUSH), ev.AwardsApproved(61)])
    shown = on_sign(table)
    assert len(table.awards) == SIGN_WINNERS_MAX + 1
    assert shown.count("GANA") == SIGN_WINNERS_MAX
    assert shown.startswith("ASIENTO 2 GANA $ 500,00 - ASIENTO 3 GANA")
    lost = play(GAME, table, [ev.StorageFailed(70, "full", ())])
    assert on_sign(lost).endswith("ASIENTO 1 GANA $ 500,00 - Mesa 7 - FUERA DE SERVICIO")


def test_the_sign_of_a_whole_table_shows_the_winner_within_a_second_of_approval() -> None:
    with powered() as world:
        chip(world, 2)
        press(world, ev.Button.COIN_IN)
        world.drive(ev.Key.SUPERVISOR, active=True)
        world.pass_time(SECOND)
        act(world, ev.AwardClaimed(now(world), 2, Hand.FLUSH))
        assert "GANA" not in world.hal.signs
        approved = now(world)
        act(world, ev.AwardsApproved(approved))
        assert world.hal.signs == "ASIENTO 2 GANA $ 500,00 - Mesa simulada - POZO $ 100.005,00"
        assert now(world) - approved < SECOND


def test_every_phase_has_a_page_that_begins_with_it() -> None:
    first = {
        Phase.CLOSED: (new_table(), Text.CLOSED),
        Phase.OPEN: (opened(), Text.OPEN),
        Phase.LOCKED: (locked(1), Text.LOCKED),
        Phase.AWARD_PENDING: (pending({1: Hand.FLUSH}), Text.AWARD_PENDING),
        Phase.TEST: (play(GAME, new_table(), [key(True, ev.Key.TECHNICIAN)]), Text.TEST),
    }
    assert set(first) == set(Phase)
    for phase, (table, text) in first.items():
        assert (table.phase, screen(GAME, table)[0].text) == (phase, text)
