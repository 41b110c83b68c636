"""Tables that are half the program's and half ours: it says what it shows, the manual says what to do.

A page writes a fence of `code: what to do` entries. What the program knows and the page does not, or the other way
round, is an error: so no fault goes without its line, and no line outlives its fault.
"""

import gettext
import tomllib
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from controller.appliance.texts import Say, Why
from controller.core.faults import SELF_CLEARING, SEVERITY, TECHNICIANS, FaultCode, Severity
from controller.witness.verdict import Plight
from controller.words import CATALOGUES
from press.manuals import ROOT, Language, PressError

Row = tuple[str, ...]
TABLE_FILE: Final = ROOT / "config" / "table.toml"


def entries(text: str) -> dict[str, str]:
    """The entries of a fence: `code: words`, further lines of one entry indented."""
    found: dict[str, str] = {}
    last = ""
    for line in text.splitlines():
        if line.startswith(" ") and last:
            found[last] += " " + line.strip()
            continue
        last, colon, words = line.partition(": ")
        if not colon or last in found:
            raise PressError(f"{line!r}: write `code: what to do`, each code once, further lines indented")
        found[last] = words.strip()
    return found


def rows(kind: str, text: str, language: Language) -> tuple[Row, list[Row]]:
    """The table of a fence: its headings, and its rows as Markdown. Raises `PressError` where codes differ."""
    if kind not in KINDS:
        raise PressError(f"there is no table {kind!r}; there are {', '.join(KINDS)}")
    given = entries(text)
    heads, known = KINDS[kind](language)
    missing, surplus = sorted(known.keys() - given), sorted(given.keys() - known)
    if missing or surplus:
        raise PressError(
            f"table {kind!r}: write a line for {', '.join(missing) or 'none'}; "
            f"take out {', '.join(surplus) or 'none'}"
        )
    return heads, [(*lead, given[code]) for code, lead in known.items()]


def _faults(language: Language) -> tuple[Row, dict[str, Row]]:
    said = gettext.translation("pozo", CATALOGUES, [language.code]).gettext
    ranked = sorted(FaultCode, key=lambda code: list(Severity)[::-1].index(SEVERITY[code]))
    known: dict[str, Row] = {
        str(code): (
            f"*{said(f'fault.{code}')}*<br>`{code}`",
            f"{_effect(code, language)}; {_end(code, language)}",
        )
        for code in ranked
    }
    return (language.shown, language.effect, language.action), known


def _effect(code: FaultCode, language: Language) -> str:
    return {
        Severity.WARNING: language.warning,
        Severity.SEAT: language.seat,
        Severity.TABLE: language.table,
    }[SEVERITY[code]]


def _end(code: FaultCode, language: Language) -> str:
    if code in SELF_CLEARING:
        return language.by_itself
    if SEVERITY[code] is Severity.SEAT:
        return language.by_reopening
    if code is FaultCode.PIN_LOCKED:
        return language.by_other_key
    if code is FaultCode.USERS_RESTORED:
        return language.by_both_keys
    if code in TECHNICIANS or SEVERITY[code] is Severity.TABLE:
        return language.by_technician
    return language.by_anyone


def _starts(language: Language) -> tuple[Row, dict[str, Row]]:
    said = gettext.translation("appliance", CATALOGUES, [language.code]).gettext
    reasons: dict[str, str] = {why.name.lower(): why for why in Why} | {"other_machine": Say.OTHER_MACHINE}
    return (language.shown, language.action), {name: (f"*{said(text)}*",) for name, text in reasons.items()}


def _plights(language: Language) -> tuple[Row, dict[str, Row]]:
    said = gettext.translation("pozo", CATALOGUES, [language.code]).gettext
    return (language.shown, language.action), {
        str(plight): (f"*{said(f'plight.{plight}')}*",) for plight in Plight
    }


def _keys(language: Language) -> tuple[Row, dict[str, Row]]:
    shipped = tomllib.loads(TABLE_FILE.read_text(encoding="utf-8"))
    known: dict[str, Row] = {key: (f"`{key}`", f"`{_as_toml(value)}`") for key, value in _flat(shipped, "")}
    return (language.key, language.shipped, language.meaning), known


def _flat(table: Mapping[str, object], before: str) -> Iterator[tuple[str, object]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", value


def _as_toml(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case str():
            return f'"{value}"'
        case list():
            return f"[{', '.join(map(_as_toml, value))}]"
        case _:
            return f"{value:_}" if isinstance(value, int) else str(value)


KINDS: Final[Mapping[str, Callable[[Language], tuple[Row, dict[str, Row]]]]] = {
    "faults": _faults,
    "starts": _starts,
    "plights": _plights,
    "keys": _keys,
}
"""Each kind of table: its headings, and by its code what the program says of it."""
