"""What a floor of 500 and of 50,000 tables needs: what was measured here, put into a simulation (`floor_queue.py`).

Measured on a PostgreSQL of its own with tables that play by the core: processor time of each call, by the server's own
process; how it grows with records and with tables; bytes of disk and of log a record; memory of a connection; a flush
of the disk. Not measured, and therefore asked for: how many rounds a table plays in an hour, and how many rounds there
are to a win. The simulation is held against `floor.py`: 64 clients that do nothing but report.

Run: `python benchmarks/floor_size.py [--rounds-an-hour 30 60] [--cores 2 8 32] [--flush-ms 0.5 2]`.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from statistics import median

import psycopg
from floor_queue import Costs, Found, Hall, closed, simulated

from controller.core.events import AwardPaid, Payment
from controller.core.game import Hand
from tests.helpers_floor import Hall as Database
from tests.helpers_floor import Player, joined, report_all
from tests.helpers_postgres import Cluster

CALLS = 400
TICK_S = 1 / os.sysconf("SC_CLK_TCK")
PEOPLE = (1, 2, 3, 4, 5, 6, 7)
Connection = psycopg.Connection[tuple[object, ...]]


def processor_s(connection: Connection) -> float:
    """What a connection's server process has computed so far."""
    words = (
        Path(f"/proc/{connection.info.backend_pid}/stat")
        .read_text(encoding="ascii")
        .rpartition(")")[2]
        .split()
    )
    return (int(words[11]) + int(words[12])) * TICK_S


def each(connection: Connection, calls: Sequence[Callable[[], object]]) -> float:
    """Processor seconds of one of these calls."""
    before = processor_s(connection)
    for call in calls:
        call()
    return (processor_s(connection) - before) / len(calls)


def flush_s(directory: str) -> float:
    """Median of a flush of a page that was written again, as the log is."""
    path = Path(directory) / "flushed"
    taken: list[float] = []
    with path.open("wb", buffering=0) as file:
        file.write(bytes(16 << 20))
        os.fsync(file.fileno())
        for _ in range(200):
            file.seek(0)
            file.write(bytes(8192))
            began = time.perf_counter()
            os.fdatasync(file.fileno())
            taken.append(time.perf_counter() - began)
    return median(taken)


def memory_bytes(connection: Connection) -> int:
    """What a connection's server process holds alone."""
    text = Path(f"/proc/{connection.info.backend_pid}/smaps_rollup").read_text(encoding="ascii")
    return sum(int(line.split()[1]) * 1024 for line in text.splitlines() if line.startswith("Private_"))


def line(slopes: list[tuple[int, float]]) -> tuple[float, float]:
    """What a call costs, and what each thing in it adds: through the first and the last point."""
    (first, low), (last, high) = slopes[0], slopes[-1]
    slope = max((high - low) / (last - first), 0.0)
    return max(low - first * slope, 0.0), slope


class Measured:
    """A floor with one table that plays a great deal, and then with ever more tables."""

    def __init__(self, cluster: Cluster) -> None:
        self.made = Database(cluster)
        self.made.link()
        self.player = Player("mvd-01")
        self.floor = joined(self.made, self.player)
        begun = len(self.player.rows)
        self.player.play(*PEOPLE)
        self.records_a_round = len(self.player.rows) - begun
        report_all(self.floor, self.player.rows)

    def reports(self) -> tuple[float, float]:
        """What a report costs, and each record in it."""
        found: list[tuple[int, float]] = []
        for count in (1, 10, 40):
            found.append((count, each(self.floor.connection, self.continued(count))))
            print(f"a report of {count:>3} records: {found[-1][1] * 1e3:6.2f} ms of a processor")
        return line(found)

    def continued(self, count: int) -> list[Callable[[], object]]:
        """Calls that report the next records, so many at a time."""
        start = self.floor.head().seq
        while len(self.player.rows) < start + count * CALLS:
            self.player.play(*PEOPLE)
        rows = self.player.rows
        return [
            partial(self.floor.report, rows[at : at + count])
            for at in range(start, start + count * CALLS, count)
        ]

    def heads(self) -> float:
        """What the question for the head costs."""
        return each(self.floor.connection, [self.floor.head] * CALLS * 4)

    def members(self, tables: int) -> None:
        """So many members, each with something staked."""
        self.made.owner.execute(
            "INSERT INTO pozo.tables (table_id, login) SELECT 'many-' || n, 'many-' || n"
            " FROM generate_series(1, %s) AS n ON CONFLICT DO NOTHING",
            (tables,),
        )
        self.made.owner.execute(
            "INSERT INTO pozo.admissions (link, table_id) SELECT 'main', table_id FROM pozo.tables"
            " ON CONFLICT DO NOTHING"
        )
        self.made.owner.execute(
            "INSERT INTO pozo.members (link, table_id, from_seq, version, last_seq) SELECT 'main', table_id, 1, 1, 1"
            " FROM pozo.tables ON CONFLICT DO NOTHING"
        )
        self.made.owner.execute("ANALYZE")

    def folds(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """What a fold, and what a claim costs, and what each table adds to either."""
        folds: list[tuple[int, float]] = []
        claims: list[tuple[int, float]] = []
        for tables in (1, 500, 5_000):
            self.members(tables)
            folds.append((tables, each(self.made.owner, [self._fold] * 60)))
            claims.append((tables, each(self.floor.connection, [self._claim] * 30)))
            print(
                f"{tables:>5} tables: a fold {folds[-1][1] * 1e3:6.2f} ms, a claim with its record"
                f" {claims[-1][1] * 1e3:6.2f} ms of a processor"
            )
        return line(folds), line(claims)

    def _fold(self) -> None:
        self.made.owner.execute("UPDATE pozo.members SET staked = staked + 1000 WHERE table_id = 'mvd-01'")
        self.made.owner.execute("UPDATE pozo.links SET folded_at = '-infinity'")
        self.made.owner.execute("SELECT pozo.tick('main', 100)")

    def _claim(self) -> None:
        start = self.floor.head().seq
        if len(self.player.rows) > start:
            report_all(self.floor, self.player.rows[start:])
        self.player.lock(1)
        claim = self.player.won({1: Hand.FLUSH}, str(len(self.player.rows)))
        self.player.do(AwardPaid(50, claim.made + 1, Payment.CASH, signed=True))
        self.player.end()
        report_all(self.floor, self.player.rows[self.floor.head().seq :])
        self.floor.claim(claim)

    def bytes_a_record(self) -> tuple[float, float]:
        """What a record takes on the disk with all that follows from it, and in the log."""

        def now() -> tuple[int, int, int]:
            size = self.made.one(
                "SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class AS c WHERE relnamespace ="
                " 'pozo'::regnamespace AND relkind = 'r'"
            )
            log = self.made.one("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')")
            return int(str(size)), int(str(log)), self.floor.head().seq

        before = now()
        for call in self.continued(10):
            call()
        after = now()
        count = after[2] - before[2]
        return (after[0] - before[0]) / count, (after[1] - before[1]) / count


def costs_of(found: Measured, flush: float) -> Costs:
    """Everything measured, as the simulation takes it."""
    head = found.heads()
    print(f"a question for the head: {head * 1e3:.3f} ms of a processor")
    report, record = found.reports()
    (fold, fold_table), (claim, claim_table) = found.folds()
    return Costs(head, report, record, fold, fold_table, claim, claim_table, flush)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "--rounds-an-hour", type=float, nargs="+", default=[30.0, 60.0], help="of a table: assumed"
    )
    parser.add_argument("--rounds-a-win", type=float, default=1000.0, help="to a claim: assumed")
    parser.add_argument("--tables", type=int, nargs="+", default=[500, 5_000, 50_000])
    parser.add_argument("--cores", type=int, nargs="+", default=[2, 8, 32])
    parser.add_argument("--flush-ms", type=float, nargs="*", default=[], help="beside the one of this disk")
    parser.add_argument("--seconds", type=float, default=20.0, help="of simulated time")
    asked = parser.parse_args()
    cluster = Cluster(("shared_buffers=256MB", "max_wal_size=4GB"))
    try:
        found = Measured(cluster)
        with tempfile.TemporaryDirectory() as there:
            flush = flush_s(there)
        print(
            f"a round of seven wagers: {found.records_a_round} records; a flush of this disk: {flush * 1e3:.2f} ms"
        )
        costs = costs_of(found, flush)
        disk, log = found.bytes_a_record()
        memory = memory_bytes(found.floor.connection) >> 20
        print(f"a record: {disk:.0f} bytes of disk, {log:.0f} of log; a connection {memory} MiB")
    finally:
        cluster.stop()
    same = closed(costs._replace(flush=flush + 0.002), 64, 2, 20.0)
    print(
        f"64 clients that only report, 2 processors, 2 ms more a flush: {same:.0f}/s simulated; `floor.py` measures it"
    )
    print(HEADING)
    for flush_ms in (flush * 1e3, *asked.flush_ms):
        for tables, rate, cores in product(asked.tables, asked.rounds_an_hour, asked.cores):
            hall = Hall(tables, rate, found.records_a_round, asked.rounds_a_win, cores)
            tell(simulated(costs._replace(flush=flush_ms / 1e3), hall, asked.seconds), hall, flush_ms, disk)


HEADING = (
    "tables rounds/h cores flush ms  records/s GB/day processors   disk  report p50 report p99  claim p99, ms"
)


def tell(it: Found, hall: Hall, flush_ms: float, disk: float) -> None:
    """One line; times in milliseconds."""
    records = hall.tables * hall.rounds_an_hour / 3600 * hall.records_a_round
    late = f"   {it.left} calls wait: too many" if it.left > hall.tables / 20 else ""
    print(
        f"{hall.tables:>6} {hall.rounds_an_hour:>8.0f} {hall.cores:>5} {flush_ms:>8.2f} {records:>10.0f}"
        f" {records * 86400 * disk / 1e9:>6.0f} {it.processors_busy:>10.0%} {it.disk_busy:>6.0%}"
        f" {it.report_median * 1e3:>11.1f} {it.report_p99 * 1e3:>10.1f} {it.claim_p99 * 1e3:>10.1f}{late}",
        flush=True,
    )


if __name__ == "__main__":
    main()
