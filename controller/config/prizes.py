"""The prizes in force: which hands win, what, from which level and who pays it, by the text or by the house."""

import msgspec

from controller.config.conform import Review
from controller.config.desk import Desk
from controller.config.kinds import Ruled
from controller.config.problems import did_you_mean, folded
from controller.config.profile import PrizeText, Profile, Winners
from controller.config.schema import PrizeGiven, TableFile
from controller.core.game import Hand
from controller.core.money import Currency

_PAYS = ("share_ppm", "amount", "wager_multiple")


class Stake(msgspec.Struct, frozen=True):
    """What multiples are of: the wager in minor units, None if it was refused."""

    currency: Currency
    wager: int | None


def prizes(profile: Profile, house: TableFile, stake: Stake, desk: Desk) -> list[dict[str, object]]:
    """A draft of each prize, in the order in which the winners are named."""
    if profile.winners is None:
        _none_given(house, desk)
        return []
    wins = desk.choose(
        "winners", Ruled(profile.winners.source, profile.winners.value, profile.winners.house), house.winners
    )
    if wins is None:
        return []
    texts = _texts(profile, profile.winners, wins, desk)
    for hand, text in texts.items():
        if text.level is None and profile.levels:
            desk.profile.refuse(f"prizes.{hand}.level", f"is missing; levels: {', '.join(profile.levels)}")
    for name in house.prizes:
        if name not in wins:
            desk.table.refuse(f"prizes.{name}", f"this game has no such prize.{did_you_mean(name, wins)}")
    return [
        _prize(hand, texts[hand], house.prizes.get(hand, PrizeGiven()), stake, desk)
        for hand in wins
        if hand in texts
    ]


def _none_given(house: TableFile, desk: Desk) -> None:
    if house.winners is not None:
        desk.table.refuse("winners", "no hand of this game wins a prize; take it out")
    for name in house.prizes:
        desk.table.refuse(f"prizes.{name}", "no hand of this game wins a prize; take it out")


def _texts(profile: Profile, winners: Winners, wins: tuple[Hand, ...], desk: Desk) -> dict[Hand, PrizeText]:
    """What the text says of each winner; where it says nothing at all, the same open prize for each."""
    review = desk.profile if winners.value is not None else desk.table
    if len(set(wins)) != len(wins) or not wins:
        review.refuse("winners", "must name at least one hand, and each only once")
    for name in profile.prizes:
        if name not in wins:
            desk.profile.refuse(f"prizes.{name}", f"is not among the winners.{did_you_mean(name, wins)}")
    if winners.value is None:
        fund = winners.fund or Ruled(winners.source, None, house=True)
        return {hand: PrizeText(winners.source, fund, winners.level, house=True) for hand in wins}
    found: dict[Hand, PrizeText] = {}
    for hand in wins:
        if hand in profile.prizes:
            found[hand] = profile.prizes[hand]
        else:
            what = f"is missing although {hand} wins ({folded(winners.source)})"
            desk.profile.refuse(f"prizes.{hand}", what)
    return found


def _prize(hand: Hand, text: PrizeText, given: PrizeGiven, stake: Stake, desk: Desk) -> dict[str, object]:
    at = f"prizes.{hand}"
    return {
        "hand": hand,
        "level": _level(at, text, given, desk),
        "fund": desk.choose(f"{at}.fund", text.fund, given.fund),
        "source": text.source,
        "pays": _pays(at, text, given, stake, desk),
    }


def _level(at: str, text: PrizeText, given: PrizeGiven, desk: Desk) -> str | None:
    if text.level is not None:
        return desk.choose(f"{at}.level", Ruled(text.source, text.level, text.house), given.level)
    if given.level is not None:
        desk.table.refuse(f"{at}.level", "this prize has no pot; take it out", given.level)
    return None


def _pays(at: str, text: PrizeText, given: PrizeGiven, stake: Stake, desk: Desk) -> dict[str, object] | None:
    said: dict[str, object] = {}
    for name in (*_PAYS, "cap_wager_multiple"):
        ruled: Ruled[object] = Ruled(text.source, getattr(text, name), text.house)
        value = desk.choose(f"{at}.{name}", ruled, getattr(given, name), needed=False)
        if value is not None:
            said[name] = value
    review = desk.table if text.house else desk.profile
    if len([name for name in _PAYS if name in said]) != 1:
        review.refuse(at, f"must pay exactly one of {', '.join(_PAYS)}; it has {', '.join(said) or 'none'}")
        return None
    return _drafted(at, said, given, _Pays(stake, review), desk)


class _Pays(msgspec.Struct, frozen=True):
    stake: Stake
    review: Review


def _drafted(
    at: str, said: dict[str, object], given: PrizeGiven, way: _Pays, desk: Desk
) -> dict[str, object] | None:
    multiples = {name: value for name, value in said.items() if isinstance(value, int)}
    cap = multiples.get("cap_wager_multiple")
    match said:
        case {"share_ppm": share}:
            return {"kind": "share", "share_ppm": share, "cap": _times(cap, way.stake)}
        case _ if cap is not None:
            way.review.refuse(f"{at}.cap_wager_multiple", "only a share has a cap; take it out", cap)
            return None
        case {"amount": str(amount)}:
            by = desk.profile if given.amount is None else desk.table
            return {"kind": "fixed", "amount": desk.parse(by, f"{at}.amount", amount, way.stake.currency)}
        case _:
            return {"kind": "fixed", "amount": _times(multiples["wager_multiple"], way.stake)}


def _times(multiple: int | None, stake: Stake) -> int | None:
    return None if multiple is None or stake.wager is None else multiple * stake.wager
