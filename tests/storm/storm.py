"""The storm itself: a thread for the people at each table and one for the weather, then the account."""

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager

from controller.config import load
from controller.floor import link_rules
from tests.storm.account import Book
from tests.storm.check import check, every_sign_shows_the_pot
from tests.storm.hands import Hands
from tests.storm.house import House, house
from tests.storm.network import network
from tests.storm.plan import Plan, Tally
from tests.storm.replays import Replays
from tests.storm.table import StormTable
from tests.storm.weather import Weather

REPLAYED = 0.5
"""After a round something is said again with this chance."""

PATIENCE_S = 300.0


class Storm:
    """Tables that play `plan` in a house."""

    def __init__(self, plan: Plan, where: House, tables: list[StormTable], tally: Tally) -> None:
        self.plan = plan
        self.house = where
        self.tables = tables
        self.tally = tally
        rules = link_rules(load(str(tables[0].config)).game, "main")
        self.replays = {table.name: Replays(where, table, rules, tally) for table in tables}
        self.weather = Weather(where, tables, plan, tally)
        self._failures: list[BaseException] = []

    def run(self) -> None:
        """Play it out; raises the first thing that failed."""
        people = [threading.Thread(target=self._guarded, args=(self._play, table)) for table in self.tables]
        above = threading.Thread(target=self._guarded, args=(self.weather.run,))
        for thread in (above, *people):
            thread.start()
        for thread in people:
            thread.join()
        self.weather.rounds.put(False)
        above.join()
        self._raise()

    def calm(self) -> None:
        """What is still dead comes back, all replays are made, everything arrives; then all is switched off."""
        for table in self.tables:
            table.come_back()
        self.house.renew()
        self._replay_the_rest()
        every_sign_shows_the_pot(self.house.hall, self.tables)
        for table in self.tables:
            table.stop()
        end = time.monotonic() + PATIENCE_S
        for table in self.tables:
            table.bench.until(lambda: self._arrived(table), "all records", end - time.monotonic())  # noqa: B023, at once
            table.stop_link()

    def _arrived(self, table: StormTable) -> bool:
        head = self.house.hall.one("SELECT seq FROM pozo.heads WHERE table_id = %s", table.name)
        return head == table.last_seq

    def _play(self, table: StormTable) -> None:
        hands, replays = Hands(table, self.plan), self.replays[table.name]
        draw = random.Random(f"{self.plan.seed} {table.name} replays")
        known = 1
        while (round_ := hands.step()) is not None and not self._failures:
            while known < round_:
                known += 1
                self.weather.rounds.put(True)
                if draw.random() < REPLAYED:
                    replays.again(draw)

    def _replay_the_rest(self) -> None:
        draw = random.Random(f"{self.plan.seed} the rest")
        end = time.monotonic() + PATIENCE_S
        while self.tally["replays of reports"] + self.tally["replays of claims"] < self.plan.replays:
            assert time.monotonic() < end, self.tally.lines()
            self.replays[draw.choice(self.tables).name].again(draw)
        for each in self.replays.values():
            each.close()

    def _guarded(self, work: Callable[..., None], *values: object) -> None:
        try:
            work(*values)
        except BaseException as error:  # noqa: BLE001, told by the main thread
            self._failures.append(error)

    def _raise(self) -> None:
        if self._failures:
            raise self._failures[0]


@contextmanager
def begun(plan: Plan, tally: Tally) -> Iterator[Storm]:
    """All processes of a storm; whatever still runs at the end is ended."""
    with network(plan.tables, relays=bool(plan.relays)) as lines, house(lines) as where, ExitStack() as stack:
        tally.add(f"partitions are made with {lines.kind}")
        files = [where.table(number, strict=plan.is_strict(number)) for number in range(1, plan.tables + 1)]
        tables = [
            stack.enter_context(closing(StormTable(number, file, lines.door(number))))
            for number, file in enumerate(files, start=1)
        ]
        yield Storm(plan, where, tables, tally)


def storm(plan: Plan, tell: Callable[[str], None]) -> Tally:
    """Run one and check it; what happened. Raises what failed, and if a kind of strike never came."""
    tally, began = Tally(), time.monotonic()
    with begun(plan, tally) as made:
        tell(f"begun after {time.monotonic() - began:.0f} s")
        made.run()
        tell(f"played after {time.monotonic() - began:.0f} s")
        made.calm()
        tell(f"arrived after {time.monotonic() - began:.0f} s")
        books = [Book(table.name, table.journal) for table in made.tables]
        check(
            made.house, books, {table.name: made.replays[table.name].answers for table in made.tables}, tally
        )
    for strike, count in plan.strikes.items():
        assert tally[strike] >= min(count, 1), f"{strike}: none"
    return tally
