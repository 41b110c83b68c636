"""Lays an award slip out: which row stands where, what is marked, who signs."""

from collections.abc import Iterator
from typing import Final

from controller.core.cards import Card
from controller.core.cards.card import RANK_LETTERS
from controller.core.game import Fund
from controller.core.money import percent
from controller.journal.chain import short_digest
from controller.slips.award import AwardSlip, Moment, Paid
from controller.slips.document import Amount, Document, Mark, Pair, Row, Rule, Sign, Text, Title
from controller.slips.house import House
from controller.slips.pen import Pen
from controller.slips.register import Paper
from controller.slips.texts import Label
from controller.words.spelled import in_words

FROM: Final = {
    Fund.POT: Label.FROM_POT,
    Fund.RESERVE: Label.FROM_RESERVE,
    Fund.HOUSE: Label.FROM_HOUSE,
}
"""Who really paid, where the prize's own fund did not have it all."""


def slip_page(slip: AwardSlip, house: House, paper: Paper | None) -> Document:
    """The slip as a paper; without `paper` as a view that is no voucher."""
    pen = Pen(house, slip.currency)
    return tuple(_rows(pen, slip, house, paper))


def _rows(pen: Pen, slip: AwardSlip, house: House, paper: Paper | None) -> Iterator[Row]:
    yield Title(pen.say(Label.SLIP))
    yield Title(pen.say(Label.SLIP_NUMBER, number=slip.number))
    yield from _marks(pen, paper)
    if slip.paid is not None:
        yield Mark(pen.say(Label.PAID))
    yield Rule()
    yield from _where(pen, slip, house)
    yield Rule()
    yield from _what(pen, slip)
    yield Rule()
    yield Title(pen.say(Label.AMOUNT_DUE))
    yield Amount(pen.money(slip.award.amount))
    yield Text(in_words(slip.award.amount, slip.currency, house.language))
    yield Rule()
    yield from _proof(pen, slip, paper)
    if slip.paid is not None:
        yield Rule()
        yield from _payment(pen, slip.paid)
    for label in (
        Label.SIGN_PLAYER,
        Label.SIGN_DEALER,
        Label.SIGN_SUPERVISOR,
        Label.SIGN_CASHIER,
        Label.STAMP,
    ):
        yield Sign(pen.say(label))


def _marks(pen: Pen, paper: Paper | None) -> Iterator[Row]:
    if paper is None:
        yield Mark(pen.say(Label.VIEW))
        return
    if paper.void:
        yield Mark(pen.say(Label.VOID))
        yield Text(pen.say(Label.VOID_WHY, reason=paper.void))
        yield Text(pen.say(Label.VOID_STANDS))
    if paper.reprint:
        yield Mark(pen.say(Label.REPRINT))
    if paper.copy:
        yield Mark(pen.say(Label.COPY, copy=paper.copy))
    if paper.reprint:
        yield Text(pen.say(Label.REPRINT_WHY))
    if paper.replaces:
        yield Text(pen.say(Label.REPLACES))
    if paper.foreign:
        yield Text(pen.say(Label.FOREIGN, digest=short_digest(paper.foreign)))


def _where(pen: Pen, slip: AwardSlip, house: House) -> Iterator[Row]:
    yield pen.pair(Label.TABLE, f"{house.name} ({slip.table})" if house.name else slip.table)
    yield pen.pair(Label.GAME, house.title or slip.profile)
    yield pen.pair(Label.ROUND, slip.round)
    yield pen.pair(Label.SEAT, slip.award.seat)
    yield pen.pair(Label.ACCEPTED, pen.when(slip.accepted))
    if slip.late_lock:
        yield Text(pen.say(Label.LATE_LOCK))
    yield pen.pair(Label.WON, pen.when(slip.won))
    yield pen.pair(Label.PREPARED, pen.when(slip.prepared))
    yield pen.pair(Label.GAMING_DAY, pen.gaming_day(slip.prepared))
    if not (slip.accepted.trusted and slip.won.trusted and slip.prepared.trusted):
        yield Text(pen.say(Label.CLOCK_UNSET))


def _what(pen: Pen, slip: AwardSlip) -> Iterator[Row]:
    award = slip.award
    yield pen.pair(Label.HAND, pen.word("hand", award.hand))
    yield pen.pair(Label.CARDS, _cards(pen, slip.cards))
    yield pen.pair(Label.RULE, f"{_rule(pen, slip)} ({pen.source(award.source)})")
    if award.parts > 1:
        yield pen.pair(Label.PARTS, award.parts)
    if award.capped:
        yield Text(pen.say(Label.CAPPED))
    if award.level is not None:
        yield pen.pair(Label.LEVEL, award.level)
        yield pen.sum(Label.POT_BEFORE, award.pot_before)
        yield pen.sum(Label.POT_AFTER, award.pot_after)
    if slip.starts_again is not None:
        yield pen.sum(Label.STARTS_AGAIN, slip.starts_again)
    yield pen.pair(Label.FUND, pen.fund(award.fund))
    parts = {Fund.POT: award.from_pot, Fund.RESERVE: award.from_reserve, Fund.HOUSE: award.from_house}
    if parts[award.fund] != award.amount:
        for fund, part in parts.items():
            if part:
                yield Pair(f"  {pen.say(FROM[fund])}", pen.money(part))


def _rule(pen: Pen, slip: AwardSlip) -> str:
    if slip.award.share_ppm:
        return pen.say(Label.RULE_SHARE, share=percent(slip.award.share_ppm))
    return pen.say(Label.RULE_FIXED)


def _cards(pen: Pen, cards: tuple[Card, ...]) -> str:
    if not cards:
        return pen.say(Label.CARDS_NOT_ENTERED)
    return " ".join(f"{_rank(card)}-{pen.word('suit', card.suit)}" for card in cards)


def _rank(card: Card) -> str:
    letter = RANK_LETTERS[card.rank - 2]
    return "10" if letter == "T" else letter


def _proof(pen: Pen, slip: AwardSlip, paper: Paper | None) -> Iterator[Row]:
    approved = pen.say(Label.BY_KEY if slip.by_key else Label.BY_DEALER)
    yield pen.pair(Label.APPROVED_BY, f"{approved}: {slip.approver}" if slip.approver else approved)
    if slip.dealer:
        yield pen.pair(Label.DEALER, slip.dealer)
    yield pen.pair(Label.RECORD, slip.record)
    yield pen.pair(Label.DIGEST, short_digest(slip.digest))
    if paper is not None:
        yield pen.pair(Label.PRINTED, pen.when(Moment(paper.wall_ns, paper.trusted)))


def _payment(pen: Pen, paid: Paid) -> Iterator[Row]:
    yield pen.pair(Label.PAID_HOW, pen.when(paid.at))
    yield pen.pair(Label.PAID_RECORD, f"{paid.record} ({pen.word('payment', paid.how)})")
    if not paid.signed:
        yield Text(pen.say(Label.PAID_UNSIGNED))
