"""Pieces of HTML from texts. Everything handed in is text and is escaped here, but for what is `Markup` already."""

from collections.abc import Iterable, Sequence
from html import escape
from typing import NewType

Markup = NewType("Markup", str)
"""HTML that may stand in a page as it is."""


def text(words: str) -> Markup:
    """Text as HTML."""
    return Markup(escape(words))


def paragraph(words: str, name: str = "") -> Markup:
    """A paragraph, with a class if need be."""
    return Markup(f"<p{_class(name)}>{escape(words)}</p>")


def heading(words: str) -> Markup:
    """A heading of the second order."""
    return Markup(f"<h2>{escape(words)}</h2>")


def link(to: str, words: str) -> Markup:
    """A link inside the console."""
    return Markup(f'<a href="{escape(to)}">{escape(words)}</a>')


def table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[Markup]], *, words: int = 1) -> Markup:
    """A table that scrolls sideways on a small screen; the first `words` columns hold words, the others figures."""
    head = "".join(
        f'<th scope="col"{_figures(place, words)}>{escape(each)}</th>' for place, each in enumerate(heads)
    )
    body = "".join(f"<tr>{_row(cells, words)}</tr>" for cells in rows)
    return Markup(
        f'<div class="wide" tabindex="0" role="region" aria-label="{escape(caption)}"><table>'
        f"<caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def fold(summary: str, inside: Markup) -> Markup:
    """A part that opens when it is wanted."""
    return Markup(f'<details class="card"><summary>{escape(summary)}</summary>{inside}</details>')


def bars(values: Sequence[int], label: str) -> Markup:
    """A row of bars, oldest left, the longest as high as the drawing; `label` says in words what it shows."""
    most = max(values, default=0) or 1
    drawn = "".join(
        f'<rect x="{place * 7}" y="{24 - height}" width="5" height="{height}"/>'
        for place, height in enumerate(max(1, 24 * value // most) for value in values)
    )
    return Markup(
        f'<svg class="bars" viewBox="0 0 140 24" role="img" aria-label="{escape(label)}">{drawn}</svg>'
    )


def joined(parts: Iterable[Markup]) -> Markup:
    """Pieces one after the other."""
    return Markup("".join(parts))


def _row(cells: Sequence[Markup], words: int) -> str:
    return "".join(f"<td{_figures(place, words)}>{cell}</td>" for place, cell in enumerate(cells))


def _figures(place: int, words: int) -> str:
    return "" if place < words else ' class="figure"'


def _class(name: str) -> str:
    return f' class="{escape(name)}"' if name else ""
