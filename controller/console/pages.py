"""Pages from their templates: `{{key}}` is a text of the catalogue, `{{=part}}` a part made by the program.

Texts are escaped, parts are not: whoever makes a part escapes what stands in it.
"""

import html
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from controller.console.phrases import Phrases

STATIC: Final = Path(__file__).parent / "static"
_TEMPLATES = Path(__file__).parent / "templates"
_MARK = re.compile(r"\{\{(=?)([a-z_.]+)\}\}")

_SCRIPT_WORDS = (
    "error.lost",
    "error.not_here",
    "error.no_medium",
    "error.power_off",
    "error.power_on",
    "error.slot_covered",
    "error.too_many",
    "error.unreadable",
    "ui.bell_off",
    "ui.bell_on",
    "ui.connected",
    "ui.connecting",
    "ui.covered",
    "ui.cut",
    "ui.give_back",
    "ui.out_of_service",
    "ui.power_frozen",
    "ui.power_off",
    "ui.power_on",
    "ui.power_stopped",
    "ui.release_off",
    "ui.release_on",
    "ui.round",
    "ui.seat",
    "ui.seat_state",
    "ui.slots_locked",
    "ui.slots_open",
    "ui.switch_on",
    "ui.wins",
)
_KINDS = {
    "lamp": ("off", "attract", "placed", "accepted", "winner", "problem", "test", "chosen"),
    "phase": ("closed", "open", "locked", "award_pending", "test"),
}


def render(name: str, phrases: Phrases, parts: Mapping[str, str] | None = None) -> str:
    """The page `name`. Raises `KeyError` for a text or part that is not there."""
    made = {"words": _words(phrases)} | dict(parts or {})

    def filled(mark: re.Match[str]) -> str:
        part, key = mark.groups()
        return made[key] if part else html.escape(phrases.raw(key))

    return _MARK.sub(filled, (_TEMPLATES / f"{name}.html").read_text(encoding="utf-8"))


def _words(phrases: Phrases) -> str:
    """The texts the scripts put in, as JSON that may stand inside a page."""
    keys = [*_SCRIPT_WORDS, *(f"{kind}.{code}" for kind, codes in _KINDS.items() for code in codes)]
    return json.dumps({key: phrases.raw(key) for key in keys}, ensure_ascii=False).replace("<", "\\u003c")
