"""How a screen is looked at now: which page, how bright, how far moved. Time goes in, nothing else."""

from typing import NamedTuple

from controller.screen.layout import pages
from hal.interface import Panel

PAGE_NS = 3_000_000_000
"""How long one page stays before the next."""
IDLE_NS = 300_000_000_000
"""Nobody touched the table for this long: an OLED's pixels age with the same bright picture (F065)."""
MOVE_NS = 60_000_000_000
"""How often an idle picture moves."""
MARGIN_X, MARGIN_Y = 8, 4
"""An idle picture is laid out this much smaller, so that moving it cuts nothing off."""
PLACES = tuple((5 * step % (MARGIN_X + 1), 3 * step % (MARGIN_Y + 1)) for step in range(45))
"""Every place within the margins once, none beside the one before: a stroke leaves every pixel it was on."""


class Look(NamedTuple):
    """One way to see a screen. `x` and `y` say how far it is moved, in pixels; only a dim one is moved."""

    page: int = 0
    dim: bool = False
    x: int = 0
    y: int = 0


def look(lines: tuple[str, ...], panel: Panel, shown_ns: int, idle_ns: int) -> Look:
    """How `lines` are seen that have been shown for `shown_ns`, on a table untouched for `idle_ns`."""
    dim = idle_ns >= IDLE_NS
    count = len(pages(lines, laid_out(panel, dim=dim)))
    page = shown_ns // PAGE_NS % count
    if not dim:
        return Look(page)
    x, y = PLACES[(idle_ns - IDLE_NS) // MOVE_NS % len(PLACES)]
    return Look(page, dim, x, y)


def laid_out(panel: Panel, *, dim: bool) -> Panel:
    """The part of the panel that lines are laid out on."""
    return Panel(panel.width - MARGIN_X, panel.height - MARGIN_Y) if dim else panel
