"""Where the emulator works: a card copied from the image, the files a technician puts on it, and notes."""

import json
import os
import shutil
from pathlib import Path

from emulator.card import Fat
from emulator.guest import Guest
from emulator.table import Table
from emulator.tools import tool

ROOT = Path(__file__).resolve().parents[2]
SHIPPED_BOARD = ROOT / "config/boards/rpi-7seat.toml"
CARD_BYTES = 4 << 30
"""The card is larger than the image, as every card is: the data partition must find the rest."""


class Bench:
    """A folder with one card, its lives one after the other, and a note of what was done."""

    def __init__(self, image: Path, place: Path) -> None:
        self.image = image
        self.place = place
        self.card = place / "card.img"
        self.board = place / "board.toml"
        self._note = place / "done.json"

    def new_card(self, table: Path | None = None, board: Path | None = None) -> None:
        """Flash the image onto a new card, and put a technician's own files where his computer would put them.

        Without `table` the card plays as it was flashed. `board` is what the hands go by; the table's file names it.
        """
        shutil.rmtree(self.place, ignore_errors=True)
        self.place.mkdir(parents=True)
        tool("cp", "--sparse=always", str(self.image), str(self.card))
        os.truncate(self.card, CARD_BYTES)
        self.board.write_bytes((board or SHIPPED_BOARD).read_bytes())
        front = Fat(self.card, 1)
        if table is not None:
            front.write("pozo/table.toml", table.read_bytes())
        if board is not None:
            front.write(f"pozo/{board.name}", board.read_bytes())

    def life(self, *, trying: bool = False) -> Guest:
        """Switch the board on."""
        number = self.note("lives", self.noted("lives") + 1)
        return Guest(self.card, self.place / f"life-{number}", trying=trying)

    def table(self, guest: Guest) -> Table:
        """The table in a guest."""
        return Table(guest, self.board)

    def noted(self, what: str) -> int:
        """A number kept between runs, 0 at first."""
        return int(self._notes().get(what, 0))

    def note(self, what: str, number: int) -> int:
        """Keep a number."""
        notes = {**self._notes(), what: number}
        draft = self._note.with_suffix(".draft")
        draft.write_text(json.dumps(notes), encoding="ascii")
        draft.rename(self._note)
        return number

    def _notes(self) -> dict[str, int]:
        if not self._note.exists():
            return {}
        notes: dict[str, int] = json.loads(self._note.read_text(encoding="ascii"))
        return notes
