"""Tables come in by certificate: the CN is the login, and the login is the table; as docs/floor.md sets it up."""

import datetime as dt
import os
import pwd
import shutil
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from controller.floor import Floor, FloorDownError, NotYoursError
from controller.floor.office import Office
from tests.helpers_floor import Hall
from tests.helpers_postgres import Cluster

ONE, TWO = "mvd-07", "mvd-08"
HBA = "local all postgres trust\nhostssl all +pozo_table 127.0.0.1/32 cert\nhost all +pozo_table all reject\n"


class Authority:
    """A certificate authority of the test's own."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder = folder
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        self.file = folder / f"{name}.crt"
        signed = self._builder(self.name, self.key).add_extension(
            x509.BasicConstraints(ca=True, path_length=0), True
        )
        self.file.write_bytes(_pem(signed.sign(self.key, hashes.SHA256())))

    def issue(self, name: str) -> tuple[Path, Path]:
        """A certificate and its key for a login, or for the server at 127.0.0.1."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        names = x509.SubjectAlternativeName([x509.DNSName(name)])
        signed = self._builder(subject, key).add_extension(names, False).sign(self.key, hashes.SHA256())
        certificate, secret = self.folder / f"{name}.pem", self.folder / f"{name}.key"
        certificate.write_bytes(_pem(signed))
        secret.touch(mode=0o600)
        secret.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
        return certificate, secret

    def _builder(self, subject: x509.Name, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
        now = dt.datetime.now(dt.UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self.name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - dt.timedelta(days=1))
            .not_valid_after(now + dt.timedelta(days=1))
        )


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


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
