"""What is true of every table after every event. A violation is our own error: the process stops before it is stored.

`check` is asserted by the loop on each decision; soaks and property tests use checkers of their own.
"""

from controller.core import pot as pots
from controller.core.events import (
    AnyResult,
    AwardApproved,
    BankEnded,
    BankMoved,
    BankOpened,
    BetFrozen,
    CorrectionMade,
    TransferMade,
)
from controller.core.faults import FaultCode
from controller.core.game import Game
from controller.core.punto.state import Punto
from controller.core.state import Phase, Table, Wager
from controller.core.table.gate import bets


class InvariantError(AssertionError):
    """The program is about to store something that cannot be true. Nothing is stored; call the maker."""


def check(game: Game, before: Table, after: Table, results: tuple[AnyResult, ...]) -> None:
    """Raise `InvariantError` if the step from `before` to `after` broke the law."""
    if after is before:
        return
    if after.seats is not before.seats or after.phase is not before.phase:
        _check_seats(before, after)
    if after.pot is not before.pot:
        _check_money(game, before, after, results)
    if after.pot is not before.pot or after.faults is not before.faults:
        _check_known(game, after)
    if after.supervisor_person or after.technician_person:
        _check_people(after)
    if after.punto is not before.punto:
        _check_punto(before.punto, after, results)
    if after.phase is Phase.AWARD_PENDING and not after.claims:
        raise InvariantError("an award is pending without a claim")
    if (after.phase is Phase.AWARD_PENDING) is (after.resume is None):
        raise InvariantError(f"phase {after.phase} does not go with coming from {after.resume}")


def _check_people(after: Table) -> None:
    if (after.supervisor_person and not after.supervisor) or (
        after.technician_person and not after.technician
    ):
        raise InvariantError("a person stands behind a key that is not turned")
    if after.supervisor_person == after.technician_person:
        raise InvariantError("one person holds both keys")


def _check_punto(before: Punto | None, after: Table, results: tuple[AnyResult, ...]) -> None:
    now = after.punto
    if before is None or now is None:
        raise InvariantError("a table does not change between poker and Punto y Banca")
    if now.result is not None and (now.void or after.phase is not Phase.LOCKED):
        raise InvariantError(f"the result {now.result} stands in a void round or in phase {after.phase}")
    inside, commission = _bank_flows(results)
    if _stake(now) != _stake(before) + inside or _stake(now) < 0:
        raise InvariantError(f"the bank went from {_stake(before)} to {_stake(now)}, told is {inside}")
    if now.commission_meter != before.commission_meter + commission:
        raise InvariantError(f"commissions of {commission} were told, another sum was booked")
    frozen = sum(result.amount for result in results if isinstance(result, BetFrozen))
    entered = sum(result.frozen for result in results if isinstance(result, BankMoved))
    kept = _kept_frozen(now) - _kept_frozen(before)
    if frozen != entered + kept:
        raise InvariantError(f"{frozen} were frozen, {entered} entered the bank and {kept} were kept")


def _kept_frozen(punto: Punto) -> int:
    return punto.frozen_waiting + punto.frozen_meter


def _stake(punto: Punto) -> int:
    return 0 if punto.bank is None else punto.bank.stake


def _bank_flows(results: tuple[AnyResult, ...]) -> tuple[int, int]:
    """What the results say went into the bank (less what left it), and the commissions, in minor units."""
    inside = commission = 0
    for result in results:
        match result:
            case BankOpened(stake=stake):
                inside += stake
            case BankMoved():
                inside += result.won + result.raised + result.frozen - result.paid_out - result.commission
                commission += result.commission
            case BankEnded():
                inside -= result.lost + result.paid_out + result.commission
                commission += result.commission
            case _:
                pass
    return inside, commission


_LOCKED_ONLY = frozenset({Wager.ACCEPTED, Wager.VOID, Wager.FORFEITED})


def _check_seats(before: Table, after: Table) -> None:
    locked = after.phase is Phase.LOCKED or after.resume is Phase.LOCKED
    # Seats may be added with the table closed; a fresh one has nothing to compare with.
    for number, (was, now) in enumerate(zip(before.seats, after.seats, strict=False), start=1):
        if now is was and after.phase is before.phase:
            continue
        if now.dropped < was.dropped or now.accepted < was.accepted:
            raise InvariantError(f"seat {number}: a count fell")
        if locked is (now.wager is Wager.PLACED) and now.wager is not Wager.NONE:
            raise InvariantError(f"seat {number}: wager {now.wager} in phase {after.phase}")
        if not locked and now.wager in _LOCKED_ONLY:
            raise InvariantError(f"seat {number}: wager {now.wager} in phase {after.phase}")
        fresh = now.wager is Wager.ACCEPTED and was.wager is not Wager.ACCEPTED
        if fresh and was.wager is not Wager.PLACED:
            raise InvariantError(f"seat {number}: accepted a wager that was not placed")


def _check_money(game: Game, before: Table, after: Table, results: tuple[AnyResult, ...]) -> None:
    missing = pots.imbalance(after.pot)
    if missing:
        raise InvariantError(f"money is not conserved: {missing} millionths of a minor unit are missing")
    _check_links(game, before, after)
    won = sum(result.amount for result in results if isinstance(result, AwardApproved))
    taken = after.pot.in_meter - before.pot.in_meter
    if taken and taken != bets(after) * game.wager:
        raise InvariantError(f"{taken} taken in for {bets(after)} lamps")
    moved = any(isinstance(result, CorrectionMade | TransferMade) for result in results)
    earlier = {level.name: level for level in before.pot.levels}
    for rules, now in zip(game.levels, after.pot.levels, strict=True):
        was = earlier.get(now.name, now)
        if min(now.current, now.reserve_pool, now.overflow_meter, now.house_funding) < 0:
            raise InvariantError(f"level {now.name}: a meter fell below zero")
        if now.current < was.current and not (won or moved):
            raise InvariantError(
                f"level {now.name}: the pot fell without an award, a correction or a transfer"
            )
        if now.current > max(rules.limit, was.current):
            raise InvariantError(f"level {now.name}: the pot is above its limit")


def _check_links(game: Game, before: Table, after: Table) -> None:
    """What wagers give to links leaves here exactly; and no table holds money of a linked level."""
    staked = after.pot.in_meter - before.pot.in_meter
    earlier = {level.name: level for level in before.pot.levels}
    for rules, now in zip(game.levels, after.pot.levels, strict=True):
        was = earlier.get(now.name, now)
        ppm = 0 if rules.link is None else rules.increment_rate_ppm + rules.reserve_rate_ppm
        if now.link_out - was.link_out != staked * ppm:
            raise InvariantError(f"level {now.name}: {now.link_out - was.link_out} went to its link")
        if rules.link is not None and now.current:
            raise InvariantError(f"level {now.name}: {now.current} of a linked pot lies at the table")
        if rules.link is None and now.told is not None:
            raise InvariantError(f"level {now.name}: the floor speaks of a pot that is the table's own")


def _check_known(game: Game, after: Table) -> None:
    """A linked pot that nobody knows is a fault, and the fault is nothing else."""
    levels = zip(game.levels, after.pot.levels, strict=True)
    unknown = any(rules.link is not None and level.told is None for rules, level in levels)
    if unknown is not any(fault.code is FaultCode.LINK_UNKNOWN for fault in after.faults):
        raise InvariantError("the fault of a linked pot that nobody knows does not go with the pot")
