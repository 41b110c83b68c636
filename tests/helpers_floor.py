"""Tables for floor tests: real core decisions as journal rows, kept in memory, and a floor to report them to."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256

import msgspec

from controller.core import events as ev
from controller.core.events import AwardApproved
from controller.core.game import Game, Hand
from controller.core.table import commission, step
from controller.floor import Answer, Claim, Floor, LinkRules, link_rules
from controller.floor.office import Office
from controller.journal import Entry
from controller.journal.chain import GENESIS, digest
from controller.journal.record import Row, columns_of
from tests.helpers_game import GAME, chips, key
from tests.helpers_postgres import Cluster, shared_cluster

WALL_NS = 1_796_000_000_000_000_000
SECOND_NS = 1_000_000_000
BATCH = 1000


class Player:
    """A table that plays and keeps its journal's rows. It opens itself; its clock goes on a second an event."""

    def __init__(self, table_id: str = "mvd-07", game: Game = GAME) -> None:
        self.table_id = table_id
        self.game = game
        self.rows: list[Row] = []
        self.results: list[ev.AnyResult] = []
        rules = msgspec.json.encode(game).decode()
        event = ev.Commissioned(0, table_id, sha256(rules.encode()).hexdigest(), rules)
        self.table, results = commission(game, event)
        self._store(event, results)
        self.do(key(on=True), ev.LampTestStarted(1), ev.TableOpened(1), key(on=False))

    @property
    def staked(self) -> int:
        """What was wagered since the beginning, minor units."""
        return self.table.pot.in_meter

    def do(self, *events: ev.AnyEvent) -> None:
        """Let events happen."""
        for event in events:
            self.table, results = step(self.game, self.table, event)
            self._store(event, results)

    def lock(self, *seats: int) -> None:
        """Chips at these seats, and COIN IN."""
        self.do(*chips(*seats), ev.CoinInPressed(20))

    def end(self) -> None:
        """GAME OVER."""
        self.do(ev.GameOverPressed(90))

    def play(self, *seats: int) -> None:
        """A whole round without a win."""
        self.lock(*seats)
        self.end()

    def won(self, hands: dict[int, Hand], name: str = "1") -> Claim:
        """The claim of these hands in the round that is locked, journaled at this table."""
        made = self.table.awards_made
        self.do(key(on=True), *(ev.AwardClaimed(30, seat, hand) for seat, hand in hands.items()))
        self.do(ev.AwardsApproved(40), key(on=False))
        return Claim(
            claim=f"{self.table_id}/{name}",
            link="main",
            rules=link_rules(self.game, "main").digest,
            round=self.table.round,
            seq=len(self.rows),
            made=made,
            hands=tuple(hands.items()),
        )

    def _store(self, event: ev.AnyEvent, results: tuple[ev.AnyResult, ...]) -> None:
        self.results += results
        seq = len(self.rows) + 1
        previous = self.rows[-1][-1] if self.rows else GENESIS
        columns = columns_of(Entry(event, results, self.table))
        body = (seq, 1, event.at_ns, WALL_NS + seq * SECOND_NS, 1, *columns)
        self.rows.append((*body, digest(previous, body)))


class Hall:
    """A floor of a test's own, and its owner's connection. A table's login is its id."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.database = cluster.new_database()
        self.owner = cluster.connect(self.database)

    def table(self, table_id: str) -> Floor:
        """Make a table known, and connect as it."""
        Office(self.owner).add_table(table_id, table_id)
        return self.as_(table_id, table_id)

    def as_(self, login: str, table_id: str) -> Floor:
        """Connect with some login and speak for some table."""
        return Floor.connect(self.cluster.conninfo(self.database, login), table_id)

    def link(self, game: Game = GAME, *tables: str, name: str = "main") -> LinkRules:
        """A linked pot by the main level of a game, and who may join it."""
        rules = link_rules(game, "main")
        self.one("SELECT pozo.create_link(%s, %s, %s, 'Ana', 'Luis')", name, rules.text, rules.digest)
        for table in tables:
            self.one("SELECT pozo.admit(%s, %s)", name, table)
        return rules

    def one(self, query: str, *values: object) -> object:
        """One value, asked by the owner."""
        row = self.owner.execute(query.encode(), values).fetchone()
        assert row is not None
        return row[0]

    def rows(self, query: str, *values: object) -> list[tuple[object, ...]]:
        """Rows, asked by the owner."""
        return self.owner.execute(query.encode(), values).fetchall()

    def sound(self, link: str = "main") -> bool:
        """Whether the link agrees with every row it came from, and money is conserved."""
        differing = self.rows("SELECT * FROM pozo.audit(%s) WHERE expected <> found", link)
        assert differing == []
        return self.one("SELECT pozo.imbalance(%s)", link) == 0


@contextmanager
def hall() -> Iterator[Hall]:
    """A floor in the run's shared cluster."""
    made = Hall(shared_cluster())
    try:
        yield made
    finally:
        made.owner.close()


def report_all(floor: Floor, rows: Sequence[Row]) -> None:
    """Report everything in batches."""
    for start in range(0, len(rows), BATCH):
        floor.report(rows[start : start + BATCH])


def joined(made: Hall, player: Player) -> Floor:
    """A player's table at the floor, reported and joined to the link `main`."""
    floor = made.table(player.table_id)
    made.one("SELECT pozo.admit('main', %s)", player.table_id)
    report_all(floor, player.rows)
    floor.join("main", link_rules(player.game, "main").digest, 1)
    return floor


def amounts(answer: Answer) -> list[int]:
    """What each winner gets, in the order of serving."""
    return [each.amount for each in answer.told if isinstance(each, AwardApproved)]


def alarm_kinds(made: Hall) -> list[tuple[object, ...]]:
    """Each alarm's kind, and how often."""
    return made.rows("SELECT kind, times FROM pozo.alarms ORDER BY kind, seq")
