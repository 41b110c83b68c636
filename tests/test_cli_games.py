"""`pozo games`: the list, the rules sheet in both languages, and what a program reads."""

from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from controller.cli.games import games
from controller.config import Kind, names
from tests.helpers_config import PROFILE, changed, written


def run(*args: str) -> Result:
    return CliRunner().invoke(games, args)


def sheet(*args: str) -> list[str]:
    """The lines of a rules sheet."""
    result = run("show", *args)
    assert result.exit_code == 0, result.output
    return [line.strip() for line in result.output.splitlines()]


def test_every_game_is_listed_with_seats_and_whether_it_has_a_pot() -> None:
    lines = run().output.splitlines()
    assert len(lines) == 17
    assert (
        "uy-montevideo-caribbean         7 seats  progressive   Poker Caribeño con Pozo Progresivo" in lines
    )
    assert "cl-draw                         6 seats  no wager      Draw Poker" in lines
    assert "pe-caribbean                    7 seats  bonus         Caribbean Stud Poker" in lines
    assert "uy-montevideo-punto-banca      16 seats  no wager      Punto y Banca" in lines


def test_the_list_as_json_is_what_a_program_reads() -> None:
    listed = msgspec.json.decode(run("--json").output)
    assert [game["name"] for game in listed] == list(names(Kind.GAME))
    assert [game["name"] for game in listed if game["progressive"]] == [
        "cl-caribbean-plus-progressive",
        "cl-caribbean-progressive",
        "cl-draw-progressive",
        "cl-go-poker-progressive",
        "uy-montevideo-caribbean",
    ]
    assert {game["name"] for game in listed if game["slot_wager"] and not game["progressive"]} == {
        "pe-caribbean"
    }


MONTEVIDEO = (
    "Poker Caribeño con Pozo Progresivo (uy-montevideo-caribbean)",
    "Asientos: 7 (el texto no dice cuántos; 7 es la mesa usual) *",
    "A-2-3-4-5 es escalera: no (art. 15)",
    "Valor de la ficha: lo dice la casa (art. 22)",
    "ESCALERA REAL: 100 % del pozo main (art. 17)",
    "ESCALERA COLOR: 10 % del pozo main (art. 17)",
    "ESCALERA COLOR, lo paga: el pozo (art. 17)",
    "POKER: $ 5.000,00 (art. 17)",
    "FULL: $ 1.000,00 (art. 17)",
    "COLOR: $ 500,00 (art. 17)",
    "COLOR, lo paga: lo dice la casa (no está en el texto)",
    "Quién cobra primero: de izquierda a derecha, por asiento (art. 19)",
    'La escalera real excluye los demás premios de: la misma mano de cartas (art. 17, lectura de "mano") *',
    "La banca compite con al menos: As y Rey (arts. 8 y 13)",
    "El ANTE también se paga según la tabla: lo dice la casa (art. 18, dos lecturas)",
    "POKER: 20 a 1 (art. 14)",
    "Un jugador tiene un número incorrecto de cartas: se anula la mano del jugador (art. 9)",
    "La banca tiene un número incorrecto de cartas: se anula el pase (art. 9)",
    "No hay apuestas verbales (art. 12)",
    "* así se entrega; el texto lo deja abierto y la casa puede decir otra cosa",
)
CHILE = (
    "Caribbean Poker Plus Progresivo (cl-caribbean-plus-progressive)",
    "Seats, at most: 7 (seed 004, Elementos materiales, Pto 3.4.2; seed 002, Jugadores, no. 1)",
    "A-2-3-4-5 is a straight: yes (not in the text: the usual ranking) *",
    "STRAIGHT FLUSH: 10 % of the pot main, at most 5000 times the wager (seed 004, 6.6)",
    "FOUR OF A KIND: 500 times the wager (seed 004, 6.6)",
    "FULL HOUSE: 100 times the wager (seed 004, 6.6)",
    "FLUSH: 50 times the wager (seed 004, 6.6)",
    "Who buys a card loses the wager in the slot: yes (seed 004, 6.5.1)",
    "A player may buy a card, for as much as the ante: yes (seed 004, Secuencia, 4)",
    "More than one card of the players is seen: the round is void (seed 004, Jugadas Irregulares, 3.6.4)",
    "Players do not tell each other about their hands (seed 004, Reglas de conducta, Información)",
)


def test_a_supervisor_reads_the_rules_with_their_articles_in_spanish() -> None:
    lines = sheet("uy-montevideo-caribbean")
    assert [line for line in MONTEVIDEO if line not in lines] == []


def test_and_in_english() -> None:
    lines = sheet("cl-caribbean-plus-progressive", "--lang", "en")
    assert [line for line in CHILE if line not in lines] == []


def test_a_game_without_a_wager_says_so_and_one_among_players_names_the_houses_part() -> None:
    lines = sheet("cl-holdem-limit")
    assert (
        "Este juego no tiene apuesta en las ranuras: quedan cerradas; los pases se cierran y se cuentan"
        in lines
    )
    assert "Las apuestas tienen límite: sí (seed 002, Texas Hold\u2019em Poker)" in lines
    assert "Las apuestas tienen límite: no (seed 002, Texas Hold\u2019em Poker)" in sheet(
        "cl-holdem-no-limit"
    )
    assert (
        "Parte de los pozos que cobra la casa: lo dice la casa "
        "(seed 002, Texas Hold\u2019em Poker: un porcentaje, sin decir cuál)" in lines
    )


def test_punto_y_banca_is_shown_by_its_numbers() -> None:
    lines = sheet("uy-montevideo-punto-banca")
    assert "Jugadores, como mínimo: 5 (num. 3)" in lines
    assert "Con menos de siete cartas en el sabot el pase no vale (nums. 4 y 42)" in lines
    assert "Las apuestas a la banca tienen un descuento del 10 % (num. 11)" in lines
    assert "Suite en un pase intermedio sin descuento: 5 % de lo ganado en él (num. 20)" in lines
    assert "Cartas vistas: se anula el pase (num. 10)" in lines
    assert "Si el punto no pide, la banca pide hasta: 5 (el num. 7 no tiene fila) *" in lines


@pytest.mark.parametrize("language", ["es", "en"])
@pytest.mark.parametrize("name", names(Kind.GAME))
def test_every_sheet_is_written_whole(name: str, language: str) -> None:
    lines = sheet(name, "--lang", language)
    assert len(lines) > 15
    assert not [line for line in lines if "{" in line or "None" in line or ".value" in line]
    if language == "es":
        assert not [line for line in lines if " the " in line]


def test_a_sheet_as_json_is_the_profile() -> None:
    profile = msgspec.json.decode(run("show", "pe-caribbean", "--json").output)
    assert profile["winners"]["house"] is True
    assert profile["cards"]["own"] == {"source": "art. 10", "value": 5, "house": False}


def test_a_game_nobody_knows_is_refused_with_what_there_is() -> None:
    result = run("show", "cl-carribean")
    assert result.exit_code == 1
    assert 'Did you mean "cl-caribbean"?' in result.output


def test_a_profile_without_a_currency_has_no_sheet(tmp_path: Path) -> None:
    path = written(
        tmp_path / "own.toml",
        changed(PROFILE, ('{ value = "UYU", source = "art. 17" }', '{ source = "art. 17", house = true }')),
    )
    result = run("show", str(path))
    assert result.exit_code == 1
    assert "leaves the currency to the house" in result.output
