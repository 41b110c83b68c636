"""Puts a table together: settings, journal and hardware become a loop. It names no concrete hardware.

A table plays by the rules its journal was commissioned with, on the board that was there then. A file that says
something else stops the start and is told value by value; it is never taken over by editing alone.
"""

import os
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import msgspec

from controller.admit import admit
from controller.agreed import agreed, changes_of
from controller.bound import is_simulated
from controller.clock import Clock
from controller.config import Settings, board_digest, board_written, game_digest, terms_digest, terms_written
from controller.core.events import Commissioned
from controller.core.state import Table
from controller.core.table import commission
from controller.errands import Errands, NoErrands
from controller.hostline import Host, HostLine, NoHost
from controller.inbox import Inbox
from controller.journal import (
    Connect,
    DiskFullError,
    Entry,
    Finding,
    Head,
    Journal,
    ReadOnlyError,
    ends_of,
    finish,
    refuse_second,
    verify,
)
from controller.journal.read import last_date
from controller.journal.schema import connect as connect_to_file
from controller.keeper import Unopened
from controller.loop import Loop, Parts
from controller.notify import Notify
from controller.signing.device import make, signer_of
from controller.signing.heads import Signer, begun_message
from controller.signing.key import PrivateKey
from controller.users import Desk
from controller.witness import Files, Witness
from controller.witness.store import DISK
from controller.words import Words
from hal.interface import Hal


class ParametersChangedError(ValueError):
    """The configuration and the journal disagree about the rules or the board; the start stops."""


def commission_table(
    settings: Settings,
    clock: Clock,
    connect: Connect = connect_to_file,
    key: PrivateKey | None = None,
    files: Files = DISK,
) -> str:
    """Make a table's signing key, its journal and its witness: record 1 is the rules it begins with.

    The key's public half comes back. Both key switches are the caller's business. `key`: the one to sign with, else
    a new one. Raises `AlreadyCommissionedError` where a journal is or was, `WitnessThereError` where a witness is,
    `WitnessWriteError`, and the journal's other errors.
    """
    refuse_second(settings.journal)
    witness = Witness(settings.witness, settings.table_id, files)
    witness.refuse_second()
    witness.make_place()
    private = make(settings.journal, key)
    public, wall_ns = private.public, clock.wall_ns()
    digest = game_digest(settings.game)
    rules = msgspec.json.encode(settings.game).decode()
    event = Commissioned(
        clock.monotonic_ns(),
        settings.table_id,
        digest,
        rules,
        public,
        is_simulated(settings),
        board=board_digest(settings),
        wiring=board_written(settings),
        house=terms_digest(settings),
        terms=terms_written(settings),
    )
    table, results = commission(settings.game, event)
    first = Entry(event, results, table)
    journal = Journal.create(
        settings.journal,
        settings.table_id,
        first,
        wall_ns,
        clock.wall_trusted(),
        connect=connect,
        unfinished=private.sign(begun_message(settings.table_id, wall_ns)),
        seal=Signer(settings.table_id, private)((first,), clock.monotonic_ns()),
    )
    witness.sign_with(private)
    with closing(journal):
        witness.write(journal.row)
        made = journal.last
    finish(settings.journal, settings.table_id, made)
    return public


def assemble(
    settings: Settings,
    hal: Hal,
    clock: Clock,
    observe: Callable[[Sequence[Entry]], None],
    connect: Connect = connect_to_file,
    *,
    files: Files = DISK,
    host: Host | None = None,
    errands: Errands | None = None,
) -> tuple[Loop, Inbox]:
    """Compare journal and witness, the journal with the settings, and make the loop that plays from its last record.

    `host`: where the table hears of its floor, if not on the socket of its file. `errands`: who does what is asked for
    at the stick, if anybody. Nothing of the hardware is touched.
    Raises `StrandedError`, `ParametersChangedError` and the journal's errors, that of a missing key among them.
    """
    notify = Notify()
    admitted = admit(settings, clock, files, lambda: notify.working(clock.monotonic_ns()))

    def reopen() -> Journal:
        return Journal.open(settings.journal, settings.table_id, connect)

    def prove(head: Head) -> Finding | None:
        return verify(settings.journal, head, lambda: notify.working(clock.monotonic_ns())).bad

    sealer = signer_of(settings.journal, settings.table_id)
    opened = _opened(settings, reopen)
    try:
        _compare(settings, opened)
    except BaseException:
        if isinstance(opened, Journal):
            opened.close()
        raise
    inbox = Inbox(line.name for line in settings.wiring.inputs)
    parts = Parts(
        game=settings.game,
        slots=settings.slots,
        board=settings.wiring.factory,
        timings=settings.timings,
        hal=hal,
        opened=opened,
        reopen=reopen,
        prove=prove,
        sealer=sealer,
        witness=admitted.witness,
        first=admitted.first,
        clock=clock,
        last_date_ns=last_date(settings.journal),
        inbox=inbox,
        words=Words(settings.language, settings.locale, settings.game.currency, settings.name),
        notify=notify,
        free_mb=lambda: _free_mb(settings.journal),
        observe=observe,
        host=host or _host(settings),
        users=Desk(settings.journal, _table(opened).users),
        errands=errands or NoErrands(),
    )
    return Loop(parts), inbox


def _host(settings: Settings) -> Host:
    link = settings.onward.link
    return NoHost() if link is None else HostLine(link.socket, settings.table_id)


def _free_mb(journal: Path) -> int:
    state = os.statvfs(journal.parent)
    return state.f_bavail * state.f_frsize // (1024 * 1024)


def _opened(settings: Settings, reopen: Callable[[], Journal]) -> Journal | Unopened:
    """The journal for writing; on a full or read-only medium what it says last, so that the table can show it.

    Such a table plays nothing: slots stay locked and every display says why, but the lamps of a stored round burn.
    """
    try:
        return reopen()
    except (DiskFullError, ReadOnlyError) as error:
        last = ends_of(settings.journal).last
        return Unopened(last.state, Head(last.seq, last.digest), error)


def _table(opened: Journal | Unopened) -> Table:
    return opened.last.state if isinstance(opened, Journal) else opened.table


def _compare(settings: Settings, opened: Journal | Unopened) -> None:
    table = _table(opened)
    if agreed(settings, table):
        return
    changes = "\n".join(
        f"  {change.key}: {change.old} -> {change.new}" for change in changes_of(settings, table)
    )
    raise ParametersChangedError(
        f"{settings.source} with its board does not say what table {settings.table_id} plays by:\n{changes}\n"
        "Put the old values back, or accept the new ones with both keys: `pozo commission`. "
        "The table does not start until then."
    )
