"""Lets a program write to a table's journal only where journal and witness agree, and says what else there is.

Every way to a writer goes through here: the running table, an administrator's session, a change of rules.
"""

from collections.abc import Callable
from typing import NamedTuple

from controller.bound import refuse_other_board
from controller.clock import Clock
from controller.config import Settings
from controller.core.events import AnyEvent, WitnessRebuilt
from controller.journal import page
from controller.journal.verify import nobody
from controller.own import prove_program
from controller.signing.device import held
from controller.witness import Files, Slot, Witness, WitnessError
from controller.witness.examine import Examined, examine
from controller.witness.store import DISK
from controller.witness.verdict import (
    Agreed,
    AllDamaged,
    GoodJournal,
    HalfDamaged,
    NewTable,
    Stranded,
    Superseded,
)
from controller.words.amounts import format_amount


class StrandedError(WitnessError, RuntimeError):
    """Journal and witness do not agree. No file was changed; `verdict` says what is trusted, the text what to do."""

    def __init__(self, settings: Settings, verdict: Stranded) -> None:
        from controller.witness.told import told  # noqa: PLC0415, a table that plays needs none of its words

        self.verdict = verdict
        super().__init__(
            f"table {settings.table_id} is out of service. {told(verdict, money_of(settings))} No file was changed "
            f"(journal {settings.journal}, witness {settings.witness}). Next, with both keys: "
            f"`pozo recover --config {settings.source}`, which shows both copies and asks for nothing yet."
        )


class Admitted(NamedTuple):
    """A table that may go on: its witness, and what is to be journaled first."""

    witness: Witness
    first: tuple[AnyEvent, ...]


def money_of(settings: Settings) -> Callable[[int], str]:
    """How a table writes its amounts."""
    return lambda amount: format_amount(amount, settings.locale, settings.game.currency)


def look(
    settings: Settings, files: Files = DISK, working: Callable[[], None] = nobody, filed: str = ""
) -> Examined:
    """Compare the two copies of a table's history. Nothing is changed. Raises what `examine` raises.

    `filed`: the beginning of the key that persons read from paper.

    Raises `OtherBoardError` where the file names a simulated board and the history is a real table's, `ManifestError`
    where the program is not the signed one.
    """
    return _examined(settings, Witness(settings.witness, settings.table_id, files), working, filed)


def admit(
    settings: Settings, clock: Clock, files: Files = DISK, working: Callable[[], None] = nobody
) -> Admitted:
    """Compare the two copies; what a cut recovery or commissioning left undone is finished.

    Raises `StrandedError` where they do not agree, `WitnessWriteError` where that cannot be finished, and what
    `look` raises.
    """
    witness = Witness(settings.witness, settings.table_id, files)
    found = _examined(settings, witness, working)
    _take_over(witness, settings, found)
    now = clock.monotonic_ns()
    verdict = found.verdict
    match verdict:
        case Agreed():
            return Admitted(witness, ())
        case NewTable(seq=seq):
            witness.make_place()
            (row,) = page(settings.journal, seq - 1, 1)
            witness.write(row)
            return Admitted(witness, ())
        case HalfDamaged(why=why):
            return Admitted(witness, (WitnessRebuilt(now, why, whole=False),))
        case AllDamaged(why=why):
            return Admitted(witness, (WitnessRebuilt(now, why, whole=True),))
        case Superseded(slots=slots, seq=seq):
            for index in slots:
                witness.distrust(index)
            (row,) = page(settings.journal, seq - 1, 1)
            witness.write(row)
            return Admitted(witness, ())
        case _:
            raise StrandedError(settings, verdict)


def _examined(settings: Settings, witness: Witness, working: Callable[[], None], filed: str = "") -> Examined:
    """Both copies, by a program that is the signed one, on a board of the kind they were made on."""
    prove_program(settings)
    refuse_other_board(settings)
    found = examine(settings.journal, settings.table_id, witness, working, settings.game, filed=filed)
    refuse_other_board(settings, (slot.record.state.board for slot in found.slots if isinstance(slot, Slot)))
    return found


def _take_over(witness: Witness, settings: Settings, found: Examined) -> None:
    """Sign with the key in force, and count on from no slot that this table's keys did not sign."""
    if not isinstance(found.journal, GoodJournal):
        return
    for index, slot in enumerate(found.slots):
        if isinstance(slot, Slot) and slot.key not in found.keys:
            witness.disown(index)
    witness.sign_with(held(settings.journal, found.journal.key))
