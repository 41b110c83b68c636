"""The pictures in docs/pictures/table, drawn by the program itself: `python -m tests.helpers_pictures` draws them anew.

Each shows the croupier's screen of 128×64 dots at one moment of a real table of events, its pages side by side as they
follow each other; or a lamp's pattern as light and dark over four seconds. `tests/test_pictures.py` compares them.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

from PIL import Image

from controller.core import events as ev
from controller.core.faults import FaultCode
from controller.core.game import Hand
from controller.core.money import Currency
from controller.core.state import Table
from controller.journal import Head, Record
from controller.outputs import Lamp, lit
from controller.pages import screen
from controller.screen import Look, draw
from controller.screen.layout import pages
from controller.stranded import lines
from controller.texts import Line, Text
from controller.witness import Slot
from controller.witness.verdict import JournalBehind
from controller.words import LANGUAGES, Words
from hal.interface import PANELS, ScreenKind
from hal.panel import as_image
from tests.helpers_game import GAME, chips, key, locked, new_table, opened, pending, play
from tests.helpers_menu import Thumb

PICTURES = Path(__file__).parent.parent / "docs" / "pictures" / "table"
PANEL = PANELS[ScreenKind.SSD1306]
SCALE = 2
GAP = 6
"""Dots between two pages."""
PAPER, INK, LIGHT = (255, 255, 255), (16, 20, 24), (255, 196, 64)
MS = 1_000_000
STRIP_MS, STRIP_STEP_MS, STRIP_HEIGHT = 4_000, 10, 14
SHOWN_LAMPS = (Lamp.ATTRACT, Lamp.PLACED, Lamp.ACCEPTED, Lamp.WINNER, Lamp.PROBLEM, Lamp.CHOSEN)
ROW = (0, 0, 0, 0, 0, "", "", "", "", "")
SEAT, SEATS = 3, 7
"""Whose lamp a strip shows; only the chase depends on it."""


def _of(table: Table) -> tuple[Line, ...]:
    return screen(GAME, table)


def _menu() -> tuple[Line, ...]:
    thumb = Thumb(GAME, play(GAME, locked(2, 3, 6), [key(True)]))
    thumb.hold()
    return thumb.lines


def _jam() -> Table:
    return play(GAME, opened(), [*chips(2, 3), ev.SeatJammed(1_050 * MS, 6, 50 * MS)])


def _stranded() -> tuple[Line, ...]:
    event = ev.GameOverPressed(1)
    record = Record(
        4_711, 3, 1, 0, wall_trusted=True, kind="x", event=event, results=(), state=opened(), digest=""
    )
    return (Line(Text.OUT_OF_SERVICE), *lines(JournalBehind(Slot("mvd-07", 9, record, ROW), Head(4_690, ""))))


MOMENTS: Mapping[str, Callable[[], tuple[Line, ...]]] = {
    "closed": lambda: _of(new_table()),
    "lamp-test": lambda: _of(play(GAME, new_table(), [key(True), ev.LampTestStarted(1)])),
    "open": lambda: _of(play(GAME, opened(), chips(2, 3, 6))),
    "locked": lambda: _of(locked(2, 3, 6)),
    "late": lambda: _of(play(GAME, locked(2, 3, 6), chips(5, at_ns=40))),
    "excess": lambda: _of(play(GAME, opened(), chips(2, 3, 6, 6))),
    "award": lambda: _of(play(GAME, pending({3: Hand.STRAIGHT_FLUSH}), [key(False)])),
    "pay": lambda: _of(play(GAME, pending({3: Hand.STRAIGHT_FLUSH}), [ev.AwardsApproved(40), key(False)])),
    "menu": _menu,
    "fault-sign": lambda: _of(
        play(GAME, opened(), [ev.DeviceLost(15, FaultCode.SIGN_LOST, "no answer"), ev.CoinInPressed(20)])
    ),
    "fault-seat": lambda: _of(_jam()),
    "out-of-service": _stranded,
}
"""What is on the screen when."""


def picture(name: str, language: str) -> Image.Image:
    """A moment's pages, side by side."""
    words = Words(language, "es_UY", Currency.UYU, "Mesa 7")
    lines = tuple(words.say(line) for line in MOMENTS[name]())
    count = len(pages(lines, PANEL))
    width = count * (PANEL.width + GAP) - GAP
    sheet = Image.new("RGB", (width * SCALE, PANEL.height * SCALE), PAPER)
    for page in range(count):
        dots = as_image(draw(lines, PANEL, Look(page))).convert("L")
        bright = dots.resize((PANEL.width * SCALE, PANEL.height * SCALE), Image.Resampling.NEAREST)
        tile = Image.composite(
            Image.new("RGB", bright.size, PAPER), Image.new("RGB", bright.size, INK), bright
        )
        sheet.paste(tile, (page * (PANEL.width + GAP) * SCALE, 0))
    return sheet


def strip(lamp: Lamp) -> Image.Image:
    """A lamp over four seconds, from left to right."""
    image = Image.new("RGB", (STRIP_MS // STRIP_STEP_MS, STRIP_HEIGHT), INK)
    for x in range(image.width):
        if lit(lamp, SEAT, SEATS, x * STRIP_STEP_MS * MS):
            image.paste(LIGHT, (x, 1, x + 1, STRIP_HEIGHT - 1))
    return image


def all_pictures() -> dict[str, Image.Image]:
    """Every picture by its file's name."""
    drawn = {f"{name}-{language}.png": picture(name, language) for name in MOMENTS for language in LANGUAGES}
    drawn |= {f"lamp-{lamp}.png": strip(lamp) for lamp in SHOWN_LAMPS}
    return {name: image.quantize(4) for name, image in drawn.items()}


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    for old in PICTURES.glob("*.png"):
        old.unlink()
    for name, image in all_pictures().items():
        image.save(PICTURES / name, optimize=True)
