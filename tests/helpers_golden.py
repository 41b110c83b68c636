"""The golden images: what is shown in each, and how to draw them anew: `python -m tests.helpers_golden`.

Whoever draws them anew looks at every one before committing it.
"""

from pathlib import Path

from PIL import Image

from controller.screen import Look, draw
from controller.screen.layout import pages
from hal.interface import PANELS, Panel, ScreenKind
from hal.panel import as_image

GOLDEN = Path(__file__).parent / "golden"
PANEL_NAMES = {"128x64": PANELS[ScreenKind.SSD1306], "256x64": PANELS[ScreenKind.SSD1322]}
LETTERS = "ABCDEFGHIJKLMNÑOPQRSTUVWXYZ ÁÉÍÓÚÜ abcdefghijklmnñopqrstuvwxyz áéíóúü °¡!¿? 0123456789 $ S/ .,–-“”"
SHOWN: dict[str, tuple[str, ...]] = {
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
