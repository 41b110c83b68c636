"""What two persons read from paper, held against what the copies still say: pure, it touches no file."""

from collections.abc import Callable, Sequence

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


def joined(paper: Paper, said: Known, money: Callable[[int], str] = str) -> Paper:
    """The paper together with what is signed. Raises `RecoveryRefusedError` where they cannot both be.

    Of hearsay nothing is taken: what of it is true the two persons enter. `money` writes an amount in minor units.
    """
    _entered(paper, said)
    if any(not 0 < len(each) <= TRANSFER_DIGITS_MAX for each in paper.received or ()):
        raise RecoveryRefusedError(
            f"--received: a transfer's number has 1 to {TRANSFER_DIGITS_MAX} characters"
        )
    _as_signed(paper, said, money)
    unpaid = {award.number: award for award in (*(paper.unpaid or ()), *said.unpaid)}
    if said.record is not None:
        _not_before("--round", paper.round, said.round, said.source)
    if unpaid or said.record is not None:
        of = said.source or "what is unpaid"
        _not_before("--last-slip", paper.last_award, max((said.last_award, *unpaid)), of)
    received = tuple(dict.fromkeys((*said.received, *(paper.received or ()))))
    return replace(paper, received=received, unpaid=tuple(unpaid[number] for number in sorted(unpaid)))


def award_said(award: Award, money: Callable[[int], str]) -> str:
    """An award as `--unpaid` takes it, but for its amount, which is as people read it."""
    return (
        f"{award.number}:{award.round}:{award.seat}:{award.hand}:{award.level or '-'}:{money(award.amount)}"
    )


def _entered(paper: Paper, said: Known) -> None:
    """Refuse paper that leaves open what nothing signed tells."""
    if paper.received is not None and paper.unpaid is not None:
        return
    how = (
        "--received NUMBER for each transfer that was taken in, --unpaid NUMBER:ROUND:SEAT:HAND:LEVEL:AMOUNT for each "
        "award that is not paid, or `none` for each"
    )
    if said.hearsay:
        sources = ", ".join(f"{each.source} (record {each.record.seq})" for each in said.hearsay)
        raise RecoveryRefusedError(
            f"what nobody signed is not taken over: {sources}. Compare it with the paper and enter what is true: {how}"
        )
    if said.record is None:
        raise RecoveryRefusedError(f"no copy can be read, so these are to be entered too: {how}")


def _as_signed(paper: Paper, said: Known, money: Callable[[int], str]) -> None:
    """Refuse unpaid awards that are other than the signed ones, or that are signed as paid."""
    if paper.unpaid is None or said.record is None:
        return
    signed = {award.number: award for award in said.unpaid}
    given = {award.number: award for award in paper.unpaid}
    wrong = [
        number for number, award in given.items() if number in signed and not _same(award, signed[number])
    ]
    revived = [number for number in given if number <= said.last_award and number not in signed]
    forgotten = [] if given else list(signed)
    if not (wrong or revived or forgotten):
        return
    listed = [f"award {award_said(given[number], money)} is not owed" for number in revived]
    listed += [
        f"award {award_said(given[number], money)} is {award_said(signed[number], money)}" for number in wrong
    ]
    listed += [f"award {award_said(signed[number], money)} is owed" for number in forgotten]
    typed = ", ".join(award_said(award, money) for award in paper.unpaid) or "none"
    raise RecoveryRefusedError(
        f"--unpaid {typed} cannot be: {said.source} has it signed in record {said.record.seq} that "
        f"{'; '.join(listed)}. Leave such an entry out, or give it as it is signed. An award that was paid after that "
        "record is noted as paid at the table afterwards, with its receipt in hand"
    )


def _same(one: Award, other: Award) -> bool:
    """Which fund pays is not on the slip: it is not compared."""
    return replace(one, fund=other.fund, paid=other.paid) == other


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
