"""A profile as rows of a rules sheet: which line, which value, which article, and whether the house decides."""

from collections.abc import Iterator

import msgspec

from controller.config.kinds import By, Ruled
from controller.config.profile import BaseText, LevelText, PaysText, PrizeText, Profile, Winners
from controller.sheet.texts import PUNTO_NUMBERS, Sheet

Value = object
"""What a row shows: a number, a yes or no, an enum's member, an amount as it stands in the profile, a `Said`."""


SLOTS_CLOSE = ("require_sign", "require_host")
"""Policies whose device, when it is lost, closes the slots; a table without slots refuses COIN IN only."""


class Said(msgspec.Struct, frozen=True):
    """A value that is a sentence with values of its own."""

    text: Sheet
    values: dict[str, object] = msgspec.field(default_factory=dict)


class Row(msgspec.Struct, frozen=True):
    """One line. Without source it is a heading, unless `plain`; without value a sentence. `key` is the catalogue's.

    `kind`: of a value, the word under which the catalogues know its members. `house`: the text leaves it open; no
    value then: a table's file must give it, as set `by` whom.
    """

    key: str
    values: dict[str, object] = msgspec.field(default_factory=dict)
    value: Value = None
    kind: str = ""
    source: str = ""
    house: bool = False
    by: By = By.HOUSE
    plain: bool = False


def rows(profile: Profile) -> Iterator[Row]:
    """The whole sheet, in the order in which a supervisor asks."""
    yield from _table(profile)
    yield from _wager(profile)
    for name, level in profile.levels.items():
        yield from _level(name, level)
    if profile.winners is not None:
        yield from _prizes(profile, profile.winners)
    yield from _policies(profile)
    if profile.base is not None:
        yield from _base(profile.base)
    if profile.pays is not None:
        yield Row(Sheet.BANK)
        yield from _pays(profile.pays)
    yield from _others(profile)


def _ruled(key: str, ruled: Ruled[object] | None, kind: str) -> Iterator[Row]:
    if ruled is not None:
        yield Row(key, value=ruled.value, kind=kind, source=ruled.source, house=ruled.house, by=ruled.by)


def _table(profile: Profile) -> Iterator[Row]:
    seats = profile.seats
    yield Row(Sheet.TABLE)
    key = Sheet.SEATS_AT_MOST if seats.at_most else Sheet.SEATS
    yield Row(key, value=seats.value, source=seats.source, house=seats.house)
    yield from _ruled(Sheet.PLAYERS_LEAST, profile.players_least, "")
    if profile.cards is not None:
        yield from _ruled(Sheet.CARDS_OWN, profile.cards.own, "")
        yield from _ruled(Sheet.CARDS_COMMON, profile.cards.common, "")
        of_three = (profile.cards.own.value, profile.cards.common.value) == (3, 0)
        ace_low = Sheet.ACE_LOW_OF_THREE if of_three else Sheet.ACE_LOW
        yield from _ruled(ace_low, profile.cards.ace_low_straight, "")


def _wager(profile: Profile) -> Iterator[Row]:
    yield Row(Sheet.WAGER)
    if profile.wager.amount is None:
        yield Row(Sheet.NO_WAGER, plain=True)
    yield from _ruled(Sheet.AMOUNT, profile.wager.amount, "amount")
    yield from _ruled(Sheet.CURRENCY, profile.wager.currency, "")
    yield from _ruled(Sheet.PAYABLE_UNIT, profile.wager.payable_unit, "amount")


def _level(name: str, level: LevelText) -> Iterator[Row]:
    yield Row(Sheet.POT, {"level": name})
    yield from _ruled(Sheet.BASE_AMOUNT, level.base_amount, "amount")
    yield from _ruled(Sheet.RESET_AMOUNT, level.reset_amount, "amount")
    yield from _ruled(Sheet.INCREMENT_RATE, level.increment_rate_ppm, "rate")
    yield from _ruled(Sheet.RESERVE_RATE, level.reserve_rate_ppm, "rate")
    yield from _ruled(Sheet.LIMIT, level.limit, "amount")
    yield from _ruled(Sheet.OVERFLOW_USE, level.overflow_use, "overflow_use")


def _policies(profile: Profile) -> Iterator[Row]:
    """The policies that can ever be asked: of a purchase where cards are sold, of the bank where it has a hand."""
    yield Row(Sheet.POLICIES)
    hidden = set()
    if profile.base is None or not _sells(profile.base):
        hidden.add("purchase_forfeits")
    if profile.base is None:
        hidden.add("award_when_bank_does_not_open")
    for name in profile.policies.__struct_fields__:
        if name in hidden:
            continue
        slotless = name in SLOTS_CLOSE and profile.wager.amount is None
        key = f"policy.{name}.no_slots" if slotless else f"policy.{name}"
        kind = "amount" if name == "award_key_from" else name
        yield from _ruled(key, getattr(profile.policies, name), kind)


def _sells(base: BaseText) -> bool:
    return bool(base.card_can_be_bought.value) or base.card_can_be_bought.house


def _prizes(profile: Profile, winners: Winners) -> Iterator[Row]:
    yield Row(Sheet.PRIZES)
    if winners.value is None:
        key = Sheet.WINNERS_AND_FUND if winners.fund is None else Sheet.WINNERS
        yield Row(key, source=winners.source, house=True)
        yield from _ruled(Sheet.PRIZES_PAID_BY, winners.fund, "fund")
        return
    for hand in winners.value:
        if hand in profile.prizes:
            prize = profile.prizes[hand]
            yield Row(f"hand.{hand}", value=_pays_of(prize), source=prize.source, house=prize.house)
            yield Row(
                Sheet.PAID_BY,
                {"hand": hand},
                value=prize.fund.value,
                kind="fund",
                source=prize.fund.source,
                house=prize.fund.house,
            )


def _pays_of(prize: PrizeText) -> Said | None:
    if prize.share_ppm is not None:
        values: dict[str, object] = {"share": prize.share_ppm, "level": prize.level}
        if prize.cap_wager_multiple is None:
            return Said(Sheet.SHARE, values)
        return Said(Sheet.CAPPED, {**values, "times": prize.cap_wager_multiple})
    if prize.wager_multiple is not None:
        return Said(Sheet.TIMES, {"times": prize.wager_multiple})
    return None if prize.amount is None else Said(Sheet.AMOUNT, {"amount": prize.amount})


def _base(base: BaseText) -> Iterator[Row]:
    yield Row(Sheet.BANK)
    yield from _ruled(Sheet.BANK_OPENS, base.bank_opens, "bank_opens")
    yield from _ruled(Sheet.UNOPENED_ANTE, base.unopened_pays_ante, "")
    yield from _ruled(Sheet.UNOPENED_BET, base.unopened_returns_bet, "")
    yield from _ruled(Sheet.ANTE_MIN, base.ante_min, "amount")
    yield from _ruled(Sheet.ANTE_MAX, base.ante_max, "amount")
    yield from _ruled(Sheet.BET, base.bet_times_ante, "")
    yield from _ruled(Sheet.ANTE_BY_TABLE, base.ante_by_table, "")
    yield from _ruled(Sheet.TIE, base.tie, "tie")
    yield from _ruled(Sheet.CARD_BOUGHT, base.card_can_be_bought, "")
    changes = Sheet.CHANGES_UNBOUGHT if _sells(base) else Sheet.CHANGES
    yield from _ruled(changes, base.changes_most, "")
    if base.most_per_hand is not None and base.most_per_hand.value is None:
        yield Row(Sheet.MOST_PER_HAND, value=Said(Sheet.UNLIMITED), source=base.most_per_hand.source)
    else:
        yield from _ruled(Sheet.MOST_PER_HAND, base.most_per_hand, "amount")
    yield from _pays(base.pays)


def _pays(pays: PaysText) -> Iterator[Row]:
    if pays.value is None:
        yield Row(Sheet.PAYS, source=pays.source, house=True)
        return
    for hand, times in pays.value.items():
        yield Row(f"hand.{hand}", value=Said(Sheet.TO_ONE, {"times": times}), source=pays.source)


def _others(profile: Profile) -> Iterator[Row]:
    if profile.circle is not None:
        yield Row(Sheet.CIRCLE)
        yield from _ruled(Sheet.HOUSE_SHARE, profile.circle.house_share_ppm, "rate")
        yield from _ruled(Sheet.BETS_LIMITED, profile.circle.bets_limited, "")
    if profile.punto is not None:
        yield Row(Sheet.PUNTO)
        for name, source in PUNTO_NUMBERS:
            yield Row(f"punto.{name}", source=source)
        for name in profile.punto.__struct_fields__:
            kind = "amount" if name in {"bank_min", "bank_max", "bank_step"} else name
            yield from _ruled(f"policy.{name}", getattr(profile.punto, name), kind)
    if profile.irregular:
        yield Row(Sheet.IRREGULAR)
    for name, case in profile.irregular.items():
        yield Row(f"case.{name}", value=case.does, kind="remedy", source=case.source)
    if profile.procedure:
        yield Row(Sheet.PROCEDURE)
    for name, source in profile.procedure.items():
        yield Row(f"procedure.{name}", source=source)
    if profile.conduct:
        yield Row(Sheet.CONDUCT)
    for name, source in profile.conduct.items():
        yield Row(f"conduct.{name}", source=source)
