"""Limits, row 7: a linked pot on PostgreSQL with a 2 ms flush and 64 clients; and what a win costs.

Peer: every wager updates one row, the pot. Ours: `contribute` is the floor's own append (the contribution of a round
that is there, and the table's sum); `report` is the whole path of a record that arrives by itself, chain, round and
all, as each of 64 tables. Meanwhile somebody folds and tells listeners ten times a second. All run in turns, driven by
pgbench; a library loaded before libc makes every flush 2 ms longer. A win is claimed after none, 10,000 and 1,000,000
contributions since the last one; its peer sums up the contributions instead of the tables' sums.

Run: `python benchmarks/floor.py [--seconds N] [--rounds N] [--rows N]`. Needs gcc and Debian's postgresql package. Exit
code 1 if a limit is missed; the limits are for a machine that does nothing else.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median

import msgspec
import psycopg
from measure import tell

from controller.floor.office import Office
from controller.floor.rules import link_rules
from tests.helpers_game import GAME
from tests.helpers_postgres import Cluster, binaries

CLIENTS = 64
ROUNDS_A_SECOND = 400  # of each client, there beforehand: more than any machine here gets through
WARM_S = 3  # not counted: 64 new connections read catalogues and make plans, once in the life of a table's connection
SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
static int slow(const char *name, int fd) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  struct timespec t = {0, 2000000L};
  nanosleep(&t, 0);
  return real(fd);
}
int fsync(int fd) { return slow("fsync", fd); }
int fdatasync(int fd) { return slow("fdatasync", fd); }
"""
SETUP = """
CREATE SCHEMA bench;
CREATE TABLE bench.hot (id integer PRIMARY KEY, current bigint NOT NULL) WITH (fillfactor = 10);
INSERT INTO bench.hot VALUES (1, 0);
CREATE FUNCTION bench.report(p_client integer) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  id text := 'whole_' || p_client;
  h record;
  results text;
  state text := '{"phase":"locked","seats":[' || repeat('{"accepted":1234},', 6) || '{}]}';
  made text;
BEGIN
  SELECT * INTO h FROM pozo.heads WHERE table_id = id;
  results := '[{"kind":"round_locked","round":' || h.seq + 1 || ',"seats":[1,2,3],"amount":3000,"late":false}]';
  made := pozo.digest_of(h.digest, h.seq + 1, 1, 1, 1, 1::smallint, 'coin_in_pressed', '{}', results, state);
  PERFORM pozo.report(id, jsonb_build_array(jsonb_build_array(h.seq + 1, 1, 1, 1, 1, 'coin_in_pressed', '{}', results,
    state, made)));
END $$;
GRANT USAGE ON SCHEMA bench TO pozo_table;
GRANT EXECUTE ON FUNCTION bench.report(integer) TO pozo_table;
"""
SCRIPTS = {
    "hot row": "UPDATE bench.hot SET current = current + 1000 WHERE id = 1;\n",
    "contribute": "\\set seq :seq + 1\nSELECT pozo.contribute('bench_' || :client_id, :seq - 1, :seq, NULL);\n",
    "report": "SET SESSION AUTHORIZATION whole_:client_id;\nSELECT bench.report(:client_id);\n",
}


def compiled(directory: Path) -> Path:
    """The library that makes a flush slow."""
    gcc = shutil.which("gcc")
    if gcc is None:
        sys.exit("this needs gcc: apt-get install gcc libc6-dev")
    source, library = directory / "slow.c", directory / "slow.so"
    source.write_text(SHIM)
    subprocess.run([gcc, "-O2", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return library


def made(cluster: Cluster, seconds: int) -> psycopg.Connection[tuple[object, ...]]:
    """A floor with a link and two sets of tables in it, rounds of one set for so many seconds, and our functions."""
    owner = cluster.connect(cluster.new_database())
    office = Office(owner)
    rules = link_rules(GAME, "main")
    office.create_link("main", rules, "Ana", "Luis")
    for client in range(CLIENTS):
        for name in (f"bench_{client}", f"whole_{client}"):
            office.add_table(name, name)
            office.admit("main", name)
            owner.execute(
                "INSERT INTO pozo.members (link, table_id, from_seq, version) VALUES ('main', %s, 0, 1)",
                (name,),
            )
    owner.execute(SETUP.encode())
    played = msgspec.json.encode(GAME).decode()
    owner.execute(
        "INSERT INTO pozo.parameters (table_id, seq, wall_ns, game, rules, changes, supervisor, technician)"
        " SELECT table_id, 1, 0, '', %s, '[]', '', '' FROM pozo.tables",
        (played,),
    )
    owner.execute(
        "INSERT INTO pozo.rounds (table_id, seq, round, wall_ns, seats, staked, late)"
        " SELECT format('bench_%%s', c), s, s, 0, '{1}', 1000, false"
        " FROM generate_series(0, %s) AS c, generate_series(2, %s) AS s",
        (CLIENTS - 1, 1 + seconds * ROUNDS_A_SECOND),
    )
    owner.execute("VACUUM ANALYZE pozo.rounds")
    owner.execute("UPDATE pozo.heads SET seq = 1")  # as after the commissioning, which is not measured
    return owner


@contextmanager
def folding(cluster: Cluster, database: str) -> Iterator[None]:
    """Somebody folds ten times a second meanwhile."""
    over = threading.Event()

    def fold() -> None:
        with cluster.connect(database) as connection:
            while not over.wait(0.1):
                connection.execute("SELECT pozo.tick('main', 100)")

    thread = threading.Thread(target=fold)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def turn(cluster: Cluster, database: str, name: str, seconds: int, number: int) -> tuple[float, float, float]:
    """Transactions a second, median and p99 in milliseconds, of a contender's turn number 0, 1, …"""
    with tempfile.TemporaryDirectory() as there:
        script = Path(there) / "script.sql"
        script.write_text(SCRIPTS[name])
        mode = "simple" if name == "report" else "prepared"
        where = ("-h", str(cluster.directory), "-U", "postgres", database)
        how = (
            "-n",
            "-f",
            str(script),
            "-c",
            str(CLIENTS),
            "-j",
            "2",
            "-T",
            str(seconds + WARM_S),
            "-M",
            mode,
            "-l",
        )
        begun = ("-D", f"seq={1 + number * (seconds + WARM_S) * ROUNDS_A_SECOND}")
        command = (str(binaries() / "pgbench"), *how, *begun, *where)
        # as `report` says of itself
        planned = {**os.environ, "PGOPTIONS": "-c plan_cache_mode=force_generic_plan"}
        done = subprocess.run(command, cwd=there, env=planned, capture_output=True, text=True, check=False)
        if done.returncode or "number of failed transactions: 0" not in done.stdout:
            sys.exit(done.stdout + done.stderr)
        ended = [
            logged(line) for log in Path(there).glob("pgbench_log*") for line in log.open(encoding="ascii")
        ]
    if max(Counter(client for client, _, _ in ended).values()) >= (seconds + WARM_S) * ROUNDS_A_SECOND:
        sys.exit(f"a client needs more than {ROUNDS_A_SECOND} rounds a second: raise ROUNDS_A_SECOND")
    warm = max(when for _, when, _ in ended) - seconds
    taken = sorted(took for _, when, took in ended if when > warm)
    return len(taken) / seconds, median(taken), taken[len(taken) * 99 // 100]


def logged(line: str) -> tuple[str, float, float]:
    """Of a transaction in pgbench's log: the client, when it ended, in seconds, how long it took, in milliseconds."""
    client, _, took_us, _, second, microsecond, *_ = line.split()
    return client, int(second) + int(microsecond) / 1e6, int(took_us) / 1000


def flushes(owner: psycopg.Connection[tuple[object, ...]]) -> tuple[int, float]:
    """Flushes of the log so far and the milliseconds they took in all, by PostgreSQL's own count and clock."""
    row = owner.execute("SELECT wal_sync, wal_sync_time FROM pg_stat_wal").fetchone()
    assert row is not None
    return int(str(row[0])), float(str(row[1]))


def rates(cluster: Cluster, owner: psycopg.Connection[tuple[object, ...]], seconds: int, rounds: int) -> bool:
    """All contenders in turns; ratios within a round."""
    database = owner.info.dbname
    found: dict[str, list[tuple[float, float, float]]] = {name: [] for name in SCRIPTS}
    shared: dict[str, list[float]] = {name: [] for name in SCRIPTS}
    flush: dict[str, list[float]] = {name: [] for name in SCRIPTS}
    for number in range(rounds):
        names = list(SCRIPTS)
        for name in names[number % 3 :] + names[: number % 3]:
            before = flushes(owner)
            with folding(cluster, database):
                found[name].append(turn(cluster, database, name, seconds, number))
            made, took = (now - then for now, then in zip(flushes(owner), before, strict=True))
            shared[name].append(found[name][-1][0] * (seconds + WARM_S) / made)
            flush[name].append(took / made)
    for name, turns in found.items():
        rate, middle, last = (median(each) for each in zip(*turns, strict=True))
        print(
            f"{name:<12} {rate:>8.0f}/s   p50 {middle:>7.1f} ms   p99 {last:>7.1f} ms"
            f"   {median(shared[name]):>5.1f} commits a flush of {median(flush[name]):>5.2f} ms"
            f"   load {os.getloadavg()[0]:.1f}"
        )
    good = True
    for name, limit in (("contribute", 20), ("report", 0)):
        ratio = median(ours[0] / hot[0] for ours, hot in zip(found[name], found["hot row"], strict=True))
        good &= tell(
            f"{name} / one hot row, transactions a second", ratio, "x", f">= {limit}", good=ratio >= limit
        )
    p99 = median(each[2] for each in found["contribute"]) / median(flush["hot row"])
    good &= tell("contribute, p99", p99, "flushes", "<= 5", good=p99 <= 5)
    (differing,) = owner.execute(
        "SELECT count(*) FROM pozo.audit('main') WHERE expected <> found"
    ).fetchone() or (None,)
    return good & tell(
        "figures of the link that do not agree", float(str(differing)), "", "0", good=differing == 0
    )


def claims(owner: psycopg.Connection[tuple[object, ...]], rows: int) -> bool:
    """A win after ever more contributions: ours by the tables' sums, the peer by the contributions'."""
    ours: list[float] = []
    for since in (0, 10_000, rows):
        owner.execute(
            "INSERT INTO pozo.contributions (link, table_id, seq, version, staked) SELECT 'main', 'bench_0',"
            " (SELECT coalesce(max(seq), 1) FROM pozo.contributions WHERE table_id = 'bench_0') + n, 1, 1000"
            " FROM generate_series(1, %s) AS n",
            (since,),
        )
        owner.execute(
            "UPDATE pozo.members SET staked = staked + %s * 1000, rounds = rounds + %s, last_seq = last_seq + %s"
            " WHERE table_id = 'bench_0'",
            (since, since, since),
        )
        owner.execute("ANALYZE pozo.contributions")
        ours.append(median(timed(partial(win, owner, f"{since}/{number}")) for number in range(25)))
        peer = median(
            timed(lambda: owner.execute("SELECT sum(staked) FROM pozo.contributions")) for _ in range(5)
        )
        print(f"after {since:>9,} contributions: a win {ours[-1]:>7.2f} ms, their sum alone {peer:>8.2f} ms")
    ratio = max(ours) / ours[0]
    return tell(f"a win after {rows:,} contributions / after none", ratio, "x", "<= 1.5", good=ratio <= 1.5)


def win(owner: psycopg.Connection[tuple[object, ...]], claim: str) -> None:
    """Serve a straight flush and keep it."""
    owner.execute(
        "SELECT s.* FROM pozo.links AS k CROSS JOIN (SELECT count(*) AS claims FROM pozo.claims) AS n"
        " CROSS JOIN LATERAL pozo.serve_claim(k, 1, %s, 'bench_0',"
        " n.claims, 1, 0, ARRAY[1], ARRAY['straight_flush'], 1, n.claims) AS s WHERE k.link = 'main'",
        (claim,),
    )


def timed(work: Callable[[], object]) -> float:
    """Milliseconds by the clock."""
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=8, help="length of a turn")
    parser.add_argument("--rounds", type=int, default=3, help="turns of each contender")
    parser.add_argument("--rows", type=int, default=1_000_000, help="contributions before the last win")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as there:
        Path(there).chmod(0o755)
        library = compiled(Path(there))
        cluster = Cluster(
            ("shared_buffers=256MB", "max_wal_size=4GB", "track_wal_io_timing=on"),
            {"LD_PRELOAD": str(library)},
        )
        try:
            with made(cluster, asked.rounds * (asked.seconds + WARM_S)) as owner:
                good = rates(cluster, owner, asked.seconds, asked.rounds)
                good &= claims(owner, asked.rows)
        finally:
            cluster.stop()
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
