"""The screen's test picture: a frame one dot wide and a chess board in it, which shows a dead row or column."""

from hal.interface import Panel, Picture

FIELD = 8
"""Dots a field of the board is wide and high."""


def pattern(panel: Panel, *, inverted: bool = False) -> Picture:
    """The picture on `panel`; `inverted` swaps the board's fields, so that two pictures light every dot once."""
    rows = [_row(y, panel, inverted=inverted) for y in range(panel.height)]
    return Picture(panel, b"".join(rows))


def _row(y: int, panel: Panel, *, inverted: bool) -> bytes:
    bits = 0
    for x in range(panel.width):
        framed = y in {0, panel.height - 1} or x in {0, panel.width - 1}
        light = (x // FIELD + y // FIELD) % 2 == int(inverted)
        bits = bits << 1 | (framed or light)
    return bits.to_bytes(panel.width // 8)
