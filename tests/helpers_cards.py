"""An evaluator of its own, for tests only: it shares no code and no idea with the product's (sets, not look-ups)."""

from controller.core.cards import Five, read
from controller.core.game import Hand

VALUES = {letter: value for value, letter in enumerate("23456789TJQKA", 2)}

Judged = tuple[int, list[int]]

NAMES = {
    9: Hand.ROYAL_FLUSH,
    8: Hand.STRAIGHT_FLUSH,
    7: Hand.FOUR_OF_A_KIND,
    6: Hand.FULL_HOUSE,
    5: Hand.FLUSH,
    4: Hand.STRAIGHT,
    3: Hand.THREE_OF_A_KIND,
    2: Hand.TWO_PAIR,
    1: Hand.PAIR,
    0: Hand.HIGH_CARD,
}


def judge(five: Five, ace_low: bool) -> Judged:
    """The class of a hand (9 is a royal) and the values that decide among equals, from the spelling alone."""
    values = [VALUES[card[0]] for card in five]
    suited = len({card[1] for card in five}) == 1
    kinds: dict[int, list[int]] = {1: [], 2: [], 3: [], 4: []}
    for value in set(values):
        kinds[values.count(value)].append(value)
    for same in kinds.values():
        same.sort(reverse=True)
    top = _straight_top(set(values), ace_low)
    if top:
        return ((9 if top == 14 else 8) if suited else 4), [top]
    if suited:
        return 5, kinds[1]
    if kinds[4]:
        return 7, kinds[4] + kinds[1]
    if kinds[3]:
        return (6, kinds[3] + kinds[2]) if kinds[2] else (3, kinds[3] + kinds[1])
    return len(kinds[2]), kinds[2] + kinds[1]


def _straight_top(values: set[int], ace_low: bool) -> int:
    for top in range(14, 5, -1):
        if values == set(range(top - 4, top + 1)):
            return top
    return 5 if ace_low and values == {14, 2, 3, 4, 5} else 0


def h(text: str) -> Five:
    """A hand, short."""
    return read(text)
