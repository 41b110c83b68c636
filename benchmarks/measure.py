"""How the benchmarks measure: contenders take turns in every round, ratios are made within a round, medians told.

A shared machine makes microseconds meaningless, but what slows one contender down in a round slows the others too.
"""

import gc
import time
from collections.abc import Callable, Mapping
from statistics import median

Contender = Callable[[], float]
"""Does its work once and returns what it cost; less is better."""


def seconds(work: Callable[[], object]) -> float:
    """What `work` costs by the clock, without the cyclic collector in between, as `timeit` does."""
    gc.collect()
    gc.disable()
    try:
        began = time.perf_counter()
        work()
        return time.perf_counter() - began
    finally:
        gc.enable()


def interleaved(contenders: Mapping[str, Contender], rounds: int) -> dict[str, list[float]]:
    """Run all contenders in turns, `rounds` times, the order shifted each time; the first turn only warms up."""
    names = list(contenders)
    costs: dict[str, list[float]] = {name: [] for name in names}
    for name in names:
        contenders[name]()
    for number in range(rounds):
        shift = number % len(names)
        for name in names[shift:] + names[:shift]:
            costs[name].append(contenders[name]())
    return costs


def ratio(costs: Mapping[str, list[float]], of: str, to: str) -> float:
    """Median of the rounds' ratios: how many times `to` the contender `of` costs."""
    return median(one / other for one, other in zip(costs[of], costs[to], strict=True))


def tell(what: str, found: float, unit: str, limit: str, *, good: bool) -> bool:
    """Print a figure beside its limit, and hand on whether it keeps to it."""
    print(f"{what:<64} {found:>10.2f} {unit:<8} limit {limit:<10} {'good' if good else 'MISSED'}")
    return good
