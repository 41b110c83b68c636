"""An administrator's short session on a stopped table: start, acts under both keys, stop, all in the journal.

What a running table's menu would produce goes the same way: through `step`, checked, stored, refused with its
reason. The caller holds the table's lock, has seen the keys, and has looked at the PINs where the policy asks.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from controller.admit import Admitted, admit
from controller.clock import Clock
from controller.config import Settings, board_digest, board_written, game_digest
from controller.core import events as ev
from controller.core.game import Game, Role
from controller.core.invariants import check
from controller.core.state import Table
from controller.core.table import step
from controller.dates import Dates, dated
from controller.journal import Connect, Entry, Journal, Sealer, ends_of
from controller.journal.errors import damaged
from controller.journal.read import last_date, newest_first
from controller.journal.schema import connect as connect_to_file
from controller.signing.device import key_of, signer_of
from controller.witness import Files, Witness, WitnessWriteError
from controller.witness.errors import TooLargeError
from controller.witness.store import DISK


class Session(NamedTuple):
    """Who came to a session at the terminal.

    `began_ns`: since when nothing was tried, so that a wait after a wrong PIN is counted from there; None: from now.
    `supervisor` and `technician`: their names as far as known, for records that carry them. `identified`: those whose
    PIN was right.
    """

    began_ns: int | None = None
    supervisor: str = ""
    technician: str = ""
    identified: tuple[ev.PersonIdentified, ...] = ()


class Ready(NamedTuple):
    """A table that a session can be stored at: compared, locked by us, its journal open, its signing key at hand."""

    admitted: Admitted
    journal: Journal
    sign: Sealer


class RefusedError(RuntimeError):
    """The table refused the act; the reason is kept in the journal."""

    def __init__(self, reason: ev.Refusal) -> None:
        self.reason = reason
        super().__init__(f"the table refused: {reason}; the journal keeps that it was asked")


@contextmanager
def ready(
    settings: Settings,
    clock: Clock,
    sealer: Sealer | None = None,
    connect: Connect = connect_to_file,
    files: Files = DISK,
) -> Iterator[Ready]:
    """Have a table ready to store a session, until the end of the block.

    Whoever asks for a PIN asks in here: what nobody could journal is not asked. Raises as `administer` does.
    """
    admitted = admit(settings, clock, files)
    journal = Journal.open(settings.journal, settings.table_id, connect)
    try:
        yield Ready(admitted, journal, sealer or signer_of(settings.journal, settings.table_id))
    finally:
        journal.close()


def administer(
    settings: Settings,
    clock: Clock,
    *acts: ev.AnyEvent,
    both_keys: bool,
    why: str = "administered",
    session: Session = Session(),  # noqa: B008, a tuple of nothing that nobody can change
    sealer: Sealer | None = None,
    connect: Connect = connect_to_file,
    files: Files = DISK,
) -> tuple[ev.AnyResult, ...]:
    """Store a session with these acts in it and return what became of them.

    `why` is what the session's end says, `session` who came, `sealer` signs its end, without one the device's key in
    force. Raises `RefusedError` with the table's reason, `StrandedError` where journal and witness do not agree, and
    the journal's errors.
    """
    with ready(settings, clock, sealer, connect, files) as table:
        return administer_at(table, settings, clock, *acts, both_keys=both_keys, why=why, session=session)


def administer_at(
    table: Ready,
    settings: Settings,
    clock: Clock,
    *acts: ev.AnyEvent,
    both_keys: bool,
    why: str = "administered",
    session: Session = Session(),  # noqa: B008, a tuple of nothing that nobody can change
) -> tuple[ev.AnyResult, ...]:
    """Store a session at a table that is ready, as `administer` does."""
    journal = table.journal
    old, new = _rules(settings, acts)
    began_ns = clock.monotonic_ns() if session.began_ns is None else session.began_ns
    board = f"board={settings.wiring.factory}"
    started = ev.Started(began_ns, supervisor=both_keys, technician=both_keys, settings=board)
    stopped = ev.Stopped(clock.monotonic_ns(), why)
    stepped = Dates(clock, last_date(settings.journal)).look(began_ns)
    opening = (started, *table.admitted.first, *stepped, *session.identified)
    entries = _decided(old, journal.last.state, opening)
    entries += _decided(new, entries[-1].state, (*acts, stopped))
    seal = table.sign(entries, clock.monotonic_ns())
    journal.append(entries, clock.wall_ns(), dated(clock, entries[-1].state), seal)
    if any(isinstance(act, ev.DeviceKeyChanged) for act in acts):
        table.admitted.witness.sign_with(key_of(settings.journal))
    _second(new, clock, journal, table.admitted.witness)
    results = tuple(result for entry in entries[1:-1] for result in entry.results)
    for result in results:
        if isinstance(result, ev.Refused):
            raise RefusedError(result.reason)
    return results


def _rules(settings: Settings, acts: tuple[ev.AnyEvent, ...]) -> tuple[Game, Game]:
    """The rules a session begins under and those its acts are decided by: the journal's, whatever the files say now.

    Only a change of rules is decided by the files. Raises `DamagedError` where the journal's cannot be read.
    """
    changing = any(isinstance(act, ev.ParametersChanged) for act in acts)
    pin = pins_asked(settings)
    files = replace(settings.game, pin=pin)
    try:
        in_force = replace(msgspec.convert(rules_in_force(settings.journal), Game), pin=pin)
    except msgspec.ValidationError as error:
        if changing:
            return files, files
        raise damaged(
            settings.journal, f"the rules in force are not as this program knows them: {error}"
        ) from error
    return in_force, files if changing else in_force


def pins_asked(settings: Settings) -> tuple[Role, ...]:
    """The roles whose PIN is asked for: by the rules in force, and by those the files say now.

    Both, so that nobody takes a policy away without the persons it asks for.
    """
    known = rules_in_force(settings.journal).get("pin", [])
    in_force = msgspec.convert(known, tuple[Role, ...])
    return tuple(role for role in Role if role in in_force or role in settings.game.pin)


def _second(game: Game, clock: Clock, journal: Journal, witness: Witness) -> None:
    """Put the session's end into the second copy; where it cannot be written the journal says so."""
    try:
        witness.write(journal.row)
    except (WitnessWriteError, TooLargeError) as error:
        lost = ev.WitnessLost(clock.monotonic_ns(), str(error))
        entries = _decided(game, journal.last.state, (lost,))
        journal.append(entries, clock.wall_ns(), dated(clock, entries[-1].state))


def _decided(game: Game, table: Table, events: tuple[ev.AnyEvent, ...]) -> list[Entry]:
    entries: list[Entry] = []
    for event in events:
        after, results = step(game, table, event)
        check(game, table, after, results)
        entries.append(Entry(event, results, after))
        table = after
    return entries


def rules_in_force(journal: Path) -> Mapping[str, object]:
    """The rules the table plays by now, as they were agreed to: of the newest change or recovery, else the first."""
    for record in newest_first(journal, ("parameters_changed", "journal_recovered")):
        event = record.event
        if isinstance(event, ev.ParametersChanged | ev.JournalRecovered) and not _refused(record.results):
            return _decoded(event.rules, journal)
    first = ends_of(journal).first.event
    if not isinstance(first, ev.Commissioned):
        raise TypeError(f"record 1 of {journal} is {first!r}, not the commissioning")
    return _decoded(first.rules, journal)


def _refused(results: tuple[ev.AnyResult, ...]) -> bool:
    return any(isinstance(result, ev.Refused) for result in results)


def _decoded(rules: str, journal: Path) -> Mapping[str, object]:
    try:
        return msgspec.json.decode(rules, type=dict[str, object])
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise damaged(journal, f"the rules in force cannot be read: {error}") from error


def differences(old: Mapping[str, object], new: Game) -> tuple[ev.Change, ...]:
    """Every value that differs, by its dotted key; an absent one is written as `absent`."""
    return flat_differences(old, msgspec.to_builtins(new))


def flat_differences(old: Mapping[str, object], new: Mapping[str, object]) -> tuple[ev.Change, ...]:
    """As `differences`, of any two values."""
    before, after = _flat("", old), _flat("", new)
    return tuple(
        ev.Change(key, str(before.get(key, "absent")), str(after.get(key, "absent")))
        for key in sorted({*before, *after})
        if before.get(key) != after.get(key)
    )


def _flat(prefix: str, value: object) -> dict[str, object]:
    match value:
        case dict():
            pairs = [(str(key), each) for key, each in value.items()]
        case list() | tuple():
            pairs = [(_name(index, each), each) for index, each in enumerate(value)]
        case _:
            return {prefix: value}
    return {
        key: leaf
        for name, each in pairs
        for key, leaf in _flat(f"{prefix}.{name}" if prefix else name, each).items()
    }


def _name(index: int, value: object) -> str:
    """A level or prize is known by its name, not by its place in the list."""
    match value:
        case {"name": str(name)} | {"hand": str(name)}:
            return name
        case _:
            return str(index)


def parameters_changed(
    settings: Settings, clock: Clock, changes: tuple[ev.Change, ...], *, supervisor: str, technician: str
) -> ev.ParametersChanged:
    """The event by which both key holders accept what the files say now."""
    return ev.ParametersChanged(
        clock.monotonic_ns(),
        game=game_digest(settings.game),
        rules=msgspec.json.encode(settings.game).decode(),
        changes=changes,
        supervisor=supervisor,
        technician=technician,
        board=board_digest(settings),
        wiring=board_written(settings),
    )
