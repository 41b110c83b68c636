"""Tables come in by certificate: the CN is the login, and the login is the table; as docs/floor.md sets it up."""

import os
import pwd
import shutil
import socket
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from controller.floor import Floor, FloorDownError, NotYoursError
from controller.floor.office import Office
from controller.link.reach import InsecureError, reach
from tests.helpers_floor import Hall
from tests.helpers_postgres import Cluster
from tests.helpers_tls import Authority

ONE, TWO = "mvd-07", "mvd-08"
HBA = "local all postgres trust\nhostssl all +pozo_table 127.0.0.1/32 cert\nhost all +pozo_table all reject\n"


def free_port() -> int:
    """A port nobody has at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def tls_hall(authority: Authority, port: int) -> Iterator[Hall]:
    """A floor that lets tables in over TLS only, and by certificate only."""
    certificate, key = authority.issue("floor.casino")
    if os.geteuid() == 0:
        entry = pwd.getpwnam("postgres")
        for file in (certificate, key):
            os.chown(file, entry.pw_uid, entry.pw_gid)
    hba = authority.folder / "pg_hba.conf"
    hba.write_text(HBA)
    cluster = Cluster(
        (
            "listen_addresses='127.0.0.1'",
            f"port={port}",
            "ssl=on",
            f"ssl_cert_file='{certificate}'",
            f"ssl_key_file='{key}'",
            f"ssl_ca_file='{authority.file}'",
            f"hba_file='{hba}'",
            "fsync=off",
        ),
        {"PGPORT": str(port)},
    )
    try:
        made = Hall(cluster)
        yield made
        made.owner.close()
    finally:
        cluster.stop()


@pytest.fixture
def folder() -> Iterator[Path]:
    """A directory into which PostgreSQL's own user can look."""
    made = Path(tempfile.mkdtemp(prefix="pozo-tls-"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


def test_a_certificate_speaks_for_its_own_table_and_nobody_comes_without_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = free_port()
    monkeypatch.setenv("PGPORT", str(port))
    authority = Authority(folder, "ca")
    (folder / "others").mkdir()
    other = Authority(folder / "others", "other")
    with tls_hall(authority, port) as made:
        for table in (ONE, TWO):
            Office(made.owner).add_table(table, table)
        certificate, key = authority.issue(ONE)
        base = f"host=floor.casino hostaddr=127.0.0.1 port={port} dbname={made.database}"
        root = f"sslmode=verify-full sslrootcert={authority.file}"
        mine = f"sslcert={certificate} sslkey={key}"
        with Floor.connect(f"{base} {root} {mine} user={ONE}", ONE) as floor:
            assert floor.head().seq == 0
            floor.table_id = TWO
            with pytest.raises(NotYoursError):
                floor.head()
        with closing(reach(f"{base} {root} {mine} user={ONE}", ONE)) as line:
            assert line.head().seq == 0
        for unproven in ("sslmode=require", f"sslmode=verify-ca sslrootcert={authority.file}"):
            with pytest.raises(InsecureError, match="set sslmode=verify-full"):
                reach(f"{base} {unproven} {mine} user={ONE}", ONE)
        forged, forged_key = other.issue(ONE)
        for wrong in (
            f"{root} {mine} user={TWO}",
            f"{root} sslcert= user={ONE}",
            f"{root} sslcert={forged} sslkey={forged_key} user={ONE}",
            f"sslmode=verify-full sslrootcert={other.file} {mine} user={ONE}",
            f"sslmode=disable user={ONE}",
        ):
            with pytest.raises(FloorDownError):
                Floor.connect(f"{base} {wrong}", ONE)
