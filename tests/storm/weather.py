"""What befalls the hall, and when: by seed, each strike after so many rounds, so that it comes while there is play."""

import queue
import random
import time
from typing import NamedTuple

import psycopg

from tests.storm.house import House
from tests.storm.plan import Plan, Strike, Tally
from tests.storm.table import StormTable

LOOK_S = 0.5
KILL = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'pozo mesa%'
ORDER BY state = 'active' DESC, random() LIMIT 1
"""


class Due(NamedTuple):
    """A strike after so many rounds of the whole hall."""

    rounds: int
    strike: Strike


def schedule(plan: Plan) -> list[Due]:
    """All strikes, each kind spread over the whole storm."""
    draw = random.Random(plan.seed)
    rounds = plan.tables * plan.rounds
    found = [
        Due(int(rounds * (each + draw.random()) / (count + 1)), strike)
        for strike, count in plan.strikes.items()
        for each in range(count)
    ]
    return sorted(found)


class Weather:
    """Strikes as rounds are played; `rounds` gets True for each, and False at the end."""

    def __init__(self, house: House, tables: list[StormTable], plan: Plan, tally: Tally) -> None:
        self.rounds: queue.Queue[bool] = queue.Queue()
        self._house = house
        self._tables = tables
        self._plan = plan
        self._tally = tally
        self._draw = random.Random(f"{plan.seed} weather")
        self._due = schedule(plan)
        self._owner: psycopg.Connection[tuple[object, ...]] | None = house.cluster.connect()
        self._up_at = 0.0
        self._parted: list[int] = []
        self._whole_at = 0.0

    def run(self) -> None:
        """Until the last round; then everything is up and whole again."""
        played, more = 0, True
        while more:
            try:
                more = self.rounds.get(timeout=LOOK_S)
                played += more
            except queue.Empty:
                pass  # nobody can play, perhaps because of what has to end now
            self._end(time.monotonic())
            self._strike(played)
        self._end(float("inf"))
        if self._owner is not None:
            self._owner.close()

    def _strike(self, played: int) -> None:
        """All that is due and can be now; the rest stays due."""
        left: list[Due] = []
        for place, due in enumerate(self._due):
            if due.rounds > played:
                left += self._due[place:]
                break
            if self._struck(due.strike):
                self._tally.add(due.strike)
            else:
                left.append(due)
        self._due = left

    def _struck(self, strike: Strike) -> bool:
        match strike:
            case Strike.BACKEND:
                return self._owner is not None and self._owner.execute(KILL).rowcount == 1
            case Strike.LINK:
                return self._draw.choice(self._tables).kill_link(self._draw.uniform(0, self._plan.span_s))
            case Strike.CUT:
                return self._draw.choice(self._tables).cut()
            case Strike.CRASH:
                return self._crash()
            case Strike.PARTITION:
                return self._part()

    def _crash(self) -> bool:
        if self._owner is None:
            return False
        self._owner.close()
        self._owner = None
        self._house.cluster.kill()
        self._up_at = time.monotonic() + self._draw.uniform(0, self._plan.span_s)
        return True

    def _part(self) -> bool:
        if self._parted:
            return False
        numbers = [table.number for table in self._tables]
        self._parted = sorted(
            self._draw.sample(numbers, self._draw.randint((len(numbers) + 1) // 2, len(numbers)))
        )
        self._house.network.part(self._parted)
        self._tally.add("lines of tables parted", len(self._parted))
        self._whole_at = time.monotonic() + self._draw.uniform(self._plan.span_s / 2, self._plan.span_s)
        return True

    def _end(self, now: float) -> None:
        if self._owner is None and now >= self._up_at:
            self._house.cluster.start()
            self._owner = self._house.cluster.connect()
        if self._parted and now >= self._whole_at:
            self._house.network.mend(self._parted)
            self._parted = []
