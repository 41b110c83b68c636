"""What the croupier's screen shows, from lines to pixels: a pure function of the lines, the screen's size and time.

The headline is drawn as large as it fits and always stays; the lines below it are shown in turn, page by page, when
there are more than fit. After some minutes without anybody at the table the picture is dimmed and moved, to spare an
OLED's pixels. No library is needed and nothing is read but the bundled font.
"""

from controller.screen.draw import draw
from controller.screen.look import IDLE_NS, PAGE_NS, Look, look

__all__ = ["IDLE_NS", "PAGE_NS", "Look", "draw", "look"]
