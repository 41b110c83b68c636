"""A real PostgreSQL cluster for tests: a data directory and a socket of its own, no port, gone when the run ends.

PostgreSQL refuses to run as root; then it runs as the user `postgres` of Debian's package.
"""

import atexit
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import count
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from controller.floor.schema import init

SETTINGS = (
    "listen_addresses=''",
    "max_connections=200",
    "shared_buffers=64MB",
    "timezone=UTC",
    "log_min_messages=warning",
)
PATIENCE_S = 30.0
_numbers = count(1)


def binaries() -> Path:
    """Where initdb is: POZO_PG_BIN, or the newest of Debian's. Without it the test is skipped, on CI it fails."""
    given = os.environ.get("POZO_PG_BIN")
    found = [Path(given)] if given else sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not found or not (found[-1] / "initdb").exists():
        missing = "needs PostgreSQL: apt-get install postgresql"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(missing)
    return found[-1]


class Cluster:
    """A cluster; `postgres` is its superuser. `of`: no new one, but a copy of that one as it runs, which follows it."""

    def __init__(
        self,
        settings: tuple[str, ...] = (),
        environment: dict[str, str] | None = None,
        *,
        of: "Cluster | None" = None,
        start: bool = True,
    ) -> None:
        self._bin = binaries()
        self._user = "postgres" if os.geteuid() == 0 else None
        self._environment = {**os.environ, "LC_ALL": "C.UTF-8", **(environment or {})}
        self.directory = Path(tempfile.mkdtemp(prefix="pozo-pg-"))
        self._data = self.directory / "data"
        if self._user is not None:
            entry = pwd.getpwnam(self._user)
            os.chown(self.directory, entry.pw_uid, entry.pw_gid)
        self._fill(of)
        with (self._data / "postgresql.conf").open("a", encoding="utf-8") as file:
            for line in (*SETTINGS, f"unix_socket_directories='{self.directory}'", *settings):
                file.write(line + "\n")
        if start:
            self.start()

    def _fill(self, of: "Cluster | None") -> None:
        where = ("-D", str(self._data), "-U", "postgres")
        if of is None:
            self._run("initdb", *where, "-A", "trust", "-E", "UTF8", "--no-sync")
            return
        self._run(
            "pg_basebackup", *where, "-h", str(of.directory), "-R", "-X", "stream", "-c", "fast", "--no-sync"
        )
        (self._data / "postmaster.pid").unlink(missing_ok=True)

    def read(self, archive: Path) -> None:
        """At its start, a copy reads the log from there up to its end instead of following, and goes on by itself."""
        (self._data / "standby.signal").rename(self._data / "recovery.signal")
        with (self._data / "postgresql.auto.conf").open("a", encoding="utf-8") as file:
            file.write(f"restore_command='cp {archive}/%f %p'\nprimary_conninfo=''\narchive_mode=off\n")

    def promote(self) -> None:
        """Follow nobody any more, and take writes."""
        self._run("pg_ctl", "promote", "-D", str(self._data), "-w", "-s")

    def start(self) -> None:
        """Start, and wait until it takes connections; after a crash until what it left behind is gone."""
        end = time.monotonic() + PATIENCE_S
        while self._start().returncode:
            assert time.monotonic() < end, (self.directory / "log").read_text(encoding="utf-8")[-3000:]

    def _start(self) -> subprocess.CompletedProcess[str]:
        log = str(self.directory / "log")
        return self._run("pg_ctl", "start", "-D", str(self._data), "-l", log, "-w", "-s", check=False)

    def kill(self) -> None:
        """The postmaster and all its processes die at once, as they do when the power goes."""
        postmaster = int((self._data / "postmaster.pid").read_text(encoding="utf-8").split()[0])
        os.kill(postmaster, signal.SIGSTOP)  # a child made after the list would outlive the rest
        children = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(postmaster)], capture_output=True, text=True, check=False
        )
        for process in (postmaster, *map(int, children.stdout.split())):
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                continue

    def stop(self) -> None:
        """Stop it and remove what it was."""
        self._run("pg_ctl", "stop", "-D", str(self._data), "-m", "immediate", "-s", check=False)
        shutil.rmtree(self.directory, ignore_errors=True)

    def conninfo(self, database: str = "postgres", user: str = "postgres") -> str:
        """How to connect."""
        return f"host={self.directory} dbname={database} user={user}"

    def connect(
        self, database: str = "postgres", user: str = "postgres"
    ) -> psycopg.Connection[tuple[object, ...]]:
        """A connection in autocommit mode."""
        return psycopg.connect(self.conninfo(database, user), autocommit=True)

    def new_database(self) -> str:
        """A database with a fresh floor in it, copied from one that `init` made once."""
        name = f"floor_{next(_numbers)}"
        with self.connect() as connection:
            if not connection.execute("SELECT 1 FROM pg_database WHERE datname = 'model'").fetchall():
                connection.execute("CREATE DATABASE model")
                with self.connect("model") as model:
                    init(model)
            connection.execute(sql.SQL("CREATE DATABASE {} TEMPLATE model").format(sql.Identifier(name)))
        return name

    def _run(self, program: str, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [str(self._bin / program), *arguments],
            user=self._user,
            group=self._user,
            extra_groups=None if self._user is None else [],
            env=self._environment,
            cwd=self.directory,
            capture_output=True,
            text=True,
            check=False,
        )
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return done


@cache
def shared_cluster() -> Cluster:
    """One cluster for all tests of this process; it need not survive a power cut."""
    cluster = Cluster(("fsync=off",))
    atexit.register(cluster.stop)
    return cluster


@contextmanager
def own_cluster(*settings: str) -> Iterator[Cluster]:
    """A cluster that a test may kill."""
    cluster = Cluster(settings)
    try:
        yield cluster
    finally:
        cluster.stop()
