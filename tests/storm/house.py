"""The casino: a PostgreSQL of its own that lets tables in by certificate only, its office, and the tables' files."""

import os
import pwd
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from controller.floor import Floor
from tests.helpers_cli import pozo_run
from tests.helpers_floor import Hall
from tests.helpers_postgres import Cluster
from tests.helpers_process import opened_for_bets
from tests.helpers_tls import Authority
from tests.storm.files import LINK, table_file
from tests.storm.network import PORT, Network

SERVER = "floor.casino"
HBA = "local all postgres trust\nhostssl all +pozo_table all cert\nhost all +pozo_table all reject\n"


class House:
    """The floor and what a table needs to come to it."""

    def __init__(self, folder: Path, network: Network) -> None:
        self.folder = folder
        self.network = network
        self.authority = Authority(folder, "ca")
        self.cluster = Cluster(self._settings())
        self.hall = Hall(self.cluster)
        self.office(
            "init", "--house", "Casino", "--timezone", "America/Montevideo", "--day-starts-at", "06:00"
        )

    def _settings(self) -> tuple[str, ...]:
        certificate, key = self.authority.issue(SERVER)
        if os.geteuid() == 0:
            entry = pwd.getpwnam("postgres")
            for file in (certificate, key):
                os.chown(file, entry.pw_uid, entry.pw_gid)
        hba = self.folder / "pg_hba.conf"
        hba.write_text(HBA)
        return (
            f"listen_addresses='{self.network.address}'",
            f"port={PORT}",
            "ssl=on",
            f"ssl_cert_file='{certificate}'",
            f"ssl_key_file='{key}'",
            f"ssl_ca_file='{self.authority.file}'",
            f"hba_file='{hba}'",
            # A line that was parted leaves a session behind that nobody ends before this.
            "tcp_keepalives_idle=10",
            "tcp_keepalives_interval=2",
            "tcp_keepalives_count=3",
        )

    def office(self, *words: object) -> None:
        """`pozo floor …` as the owner; it must be content."""
        where = self.cluster.conninfo(self.hall.database)
        done = pozo_run("floor", *words, "--floor", where)
        assert done.exit_code == 0, done.output

    def conninfo(self, name: str, address: str, port: int) -> str:
        """How a table comes in: by TLS, its own certificate, and the server's true name."""
        return (
            f"host={SERVER} hostaddr={address} port={port} dbname={self.hall.database} user={name}"
            f" sslmode=verify-full sslrootcert={self.authority.file}"
            f" sslcert={self.folder}/{name}.pem sslkey={self.folder}/{name}.key"
        )

    def table(self, number: int, *, strict: bool) -> Path:
        """A table commissioned and opened for bets, known at the floor and admitted to the link."""
        name = f"mesa-{number:02}"
        self.authority.issue(name)
        address, port, _ = self.network.door(number)
        config = table_file(self.folder, name, self.conninfo(name, address, port), strict=strict)
        done = pozo_run("commission", "--turn-keys", "--config", config)
        assert done.exit_code == 0, done.output
        if number == 1:
            persons = ("--supervisor", "Ana", "--technician", "Luis")
            self.office("link", "create", LINK, "--config", config, "--level", "main", *persons)
        self.office("table", "add", name)
        self.office("link", "admit", LINK, name)
        return opened_for_bets(config)

    def floor(self, name: str) -> Floor:
        """A second connection with the table's own login, by a line that is never parted."""
        return Floor.connect(self.conninfo(name, self.network.address, PORT), name, timeout_s=30)

    def renew(self) -> None:
        """The owner's connection anew, after the floor may have died."""
        self.hall.owner.close()
        self.hall.owner = self.cluster.connect(self.hall.database)

    def close(self) -> None:
        self.hall.owner.close()
        self.cluster.stop()


@contextmanager
def house(network: Network) -> Iterator[House]:
    """One in a directory that PostgreSQL's own user can look into; it is kept if something fails."""
    folder = Path(tempfile.mkdtemp(prefix="pozo-storm-"))
    folder.chmod(0o755)
    made = House(folder, network)
    try:
        yield made
    except BaseException as error:
        error.add_note(f"the tables' files are kept in {folder}")
        raise
    else:
        shutil.rmtree(folder)
    finally:
        made.close()
