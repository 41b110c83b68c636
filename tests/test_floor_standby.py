"""A floor of two servers: the second follows, every commit waits for it, the first dies, the second goes on."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from controller.core.game import Hand
from controller.floor import Floor, FloorDownError, FloorError
from controller.floor.office import Office
from controller.floor.proof import prove_table
from controller.floor.schema import Connection
from controller.floor.whole import whole
from tests.helpers_floor import Hall, Player, joined, report_all
from tests.helpers_floor_storm import Plan, Storm
from tests.helpers_postgres import Cluster, own_cluster

TABLE = "mvd-07"
PATIENCE_S = 30.0
LOOKS = 100_000


@contextmanager
def following(first: Cluster) -> Iterator[Cluster]:
    """A second server that follows the first, whose commits wait for it from now on until they can be read there."""
    second = Cluster(of=first)
    try:
        with first.connect() as owner:
            for setting in ("synchronous_standby_names = '*'", "synchronous_commit = 'remote_apply'"):
                owner.execute(f"ALTER SYSTEM SET {setting}".encode())
            owner.execute(b"SELECT pg_reload_conf()")
            until(owner, "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'", 1)
        yield second
    finally:
        second.stop()


def until(owner: Connection, query: str, wanted: int) -> None:
    """Ask until it is so; bounded by the asking, not by a clock."""
    for _ in range(LOOKS):
        if owner.execute(query.encode()).fetchone() == (wanted,):
            return
    raise AssertionError(query)


class Failover(Storm):
    """A storm in which the first server dies for good, and the second is promoted."""

    def __init__(self, plan: Plan, first: Cluster, second: Cluster) -> None:
        self.second = second
        self.compared = 0
        super().__init__(plan, first)

    def _crash(self) -> None:
        acknowledged, served = dict(self.acknowledged), list(self.served)
        self.cluster.kill()
        self.second.promote()
        self.cluster = self.second
        with self.second.connect(self.hall.database) as owner:
            heads = {
                str(table): whole(seq) for table, seq in owner.execute("SELECT table_id, seq FROM pozo.heads")
            }
            claims = {str(claim) for (claim,) in owner.execute("SELECT claim_id FROM pozo.claims")}
        for table, seq in acknowledged.items():
            assert heads[table] >= seq, "what was acknowledged is on the second server"
        assert {each.claim.claim for each in served} <= claims
        self.compared = len(acknowledged)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_nothing_acknowledged_is_lost_when_the_first_server_dies_and_the_second_is_promoted() -> None:
    """Twelve tables report and win meanwhile; the core works every pot and award out again from their own rows."""
    with own_cluster("max_wal_senders=5") as first, following(first) as second:
        made = Failover(Plan(tables=12, rounds=12, kills=10, crashes=1), first, second)
        made.run()
        made.hall.owner.close()
        assert made.crashed == 1
        assert made.compared == 12
        assert len(made.served) >= 15


def test_what_the_second_server_does_not_have_is_not_acknowledged() -> None:
    """It stands still: a report waits. The first dies, the second goes on without that report, and is told it again."""
    with own_cluster("max_wal_senders=5") as first, following(first) as second:
        made = Hall(first)
        made.link()
        player = Player(TABLE)
        floor = joined(made, player)
        acknowledged = floor.head()
        caught_up = "SELECT count(*) FROM pg_stat_replication WHERE replay_lsn = pg_current_wal_lsn()"
        until(made.owner, caught_up, 1)
        with second.connect() as owner:
            owner.execute(b"SELECT pg_wal_replay_pause()")
            until(
                owner,
                "SELECT count(*) FROM (SELECT 1 WHERE pg_get_wal_replay_pause_state() = 'paused') AS p",
                1,
            )
        player.play(1, 2)
        told: list[FloorError] = []

        def say() -> None:
            try:
                report_all(floor, player.rows)
            except FloorDownError as error:
                told.append(error)

        saying = threading.Thread(target=say)
        saying.start()
        until(made.owner, "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'", 1)
        first.kill()
        saying.join(PATIENCE_S)
        assert len(told) == 1, "it was not acknowledged"
        floor.close()
        made.owner.close()
        with second.connect() as owner:
            owner.execute(b"SELECT pg_wal_replay_resume()")
        second.promote()
        with Floor.connect(second.conninfo(made.database, TABLE), TABLE) as again:
            assert again.head().seq >= acknowledged.seq
            report_all(again, player.rows)
            assert again.level("main").current == 10_001_000


def test_a_table_that_names_both_servers_finds_the_one_that_takes_writes() -> None:
    """`target_session_attrs=read-write` and both hosts: what docs/floor.md asks of `link.floor`."""
    with own_cluster("max_wal_senders=5") as first, following(first) as second:
        made = Hall(first)
        player = Player(TABLE)
        made.table(TABLE).close()
        both = (
            f"host={second.directory},{first.directory} dbname={made.database} user={TABLE}"
            " target_session_attrs=read-write"
        )
        with Floor.connect(both, TABLE) as floor:
            report_all(floor, player.rows)
        made.owner.close()
        first.kill()
        second.promote()
        with Floor.connect(both, TABLE) as floor:
            assert floor.head().seq == len(player.rows)
            player.play(1)
            report_all(floor, player.rows)


class Backup:
    """A base backup that is kept until it is needed, and the log since then in an archive beside it."""

    def __init__(self, of: Cluster) -> None:
        self._cluster = Cluster(of=of, start=False)
        self.archive = self._cluster.directory / "archive"
        self.archive.mkdir()
        self.archive.chmod(0o777)  # the server is another user's
        with of.connect() as owner:
            owner.execute(f"ALTER SYSTEM SET archive_command = 'cp %p {self.archive}/%f'".encode())
            owner.execute(b"SELECT pg_reload_conf()")

    @contextmanager
    def restored(self) -> Iterator[Cluster]:
        """Read the archive up to its end, and go on from there."""
        self._cluster.read(self.archive)
        self._cluster.start()
        try:
            yield self._cluster
        finally:
            self._cluster.stop()


def test_a_base_backup_and_the_log_bring_back_a_win_that_was_served_after_it() -> None:
    """pg_basebackup, then a win; the server is lost, and comes back from backup and archive up to the log's end."""
    with own_cluster("max_wal_senders=5", "archive_mode=on") as first:
        made = Hall(first)
        made.link()
        player = Player(TABLE)
        with joined(made, player) as floor:
            backup = Backup(first)
            player.lock(1, 2)
            claim = player.won({1: Hand.STRAIGHT_FLUSH})
            player.end()
            report_all(floor, player.rows)
            answer = floor.claim(claim)
            before = floor.level("main")
        segment = made.one("SELECT pg_walfile_name(pg_switch_wal())")
        until(made.owner, f"SELECT count(*) FROM pg_stat_archiver WHERE last_archived_wal >= '{segment}'", 1)
        made.owner.close()
        first.kill()
    with backup.restored() as second:
        with Office.connect(second.conninfo(made.database)) as office:
            until(office.connection, "SELECT count(*) FROM (SELECT 1 WHERE NOT pg_is_in_recovery()) AS p", 1)
            assert office.flaws() == ()
            assert prove_table(office, TABLE).bad is None
        with Floor.connect(second.conninfo(made.database, TABLE), TABLE) as again:
            assert again.head().seq == len(player.rows)
            assert again.claim(claim) == answer
            assert again.level("main") == before
