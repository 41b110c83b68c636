"""Award slips, line by line, each value worked out by hand."""

from pathlib import Path

import pytest

from controller.core import events as ev
from controller.journal import DamagedError
from controller.slips import SlipError, award_slip
from controller.slips.award import AwardSlip
from controller.slips.plain import plain_text
from controller.slips.register import Paper
from controller.slips.slip_page import slip_page
from tests.helpers_slips import TWO_AWARDS, approval_of, house, played

SIGNATURES = "\n\n..........................................\n"


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return played(tmp_path_factory.mktemp("slips"), TWO_AWARDS)


def page(slip: AwardSlip, paper: Paper | None, language: str = "es") -> str:
    return plain_text(slip_page(slip, house(language), paper))


def grouped(digest: str) -> str:
    return f"{digest[:4]} {digest[4:8]} {digest[8:12]} {digest[12:16]}"


def test_the_slip_of_a_share_says_everything_the_rules_ask(journal: Path) -> None:
    """Five wagers of 10.00 put 25.00 into 100,000.00; a straight flush takes 10 % of 100,025.00."""
    seq, digest = approval_of(journal)
    paper = Paper(1, 0, (1_767_225_600 + 900) * 10**9, trusted=True)
    expected = f"""\
    PREMIO ESPECIAL - POZO PROGRESIVO
            COMPROBANTE N.º 1
------------------------------------------
Mesa                 Mesa simulada (SIM-1)
Juego   Poker Caribeño con Pozo Progresivo
Pase                                     2
Asiento                                  2
Apuesta ingresada  2025-12-31 21:10:00 -03
Ganado             2025-12-31 21:10:00 -03
Aprobado           2025-12-31 21:13:00 -03
Día de juego                    2025-12-31
------------------------------------------
Mano                        ESCALERA COLOR
Cartas
  9-PIQUE 10-PIQUE 8-PIQUE 7-PIQUE 6-PIQUE
Regla              10 % del pozo (art. 17)
Nivel                                 main
Pozo antes                    $ 100.025,00
Pozo después                   $ 90.022,50
Paga                               el pozo
------------------------------------------
             IMPORTE A PAGAR
               $ 10.002,50
diez mil dos pesos uruguayos con cincuenta
centésimos
------------------------------------------
Autorizado con      llave del jefe de mesa
Registro n.º {seq:>29}
Huella {grouped(digest):>35}
Impreso            2025-12-31 21:15:00 -03
{SIGNATURES}Ganador: firma y documento
{SIGNATURES}Croupier
{SIGNATURES}Jefe de mesa (autoriza)
{SIGNATURES}Pagó
{SIGNATURES}Establecimiento y sello
"""
    assert page(award_slip(journal, 1), paper) == expected


def test_the_slip_of_a_paid_royal_says_so_and_what_the_pot_restarts_with(journal: Path) -> None:
    text = page(award_slip(journal, 2), Paper(2, 2, 1_767_225_600 * 10**9, trusted=True))
    head = text.splitlines()[:5]
    assert head[1:4] == [
        "            COMPROBANTE N.º 2",
        "             *** COPIA 2 ***",
        "            *** YA PAGADO ***",
    ]
    assert "Ganado             2025-12-31 21:12:00 -03" in text
    assert "Cartas                       no ingresadas" in text
    assert "Regla             100 % del pozo (art. 17)" in text
    assert "Pozo antes                     $ 90.022,50" in text
    assert "Pozo después                        $ 0,00" in text
    assert "El pozo vuelve a empezar con   $ 10.000,00" in text
    assert "noventa mil veintidós pesos uruguayos con\ncincuenta centésimos\n" in text
    assert "Pagado             2025-12-31 21:13:01 -03" in text
    assert "(FICHAS)" in text


def test_english_and_a_view_that_is_no_voucher(journal: Path) -> None:
    text = page(award_slip(journal, 1), None, "en")
    assert "*** VIEW - NO VOUCHER ***" in text
    assert "Printed" not in text
    assert "ten thousand two Uruguayan pesos and fifty\ncentésimos\n" in text
    assert f"{'Rule':<17}10 % of the pot (art. 17)" in text


def test_the_marks_of_reprint_void_and_replacement(journal: Path) -> None:
    slip = award_slip(journal, 1)
    text = page(slip, Paper(1, 1, 0, trusted=False, reprint=True, replaces=True))
    assert text.index("*** REIMPRESIÓN ***") < text.index("*** COPIA 1 ***")
    assert "Puede existir una impresión anterior: no\nse confirmó que terminara.\n" in text
    assert "Reemplaza a un papel anulado.\n" in text
    assert "Impreso           ~1969-12-31 21:00:00 -03\n" in text
    text = page(slip, Paper(1, 0, 0, trusted=True, void="papel roto"))
    assert "*** ANULADO ***" in text
    assert (
        "Anulado: papel roto\nSe anula solo el papel. El premio sigue en\npie; otro papel lo reemplaza.\n"
        in text
    )


def test_a_fixed_prize_the_house_pays_names_no_pot_movement(tmp_path: Path) -> None:
    """Four of a kind is 5,000.00 by article 17; the simulated house pays it, so the pot keeps 100,005.00."""
    journal = played(
        tmp_path,
        "power on\nchip 3\npress coin_in\nclaim 3 four_of_a_kind\nkey supervisor on\napprove\nexpect bets 1",
    )
    slip = award_slip(journal, 1)
    assert (slip.award.pot_before, slip.award.pot_after) == (10_000_500, 10_000_500)
    text = page(slip, None)
    assert "Regla                premio fijo (art. 17)" in text
    assert "Paga                               la casa" in text
    assert "cinco mil pesos uruguayos exactos\n" in text


def test_a_fund_that_was_short_names_who_really_paid(tmp_path: Path) -> None:
    """The reserve holds 0.50 of one wager; a full house is 1,000.00, so the house adds 999.50."""
    journal = played(
        tmp_path,
        "set prizes.full_house.fund reserve\npower on\nchip 4\npress coin_in\nclaim 4 full_house\n"
        "key supervisor on\napprove\nexpect bets 1",
    )
    text = page(award_slip(journal, 1), None)
    assert "  de la reserva                     $ 0,50\n  de la casa                      $ 999,50\n" in text


def test_equal_parts_a_late_lock_and_an_award_after_game_over(tmp_path: Path) -> None:
    """Two wagers add 10.00: two royals share 100,010.00 in parts of 50,005.00; claimed after GAME OVER by key."""
    journal = played(
        tmp_path,
        "power on\nchip 1 2\nkey supervisor on\nlate_lock\npress game_over\nclaim 1 royal_flush\n"
        "claim 2 royal_flush\napprove\nexpect bets 0",
    )
    slip = award_slip(journal, 2)
    assert (slip.round, slip.award.amount, slip.starts_again) == (1, 5_000_500, 1_000_000)
    text = page(slip, None)
    assert "En partes iguales                        2" in text
    assert "Pase                                     1" in text
    assert "Pase cerrado tarde por el jefe de mesa\n" in text


def test_the_claim_that_counts_is_the_newest_one(tmp_path: Path) -> None:
    """Claimed at 21:00, withdrawn, claimed again ten minutes later: won then."""
    journal = played(
        tmp_path,
        "power on\nchip 1\npress coin_in\nclaim 1 flush\nwithdraw 1\nclock +600s\nclaim 1 flush\n"
        "key supervisor on\napprove\nexpect bets 1",
    )
    won = award_slip(journal, 1).won
    assert won.wall_ns // 10**9 == 1_767_225_600 + 600


def test_a_rejected_claim_makes_no_slip(tmp_path: Path) -> None:
    journal = played(
        tmp_path,
        "power on\nchip 1\npress coin_in\nclaim 1 flush\nkey supervisor on\nreject 1 wrong_hand\nexpect bets 1",
    )
    with pytest.raises(SlipError, match="has no award 1"):
        award_slip(journal, 1)


def test_below_the_key_limit_the_slip_says_that_no_key_was_turned(tmp_path: Path) -> None:
    journal = played(
        tmp_path,
        "set policies.award_key_from 600.00\npower on\nchip 1\npress coin_in\nclaim 1 flush\napprove\npaid 1\n"
        "expect bets 1",
    )
    slip = award_slip(journal, 1)
    assert (slip.by_key, slip.paid and slip.paid.how) == (False, ev.Payment.CHIPS)
    assert "Autorizado con  sin llave (bajo el límite)" in page(slip, None)


PINS = """
set access.pin supervisor
set policies.award_key_from 600.00
user 7 Ana supervisor 2580
user 41 Rosa dealer 8042
power on
dealer 41
chip 1 2
press coin_in
claim 1 flush
key supervisor on
"""


def test_the_slip_names_who_had_entered_his_pin(tmp_path: Path) -> None:
    journal = played(tmp_path, PINS + "pad 7 ENTER 2 5 8 0 ENTER\napprove\nexpect phase locked")
    slip = award_slip(journal, 1)
    assert (slip.by_key, slip.approver) == (True, "Ana")
    assert "Autorizado con llave del jefe de mesa: Ana" in page(slip, None)


def test_a_key_without_its_person_approves_only_what_needs_no_key(tmp_path: Path) -> None:
    slip = award_slip(played(tmp_path, PINS + "approve\nexpect phase locked"), 1)
    assert (slip.by_key, slip.approver) == (False, "")
    assert "Autorizado con  sin llave (bajo el límite)" in page(slip, None)


def test_a_dealer_change_that_was_refused_is_not_on_the_slip(tmp_path: Path) -> None:
    script = PINS.replace("chip 1 2\npress coin_in", "chip 1 2\npress coin_in\ndealer 99")
    slip = award_slip(played(tmp_path, script + "approve\nexpect phase locked"), 1)
    assert slip.dealer == "41"


def test_an_altered_record_gets_no_slip(journal: Path, tmp_path: Path) -> None:
    copy = tmp_path / "altered.db"
    copy.write_bytes(journal.read_bytes().replace(b'1000250,"pot_before"', b'9000250,"pot_before"'))
    with pytest.raises(DamagedError, match="the digest of record"):
        award_slip(copy, 1)


def test_control_characters_in_names_reach_no_paper(journal: Path) -> None:
    text = page(award_slip(journal, 1), Paper(1, 0, 0, trusted=True, void="\x1bp\x00 roto\x1d"))
    assert "Anulado: ?p? roto?\n" in text
    assert "\x1b" not in text
