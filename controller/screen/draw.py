"""Draws a page: rows of text become pixels. A row of pixels is one whole number, its leftmost pixel highest."""

from functools import lru_cache

from controller.screen.font import Size, font
from controller.screen.layout import pages
from controller.screen.look import Look, laid_out
from hal.interface import Panel, Picture


def draw(lines: tuple[str, ...], panel: Panel, look: Look) -> Picture:
    """The picture of `lines` on `panel`, seen as `look` says."""
    laid = pages(lines, laid_out(panel, dim=look.dim))
    canvas = [0] * panel.height
    for row in laid[look.page].rows:
        shift = panel.width - row.x - look.x - len(row.text) * row.size.width
        for number, bits in enumerate(_bits(row.text, row.size), start=row.y + look.y):
            canvas[number] |= bits << shift
    if len(laid) > 1:
        canvas[-1] |= _marker(look.page, len(laid), panel)
    return Picture(panel, b"".join(row.to_bytes(panel.width // 8) for row in canvas))


@lru_cache(maxsize=256)
def _bits(text: str, size: Size) -> tuple[int, ...]:
    """The pixel rows of a text."""
    loaded = font(size)
    rows = [0] * size.height
    for character in text:
        rows = [row << size.width | bits for row, bits in zip(rows, loaded.rows(character), strict=True)]
    return tuple(rows)


def _marker(page: int, count: int, panel: Panel) -> int:
    """A line at the bottom, as long and as far along as this page is among all."""
    start, end = panel.width * page // count, panel.width * (page + 1) // count
    return ((1 << (end - start)) - 1) << (panel.width - end)
