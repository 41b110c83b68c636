"""What two persons may trust, by what was found, and what a choice means: pure, it touches no file."""

from typing import Final, assert_never

import msgspec

from controller.core.events import Trusted
from controller.core.state import Table
from controller.core.table.parameters import REASON_MAX
from controller.names import commands, two_persons
from controller.recovery.paper import Paper
from controller.signing.key import short_key
from controller.witness.errors import RecoveryRefusedError
from controller.witness.examine import Examined
from controller.witness.slot import Slot
from controller.witness.verdict import (
    BadJournal,
    Forked,
    GoodJournal,
    JournalBehind,
    JournalLost,
    Lack,
    NothingTrusted,
    NoWitness,
    Stranded,
)

NOT_AT_HAND: Final = ""
"""What is said of the filed key where its paper is lost."""


class Request(msgspec.Struct, frozen=True):
    """What is to be done, by whom and why. `trusted` None: what is proposed; `paper` goes with that choice alone.

    `filed`: digits that the filed public half of the table's key begins with, as both persons read them from paper,
    or `NOT_AT_HAND`; None: nothing was said of it.
    """

    trusted: Trusted | None
    supervisor: str
    technician: str
    reason: str
    paper: Paper | None = None
    accept_rules: bool = False
    """With paper: other rules than the last known ones are accepted, each as a change that is recorded."""
    filed: str | None = None
    wrong_pins: tuple[str, ...] = ()
    """Wrong PINs in a row that were entered before, a line for each role: the record keeps them."""


class Plan(msgspec.Struct, frozen=True):
    """What a choice means."""

    trusted: Trusted
    state: Table | None
    """The state to go on with; None: it is made from what is on paper."""
    append: bool
    """The journal that is there goes on; else it is set aside and a new one begins."""


def choices(verdict: Stranded) -> tuple[Trusted, ...]:
    """What may be trusted after this verdict: paper only where no copy is good, for it forgets what a copy knows."""
    match verdict:
        case NoWitness():
            return (Trusted.JOURNAL,)
        case JournalBehind() | JournalLost():
            return (Trusted.WITNESS,)
        case Forked():
            return (Trusted.WITNESS, Trusted.JOURNAL)
        case NothingTrusted():
            return (Trusted.PAPER,)
        case _:
            assert_never(verdict)


def proposal(verdict: Stranded) -> Trusted | None:
    """What is done if nobody says otherwise; None where people must choose."""
    return None if isinstance(verdict, Forked) else choices(verdict)[0]


def plan(found: Examined, verdict: Stranded, request: Request, game: str) -> Plan:
    """What the request means here; `game` is the digest of the rules the files give.

    Raises `RecoveryRefusedError`.
    """
    _check_words(request)
    _check_filed(found, request)
    other = misnamed(found)
    if other is not None:
        raise RecoveryRefusedError(other)
    trusted = request.trusted or proposal(verdict)
    if trusted is None:
        raise RecoveryRefusedError(
            "journal and witness are of two histories: compare both with the paper, then say --trust journal or "
            "--trust witness"
        )
    if trusted not in choices(verdict):
        raise RecoveryRefusedError(
            f"{trusted} cannot be trusted here; there is: {', '.join(choices(verdict))}{_instead(trusted)}"
        )
    if trusted is not Trusted.WITNESS and found.unproven and request.filed is None:
        raise RecoveryRefusedError(_compare_first(found))
    if (trusted is Trusted.PAPER) is (request.paper is None):
        raise RecoveryRefusedError(
            "amounts are entered with --trust paper, and only with it: one --level NAME=AMOUNT for each level, --round "
            "and --last-slip"
        )
    state = _state(found, verdict, trusted)
    if state is not None and state.game != game:
        raise RecoveryRefusedError(_other_rules(state, game, trusted))
    append = isinstance(found.journal, GoodJournal) and (
        trusted is Trusted.JOURNAL or (isinstance(verdict, JournalBehind) and trusted is Trusted.WITNESS)
    )
    return Plan(trusted, state, append)


def misnamed(found: Examined) -> str | None:
    """What is wrong where journal and witness are both of one other table: one word of the file, and no history."""
    journal = found.journal
    if not isinstance(journal, BadJournal) or journal.lack is not Lack.FOREIGN:
        return None
    if not any(isinstance(slot, Slot) and slot.table == journal.table for slot in found.slots):
        return None
    return (
        f"journal and witness are both of table {journal.table}: nothing is to be recovered. Correct table.id in this "
        f"table's file, or put this table's own card and witness in. Nothing was changed. {journal.why}"
    )


def _state(found: Examined, verdict: Stranded, trusted: Trusted) -> Table | None:
    match trusted:
        case Trusted.PAPER:
            return None
        case Trusted.JOURNAL if isinstance(found.journal, GoodJournal):
            return found.journal.last.state
        case Trusted.WITNESS if isinstance(verdict, JournalBehind | JournalLost | Forked):
            return verdict.slot.record.state
        case _:
            raise RecoveryRefusedError(f"there is no {trusted} to trust")


def _check_filed(found: Examined, request: Request) -> None:
    """Refuse a filed key that is none of those found here, unless the choice says what follows from that."""
    if not request.filed or request.trusted in {Trusted.PAPER, Trusted.JOURNAL}:
        return
    there = {*found.keys, *(slot.key for slot in found.unproven)}
    if not any(key.startswith(request.filed) for key in there):
        listed = ", ".join(sorted(short_key(key) for key in there if key)) or "none"
        raise RecoveryRefusedError(
            f"--filed-key {short_key(request.filed)} is no key that was found here; there is: {listed}. Read it from "
            "the paper again. If it is right, another device wrote these copies: they are not to be trusted, call the "
            "maker, and say what is trusted instead (--trust)"
        )


def _compare_first(found: Examined) -> str:
    listed = ", ".join(dict.fromkeys(short_key(slot.key) or "no key" for slot in found.unproven))
    return (
        f"the witness can be read, and was signed with {listed}, which nothing here proves to be this table's. Compare "
        "it with the key filed at commissioning, or at its last change: --filed-key with the filed one; --filed-key "
        "none where that paper is not at hand"
    )


def _instead(trusted: Trusted) -> str:
    if trusted is not Trusted.PAPER:
        return ""
    return (
        ". Where paper says another amount, recover from that copy, and correct the pot afterwards with both keys: the "
        "correction is recorded"
    )


def _check_words(request: Request) -> None:
    for name in (request.supervisor, request.technician):
        if commands(name):
            raise RecoveryRefusedError(f"{name!a} is no name: it holds a control character; type it anew")
    if not two_persons(request.supervisor, request.technician):
        raise RecoveryRefusedError("this needs two persons: name them with --supervisor and --technician")
    if not request.reason.strip() or len(request.reason) > REASON_MAX:
        raise RecoveryRefusedError(f"a reason is needed, of {REASON_MAX} characters at most: --reason TEXT")


def _other_rules(state: Table, game: str, trusted: Trusted) -> str:
    return (
        f"the {trusted} was made under other rules (digest {state.game}) than the files say now ({game}): put back the "
        "configuration and profile that were in force, recover, and accept the new values afterwards with "
        "`pozo commission`"
    )
