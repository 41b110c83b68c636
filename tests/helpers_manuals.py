"""What the manuals name, taken out of their Markdown: commands, the machine's words, keys."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
from babel.messages.pofile import read_po
from markdown_it.token import Token

from controller.cli import pozo
from controller.words import CATALOGUES
from press.manuals import Manual, source
from press.pages import parser
from press.told import KINDS, entries

CATALOGUES_NAMED = ("pozo", "appliance", "selftest", "slips")
PLACEHOLDER = re.compile(r"{\w+}")
LETTER = re.compile(r"[^\W\d_]")


def tokens(page: Path) -> Iterator[Token]:
    """Every token of a page, those inside lines and inside fences of tables too."""
    for token in parser().parse(page.read_text(encoding="utf-8")):
        yield token
        if token.type == "fence" and token.info.strip() in KINDS:
            for words in entries(token.content).values():
                yield from parser().parseInline(words)[0].children or ()
        yield from token.children or ()


def commands(page: Path) -> set[str]:
    """Every `pozo …` of a page, comments and the line's continuation taken off."""
    found = set()
    for token in tokens(page):
        if token.type in ("fence", "code_inline"):
            for line in token.content.replace("\\\n", " ").splitlines():
                called = re.search(
                    r"(?:^|^sudo |^sudo -u postgres |/opt/pozo/bin/)(pozo(?: .*|$))", line.strip()
                )
                if called is not None:
                    found.add(called[1].split(" #")[0].split(" > ")[0].strip())
    return found


def wrong(command: str) -> str:
    """What is wrong with a command line: no such command, no such option; nothing where it is right."""
    words = shlex.split(command)[1:]
    here: click.Command = pozo
    context = click.Context(here, info_name="pozo")
    while isinstance(here, click.Group) and words and not words[0].startswith("-"):
        name, *words = words
        found = here.get_command(context, name)
        if found is None:
            return f"{command}: there is no {name!r}"
        here, context = found, click.Context(found, context, info_name=name)
    known = {option for parameter in here.params for option in parameter.opts} | {"--help"}
    unknown = [word for word in words if re.match(r"--?[a-z]", word) and word not in known]
    return f"{command}: there is no {' '.join(unknown)}" if unknown else ""


def said(manual: Manual, language: str) -> set[str]:
    """What a page puts in emphasis: the machine's own words, by the manuals' one convention."""
    found, inside = set(), ""
    for token in tokens(source(manual, language)):
        if token.type == "em_open":
            inside = " "
        elif token.type == "em_close":
            found.add(inside.strip().rstrip(":"))
            inside = ""
        elif inside:
            inside += " " if token.type == "softbreak" else token.content
    return found


def spoken(language: str) -> list[re.Pattern[str]]:
    """Everything the machine can show, each as a pattern: a text, its beginning, or one of its parts."""
    found = []
    for name in CATALOGUES_NAMED:
        with (CATALOGUES / language / "LC_MESSAGES" / f"{name}.po").open("rb") as file:
            texts = [text for message in read_po(file) if message.id for text in _forms(message.string)]
        for text in texts:
            found += [
                _pattern(part) for part in (text, text.split("{")[0], *re.split(r"(?<=[,:])| - |[.?] ", text))
            ]
    return [pattern for pattern in found if LETTER.search(pattern.pattern.replace(".+", ""))]


def _forms(string: object) -> tuple[str, ...]:
    return tuple(map(str, string)) if isinstance(string, tuple | list) else (str(string),)


def _pattern(text: str) -> re.Pattern[str]:
    bare = text.strip().rstrip(",:").strip()
    parts = (re.escape(part) for part in PLACEHOLDER.split(bare))
    return re.compile(" ?" + ".+".join(parts).strip() + " ?")
