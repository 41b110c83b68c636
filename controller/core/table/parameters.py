"""What only both keys may do, with the table closed: corrections, transfers, other rules."""

from msgspec.structs import replace

from controller.core import events as ev
from controller.core import pot as pots
from controller.core.events import Refusal
from controller.core.game import Game, LevelRules
from controller.core.state import Level, Seat, Table
from controller.core.table.gate import Outcome, refuse, with_links

CURRENCY = "currency"
"""How a change of the currency is named; the rules before it are in no state."""

TRANSFERS_MAX = 1000
"""Transfers a table can take in during its life; each is remembered so that none is taken twice."""


TRANSFER_DIGITS_MAX = 40
"""Characters of a transfer's number; the program makes them of 32."""

TABLE_ID_MAX = 32
"""Characters of a table's identity, as its configuration takes them."""

REASON_MAX = 400
"""Characters of a reason: a record must fit into a slot of the witness."""


def pot_corrected(game: Game, table: Table, event: ev.PotCorrected) -> Outcome:
    """Set a level by two persons, with a reason; old and new value are told."""
    index = _index(table, event.level)
    if index is None:
        return refuse(table, Refusal.NO_SUCH_LEVEL)
    refusal = unfit(event.reason)
    if refusal is not None:
        return refuse(table, refusal)
    if game.levels[index].link is not None:
        return refuse(table, Refusal.LEVEL_LINKED)
    if not 0 <= event.amount <= game.levels[index].limit:
        return refuse(table, Refusal.AMOUNT_OUT_OF_RANGE)
    level = table.pot.levels[index]
    after = _with_level(table, index, pots.correct(level, event.amount))
    return after, (ev.CorrectionMade(event.level, level.current, event.amount),)


def transferred(game: Game, table: Table, event: ev.PotTransferred) -> Outcome:
    """Move money between two levels: one record, two balanced entries."""
    source, target = _index(table, event.source), _index(table, event.target)
    if source is None or target is None or source == target:
        return refuse(table, Refusal.NO_SUCH_LEVEL)
    refusal = _cannot_give(
        game.levels[source], table.pot.levels[source], event.amount, event.reason
    ) or _cannot_take(game.levels[target], table.pot.levels[target], event.amount)
    if refusal is not None:
        return refuse(table, refusal)
    after = _with_level(table, source, pots.give(table.pot.levels[source], event.amount))
    after = _with_level(after, target, pots.receive(after.pot.levels[target], event.amount))
    given, taken = after.pot.levels[source], after.pot.levels[target]
    return after, (
        ev.TransferMade(event.source, -event.amount, given.current),
        ev.TransferMade(event.target, event.amount, taken.current),
    )


def sent(game: Game, table: Table, event: ev.TransferSent) -> Outcome:
    """Send money to another table: it leaves the level now; the other table takes it in once."""
    index = _index(table, event.level)
    if index is None:
        return refuse(table, Refusal.NO_SUCH_LEVEL)
    refusal = _unnamed(event.transfer, event.to_table) or _cannot_give(
        game.levels[index], table.pot.levels[index], event.amount, event.reason
    )
    if refusal is not None:
        return refuse(table, refusal)
    after = _with_level(table, index, pots.give(table.pot.levels[index], event.amount))
    return after, (ev.TransferMade(event.level, -event.amount, after.pot.levels[index].current),)


def received(game: Game, table: Table, event: ev.TransferReceived) -> Outcome:
    """Take in what another table sent; the same transfer a second time is refused."""
    index = _index(table, event.level)
    if index is None:
        return refuse(table, Refusal.NO_SUCH_LEVEL)
    if event.transfer in table.received:
        return refuse(table, Refusal.ALREADY_RECEIVED)
    if len(table.received) >= TRANSFERS_MAX:
        return refuse(table, Refusal.TOO_MANY_TRANSFERS)
    refusal = _unnamed(event.transfer, event.from_table) or _cannot_take(
        game.levels[index], table.pot.levels[index], event.amount
    )
    if refusal is not None:
        return refuse(table, refusal)
    after = _with_level(table, index, pots.receive(table.pot.levels[index], event.amount))
    after = replace(after, received=(*table.received, event.transfer))
    return after, (ev.TransferMade(event.level, event.amount, after.pot.levels[index].current),)


def changed(game: Game, table: Table, event: ev.ParametersChanged) -> Outcome:
    """Play by other rules, on another board or by other terms; `game` is the new one, and `event.game` its digest.

    Levels keep their money by name and none may disappear; no limit may be below its pot; a level that is to be linked
    must have given its pot away, and no claim may be at the floor; seats may be added, never removed, for their counts
    are evidence. The currency never changes: pots, meters and what is owed are counted in it. What could still be
    claimed of the round just ended no longer can under other rules: its wagers were made under those before.
    """
    refusal = _cannot_change(game, table)
    if refusal is None and any(change.key == CURRENCY for change in event.changes):
        refusal = Refusal.CURRENCY_FIXED
    if refusal is not None:
        return refuse(table, refusal)
    ended = () if event.game == table.game else claimable_seats(table)
    kept = tuple(replace(seat, claimable=False) for seat in table.seats) if ended else table.seats
    more = tuple(Seat() for _ in range(game.seats - len(table.seats)))
    after = replace(
        table,
        game=event.game,
        board=event.board or table.board,
        house=event.house or table.house,
        seats=(*kept, *more),
        pot=table.pot if event.game == table.game else pots.relevel(game, table.pot),
        refusal=None,
    )
    after, told = with_links(game, after)
    return after, (ev.ParametersAccepted(table.game, event.game, ended), *told)


def claimable_seats(table: Table) -> tuple[int, ...]:
    """The seats whose wager of the round just ended can still be claimed."""
    return tuple(number for number, seat in enumerate(table.seats, start=1) if seat.claimable)


def key_changed(table: Table, event: ev.DeviceKeyChanged) -> Outcome:
    """Sign with another key from now on, with a reason. In any phase: a lost key must not hold a live round up."""
    refusal = unfit(event.reason)
    if refusal is not None:
        return refuse(table, refusal)
    return replace(table, refusal=None), (ev.Noted(),)


def _cannot_change(game: Game, table: Table) -> Refusal | None:
    if (game.punto is None) is not (table.punto is None):
        return Refusal.NOT_THIS_GAME
    limits = {rules.name: rules.limit for rules in game.levels}
    if any(level.name not in limits for level in table.pot.levels):
        return Refusal.LEVEL_REMOVED
    if any(level.current > limits[level.name] for level in table.pot.levels):
        return Refusal.ABOVE_LIMIT
    if table.link_claims:
        return Refusal.CLAIM_AT_FLOOR
    linked = {rules.name for rules in game.levels if rules.link is not None}
    if any(level.current and level.name in linked for level in table.pot.levels):
        return Refusal.POT_NOT_EMPTY
    return Refusal.SEATS_FIXED if game.seats < len(table.seats) else None


def unfit(reason: str) -> Refusal | None:
    """Why a text is no reason to keep, or None."""
    if not reason.strip():
        return Refusal.NO_REASON
    return Refusal.TEXT_TOO_LONG if len(reason) > REASON_MAX else None


def _unnamed(transfer: str, table_id: str) -> Refusal | None:
    """A transfer's number is kept in every state after it, so that its length is not free."""
    long = len(transfer) > TRANSFER_DIGITS_MAX or len(table_id) > TABLE_ID_MAX
    return Refusal.TEXT_TOO_LONG if long else None


def _cannot_give(rules: LevelRules, level: Level, amount: int, reason: str) -> Refusal | None:
    bad = unfit(reason)
    if bad is not None:
        return bad
    if rules.link is not None:
        return Refusal.LEVEL_LINKED
    if amount <= 0:
        return Refusal.AMOUNT_OUT_OF_RANGE
    return Refusal.POT_TOO_SMALL if amount > level.current else None


def _cannot_take(rules: LevelRules, level: Level, amount: int) -> Refusal | None:
    if rules.link is not None:
        return Refusal.LEVEL_LINKED
    if amount <= 0:
        return Refusal.AMOUNT_OUT_OF_RANGE
    return Refusal.ABOVE_LIMIT if level.current + amount > rules.limit else None


def _index(table: Table, name: str) -> int | None:
    return next((index for index, level in enumerate(table.pot.levels) if level.name == name), None)


def _with_level(table: Table, index: int, level: Level) -> Table:
    levels = (*table.pot.levels[:index], level, *table.pot.levels[index + 1 :])
    return replace(table, pot=replace(table.pot, levels=levels), refusal=None)
