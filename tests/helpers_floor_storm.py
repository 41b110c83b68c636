"""Tables that play against a floor whose backends and postmaster are killed, and the proof that nothing was lost.

Every table is a thread with a real core; it reports, says things again, claims, and begins anew after each failure as
a table's link does. What the floor then says is worked out again by the core from the tables' own rows. Nothing waits
for a clock: killings are paid for by calls. A long storm: `python -m tests.helpers_floor_storm --rounds 1000`.
"""

import argparse
import queue
import random
import threading
from collections.abc import Callable
from typing import NamedTuple, TypeVar

import msgspec

from controller.core import events as ev
from controller.core.awards import serve
from controller.core.events import AnyResult, RoundLocked
from controller.core.game import Fixed, Fund, Hand, Prize, Share
from controller.core.pot import commissioned, take
from controller.core.state import Claim as Shown
from controller.core.state import Level, Pot
from controller.floor import Answer, BusyError, Claim, Floor, FloorDownError
from controller.floor.whole import whole
from controller.journal import Head
from controller.journal.record import Row
from tests.helpers_floor import Hall, Player, joined
from tests.helpers_game import with_level
from tests.helpers_postgres import Cluster, own_cluster

T = TypeVar("T")
GAME = msgspec.structs.replace(
    with_level(increment_rate_ppm=273_331, reserve_rate_ppm=31_417, limit=10_040_000),
    prizes=(
        Prize(Hand.ROYAL_FLUSH, "main", Share(1_000_000), Fund.POT, "art. 17"),
        Prize(Hand.STRAIGHT_FLUSH, "main", Share(100_000, cap=600_000), Fund.POT, "art. 17"),
        Prize(Hand.FOUR_OF_A_KIND, "main", Fixed(500_000), Fund.HOUSE, "art. 17"),
        Prize(Hand.FLUSH, "main", Fixed(7_777), Fund.RESERVE, "art. 17"),
    ),
)
"""Odd rates, a limit that is met, a cap that holds, and every fund."""

HANDS = (Hand.ROYAL_FLUSH, Hand.STRAIGHT_FLUSH, Hand.FOUR_OF_A_KIND, Hand.FLUSH)
PATIENCE_S = 120.0
TRIES = 2_000


class Plan(NamedTuple):
    """How long and how rough."""

    tables: int = 30
    rounds: int = 30
    kills: int = 60
    crashes: int = 1
    seed: int = 1


class Served(NamedTuple):
    """A claim's answer, and what its table knew of all tables' acknowledged records before it first asked."""

    table: str
    claim: Claim
    answer: Answer
    acknowledged: dict[str, int]


class Storm:
    """The run: shared among the tables' threads and the one that kills."""

    def __init__(self, plan: Plan, cluster: Cluster) -> None:
        self.plan = plan
        self.cluster = cluster
        self.hall = Hall(cluster)
        self.hall.link(GAME)
        self.up = threading.Event()
        self.up.set()
        self.calls: queue.Queue[bool] = queue.Queue()
        self.acknowledged: dict[str, int] = {}
        self.served: list[Served] = []
        self.failures: list[BaseException] = []
        self.replays = self.lost = self.killed = self.crashed = 0
        self.players = [Player(f"mvd-{number:02}", GAME) for number in range(1, plan.tables + 1)]
        for player in self.players:
            joined(self.hall, player).close()

    def run(self) -> None:
        """Play it out, then check."""
        tables = [
            threading.Thread(target=self._guarded, args=(Seat(self, player).play,)) for player in self.players
        ]
        killer = threading.Thread(target=self._guarded, args=(self._kill,))
        for thread in (killer, *tables):
            thread.start()
        for thread in tables:
            thread.join()
        self.calls.put(False)
        killer.join()
        if self.failures:
            raise self.failures[0]
        self.hall.owner.close()
        self.hall.owner = self.cluster.connect(self.hall.database)
        check(self)

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001, told by the main thread
            self.failures.append(error)
            self.up.set()

    def _crash(self) -> None:
        """The postmaster dies with all its processes, and comes back."""
        self.cluster.kill()
        self.cluster.start()

    def _kill(self) -> None:
        """One backend in a call dies for every so many calls; in the middle of it all the postmaster."""
        expected = self.plan.tables * self.plan.rounds * 2
        every = max(expected // (self.plan.kills + 1), 1)
        crash_at = {expected * (each + 1) // (self.plan.crashes + 1) for each in range(self.plan.crashes)}
        done = 0
        owner = self.cluster.connect()
        while self.calls.get(timeout=PATIENCE_S):
            done += 1
            if done in crash_at:
                owner.close()
                self.up.clear()
                self._crash()
                self.up.set()
                self.crashed += 1
                owner = self.cluster.connect()
            elif done % every == 0:
                self.killed += owner.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'pozo %'"
                    " ORDER BY state = 'active' DESC, random() LIMIT 1"
                ).rowcount
        owner.close()


class Seat:
    """One table's thread and its connection."""

    def __init__(self, storm: Storm, player: Player) -> None:
        self.storm = storm
        self.player = player
        self.random = random.Random(f"{storm.plan.seed} {player.table_id}")
        self.floor: Floor | None = None
        self.head = Head(0, "")

    def play(self) -> None:
        """All rounds; whatever fails is said again until it is answered."""
        for number in range(self.storm.plan.rounds):
            seats = self.random.sample(range(1, 8), self.random.randint(1, 7))
            self.player.lock(*seats)
            claim = self._win(seats, number) if self.random.random() < 0.2 else None
            self.player.end()
            self._report()
            if claim is not None:
                known = dict(self.storm.acknowledged)
                answer = self._ask(lambda floor, claim=claim: floor.claim(claim))  # type: ignore[misc]
                self.storm.served.append(Served(self.player.table_id, claim, answer, known))
        for served in [each for each in self.storm.served if each.table == self.player.table_id]:
            self.storm.replays += 1
            again = self._ask(lambda floor, claim=served.claim: floor.claim(claim))  # type: ignore[misc]
            assert again == served.answer
        if self.floor is not None:
            self.floor.close()

    def _win(self, seats: list[int], number: int) -> Claim:
        winners = self.random.sample(seats, min(len(seats), self.random.choice((1, 1, 1, 2, 3))))
        claim = self.player.won({seat: self.random.choice(HANDS) for seat in winners}, str(number))
        for each in range(1, len(winners) + 1):
            self.player.do(ev.AwardPaid(50, claim.made + each, ev.Payment.CASH, signed=True))
        return claim

    def _report(self) -> None:
        """From where the floor is, sometimes from long before, in small batches."""
        rows = self.player.rows
        start = self._ask(lambda floor: floor.head()).seq
        if self.random.random() < 0.3:
            self.storm.replays += 1
            start = max(start - self.random.randint(1, 40), 0)
        while start < len(rows):
            batch = rows[start : start + self.random.randint(1, 12)]
            head = self._ask(lambda floor, batch=batch: floor.report(batch))  # type: ignore[misc]
            assert head.seq >= batch[-1][0]
            start += len(batch)
            self.storm.acknowledged[self.player.table_id] = head.seq

    def _ask(self, call: Callable[[Floor], T]) -> T:
        for _ in range(TRIES):
            try:
                if self.floor is None:
                    assert self.storm.up.wait(PATIENCE_S)
                    info = self.storm.cluster.conninfo(self.storm.hall.database, self.player.table_id)
                    self.floor = Floor.connect(info, self.player.table_id, timeout_s=30)
                self.storm.calls.put(True)
                return call(self.floor)
            except BusyError:
                continue
            except FloorDownError:
                self.storm.lost += 1
                if self.floor is not None:
                    self.floor.close()
                self.floor = None
        raise AssertionError(f"no answer after {TRIES} tries")


def check(storm: Storm) -> None:
    """The floor against the tables' own rows, by the core's arithmetic: exact to the unit, every claim once."""
    cuts = {
        whole(number): msgspec.convert(upto, dict[str, int])
        for number, upto in storm.hall.rows("SELECT claim_no, cut FROM pozo.claims")
    }
    assert (
        sorted(cuts)
        == sorted(served.answer.number for served in storm.served)
        == list(range(1, len(cuts) + 1))
    )
    stakes = {player.table_id: _stakes(player.rows) for player in storm.players}
    pot, cut = commissioned(GAME), dict.fromkeys(stakes, 0)
    for served in sorted(storm.served, key=lambda each: each.answer.number):
        upto = cuts[served.answer.number]
        assert all(upto.get(table, 0) >= last for table, last in _last(stakes, served.acknowledged).items())
        pot = _taken(pot, stakes, cut, upto)
        cut |= upto
        hands = tuple(Shown(seat, hand) for seat, hand in served.claim.hands)
        by_core = serve(GAME, pot, hands, served.claim.round, served.claim.made)
        assert served.answer.told == by_core.told
        pot = by_core.pot
    pot = _taken(pot, stakes, cut, {table: len(player.rows) for table, player in _by_id(storm).items()})
    assert _level(storm.hall) == pot.levels[0]
    assert storm.hall.sound()
    for table, player in _by_id(storm).items():
        stored = storm.hall.rows(
            "SELECT seq, boot, at_ns, wall_ns, wall_trusted, kind, event, results, state, digest"
            " FROM pozo.records WHERE table_id = %s ORDER BY seq",
            table,
        )
        assert stored == player.rows
    assert storm.hall.one("SELECT count(*) FROM pozo.alarms") == 0


def _by_id(storm: Storm) -> dict[str, Player]:
    return {player.table_id: player for player in storm.players}


def _stakes(rows: list[Row]) -> list[tuple[int, int]]:
    """The number and the money of each COIN IN."""
    decode = msgspec.json.Decoder(tuple[AnyResult, ...]).decode
    return [
        (row[0], result.amount)
        for row in rows
        if row[5] == "coin_in_pressed"
        for result in decode(row[7])
        if isinstance(result, RoundLocked)
    ]


def _last(stakes: dict[str, list[tuple[int, int]]], heads: dict[str, int]) -> dict[str, int]:
    """Each table's last COIN IN up to a head."""
    return {
        table: max((seq for seq, _ in stakes[table] if seq <= head), default=0)
        for table, head in heads.items()
    }


def _taken(
    pot: Pot, stakes: dict[str, list[tuple[int, int]]], after: dict[str, int], upto: dict[str, int]
) -> Pot:
    for table, till in upto.items():
        for seq, staked in stakes[table]:
            if after[table] < seq <= till:
                pot, _ = take(GAME, pot, staked // GAME.wager)
    return pot


def _level(hall: Hall) -> Level:
    names = [
        name for name in Level.__struct_fields__[1:] if not name.startswith(("transfers", "link", "told"))
    ]
    (row,) = hall.rows(f"SELECT {', '.join(names)} FROM pozo.levels")
    return msgspec.convert(
        {"name": "main", **{name: int(str(value)) for name, value in zip(names, row, strict=True)}}, Level
    )


def storm(plan: Plan) -> Storm:
    """Run one on a cluster of its own; raises what failed."""
    with own_cluster() as cluster:
        made = Storm(plan, cluster)
        made.run()
        made.hall.owner.close()
        return made


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="A storm of a length of your choice.")
    for name, value in Plan()._asdict().items():
        parser.add_argument(f"--{name}", type=int, default=value)
    plan = Plan(**vars(parser.parse_args()))
    made = storm(plan)
    print(  # noqa: T201, a command
        f"{plan.tables} tables x {plan.rounds} rounds: {len(made.served)} claims answered once, {made.replays} replays,"
        f" {made.killed} backends killed, {made.crashed} postmasters killed, {made.lost} calls lost: exact"
    )


if __name__ == "__main__":
    main()
