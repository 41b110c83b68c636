"""The golden images: what is shown in each, and how to draw them anew: `python -m tests.helpers_golden`.

Whoever draws them anew looks at every one before committing it.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec.structs import replace
from PIL import Image

from controller.core import events as ev
from controller.core.game import Hand, Role
from controller.core.money import Currency
from controller.core.state import Table
from controller.pages import screen
from controller.screen import Look, draw
from controller.screen.layout import pages
from controller.texts import Line
from controller.words import LANGUAGES, Words
from hal.interface import PANELS, Panel, ScreenKind
from hal.panel import as_image
from tests.helpers_game import GAME, chips, key, locked, new_table, opened, pending, play
from tests.helpers_menu import Thumb
from tests.helpers_people import EVERYBODY
from tests.helpers_pictures import MOMENTS
from tests.helpers_punto import PUNTO_GAME, opened_punto

GOLDEN = Path(__file__).parent / "golden"
PANEL_NAMES = {"128x64": PANELS[ScreenKind.SSD1306], "256x64": PANELS[ScreenKind.SSD1322]}
LETTERS = "ABCDEFGHIJKLMNÑOPQRSTUVWXYZ ÁÉÍÓÚÜ abcdefghijklmnñopqrstuvwxyz áéíóúü °¡!¿? 0123456789 $ S/ .,–-“”"
LAYOUTS: dict[str, tuple[str, ...]] = {
    "closed": ("MESA CERRADA",),
    "open": ("APUESTAS ABIERTAS - 3 FICHAS",),
    "open-give-back": (
        "APUESTAS ABIERTAS - 3 FICHAS",
        "DEVUELVA FICHA - ASIENTO 2",
        "FALLA: EL CARTEL NO RESPONDE",
    ),
    "locked": ("NO VA MÁS - 3 APUESTAS - VERIFIQUE 3 FICHAS",),
    "locked-much-to-say": (
        "NO VA MÁS - 3 APUESTAS - VERIFIQUE 3 FICHAS",
        "DEVUELVA FICHA - ASIENTO 2 5 7",
        "FALLA ASIENTO 6: SENSOR TAPADO, DESPEJE LA RANURA",
        "PAGUE ASIENTO 3: $ 1.100.003,50",
    ),
    "award": ("PREMIO PENDIENTE - LLAME AL JEFE DE MESA", "ASIENTO 3: ESCALERA COLOR", "ASIENTO 5: FULL"),
    "out-of-service": ("FUERA DE SERVICIO",),
    "every-letter": (LETTERS,),
    "F060": ("Núñez – “Mañana” ¡Ganó! € 5\u202f000 \x00 😀",),
}


def _punto(*events: ev.AnyEvent) -> tuple[Line, ...]:
    return screen(PUNTO_GAME, play(PUNTO_GAME, opened_punto(), events))


ASKED = replace(GAME, pin=(Role.SUPERVISOR, Role.TECHNICIAN))


def _pin(*keys: str) -> Thumb:
    """A supervisor's key turned, and what was typed then."""
    thumb = Thumb(ASKED, new_table(ASKED), users=EVERYBODY)
    thumb.turn(ev.Key.SUPERVISOR)
    thumb.type(*keys)
    return thumb


def _locked_out() -> Table:
    wrong = ev.PinRefused(0, Role.SUPERVISOR, 7)
    return play(ASKED, opened(), [key(True), *[wrong] * 5])


MORE: Mapping[str, Callable[[], tuple[Line, ...]]] = {
    "test": lambda: screen(GAME, play(GAME, new_table(), [key(True, ev.Key.TECHNICIAN)])),
    "late-lock": lambda: screen(GAME, play(GAME, opened(), [*chips(1, 4), key(True), ev.LateLocked(20)])),
    "discrepancy": lambda: screen(GAME, play(GAME, locked(2, 3), [ev.DiscrepancyFound(30, 3)])),
    "readings": lambda: screen(GAME, pending({2: Hand.STRAIGHT_FLUSH, 5: Hand.ROYAL_FLUSH})),
    "recovered": lambda: screen(
        GAME, play(GAME, locked(2, 6), [ev.Started(0, supervisor=False, technician=False)])
    ),
    "storage-failed": lambda: screen(GAME, play(GAME, locked(2), [ev.StorageFailed(30, "full", (4,))])),
    "refused": lambda: screen(GAME, play(GAME, locked(2), [ev.CoinInPressed(30)])),
    "pin-who": lambda: _pin().lines,
    "pin-number": lambda: _pin("7").lines,
    "pin-digits": lambda: _pin("7", "ENTER", *"258").lines,
    "pin-wrong": lambda: _pin("7", "ENTER", *"1112", "ENTER").lines,
    "pin-missing": lambda: screen(ASKED, _pin().table),
    "pin-here": lambda: screen(ASKED, _pin("7", "ENTER", *"2580", "ENTER").table),
    "pin-locked": lambda: screen(ASKED, _locked_out()),
    "punto-open": lambda: _punto(key(True), ev.ShoeMade(3, 40), ev.BankTaken(4, 3, 20_000)),
}
"""Pages that no picture of the manuals shows."""


def _worded() -> dict[str, tuple[str, ...]]:
    """Every page the table makes, in both languages."""
    found: dict[str, tuple[str, ...]] = {}
    for language in LANGUAGES:
        words = Words(language, "es_UY", Currency.UYU, "Mesa 7")
        for name, lines in {**MOMENTS, **MORE}.items():
            found[f"{name}-{language}"] = tuple(words.say(line) for line in lines())
    return found


SHOWN = LAYOUTS | _worded()
"""What is compared: layouts with all that can be hard to draw, and every page as the table words it."""


def images(panel: Panel, lines: tuple[str, ...]) -> list[Image.Image]:
    """Every page of these lines."""
    return [as_image(draw(lines, panel, Look(page))) for page in range(len(pages(lines, panel)))]


def path(name: str, size: str, page: int) -> Path:
    return GOLDEN / f"{name}-{size}-{page}.png"


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for old in GOLDEN.glob("*.png"):
        old.unlink()
    for name, lines in SHOWN.items():
        for size, panel in PANEL_NAMES.items():
            for page, image in enumerate(images(panel, lines)):
                image.save(path(name, size, page))
