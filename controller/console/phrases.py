"""What the pages say: words of their own catalogue, and each journal record as a sentence.

Money and the table's own words (hands, faults, refusals) are those of `controller.words`. It knows events and their
fields, nothing of HTML.
"""

import gettext
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from enum import Enum
from string import Formatter
from zoneinfo import ZoneInfo

import msgspec

from controller.config import Settings
from controller.core import events as ev
from controller.core.cards import Card
from controller.core.faults import FaultCode
from controller.core.game import Hand, Role
from controller.core.punto.score import PuntoResult
from controller.core.state import Phase
from controller.journal import Record
from controller.journal.record import EVENT_KINDS, RESULT_KINDS
from controller.words import CATALOGUES, Words
from controller.words.amounts import format_amount

MONEY = frozenset(
    {"amount", "refund", "by", "current", "stake", "before", "after", "paid_out", "pot_before", "pot_after"}
)
"""Fields that are minor units of the table's currency."""

_SAID_OFTEN = (ev.Noted, ev.PhaseChanged)
"""Results that repeat what their event has said; alone they add nothing."""


def for_people(records: Iterable[Record]) -> tuple[Record, ...]:
    """The records that say something of the table; a signed head only vouches for the one before it."""
    return tuple(record for record in records if not isinstance(record.event, ev.HeadSigned))


class Said(msgspec.Struct, frozen=True):
    """A record in words. `grave`: something was refused, or went wrong."""

    seq: int
    time: str
    kind: str
    what: str
    became: tuple[str, ...]
    grave: bool


class Phrases:
    """One language for the pages of one table. Raises `FileNotFoundError` where the catalogue is not compiled."""

    def __init__(self, language: str, settings: Settings) -> None:
        self.language = language
        self._settings = settings
        self._zone = ZoneInfo(settings.timezone)
        self._pages = gettext.translation("console", CATALOGUES, [language])
        self._table = Words(language, settings.locale, settings.game.currency, settings.name)

    def raw(self, key: str) -> str:
        """A text of the pages by its key, its `{…}` still in it. Raises `KeyError` for a key without a text."""
        text = self._pages.gettext(key)
        if text == key:
            raise KeyError(f"the pages' catalogue {self.language!r} has no {key!r}")
        return text

    def say(self, key: str, **values: object) -> str:
        """A text of the pages with its values. Raises `KeyError` as `raw` does."""
        return self.raw(key).format(**values)

    def money(self, amount: int) -> str:
        """Minor units as people of the table's country write them, not to be broken over two lines."""
        written = format_amount(amount, self._settings.locale, self._settings.game.currency)
        return written.replace(" ", "\N{NO-BREAK SPACE}")

    def word(self, kind: str, code: str) -> str:
        """One of the table's own words (`hand`, `fault`, `refusal`, `result`), in small letters."""
        return self._table.tell(f"{kind}.{code}").lower()

    def time(self, wall_ns: int, *, trusted: bool) -> str:
        """A moment of the table's day; `~` marks a clock that nobody had set."""
        moment = datetime.fromtimestamp(wall_ns // 1_000_000_000, UTC).astimezone(self._zone)
        return f"{'' if trusted else '~'}{moment:%H:%M:%S}"

    def day(self, wall_ns: int) -> str:
        """The date of a moment at the table, year first."""
        moment = datetime.fromtimestamp(wall_ns // 1_000_000_000, UTC).astimezone(self._zone)
        return f"{moment:%Y-%m-%d}"

    def record(self, record: Record) -> Said:
        """A record in words."""
        kind = EVENT_KINDS[type(record.event)]
        told = [result for result in record.results if not isinstance(result, _SAID_OFTEN)]
        return Said(
            seq=record.seq,
            time=self.time(record.wall_ns, trusted=record.wall_trusted),
            kind=kind,
            what=self._sentence(f"event.{kind}", record.event),
            became=tuple(self.result(each) for each in told),
            grave=any(isinstance(each, ev.Refused | ev.FaultRaised) for each in told),
        )

    def result(self, result: ev.AnyResult) -> str:
        """A result in words."""
        return self._sentence(f"result.{RESULT_KINDS[type(result)]}", result)

    def _sentence(self, key: str, what: ev.Event | ev.Result) -> str:
        template = self.raw(key)
        values = {name: self._value(name, _field(name, what)) for name in names(template)}
        return template.format(**values)

    def _value(self, name: str, value: object) -> str:
        match value:
            case bool():
                return self.say("turned.on" if value else "turned.off")
            case int() if name in MONEY:
                return self.money(value)
            case int() if name == "at":
                return self.say("at.seat", seat=value) if value else ""
            case Enum():
                return self._coded(value)
            case tuple():
                return " ".join(self._value("", each) for each in value) or "–"
            case None:
                return ""
            case str() if name == "level":
                return f" {value}" if len(self._settings.game.levels) > 1 else ""
            case str() if name == "line":
                return self._line(value)
            case str() if name == "phase":
                return self.say(f"phase.{value}")
            case _:
                return str(value)

    def _coded(self, value: Enum) -> str:
        match value:
            case Hand():
                return self.word("hand", value)
            case FaultCode():
                return self.word("fault", value)
            case ev.Refusal():
                return self.word("refusal", value)
            case PuntoResult():
                return self.word("result", value)
            case ev.Button():
                return self.say(f"button.{value}")
            case ev.Key():
                return self.say(f"key.{value}")
            case Role():
                return self.say(f"role.{value}")
            case ev.UserChange():
                return self.say(f"user.{value}")
            case ev.Payment():
                return self.say(f"how.{value}")
            case ev.Reason():
                return self.say(f"reason.{value}")
            case Phase():
                return self.say(f"phase.{value}")
            case Card():
                return str(value)
            case _:
                raise TypeError(f"{value!r} has no words of its own")

    def _line(self, line: str) -> str:
        name, _, seat = line.partition("_")
        return self.say("line.seat", seat=seat) if name == "seat" else self.say(f"line.{line}")


def names(template: str) -> Iterator[str]:
    """The names of a text's `{…}`."""
    return (name for _, name, _, _ in Formatter().parse(template) if name)


def _field(name: str, what: ev.Event | ev.Result) -> object:
    """A field of an event or result; `at` is the seat of what may also concern the whole table."""
    return getattr(what, "seat" if name == "at" else name)
