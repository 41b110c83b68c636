"""Limits, row 5: categories of five cards a second, beside treys, and all 2,598,960 hands in a second of CPU.

Peer, in the same run and in turns: treys' `Evaluator.evaluate([], hand)` on the same random hands in its own form.
Neither is charged for making or checking the hands. Limits: at least 1.3 times the hands a second of treys; all
hands in at most 1 s of CPU, their counts checked.

Run: `python benchmarks/cards.py [--rounds N]`; it needs `pip install treys`, which nothing else does. Exit code 1
if a limit is missed.
"""

import argparse
import random
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from importlib import import_module
from itertools import combinations
from statistics import median

from measure import interleaved, ratio, seconds, tell

from controller.core.cards import DECK, Five, FiveCardRanking, hand
from controller.core.game import Hand

HANDS = 50_000


def treys_hands(hands: Sequence[Five]) -> tuple[Callable[[list[int], list[int]], int], list[list[int]]]:
    """The peer's evaluator and the same hands in its own form."""
    try:
        treys = import_module("treys")
    except ImportError:
        sys.exit("treys is not installed here: pip install treys")
    return treys.Evaluator().evaluate, [[treys.Card.new(str(card)) for card in five] for five in hands]


def ask_ours(category: Callable[[Five], Hand], hands: Sequence[Five]) -> None:
    """Our own contender."""
    for five in hands:
        category(five)


def ask_treys(evaluate: Callable[[list[int], list[int]], int], hands: Sequence[list[int]]) -> None:
    """The peer's contender."""
    no_board: list[int] = []
    for cards in hands:
        evaluate(no_board, cards)


def cpu_of_all(ranking: FiveCardRanking) -> float:
    """CPU seconds to ask for the category of every hand there is, making them included."""
    began = time.process_time()
    deque(map(ranking.category, map(Five, combinations(DECK, 5))), maxlen=0)
    return time.process_time() - began


def check(ranking: FiveCardRanking) -> None:
    """A fast wrong answer is none: five of the counts that everybody knows."""
    found = Counter(ranking.category(Five(cards)) for cards in combinations(DECK, 5))
    known = {
        Hand.ROYAL_FLUSH: 4,
        Hand.STRAIGHT_FLUSH: 36,
        Hand.FLUSH: 5_108,
        Hand.STRAIGHT: 10_200,
        Hand.TWO_PAIR: 123_552,
    }
    if any(found[category] != count for category, count in known.items()):
        raise AssertionError(f"counted {found}, known are {known}")


def main() -> None:
    """Check, measure, tell."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=31, help="measured turns of each contender")
    rounds: int = options.parse_args().rounds
    ranking = FiveCardRanking(ace_low_straight=True)
    check(ranking)
    chance = random.Random(5)
    ours = [hand(tuple(chance.sample(DECK, 5))) for _ in range(HANDS)]
    evaluate, theirs = treys_hands(ours)
    costs = interleaved(
        {
            "category": lambda: seconds(lambda: ask_ours(ranking.category, ours)),
            "treys": lambda: seconds(lambda: ask_treys(evaluate, theirs)),
        },
        rounds,
    )
    for name, each in costs.items():
        print(f"{name:<24} {HANDS / median(each):>12,.0f} hands/s on this machine now")
    times = ratio(costs, "treys", "category")
    whole = median(cpu_of_all(ranking) for _ in range(3))
    good = [
        tell("category against treys", times, "times", ">= 1.3", good=times >= 1.3),
        tell("all 2,598,960 hands", whole, "s CPU", "<= 1", good=whole <= 1),
    ]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
