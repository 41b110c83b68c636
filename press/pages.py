"""A page of Markdown as HTML: the fences filled, headings that can be linked to, links that lead somewhere.

Two forms: the site's, with links between pages, and the paper's, where only links within the page are left.
"""

import re
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Final
from urllib.parse import unquote

import msgspec
from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.anchors import anchors_plugin

from controller.config import load
from controller.wiring import picture
from press.manuals import ROOT, Language, PressError
from press.told import KINDS, rows

Form = bool
PAPER: Final[Form] = True
SITE: Final[Form] = False
_ELSEWHERE = re.compile(r"[a-z]+:|//")


class Page(msgspec.Struct, frozen=True):
    """A page as HTML, its title, its second headings with their anchors, and the files its pictures are in."""

    title: str
    body: str
    contents: tuple[tuple[str, str], ...]
    pictures: tuple[Path, ...]


def parser() -> MarkdownIt:
    """The one dialect that all pages are written in."""
    return MarkdownIt("commonmark", {"html": True}).enable("table").use(anchors_plugin, max_level=3)


def render(path: Path, language: Language, form: Form) -> Page:
    """The page at `path`. Raises `PressError` where it says what is not so, or a link leads nowhere."""
    markdown = parser()
    try:
        tokens = [_filled(token, language) for token in markdown.parse(path.read_text(encoding="utf-8"))]
        pictures = _links(tokens, path, form)
    except PressError as error:
        raise PressError(f"{path.relative_to(ROOT)}: {error}") from error
    headings = tuple(_headings(tokens))
    title = next((words for level, words, _ in headings if level == "h1"), path.stem)
    contents = tuple((words, anchor) for level, words, anchor in headings if level == "h2")
    return Page(title, markdown.renderer.render(tokens, markdown.options, {}), contents, pictures)


def anchors(path: Path) -> frozenset[str]:
    """Every anchor that a page has."""
    return frozenset(anchor for _, _, anchor in _headings(parser().parse(path.read_text(encoding="utf-8"))))


def _headings(tokens: Sequence[Token]) -> list[tuple[str, str, str]]:
    return [
        (token.tag, _words(tokens[at + 1]), str(token.attrs.get("id", "")))
        for at, token in enumerate(tokens)
        if token.type == "heading_open"
    ]


def _words(inline: Token) -> str:
    return "".join(child.content for child in inline.children or ())


def _filled(token: Token, language: Language) -> Token:
    if token.type != "fence" or (kind := token.info.strip()) not in {*KINDS, "wiring"}:
        return token
    if kind == "wiring":
        settings = load(token.content.split()[-1])
        drawn = picture(settings.wiring, settings.board_title, language.code)
        return Token("html_block", "", 0, content=f'<figure class="wiring">{drawn}</figure>\n')
    heads, found = rows(kind, token.content, language)
    return Token("html_block", "", 0, content=_table(kind, heads, found))


def _table(kind: str, heads: Sequence[str], found: Sequence[Sequence[str]]) -> str:
    inline = parser().renderInline
    top = "".join(f"<th>{escape(head)}</th>" for head in heads)
    lines = ("".join(f"<td>{inline(cell)}</td>" for cell in row) for row in found)
    body = "\n".join(f"<tr>{line}</tr>" for line in lines)
    return f'<table class="{kind}"><thead><tr>{top}</tr></thead><tbody>\n{body}\n</tbody></table>\n'


def _links(tokens: Sequence[Token], path: Path, form: Form) -> tuple[Path, ...]:
    pictures = []
    for token in tokens:
        for child in token.children or ():
            if child.type == "image":
                pictures.append(_there(path, str(child.attrs["src"])))
                if form is PAPER:
                    child.attrs["src"] = pictures[-1].as_uri()
            elif child.type == "link_open":
                _link(child, path, form)
    return tuple(pictures)


def _link(token: Token, path: Path, form: Form) -> None:
    target = str(token.attrs["href"])
    if _ELSEWHERE.match(target):
        return
    name, _, anchor = target.partition("#")
    there = _there(path, name) if name else path
    if anchor and there.suffix == ".md" and unquote(anchor) not in anchors(there):
        raise PressError(
            f"the link {target!r} leads to no heading; {there.name} has {sorted(anchors(there))}"
        )
    if name and (form is PAPER or there.suffix != ".md" or not _printed(there)):
        token.attrs = {"class": "elsewhere"}
    elif name:
        token.attrs["href"] = f"{name.removesuffix('.md')}.html" + (f"#{anchor}" if anchor else "")


def _there(path: Path, name: str) -> Path:
    there = (path.parent / unquote(name)).resolve()
    if not there.exists() or ROOT not in there.parents:
        raise PressError(f"{name!r} leads nowhere: there is no {there}")
    return there


def _printed(path: Path) -> bool:
    """Whether a page is one of the site: those of `docs`, and the README."""
    return path == ROOT / "README.md" or ROOT / "docs" in path.parents
