"""What both key holders agree to when a new table is commissioned at the table itself, line by line."""

from collections.abc import Callable, Iterator, Sequence
from typing import assert_never

from controller.appliance.telling import Phrases
from controller.appliance.texts import Say
from controller.config import Settings
from controller.core.game import Fixed, LevelRules, Prize, Share
from controller.core.money import percent
from controller.words import Words
from controller.words.amounts import format_amount

KEY_DIGITS = 16
"""Digits of the public key in a line of the screen."""


def agreement_lines(settings: Settings, phrases: Phrases) -> tuple[str, ...]:
    """The table, its amounts, rates, limits and prizes (F113), and how to agree."""
    game = settings.game

    def money(amount: int) -> str:
        return format_amount(amount, settings.locale, game.currency)

    stakes = Say.WAGER if game.wager else Say.NO_WAGER
    words = Words(settings.language, settings.locale, game.currency, settings.name)
    return (
        phrases.tell(Say.NEW, id=settings.table_id),
        phrases.tell(Say.NAMED, name=settings.name, title=settings.game_title),
        phrases.tell(stakes, wager=money(game.wager), seats=game.seats),
        *(line for level in game.levels for line in _level(level, words, phrases, money)),
        *(_prize(prize, words, phrases, money) for prize in game.prizes),
        phrases.tell(Say.AGREE),
    )


def done_lines(public: str, phrases: Phrases) -> tuple[str, ...]:
    """That it is done, and the key to be filed on paper."""
    parts = (public[at : at + KEY_DIGITS] for at in range(0, len(public), KEY_DIGITS))
    return (phrases.tell(Say.DONE), phrases.tell(Say.NOTE_KEY), *parts, phrases.tell(Say.GO_ON))


def stored_lines(names: Sequence[str], phrases: Phrases) -> tuple[str, ...]:
    """That the first persons are in the table's list, by the names that stand there."""
    return (phrases.tell(Say.KEPT_PERSONS), *names, phrases.tell(Say.KEYS_BACK))


def _level(level: LevelRules, words: Words, phrases: Phrases, money: Callable[[int], str]) -> Iterator[str]:
    name = words.level_name(level.name).upper()
    amounts = {"base": level.base_amount, "reset": level.reset_amount, "limit": level.limit}
    yield phrases.tell(Say.LEVEL, level=name, **{key: money(amount) for key, amount in amounts.items()})
    pot, reserve = percent(level.increment_rate_ppm), percent(level.reserve_rate_ppm)
    yield phrases.tell(Say.RATES, level=name, pot=pot, reserve=reserve)


def _prize(prize: Prize, words: Words, phrases: Phrases, money: Callable[[int], str]) -> str:
    match prize.pays:
        case Share(share_ppm=share, cap=cap):
            capped = {} if cap is None else {"cap": money(cap)}
            what = phrases.tell(Say.OF_POT_CAPPED if capped else Say.OF_POT, share=percent(share), **capped)
        case Fixed(amount=amount):
            what = money(amount)
        case _:
            assert_never(prize.pays)
    return phrases.tell(Say.PRIZE, hand=words.tell_if_known(f"hand.{prize.hand}"), prize=what)
