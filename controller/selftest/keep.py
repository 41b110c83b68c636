"""Where a self-test's result is kept: in the journal of a commissioned table, else in a file beside its place.

A table that is not closed is not tested: slots would open and chips fall in the middle of a round.
"""

import os
from pathlib import Path

import msgspec

from controller.administer import administer
from controller.agreed import agreed
from controller.assemble import ParametersChangedError
from controller.clock import Clock
from controller.config import Settings
from controller.core import events as ev
from controller.core.state import Phase
from controller.journal import ends_of


class NotClosedError(RuntimeError):
    """A round is under way; the table must be closed before its hardware is tested."""


def may_test(settings: Settings) -> None:
    """See that the table is closed and plays by its files, or has no journal yet.

    Raises `NotClosedError`, `ParametersChangedError` and the journal's errors.
    """
    if not settings.journal.exists():
        return
    state = ends_of(settings.journal).last.state
    if state.phase not in {Phase.CLOSED, Phase.TEST}:
        raise NotClosedError(
            f"table {settings.table_id} is {state.phase}, not closed: start it, end the round and close it with the "
            "supervisor's key, stop it, and test again. Nothing was touched."
        )
    if not agreed(settings, state):
        raise ParametersChangedError(
            f"{settings.source} with its board does not say what table {settings.table_id} plays by: put "
            "the old values back, or accept the new ones with `pozo commission`, before the self-test. Nothing was "
            "touched."
        )


def keep(settings: Settings, clock: Clock, result: ev.SelfTested) -> Path | None:
    """Store the result. None: in the journal; else the file it is in, which replaces the one of the test before.

    Raises `RefusedError` and the journal's errors, or `OSError` for the file.
    """
    if settings.journal.exists():
        administer(settings, clock, result, both_keys=False)
        return None
    file = settings.journal.with_name(f"{settings.journal.name}.selftest.json")
    fresh = file.with_name(f"{file.name}.new")
    dated = {"wall_ns": clock.wall_ns(), "wall_trusted": clock.wall_trusted()}
    with fresh.open("wb") as out:
        out.write(msgspec.json.encode(dated | msgspec.to_builtins(result)) + b"\n")
        out.flush()
        os.fsync(out.fileno())
    fresh.replace(file)
    return file
