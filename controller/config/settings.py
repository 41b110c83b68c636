"""What a table runs with: the outcome of `load`, read once and never changed."""

import hashlib
from pathlib import Path

import msgspec

from controller.config.base import Base
from controller.config.desk import Ruling
from controller.config.document import FileUsed
from controller.core.game import Game
from controller.inputs import Timings
from hal.interface import Wiring


class Software(msgspec.Struct, frozen=True):
    """Where the signed list of the program's files is, and the public key that must have signed it."""

    manifest: Path
    key: Path


class Link(msgspec.Struct, frozen=True):
    """The floor's database in libpq's words, and the socket on which the table hears from its link process."""

    floor: str
    socket: Path


class Webhook(msgspec.Struct, frozen=True):
    """An HTTPS address that takes records; `ca`: the file of the authority to trust, None for the system's."""

    url: str
    ca: Path | None


class Onward(msgspec.Struct, frozen=True):
    """Everything a table's records are sent to. None: not there. `folder` is the CSV files' directory."""

    link: Link | None
    webhook: Webhook | None
    folder: Path | None


class Settings(msgspec.Struct, frozen=True):
    """Everything a table runs with.

    `source` is the table's own file and `digest` the SHA-256 of its bytes; `files` adds the profile and the
    board. `machine` is the serial number of the board it runs on, empty for a simulated one and where there is none.
    `witness` is the directory of the journal's second copy. `base` is the game against the bank, if there is
    one. `rulings` says of each rule of the game who gave it. `warnings` are for whoever starts the table.
    """

    table_id: str
    name: str
    locale: str
    language: str
    timezone: str
    day_starts_at: str
    journal: Path
    witness: Path
    software: Software | None
    onward: Onward
    game: Game
    game_title: str
    base: Base | None
    wiring: Wiring
    timings: Timings
    board_title: str
    machine: str
    source: Path
    digest: str
    files: tuple[FileUsed, ...]
    rulings: tuple[Ruling, ...]
    warnings: tuple[str, ...]

    @property
    def slots(self) -> int:
        """How many seats have a slot and a lamp on this board: all, but where a game has no wager."""
        return sum(1 for line in self.wiring.inputs if line.name.startswith("seat_"))


def board_written(settings: Settings) -> str:
    """The board as JSON: every pin, voltage, resistor and device of the wiring, the filter's times, its serial number.

    So a card in another machine is on another board, which both keys must accept. Lines stand by their names: in what
    order a file has them is no part of the board.
    """
    wiring = settings.wiring
    lines = {
        way: {line.name: msgspec.to_builtins(line) for line in several}
        for way, several in (("inputs", wiring.inputs), ("outputs", wiring.outputs))
    }
    board = {**msgspec.to_builtins(wiring), **lines, "timings": msgspec.to_builtins(settings.timings)}
    if settings.machine:
        board["machine"] = settings.machine
    return msgspec.json.encode(board, order="deterministic").decode()


def board_digest(settings: Settings) -> str:
    """SHA-256 of the board as written, 32 hex digits: short, for every record carries it in its state."""
    return hashlib.sha256(board_written(settings).encode()).hexdigest()[:32]


def game_digest(game: Game) -> str:
    """SHA-256, in hex, of the game's rules as canonical JSON: the same rules give the same digest anywhere."""
    return hashlib.sha256(msgspec.json.encode(game, order="deterministic")).hexdigest()
