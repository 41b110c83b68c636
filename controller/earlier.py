"""Awards that a journal counts and does not hold: it went on from a recovery after their record was lost."""

from pathlib import Path

from controller.journal.read import ends_of, newest_first

_OWED = "The table owes it: pay it once, by the slip that was printed, and note at the table that it is paid."
_NOT_OWED = (
    "The table does not owe it (any more): pay nothing by its slip, whoever brings one; ask for its receipt."
)


def before_recovery(journal: Path, number: int) -> str | None:
    """Why award `number` has no record here, where a recovery is the reason; else None. Raises the journal's errors."""
    state = ends_of(journal).last.state
    owed = any(award.number == number and not award.paid for award in state.awards)
    for record in newest_first(journal, ("journal_recovered",)):
        if 0 < number <= record.state.awards_made:
            return (
                f"award {number} was approved before the recovery in record {record.seq} of {journal}, and its own "
                f"record is not in this journal. {_OWED if owed else _NOT_OWED} Its record may be in a journal set "
                f"aside (`pozo slip {number} FILE`). Later awards are not affected"
            )
    return None
