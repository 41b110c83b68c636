"""The return against the pot as a picture: one line, the level of 100 %, and marks where pots stand (SVG).

Written by hand in whole pixels: it is one line chart, and no plotting library is on a table's machine.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from xml.sax.saxutils import escape

import msgspec

from controller.odds.written import decimal, rounded

_WIDTH, _HEIGHT = 760, 460
_LEFT, _RIGHT, _TOP, _BOTTOM = 80, 30, 60, 70
_FONT = 'font-family="sans-serif" font-size="13"'
_HALO = 'paint-order="stroke" stroke="white" stroke-width="5"'
_TICKS = 6
_STEPS = (1, 2, 5)


class Mark(msgspec.Struct, frozen=True):
    """A pot worth showing, in whole units of the currency, and what it is."""

    pot: Fraction
    what: str


class Chart(msgspec.Struct, frozen=True):
    """What is drawn: pots in whole units of the currency, returns as parts of the wager."""

    title: str
    pot_axis: str
    return_axis: str
    marks: tuple[Mark, ...]
    bends: tuple[Fraction, ...]


def draw(chart: Chart, return_at: Callable[[Fraction], Fraction]) -> str:
    """The chart as an SVG document; `return_at` is straight between `chart.bends`."""
    widest = max([Fraction(1), *(mark.pot for mark in chart.marks)]) * Fraction(6, 5)
    highest = max(return_at(widest), Fraction(11, 10))
    across, up = _Scale(widest, _LEFT, _WIDTH - _RIGHT), _Scale(highest, _HEIGHT - _BOTTOM, _TOP)
    whole = up.at(Fraction(1))
    line = [pot for pot in sorted({Fraction(), widest, *chart.bends}) if pot <= widest]
    path = " ".join(f"{across.at(pot)},{up.at(return_at(pot))}" for pot in line)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" {_FONT}>',
        f"<title>{escape(chart.title)}</title>",
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
        _text(_WIDTH // 2, 28, chart.title, 'text-anchor="middle" font-size="17"'),
        *_pot_axis(chart, across),
        *_return_axis(chart, up),
        _line((_LEFT, whole), (_WIDTH - _RIGHT, whole), "#b00020", 'stroke-dasharray="6 4"'),
        f'<polyline points="{path}" fill="none" stroke="#00508c" stroke-width="3"/>',
        *_marks(chart, across, up, return_at),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


class _Scale(msgspec.Struct, frozen=True):
    """From a value to its pixel: 0 lies at `begin`, `most` at `end`."""

    most: Fraction
    begin: int
    end: int

    def at(self, value: Fraction) -> int:
        return rounded(self.begin + (self.end - self.begin) * value / self.most)

    def ticks(self) -> Iterator[Fraction]:
        """At most `_TICKS` round values from 0."""
        power = Fraction(1)
        while power * _TICKS > self.most:
            power /= 10
        while True:
            for step in _STEPS:
                if step * power * _TICKS >= self.most:
                    yield from (
                        step * power * number for number in range(int(self.most / (step * power)) + 1)
                    )
                    return
            power *= 10


def _pot_axis(chart: Chart, across: _Scale) -> Iterator[str]:
    floor = _HEIGHT - _BOTTOM
    yield _line((_LEFT, floor), (_WIDTH - _RIGHT, floor), "black")
    for pot in across.ticks():
        yield _line((across.at(pot), floor), (across.at(pot), floor + 6), "black")
        yield _text(across.at(pot), floor + 22, _short(pot), 'text-anchor="middle"')
    yield _text((_LEFT + _WIDTH - _RIGHT) // 2, _HEIGHT - 18, chart.pot_axis, 'text-anchor="middle"')


def _return_axis(chart: Chart, up: _Scale) -> Iterator[str]:
    yield _line((_LEFT, _TOP), (_LEFT, _HEIGHT - _BOTTOM), "black")
    for part in up.ticks():
        yield _line((_LEFT - 6, up.at(part)), (_WIDTH - _RIGHT, up.at(part)), "#d0d0d0")
        yield _text(_LEFT - 10, up.at(part) + 4, f"{_short(part * 100)} %", 'text-anchor="end"')
    yield _text(_LEFT, _TOP - 12, chart.return_axis, 'text-anchor="start"')


def _marks(
    chart: Chart, across: _Scale, up: _Scale, return_at: Callable[[Fraction], Fraction]
) -> Iterator[str]:
    """Each mark's words stand one line lower than the last one's, over all lines, so that near marks stay readable."""
    floor = _HEIGHT - _BOTTOM
    places = [(across.at(mark.pot), up.at(return_at(mark.pot))) for mark in chart.marks]
    for x, y in places:
        yield _line((x, y), (x, floor), "#00508c", 'stroke-dasharray="2 3"')
        yield f'<circle cx="{x}" cy="{y}" r="5" fill="#00508c"/>'
    for number, (mark, (x, _)) in enumerate(zip(chart.marks, places, strict=True)):
        is_right = x > _WIDTH // 2
        anchor = f'text-anchor="{"end" if is_right else "start"}" {_HALO}'
        words = f"{mark.what}: {decimal(mark.pot, 2)}"
        yield _text(x - 8 if is_right else x + 8, floor - 12 - 18 * number, words, anchor)


def _short(value: Fraction) -> str:
    places = 0 if value.denominator == 1 else 2
    return decimal(value, places)


def _line(begin: tuple[int, int], end: tuple[int, int], colour: str, more: str = "") -> str:
    (x1, y1), (x2, y2) = begin, end
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{colour}" {more}/>'


def _text(x: int, y: int, words: str, more: str) -> str:
    return f'<text x="{x}" y="{y}" {more}>{escape(words)}</text>'
