"""Limits, row 3: how many events a second the table's `step` decides, beside two state-machine libraries.

Peers, in the same run and in turns: the same behaviour with the same meters, on mutable models, with
`transitions` and with `python-statemachine` (`step_peers.py`). Limits: at least 12 times the events a second of
the first, at least 150 times those of the second. `step` hands over the whole state after each event, to be stored
or forgotten; a mutable model must be copied for that, so each peer is also measured copying its meters into a
tuple after each event, and that line does what `step` does. Before measuring, the three play the same rounds from every
phase, with a seat open, closed and faulty, with and without a fault of the table, and must show the same meters
after every event.

Run: `python benchmarks/step.py [--rounds N]`; it needs the extra `dev`. Exit code 1 if a limit is missed.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from operator import attrgetter
from statistics import median

from measure import interleaved, ratio, seconds, tell
from msgspec.structs import replace
from step_peers import Meters, PeerSeat, StateMachineTable, TransitionsTable

from controller.config import load
from controller.core import events as ev
from controller.core.faults import Fault, FaultCode
from controller.core.game import Game
from controller.core.state import Closure, Phase, Table
from controller.core.table import commission, step

ROUND: tuple[ev.AnyEvent, ...] = (
    ev.ChipDropped(1_000, 1),
    ev.ChipDropped(2_000, 2),
    ev.ChipDropped(3_000, 4),
    ev.ChipDropped(4_000, 5),
    ev.ChipDropped(5_000, 7),
    ev.ChipDropped(6_000, 4),
    ev.CoinInPressed(7_000),
    ev.ReleaseEnded(8_000),
    ev.ChipDropped(9_000, 3),
    ev.CoinInPressed(10_000),
    ev.GameOverPressed(11_000),
)
"""Five wagers, one chip too many, one too late, one COIN IN too often: the events of every evening."""

FAULTY_SEAT = 4

Peer = TransitionsTable | StateMachineTable


def opened(game: Game) -> Table:
    """A table in OPEN as both keys and the lamp test leave it."""
    table, _ = commission(game, ev.Commissioned(0, "BENCH-1", "digest", "{}"))
    for event in (
        ev.KeyTurned(1, ev.Key.SUPERVISOR, on=True),
        ev.LampTestStarted(2),
        ev.TableOpened(3),
        ev.KeyTurned(4, ev.Key.SUPERVISOR, on=False),
    ):
        table, _ = step(game, table, event)
    return table


def play(game: Game, table: Table, rounds: int) -> Table:
    """Our own contender."""
    for _ in range(rounds):
        for event in ROUND:
            table, _ = step(game, table, event)
    return table


def calls(peer: Peer) -> Sequence[Callable[[], object]]:
    """A round for a peer, as ready calls: dispatch costs it nothing."""
    triggers = peer.triggers
    made: list[Callable[[], object]] = []
    for event in ROUND:
        match event:
            case ev.ChipDropped(at_ns=at_ns, seat=seat):
                made.append(partial(triggers.chip_dropped, seat, at_ns))
            case ev.CoinInPressed(at_ns=at_ns):
                made.append(partial(triggers.coin_in, at_ns))
            case ev.ReleaseEnded(at_ns=at_ns):
                made.append(partial(triggers.release_ended, at_ns))
            case ev.GameOverPressed(at_ns=at_ns):
                made.append(partial(triggers.game_over, at_ns))
            case _:
                raise AssertionError(f"the peers do not know {event!r}")
    return made


def play_peer(round_: Sequence[Callable[[], object]], rounds: int) -> None:
    """A peer's contender: it only changes its model."""
    for _ in range(rounds):
        for call in round_:
            call()


def play_and_copy(peer: Peer, round_: Sequence[Callable[[], object]], rounds: int) -> None:
    """A peer's contender: after each event it hands its state over, as `step` does."""
    for _ in range(rounds):
        for call in round_:
            call()
            theirs(peer)


seat_meters = attrgetter(*(name for name in PeerSeat.__slots__ if name != "closed"))
"""A seat's meters, which both name alike."""


def ours(table: Table) -> tuple[object, ...]:
    """The table's meters, in the order of `theirs`."""
    level, pot = table.pot.levels[0], table.pot
    seats = [seat_meters(seat) for seat in table.seats]
    meters = (level.current, level.carry, level.reserve_pool, level.reserve_carry, level.overflow_meter)
    totals = (pot.in_meter, pot.in_count, pot.house_share)
    return (table.round, table.release_until_ns, table.refusal, *totals, *meters, *seats)


def theirs(peer: Meters) -> tuple[object, ...]:
    """A peer's meters."""
    seats = [seat_meters(seat) for seat in peer.seats]
    meters = (peer.current, peer.carry, peer.reserve_pool, peer.reserve_carry, peer.overflow)
    totals = (peer.in_meter, peer.in_count, peer.house_share)
    return (peer.round, peer.release_until_ns, peer.refusal, *totals, *meters, *seats)


def starts(game: Game) -> Iterator[tuple[Table, list[Peer]]]:
    """Every phase, a seat in each condition, with and without a fault of the table; the same for each peer."""
    table = opened(game)
    for phase, closure, broken in product(Phase, Closure, (False, True)):
        seats = list(table.seats)
        seats[FAULTY_SEAT - 1] = replace(seats[FAULTY_SEAT - 1], closed=closure)
        faults = (Fault(FaultCode.BUTTON_OVERFLOW),) if broken else ()
        peers: list[Peer] = [TransitionsTable(game), StateMachineTable(game)]
        for peer in peers:
            peer.phase(phase.value)
            peer.seats[FAULTY_SEAT - 1].closed = closure.value
            peer.out_of_service = broken
        yield replace(table, phase=phase, seats=tuple(seats), faults=faults), peers


def compare(game: Game) -> None:
    """All three play rounds from every start; after every event their meters must be the same."""
    for table, peers in starts(game):
        now = table
        rounds = [calls(peer) for peer in peers]
        for number in range(10 * len(ROUND)):
            event = ROUND[number % len(ROUND)]
            now, _ = step(game, now, event)
            for peer, round_ in zip(peers, rounds, strict=True):
                round_[number % len(ROUND)]()
                if theirs(peer) != ours(now):
                    name = type(peer).__name__
                    raise AssertionError(
                        f"{name} after {event} in {now.phase}: {theirs(peer)}, not {ours(now)}"
                    )


def contenders(game: Game) -> dict[str, Callable[[], float]]:
    """What each costs a round of play, in seconds; enough rounds each for the clock."""
    table = opened(game)
    made: dict[str, Callable[[], float]] = {"step": lambda: seconds(lambda: play(game, table, 1000)) / 1000}
    for name, peer, rounds in (
        ("transitions", TransitionsTable(game), 100),
        ("python-statemachine", StateMachineTable(game), 10),
    ):
        made |= peer_contenders(name, peer, rounds)
    return made


def peer_contenders(name: str, peer: Peer, rounds: int) -> dict[str, Callable[[], float]]:
    """A peer as it is, and handing its state over."""
    round_ = calls(peer)
    return {
        name: lambda: seconds(lambda: play_peer(round_, rounds)) / rounds,
        f"{name}, copying": lambda: seconds(lambda: play_and_copy(peer, round_, rounds)) / rounds,
    }


def main() -> None:
    """Compare, measure, tell."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=31, help="measured turns of each contender")
    rounds: int = options.parse_args().rounds
    game = load("simulated").game
    compare(game)
    costs = interleaved(contenders(game), rounds)
    for name, each in costs.items():
        print(f"{name:<30} {len(ROUND) / median(each):>12,.0f} events/s on this machine now")
    good = []
    for name, least in (("transitions", 12), ("python-statemachine", 150)):
        for peer in (name, f"{name}, copying"):
            found = ratio(costs, peer, "step")
            good.append(tell(f"3 step against {peer}", found, "times", f">= {least}", good=found >= least))
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
