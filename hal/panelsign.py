"""The jackpot sign on an OLED panel of its own (SSD1306, SH1106 on I2C), through the croupier screen's driver.

It knows values as text, not what they mean. The text is drawn with luma's bundled 8×8 letters, as large as it fits,
so the sign's characters are those every sign has (`hal.alpha.plain`). A panel that was lost is set up anew and
shows the newest value, as `hal.oled` does it; every value shown is one line in the log `hal.sign.sent` (F116).
"""

import logging

from luma.core.legacy import text as write
from luma.core.legacy.font import CP437_FONT
from PIL import Image, ImageDraw

from hal import alpha
from hal.health import Health
from hal.interface import Panel, Picture, Screen
from hal.oled import PanelDriver, ScreenDriver

SENT = logging.getLogger("hal.sign.sent")

LETTER = 8
"""Width and height of a letter, in pixels, before it is enlarged."""
LARGEST = 4


class PanelSign:
    """Keeps a panel showing the newest text. A part of a `Worker`; `show` may be called from any thread."""

    def __init__(self, driver: PanelDriver, panel: Panel, health: Health) -> None:
        self._panel = panel
        self._health = health
        self._screen = ScreenDriver(driver, health)
        self._wanted = ""
        self._logged: str | None = None

    def show(self, text: str) -> None:
        """Remember what to show; an older text that was not shown yet never is. Returns at once."""
        self._wanted = alpha.plain(text)
        self._screen.show(Screen((self._wanted,), draw(self._wanted, self._panel), dim=False, state=""))

    @property
    def waits_for(self) -> None:
        """No descriptor: the bus is written to only."""
        return

    @property
    def settled(self) -> bool:
        """Whether the newest text is shown, or the panel does not answer."""
        return self._screen.settled

    def turn(self, now_ns: int) -> int:
        """Show the newest text if it is not shown, and log what is shown."""
        wanted = self._wanted
        due = self._screen.turn(now_ns)
        if self._health.well and self._screen.settled and wanted != self._logged:
            self._logged = wanted
            SENT.info("%s", wanted)
        return due

    def close(self) -> None:
        """Let go of the bus; the last picture stays."""
        self._screen.close()


def draw(text: str, panel: Panel) -> Picture:
    """The text in the middle of the panel, as large as it fits, letters up to twice as high as wide.

    What does not fit at the smallest is broken anywhere, and cut off at the panel's end.
    """
    text = alpha.plain(text)
    for scale in range(LARGEST, 0, -1):
        lines = wrapped(text, panel.width // (LETTER * scale))
        if lines is not None and len(lines) * LETTER * scale <= panel.height:
            return _drawn(lines, panel, scale)
    cut = panel.width // LETTER
    return _drawn([text[at : at + cut] for at in range(0, len(text), cut)], panel, 1)


def wrapped(text: str, most: int) -> list[str] | None:
    """Lines of at most `most` letters, broken at spaces only, for half an amount would be a wrong one; else None."""
    lines = [""]
    for word in text.split():
        joined = f"{lines[-1]} {word}".lstrip()
        if len(joined) <= most:
            lines[-1] = joined
        elif len(word) <= most:
            lines.append(word)
        else:
            return None
    return lines


def _drawn(lines: list[str], panel: Panel, scale: int) -> Picture:
    tall = max(min(panel.height // (LETTER * len(lines)), 2 * scale), 1)
    small = Image.new("1", (panel.width // scale, panel.height // tall))
    pen = ImageDraw.Draw(small)
    top = max((small.height - len(lines) * LETTER) // 2, 0)
    for row, line in enumerate(lines):
        left = (small.width - len(line) * LETTER) // 2
        write(pen, (left, top + row * LETTER), line, fill=1, font=CP437_FONT)
    image = Image.new("1", (panel.width, panel.height))
    image.paste(small.resize((small.width * scale, small.height * tall), Image.Resampling.NEAREST))
    return Picture(panel, image.tobytes())
