"""Puts a table together: settings, journal and hardware become a loop. It names no concrete hardware.

A table plays by the rules its journal was commissioned with. A file that says something else stops the start and
is told value by value; it is never taken over by editing alone.
"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from controller.clock import Clock
from controller.config import Settings, game_digest
from controller.core.events import Commissioned
from controller.core.game import Game
from controller.core.table import commission
from controller.inbox import Inbox
from controller.journal import Connect, Entry, Journal, ends_of
from controller.journal.schema import connect as connect_to_file
from controller.loop import Loop, Parts
from controller.notify import Notify
from controller.words import Words
from hal.interface import Hal


class ParametersChangedError(ValueError):
    """The configuration and the journal disagree about the rules; the start stops."""


def commission_table(settings: Settings, clock: Clock, connect: Connect = connect_to_file) -> None:
    """Make a table's journal: its first record is the rules it begins with. Both keys are the caller's business.

    Raises `AlreadyCommissionedError` where a journal is or was, and the journal's other errors.
    """
    digest = game_digest(settings.game)
    rules = msgspec.json.encode(settings.game).decode()
    event = Commissioned(clock.monotonic_ns(), settings.table_id, digest, rules)
    table, results = commission(settings.game, event)
    first = Entry(event, results, table)
    Journal.create(
        settings.journal,
        settings.table_id,
        first,
        clock.wall_ns(),
        clock.wall_trusted(),
        connect=connect,
    ).close()


def assemble(
    settings: Settings,
    hal: Hal,
    clock: Clock,
    observe: Callable[[Sequence[Entry]], None],
    connect: Connect = connect_to_file,
) -> tuple[Loop, Inbox]:
    """Open the journal, compare it with the settings, and make the loop that plays from its last record.

    Nothing of the hardware is touched. Raises `ParametersChangedError` and the journal's errors.
    """

    def reopen() -> Journal:
        return Journal.open(settings.journal, settings.table_id, connect)

    journal = reopen()
    try:
        _compare(settings, journal)
    except BaseException:
        journal.close()
        raise
    inbox = Inbox(line.name for line in settings.wiring.inputs)
    parts = Parts(
        game=settings.game,
        timings=settings.timings,
        hal=hal,
        journal=journal,
        reopen=reopen,
        clock=clock,
        inbox=inbox,
        words=Words(settings.language, settings.locale, settings.game.currency),
        notify=Notify(),
        free_mb=lambda: _free_mb(settings.journal),
        observe=observe,
    )
    return Loop(parts), inbox


def _free_mb(journal: Path) -> int:
    state = os.statvfs(journal.parent)
    return state.f_bavail * state.f_frsize // (1024 * 1024)


def _compare(settings: Settings, journal: Journal) -> None:
    if journal.last.state.game == game_digest(settings.game):
        return
    first = ends_of(settings.journal).first.event
    if not isinstance(first, Commissioned):
        raise TypeError(f"record 1 of {settings.journal} is {first!r}, not the commissioning")
    agreed = msgspec.json.decode(first.rules, type=Game)
    changes = "\n".join(f"  {line}" for line in differences(agreed, settings.game))
    raise ParametersChangedError(
        f"{settings.source} does not say what table {settings.table_id} was commissioned with:\n{changes}\n"
        "Put the old values back, or accept the new ones with both keys; the table does not start until then."
    )


def differences(old: Game, new: Game) -> list[str]:
    """Every value that differs, dotted, old and new."""
    before, after = _flat("", msgspec.to_builtins(old)), _flat("", msgspec.to_builtins(new))
    return [
        f"{key}: {before.get(key, 'absent')} -> {after.get(key, 'absent')}"
        for key in sorted({*before, *after})
        if before.get(key) != after.get(key)
    ]


def _flat(prefix: str, value: object) -> dict[str, object]:
    match value:
        case dict():
            pairs = [(str(key), each) for key, each in value.items()]
        case list() | tuple():
            pairs = [(str(index), each) for index, each in enumerate(value)]
        case _:
            return {prefix: value}
    return {
        key: leaf
        for name, each in pairs
        for key, leaf in _flat(f"{prefix}.{name}" if prefix else name, each).items()
    }
