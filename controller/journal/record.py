"""One record of a journal, typed and as the row that stores it.

Knows the core's types and their JSON; no file, no SQLite, no chain.
"""

from typing import Final, NamedTuple, get_args

import msgspec

from controller.core.events import AnyEvent, AnyResult, Refused, snake
from controller.core.state import Table

Row = tuple[int, int, int, int, int, str, str, str, str, str]
"""The columns of a record, in the order of `COLUMNS`."""

COLUMNS: Final = (
    "seq",
    "boot",
    "at_ns",
    "wall_ns",
    "wall_trusted",
    "kind",
    "event",
    "results",
    "state",
    "digest",
)

_TYPES = (int, int, int, int, int, str, str, str, str, str)

EVENT_KINDS: Final[dict[type, str]] = {event: snake(event.__name__) for event in get_args(AnyEvent)}
RESULT_KINDS: Final[dict[type, str]] = {result: snake(result.__name__) for result in get_args(AnyResult)}

_encode = msgspec.json.Encoder().encode
_event = msgspec.json.Decoder(AnyEvent).decode
_results = msgspec.json.Decoder(tuple[AnyResult, ...]).decode
_state = msgspec.json.Decoder(Table).decode


class Entry(NamedTuple):
    """What a step made: the event, what became of it, and the whole table after it."""

    event: AnyEvent
    results: tuple[AnyResult, ...]
    state: Table


class Record(msgspec.Struct, frozen=True):
    """A stored record. `at_ns` is monotonic in `boot`; `wall_ns` is Unix time, a date for people only."""

    seq: int
    boot: int
    at_ns: int
    wall_ns: int
    wall_trusted: bool
    kind: str
    event: AnyEvent
    results: tuple[AnyResult, ...]
    state: Table
    digest: str

    @property
    def refused(self) -> bool:
        """Whether the table refused what the event asked for."""
        return any(isinstance(result, Refused) for result in self.results)


class RowError(ValueError):
    """A row that is no record; the text names the column and what is wrong with it."""


class LineError(ValueError):
    """A line of an exported copy that is no row; the text says which line and why."""


def columns_of(entry: Entry) -> tuple[str, str, str, str]:
    """The columns `kind`, `event`, `results` and `state` of an entry: plain JSON, readable with `sqlite3` alone."""
    return (
        EVENT_KINDS[type(entry.event)],
        _encode(entry.event).decode(),
        _encode(entry.results).decode(),
        _encode(entry.state).decode(),
    )


def decode(row: Row) -> Record:
    """Read a row back. Raises `RowError`."""
    seq, boot, at_ns, wall_ns, trusted, kind, event_json, results_json, state_json, digest = row
    if tuple(map(type, row)) != _TYPES:
        raise RowError(_wrong_type(row))
    if trusted not in {0, 1}:
        raise RowError(f"wall_trusted is {trusted}, not 0 or 1")
    try:
        event = _event(event_json)
        results = _results(results_json)
        state = _state(state_json)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise RowError(f"its JSON cannot be read: {error}") from error
    if EVENT_KINDS[type(event)] != kind:
        raise RowError(f"kind is {kind!r}, but its event is {EVENT_KINDS[type(event)]!r}")
    if not results:
        raise RowError("it has no result, and nothing that happens is without one")
    if event.at_ns != at_ns:
        raise RowError(f"at_ns is {at_ns}, but its event says {event.at_ns}")
    return Record(seq, boot, at_ns, wall_ns, trusted == 1, kind, event, results, state, digest)


def _wrong_type(row: Row) -> str:
    column, value, right = next(
        (name, value, right)
        for name, value, right in zip(COLUMNS, row, _TYPES, strict=True)
        if type(value) is not right
    )
    return f"{column} is stored as {type(value).__name__}, not as {right.__name__}"
