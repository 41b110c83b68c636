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
    "Valor de la ficha: lo fija la Dirección (art. 22)",
    "POZO PRINCIPAL",
    "ESCALERA REAL AL AS: 100 % del pozo principal (art. 17)",
    "ESCALERA COLOR: 10 % del pozo principal (art. 17)",
    "ESCALERA COLOR, lo paga: el pozo (art. 17)",
    "POKER: $ 5.000,00 (art. 17)",
    "FULL: $ 1.000,00 (art. 17)",
    "COLOR: $ 500,00 (art. 17)",
    "COLOR, lo paga: lo fija la casa (no está en el texto)",
    (
        "Quién cobra primero: de izquierda a derecha, por asiento "
        "(art. 19, lectura; el art. 20 deja el procedimiento a la Dirección) *"
    ),
    "Sin visor, terminado el pase las ranuras quedan cerradas y COIN IN se rechaza: sí (no está en el texto) *",
    (
        "Llave del jefe de mesa para aprobar, desde: $ 0,00 "
        "(no está en el texto; el art. 20 deja el procedimiento a la Dirección) *"
    ),
    'La escalera real excluye los demás premios de: la misma mano de cartas (art. 17, lectura de "mano") *',
    "La banca abre con al menos: As y Rey (arts. 8 y 13)",
    "Si la banca no abre, el ANTE se paga 1 a 1: sí (art. 13 B)",
    "Si la banca no abre, la segunda apuesta (BET) se devuelve: sí (art. 13 B, lectura) *",
    "Mínimo del ANTE: lo fija la Dirección (art. 22)",
    "Máximo del ANTE: lo fija la Dirección (art. 22)",
    "La segunda apuesta (BET), en veces el ANTE: 2 (art. 10)",
    "Empate con la banca: no gana nadie y no se retiran las apuestas del jugador (art. 16)",
    "El ANTE también se paga según la tabla: lo fija la casa (art. 18, dos lecturas)",
    "PIERNA O TRÍO: 3 a 1 (art. 14)",
    "POKER: 20 a 1 (art. 14)",
    "Un jugador tiene un número incorrecto de cartas: se anula el pase para ese jugador (art. 9)",
    "La banca tiene un número incorrecto de cartas: se anula todo el pase (art. 9)",
    "Los premios especiales sólo se pagan a quienes apostaron al pozo (art. 6)",
    "El palo nunca define un empate (art. 16)",
    "Los premios especiales se pagan después de todos los pagos de ANTE y apuestas de todos los jugadores (art. 20)",
    "Entregada la primera carta del pase no se retira ni se modifica ninguna apuesta (art. 7)",
    "No hay apuestas verbales (art. 12)",
    "* así se entrega; el texto lo deja abierto y la casa puede fijar otra cosa",
    "Interpreta y complementa el reglamento: Dirección de la División Administración de Personal (último artículo)",
)
CHILE = (
    "Caribbean Poker Plus Progresivo (cl-caribbean-plus-progressive)",
    (
        "Seats, at most: 7 (SCJ sheet, Elementos materiales, Pto 3.4.2; "
        "SCJ catalogue, Jugadores, no. 1, of Caribbean Poker)"
    ),
    "A-2-3-4-5 is a straight: yes (not in the text: the usual ranking) *",
    "STRAIGHT FLUSH: 10 % of the pot main, at most 5,000 times the wager (SCJ sheet, 6.6)",
    "FOUR OF A KIND: 500 times the wager (SCJ sheet, 6.6)",
    "FULL HOUSE: 100 times the wager (SCJ sheet, 6.6)",
    "FLUSH: 50 times the wager (SCJ sheet, 6.6)",
    "Who buys a card loses the wager in the slot: yes (SCJ sheet, 6.5.1)",
    "A player may buy a card, for as much as the ante: yes (SCJ sheet, Secuencia, 4)",
    "More than one card of the players is seen: the whole round is void (SCJ sheet, Jugadas Irregulares, 3.6.4)",
    "Players do not tell each other about their hands (SCJ sheet, Reglas de conducta, Información)",
    "Cards a player may change without buying: 0 (SCJ sheet, Secuencia, 4: only by buying one)",
    "Most the house pays for a hand: no limit, unless the house sets one (SCJ sheet, last point, Pagos)",
    (
        "A player has a wrong number of cards, and it cannot be mended: that hand is void "
        "(SCJ sheet, Jugadas Irregulares, 3.6.4)"
    ),
    "The progressive wager is made before the first bet or together with it (SCJ sheet, Secuencia, 1)",
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
    assert "Las apuestas tienen límite: sí (catálogo SCJ, Texas Hold\u2019em Poker)" in lines
    assert "Las apuestas tienen límite: no (catálogo SCJ, Texas Hold\u2019em Poker)" in sheet(
        "cl-holdem-no-limit"
    )
    assert (
        "Parte de los pozos que cobra la casa: lo fija la casa "
        "(catálogo SCJ, Texas Hold\u2019em Poker: un porcentaje, sin decir cuál)" in lines
    )


def test_punto_y_banca_is_shown_by_its_numbers() -> None:
    lines = sheet("uy-montevideo-punto-banca")
    assert "Jugadores, como mínimo: 5 (num. 3)" in lines
    assert "Con menos de siete cartas en el sabot el pase no vale (nums. 4 y 42)" in lines
    assert "Las apuestas a la banca tienen un descuento del 10 % (num. 11)" in lines
    assert "Suite en un pase intermedio sin descuento: 5 % de lo ganado en él (num. 20)" in lines
    assert "Cartas vistas: se anula todo el pase (num. 10)" in lines
    assert "Si el punto no pide, la banca pide hasta: 5 (el num. 7 no tiene fila) *" in lines


PERU = (
    (
        "Manos que ganan y cuánto ganan: lo fija la casa "
        "(el art. 9 e nombra el Bono; su tabla de pagos no está disponible)"
    ),
    "Los premios los paga: la casa (no está en el texto disponible: no nombra ningún pozo) *",
    "El premio se juzga por: las cartas repartidas (los arts. 10 y 11 no tienen ese paso)",
    "Si la banca no abre, el ANTE se paga 1 a 1: lo fija la casa (no está en el texto disponible)",
    "Los jugadores no intercambian información relacionada con el juego (art. 9 d)",
    "Los jugadores no muestran sus cartas a los demás (art. 9 d)",
    "Los jugadores no intercambian sus cartas (art. 9 d)",
)


def test_the_sheet_of_a_text_that_is_not_whole_says_so() -> None:
    lines = sheet("pe-caribbean")
    assert [line for line in PERU if line not in lines] == []


def test_hands_are_called_as_each_countrys_text_calls_them() -> None:
    chile = sheet("cl-caribbean-progressive")
    assert (
        "Escalera de Color: 10 % del pozo principal, a lo más 5.000 veces la apuesta (ficha SCJ, 6.6)"
        in chile
    )
    for hand, to_one in (("Dos Pares", 2), ("Trío", 3), ("Carta Alta", 1)):
        assert f"{hand}: {to_one} a 1 (ficha SCJ, Tabla de Pagos (Juego Base - BET))" in chile
    english = sheet("uy-montevideo-caribbean", "--lang", "en")
    assert "ROYAL FLUSH: 100 % of the pot main (art. 17)" in english
    assert "FOUR OF A KIND: $ 5,000.00 (art. 17)" in english


def test_only_what_can_be_asked_at_the_table_is_on_its_sheet() -> None:
    bought = "Quien compra una carta pierde la apuesta de la ranura"
    unopened = "Se paga el premio aunque la banca no abra"
    plus, go = sheet("cl-caribbean-plus-progressive"), sheet("cl-go-poker-progressive")
    assert f"{bought}: sí (ficha SCJ, 6.5.1)" in plus
    for name in (
        "uy-montevideo-caribbean",
        "cl-caribbean-progressive",
        "cl-draw-progressive",
        "pe-caribbean",
    ):
        assert not [line for line in sheet(name) if line.startswith(bought)], name
    assert not [line for line in go if line.startswith((bought, unopened))]
    assert not [line for line in sheet("cl-draw-progressive") if "aunque haya progresivo" in line]
    slotless = "Sin visor, terminado el pase COIN IN se rechaza: lo fija la casa (no está en el texto)"
    assert slotless in sheet("cl-caribbean")
    assert "A-2-3 es escalera: sí (no está en el texto: el orden usual) *" in sheet("cl-three-card")


def test_games_of_the_catalogue_say_how_they_are_played() -> None:
    draw, omaha = sheet("cl-draw"), sheet("cl-omaha")
    told = 'Todos declaran "ir" o "no ir" antes de que alguno cambie cartas'
    assert f"{told} (catálogo SCJ, Juego modalidad Draw Poker)" in draw
    assert "La mano se forma con 2 cartas propias y 3 comunitarias (catálogo SCJ, Omaha Poker)" in omaha
    assert "Hasta cuatro espacios de apuestas (catálogo SCJ, Omaha Poker)" in omaha
    assert "Hasta cinco espacios de apuestas (catálogo SCJ, Seven Stud Poker)" in sheet("cl-seven-stud")


@pytest.mark.parametrize("language", ["es", "en"])
@pytest.mark.parametrize("name", names(Kind.GAME))
def test_every_sheet_is_written_whole(name: str, language: str) -> None:
    lines = sheet(name, "--lang", language)
    assert len(lines) > 15
    assert not [line for line in lines if "{" in line or "None" in line or ".value" in line]
    if language == "es":
        assert not [line for line in lines if " the " in line or "seed 002" in line or "seed 004" in line]


def test_a_sheet_as_json_is_the_profile() -> None:
    profile = msgspec.json.decode(run("show", "pe-caribbean", "--json").output)
    assert profile["winners"]["house"] is True
    assert profile["cards"]["own"] == {"source": "art. 10", "value": 5, "house": False, "by": "house"}


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
