"""The table's, the board's and the game's TOML files, and amounts as an operator types them."""

from contextlib import suppress

from controller.config import ConfigError, load
from controller.core.money import AmountError, Currency, parse, plain
from tests.fuzz.target import Target, folder, put
from tests.helpers_config import BOARD, PROFILE, TABLE, changed


def table_file(data: bytes) -> None:
    """A table's file."""
    _load(data)


def board_file(data: bytes) -> None:
    """A board's file, named by a good table's file."""
    put("board.toml", data)
    _load(changed(TABLE, ('"rpi-7seat" ', '"./board.toml" ')).encode())


def game_file(data: bytes) -> None:
    """A game's profile, named by a good table's file."""
    put("game.toml", data)
    _load(changed(TABLE, ('"uy-montevideo-caribbean"', '"./game.toml"')).encode())


def _load(table: bytes) -> None:
    path = put("mesa.toml", table)
    problem = ""
    try:
        load(str(path))
    except ConfigError as error:
        problem = str(error).replace(str(folder()), "")
    assert problem.isascii(), "any display must be able to show it"


def override(data: bytes) -> None:
    """A drill's `set KEY VALUE`."""
    key, _, value = data.decode("utf-8", "replace").partition(" ")
    with suppress(ConfigError):
        load("simulated", {key: value})


def amount(data: bytes) -> None:
    """An amount: what is taken can be written back as it was."""
    text = data.decode("utf-8", "replace")
    for currency in Currency:
        with suppress(AmountError):
            assert plain(parse(text, currency), currency) == text


TARGETS = {
    "table": Target(table_file, (TABLE.encode(),), 8192),
    "board": Target(board_file, (BOARD.encode(),), 8192),
    "game": Target(game_file, (PROFILE.encode(),), 8192),
    "override": Target(override, (b"wager.amount 10.00", b"table.seats 7", b"policies.order seat"), 200),
    "amount": Target(amount, (b"100003.50", b"10000", b"0.01", b"100000000000000"), 64),
}
