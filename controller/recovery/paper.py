"""What two persons read from paper, held against what the copies still say: pure, it touches no file."""

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from controller.core.events import Change
from controller.core.state import Award
from controller.core.table.parameters import CURRENCY, TRANSFER_DIGITS_MAX
from controller.recovery.known import Known
from controller.witness.errors import RecoveryRefusedError


class Paper(msgspec.Struct, frozen=True):
    """What two persons read from shift reports and slips: each level's amount in minor units, by its name."""

    amounts: dict[str, int]
    round: int
    """The round that is open now: one more than the last one that is on paper."""
    last_award: int
    """Number of the last award slip, 0 if there never was one: a number is never given twice."""
    received: tuple[str, ...] | None = None
    """Numbers of the transfers that this table has taken in; None: not entered, which only a readable copy allows."""
    unpaid: tuple[Award, ...] | None = None
    """Awards approved and not paid; None as above."""


def joined(paper: Paper, said: Known) -> Paper:
    """The paper together with what the copies remember. Raises `RecoveryRefusedError` where they cannot both be."""
    if said.record is None and (paper.received is None or paper.unpaid is None):
        raise RecoveryRefusedError(
            "no copy can be read, so these are to be entered too: --received NUMBER for each transfer that was taken "
            "in, --unpaid NUMBER:ROUND:SEAT:HAND:LEVEL:AMOUNT for each award that is not paid, or `none` for each"
        )
    if any(not 0 < len(each) <= TRANSFER_DIGITS_MAX for each in paper.received or ()):
        raise RecoveryRefusedError(
            f"--received: a transfer's number has 1 to {TRANSFER_DIGITS_MAX} characters"
        )
    unpaid = {award.number: award for award in (*said.unpaid, *(paper.unpaid or ()))}
    if said.record is not None:
        _not_before("--round", paper.round, said.round, said.source)
    if unpaid or said.record is not None:
        of = said.source or "what is unpaid"
        _not_before("--last-slip", paper.last_award, max((said.last_award, *unpaid)), of)
    received = tuple(dict.fromkeys((*said.received, *(paper.received or ()))))
    return replace(paper, received=received, unpaid=tuple(unpaid[number] for number in sorted(unpaid)))


def check_rules(changes: Sequence[Change], *, accepted: bool) -> None:
    """Raise `RecoveryRefusedError` where the files give other rules than the last known and nobody accepted them."""
    for change in changes:
        if change.key == CURRENCY:
            raise RecoveryRefusedError(
                f"the files have {change.new}, and what the copies know is counted in {change.old}: the currency of a "
                "table never changes; put the configuration back"
            )
    if changes and not accepted:
        listed = "; ".join(f"{change.key}: {change.old} -> {change.new}" for change in changes)
        raise RecoveryRefusedError(
            f"the files give other rules than the last ones a copy knows: {listed}. Put the configuration back, or "
            "accept each of these with --accept-rules; the record keeps them"
        )


def _not_before(option: str, given: int, least: int, source: str) -> None:
    if given < least:
        raise RecoveryRefusedError(f"{option} {given} cannot be: {source} has {least}; enter {least} or more")
