"""Every word the rules sheets may ask the catalogues for, gathered from the types and the shipped profiles."""

import re
import tomllib
from collections.abc import Iterator
from enum import Enum
from typing import get_args, get_type_hints

from controller.config.kinds import Ruled
from controller.config.profile import Conduct, Irregular, PolicyText, Procedure, PuntoText, Remedy
from controller.core.game import Fund, Hand, OverflowUse
from controller.core.settlement import Opening, Tie
from controller.sheet.texts import PUNTO_NUMBERS, Sheet
from controller.words import NAMED_APART
from tests.helpers_config import CONFIG

KINDS: dict[str, type[Enum]] = {
    "overflow_use": OverflowUse,
    "fund": Fund,
    "bank_opens": Opening,
    "remedy": Remedy,
    "tie": Tie,
}
PLAIN = re.compile(
    r"(?:art|num)\. \d+(?: [a-zA-Z])?"
    r"|(?!.*(?:reading|last point|of Caribbean Poker))seed 00\d, [^:;]*(?:; seed 002, Jugadores, no\. 1)?"
)
"""A citation that reads the same in every language."""


def sheet_keys() -> set[str]:
    """Keys of sentences, policies and their values, cases, conduct, and sources that need words."""
    found: set[str] = {str(text) for text in Sheet}
    found |= {f"case.{case}" for case in Irregular} | {f"conduct.{conduct}" for conduct in Conduct}
    found |= {f"procedure.{procedure}" for procedure in Procedure}
    found |= {f"hand.{hand}@{country}" for hand in Hand for country in ("CL", "PE")}
    found |= {"hand.royal_flush@UY", "hand.three_of_a_kind@UY", "level.main"}
    found |= {f"policy.{name}.no_slots" for name in ("require_sign", "require_host")}
    found |= set(NAMED_APART)
    found |= {f"punto.{name}" for name, _ in PUNTO_NUMBERS}
    kinds = dict(KINDS)
    for part in (PolicyText, PuntoText):
        for name, hint in get_type_hints(part).items():
            found.add(f"policy.{name}")
            for each in _ruled(hint):
                if issubclass(each, Enum):
                    kinds[name] = each
    found |= {f"value.{name}.{member.value}" for name, kind in kinds.items() for member in kind}
    return found | {source for source in sources() if not PLAIN.fullmatch(source)}


def _ruled(hint: object) -> Iterator[type]:
    for each in (hint, *get_args(hint)):
        if getattr(each, "__origin__", None) is Ruled:
            yield from (kind for kind in get_args(each) if isinstance(kind, type))


def sources() -> set[str]:
    """Every source a shipped profile names, read from the files and not by the program."""
    found: set[str] = set()
    for path in (CONFIG / "games").glob("*.toml"):
        found |= set(_sources(tomllib.loads(path.read_text(encoding="utf-8"))))
    return found


def _sources(value: object, key: str = "") -> Iterator[str]:
    match value:
        case dict():
            for name, inner in value.items():
                yield from _sources(inner, "source" if key in {"conduct", "procedure"} else str(name))
        case str() if key == "source":
            yield value
        case _:
            return
