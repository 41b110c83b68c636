"""The files of a recovery, in the one order that may stop anywhere.

1. The witness's slots are copied aside, and key files that neither the trusted copy nor the persons vouch for.
2. The journal: one that goes on gets the recovery as its next record. One that does not is set aside, first the file,
   then its log, and a new one is made whole under another name before it gets its own.
3. Both slots are written anew.

Until the journal holds the recovery, the next start finds what was found before, or a lost journal, and the same slots.
From then on it finds slots that the recovery names as left behind, and finishes step 3 by itself.
"""

import os
from contextlib import closing
from pathlib import Path

import msgspec

from controller.administer import differences, flat_differences
from controller.admit import look, money_of
from controller.bound import is_simulated
from controller.clock import Clock
from controller.config import Settings, board_digest, board_written, game_digest, terms_digest, terms_written
from controller.core.events import Change, HeadSeen, HeadSigned, JournalRecovered, Trusted
from controller.core.pot import imbalance
from controller.core.table import Outcome, Remembered, on_paper, recovered
from controller.dates import Dates, dated
from controller.journal import Connect, Entry, Journal
from controller.journal.errors import from_os
from controller.journal.marker import sync_directory
from controller.journal.read import last_date
from controller.journal.schema import connect as connect_to_file
from controller.recovery.known import Known, copies_said, known
from controller.recovery.paper import Paper, check_rules, joined
from controller.recovery.plan import Plan, Request, plan
from controller.signing.device import (
    NO_KEY,
    held,
    key_files,
    key_in_force,
    make,
    own_keys,
    public_in,
)
from controller.signing.heads import Signer
from controller.signing.key import PrivateKey, short_key
from controller.witness import Files, Witness
from controller.witness.errors import RecoveryRefusedError
from controller.witness.examine import Examined
from controller.witness.slot import Slot
from controller.witness.store import DISK, SLOT_NAMES
from controller.witness.verdict import (
    Forked,
    GoodJournal,
    JournalBehind,
    JournalLost,
    Stranded,
    heads,
    plight,
)

TAILS = ("", "-wal", "-shm")
"""The files of a journal, in the order in which they are set aside: a log without its journal is never read."""


SAME_KEY = ""
"""What a recovery names that goes on with the key there is."""


class Done(msgspec.Struct, frozen=True):
    """What was done: what is trusted, the names of what was set aside, and the record that says so."""

    trusted: Trusted
    aside: tuple[str, ...]
    seq: int


def recover(
    settings: Settings,
    clock: Clock,
    request: Request,
    connect: Connect = connect_to_file,
    *,
    files: Files = DISK,
) -> Done:
    """Bring the table back. The caller holds the table's lock and has seen both keys.

    Raises `RecoveryRefusedError` where there is nothing to do or the request does not fit; then nothing was changed.
    Raises the journal's errors and `WitnessWriteError`; after these it may be called again.
    """
    found = look(settings, files, filed=request.filed or "")
    verdict = stranded(found)
    chosen = plan(found, verdict, request, game_digest(settings.game))
    said = known(settings.journal, settings.table_id, request.filed or "")
    changes = rule_changes(settings, request, said)
    paper = None if request.paper is None else joined(request.paper, said, money_of(settings))
    outcome = _outcome(settings, chosen, paper, said)
    settings.journal.parent.mkdir(parents=True, exist_ok=True)
    witness = Witness(settings.witness, settings.table_id, files)
    witness.make_place()
    witness.look()
    aside = _copies(settings.witness)
    work = _Work(settings, clock, connect, found, verdict, chosen.trusted, request, outcome, said, changes)
    key, exchanged = settle_key(settings.journal, trusted_key(found, verdict, chosen.trusted), request.filed)
    aside = (*aside, *exchanged)
    journal, told = work.go_on(aside, key) if chosen.append else work.begin_anew(aside, key)
    with closing(journal):
        witness.sign_with(key)
        for index, slot in enumerate(found.slots):
            if slot in found.unproven:
                witness.disown(index)
            else:
                witness.distrust(index)
        witness.write(journal.row)
        return Done(chosen.trusted, told, _recovery_seq(journal))


def _recovery_seq(journal: Journal) -> int:
    """The number of the record that says who and why: what comes after it only signs it."""
    last = journal.last
    return last.event.seq if isinstance(last.event, HeadSigned) else last.seq


def stranded(found: Examined) -> Stranded:
    """The verdict that keeps the table out of service. Raises `RecoveryRefusedError` for one that may play."""
    verdict = found.verdict
    if not isinstance(verdict, Stranded):
        raise RecoveryRefusedError(
            "journal and witness agree: there is nothing to recover; start with `pozo run`"
        )
    return verdict


def rule_changes(settings: Settings, request: Request, said: Known) -> tuple[Change, ...]:
    """What the files differ in from the last known rules and terms, where paper is trusted; else none.

    Raises `RecoveryRefusedError` where they differ and nobody accepted that.
    """
    if request.paper is None:
        return ()
    changes = () if said.rules is None else differences(said.rules, settings.game)
    if said.terms is not None:
        changes += flat_differences(said.terms, msgspec.json.decode(terms_written(settings)))
    check_rules(changes, accepted=request.accept_rules)
    return changes


def _outcome(settings: Settings, chosen: Plan, paper: Paper | None, said: Known) -> Outcome:
    """The state to go on with, and what is told of it. Raises `RecoveryRefusedError`; nothing is touched yet."""
    if paper is None:
        if chosen.state is None or imbalance(chosen.state.pot):
            raise RecoveryRefusedError(
                f"the {chosen.trusted} does not balance: trust another copy, or call the maker"
            )
        return recovered(chosen.state)
    game = settings.game
    names = [level.name for level in game.levels]
    if sorted(paper.amounts) != sorted(names):
        raise RecoveryRefusedError(f"enter one amount for each level: {', '.join(names) or 'there is none'}")
    amounts = tuple(paper.amounts[name] for name in names)
    try:
        return on_paper(
            game,
            game_digest(game),
            amounts,
            round_number=paper.round,
            last_award=paper.last_award,
            # No paper tells board and terms: they are those that these two persons have before them.
            remembered=Remembered(
                paper.unpaid or (),
                paper.received or (),
                said.users,
                board_digest(settings),
                terms_digest(settings),
            ),
        )
    except ValueError as error:
        raise RecoveryRefusedError(f"this cannot be on paper: {error}") from error


class _Work(msgspec.Struct, frozen=True):
    """One recovery's parts, so that its steps need not be handed all of them."""

    settings: Settings
    clock: Clock
    connect: Connect
    found: Examined
    verdict: Stranded
    trusted: Trusted
    request: Request
    outcome: Outcome
    said: Known
    changes: tuple[Change, ...]

    def go_on(self, aside: tuple[str, ...], key: PrivateKey) -> tuple[Journal, tuple[str, ...]]:
        """Give the journal that is there the recovery as its next record."""
        path = self.settings.journal
        entry = self._entry(aside, SAME_KEY if key.public == key_in_force(path) else key.public)
        journal = Journal.open(path, self.settings.table_id, self.connect)
        seal = Signer(self.settings.table_id, key)((entry,), self.clock.monotonic_ns())
        journal.append((entry,), self.clock.wall_ns(), self._dated(), seal)
        return journal, aside

    def begin_anew(self, aside: tuple[str, ...], key: PrivateKey) -> tuple[Journal, tuple[str, ...]]:
        """Set the journal aside, whatever is there of it, and begin one whose first record is the recovery."""
        path = self.settings.journal
        wall = (self.clock.wall_ns(), self._dated())
        aside = (*aside, *set_aside(path))
        entry = self._entry(aside, key.public)
        seal = Signer(self.settings.table_id, key)((entry,), self.clock.monotonic_ns())
        journal = Journal.create(path, self.settings.table_id, entry, *wall, connect=self.connect, seal=seal)
        return journal, aside

    def _dated(self) -> bool:
        """Whether the date counts: a recovery takes no doubt of the clock away, and raises its own."""
        states = [self.outcome[0], *([] if self.said.record is None else [self.said.record.state])]
        steps = Dates(self.clock, self._last_ns()).look(self.clock.monotonic_ns())
        return all(dated(self.clock, state) for state in states) and not any(
            step.unexplained for step in steps
        )

    def _last_ns(self) -> int | None:
        """The newest date that counts, in a good journal or in a slot; None if there is none."""
        slots = [slot.record for slot in self.found.slots if isinstance(slot, Slot)]
        last = [record.wall_ns for record in slots if record.wall_trusted]
        if isinstance(self.found.journal, GoodJournal):
            last += [each for each in (last_date(self.settings.journal),) if each is not None]
        return max(last, default=None)

    def _entry(self, aside: tuple[str, ...], device_key: str) -> Entry:
        good = self.found.journal if isinstance(self.found.journal, GoodJournal) else None
        state, results = self.outcome
        event = JournalRecovered(
            self.clock.monotonic_ns(),
            table=self.settings.table_id,
            game=game_digest(self.settings.game),
            rules=msgspec.json.encode(self.settings.game).decode(),
            trusted=self.trusted,
            found=plight(self.verdict),
            journal=None if good is None else HeadSeen(*good.head),
            witness=heads(self.found.slots),
            aside=aside,
            supervisor=self.request.supervisor.strip(),
            technician=self.request.technician.strip(),
            reason=self.request.reason.strip(),
            device_key=device_key,
            copies=(
                *copies_said(self.found, self.said, money_of(self.settings)),
                *_of_the_persons(self.request),
            ),
            changes=self.changes,
            simulated=is_simulated(self.settings),
            wiring=board_written(self.settings) if state.board == board_digest(self.settings) else "",
            terms=terms_written(self.settings) if state.house == terms_digest(self.settings) else "",
        )
        return Entry(event, results, state)


def trusted_key(found: Examined, verdict: Stranded, trusted: Trusted) -> str:
    """The public half that the trusted copy is signed with; empty for paper, which vouches for none by itself."""
    match trusted:
        case Trusted.WITNESS if isinstance(verdict, JournalBehind | JournalLost | Forked):
            return verdict.slot.key
        case Trusted.JOURNAL if isinstance(found.journal, GoodJournal):
            return found.journal.key
        case _:
            return NO_KEY


def settle_key(journal: Path, trusted: str, filed: str | None) -> tuple[PrivateKey, tuple[str, ...]]:
    """The key to go on with, and the names of key files set aside: whoever put them there, nobody vouches for them.

    It is the one of the trusted copy, or the filed one, if its private half is at hand; else a new one.
    Raises `JournalError`.
    """
    at_hand = sorted(own_keys(journal))
    wanted = [trusted, *(key for key in at_hand if filed and key.startswith(filed))]
    kept = next((key for key in wanted if key in at_hand), None)
    aside = tuple(
        _renamed(path, _free(path, ("",)), "")
        for path in key_files(journal)
        if path.exists() and (kept is None or public_in(path) != kept)
    )
    private = None if kept is None else held(journal, kept)
    return (make(journal) if private is None else private), aside


def _of_the_persons(request: Request) -> tuple[str, ...]:
    """What the two persons said of the filed key, and the wrong PINs before theirs; each a line of the record."""
    filed = () if request.filed is None else (f"filed key: {short_key(request.filed) or 'not at hand'}",)
    return (*filed, *(f"wrong PINs before, {each}" for each in request.wrong_pins))


def _copies(directory: Path) -> tuple[str, ...]:
    """Copy each slot that is there beside itself, durable on return; the names of the copies. Raises `JournalError`."""
    told: list[str] = []
    for name in SLOT_NAMES:
        path = directory / name
        number = _free(path, ("",))
        try:
            data = DISK.read(path)
        except OSError:
            # No plain file, or one that cannot be read: the name itself is kept, never what it leads to.
            told.append(_renamed(path, number, ""))
            continue
        if data is not None:
            _write(_aside(path, number, ""), data)
            told.append(_aside(path, number, "").name)
    return tuple(told)


def _write(path: Path, data: bytes) -> None:
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o440)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        sync_directory(path.parent)
    except OSError as error:
        raise from_os(error, path) from error


def set_aside(journal: Path) -> tuple[str, ...]:
    """Give a journal's files, as far as they are there, one free name and keep them; the names. Raises `JournalError`.

    What an interrupted recovery has moved already gets the rest beside it.
    """
    there = tuple(tail for tail in TAILS if journal.with_name(journal.name + tail).exists())
    number = _free(journal, there)
    return tuple(_renamed(journal, number, tail) for tail in there)


def _free(path: Path, tails: tuple[str, ...]) -> int:
    """The first number under which none of these files would meet another."""
    number = 1
    while any(os.path.lexists(_aside(path, number, tail)) for tail in tails):
        number += 1
    return number


def _aside(path: Path, number: int, tail: str) -> Path:
    return path.with_name(f"{path.name}.aside-{number}{tail}")


def _renamed(path: Path, number: int, tail: str) -> str:
    target = _aside(path, number, tail)
    try:
        path.with_name(path.name + tail).rename(target)
        sync_directory(path.parent)
    except OSError as error:
        raise from_os(error, target) from error
    return target.name
