"""The files of a table in the storm: a game with a linked pot and a pot of the table's own, rates that leave a rest."""

from pathlib import Path
from typing import NamedTuple

from tests.helpers_config import PROFILE, changed, written

LINK = "sala"
WAGER = 1_000


class Rates(NamedTuple):
    """A level's values, amounts in minor units."""

    base: int
    reset: int
    increment_ppm: int
    reserve_ppm: int


MAIN = Rates(10_000_000, 1_000_000, 333_333, 77_777)
MESA = Rates(500_000, 50_000, 111_111, 0)
FIXED = {"flush": 50_000, "four_of_a_kind": 500_000}
"""What the house pays by itself."""

LEVELS = PROFILE[PROFILE.index("[levels.main]") : PROFILE.index("[winners]")]
GAME = changed(
    PROFILE,
    ("[winners]", LEVELS.replace("levels.main", "levels.mesa") + "[winners]"),
    ('level = "main"\namount = "1000.00"', 'level = "mesa"\nshare_ppm = 100_000'),
)
"""A royal takes the linked pot and a straight flush a tenth of it; a full house takes a tenth of the table's own."""

TABLE = """
game = "./game.toml"
board = "simulated-7seat"

[table]
id = "{name}"
name = "{name}"
locale = "es_UY"
language = "es"
timezone = "America/Montevideo"
day_starts_at = "06:00"

[wager]
amount = "10.00"
currency = "UYU"
payable_unit = "0.01"

[pot.main]
{main}
link = "{link}"

[pot.mesa]
{mesa}

[prizes]
four_of_a_kind.fund = "house"
full_house.fund = "pot"
flush.fund = "house"

[base]
ante_min = "10.00"
ante_max = "1000.00"
ante_by_table = true

[access]
pin = []

[policies]
award_key_from = "0.00"
require_sign = true

[release]
pulse_ms = 500

[journal]
path = "{folder}/{name}.db"

[witness]
path = "{folder}/{name}.witness"

[link]
floor = "{floor}"
socket = "{folder}/{name}.sock"
offline = "{offline}"
"""


def money(units: int) -> str:
    """As the files spell it."""
    return f"{units // 100}.{units % 100:02}"


def _pot(rates: Rates) -> str:
    return (
        f'base_amount = "{money(rates.base)}"\nreset_amount = "{money(rates.reset)}"\n'
        f"increment_rate_ppm = {rates.increment_ppm}\nreserve_rate_ppm = {rates.reserve_ppm}\n"
        'limit = "10000000.00"\noverflow_use = "next_reset"'
    )


def table_file(folder: Path, name: str, floor: str, *, strict: bool) -> Path:
    """The file of a table whose link comes to the floor by `floor`."""
    written(folder / "game.toml", GAME)
    text = TABLE.format(
        name=name,
        folder=folder,
        floor=floor,
        link=LINK,
        main=_pot(MAIN),
        mesa=_pot(MESA),
        offline="strict" if strict else "continue",
    )
    return written(folder / f"{name}.toml", text)
