"""Awards that a journal counts and does not hold: it went on from a recovery after their record was lost."""

from pathlib import Path

from controller.journal.read import newest_first


def before_recovery(journal: Path, number: int) -> str | None:
    """Why award `number` has no record here, where a recovery is the reason; else None. Raises the journal's errors."""
    for record in newest_first(journal, ("journal_recovered",)):
        if 0 < number <= record.state.awards_made:
            return (
                f"award {number} was approved before the recovery in record {record.seq} of {journal}, and its own "
                f"record is not in this journal: look for it in a journal set aside (`pozo slip {number} FILE`), or "
                "pay it by the slip that was printed. Later awards are not affected"
            )
    return None
