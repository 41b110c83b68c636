"""Adapters: in order, at least once, each from its own cursor; a webhook over real TLS, a folder on a real disk."""

import csv
import json
import ssl
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from controller.clock import VirtualClock
from controller.config import Webhook
from controller.journal.chain import GENESIS
from controller.journal.errors import PermissionProblemError
from controller.journal.record import COLUMNS, Row
from controller.link import folder, webhook
from controller.link.courier import Adapter, AdapterError, Courier
from controller.link.cursor import Cursor, CursorError, path_of
from controller.link.folder import Folder
from controller.link.outbox import PAGE, START
from controller.link.webhook import Hook
from controller.signing.key import PrivateKey
from tests.helpers_floor import Player
from tests.helpers_link import store
from tests.helpers_tls import Authority

KEY = PrivateKey.new()


class Receiver:
    """An adapter that does what it is told: `takes` says up to which number it takes a delivery."""

    name = "receiver"

    def __init__(self) -> None:
        self.got: list[Row] = []
        self.takes: list[int | Exception] = []

    def deliver(self, rows: Sequence[Row]) -> int:
        self.got += rows
        answer = self.takes.pop(0) if self.takes else rows[-1][0]
        if isinstance(answer, Exception):
            raise answer
        return answer


class Trip:
    """A courier for a journal of a player's, driven turn by turn."""

    def __init__(self, place: Path, adapter: Adapter, rounds: int = 2) -> None:
        self.player = Player()
        for _ in range(rounds):
            self.player.play(3)
        self.rows = self.player.rows
        self.journal = store(place / "mvd-07.db", self.rows)
        self.clock = VirtualClock()
        self.adapter = adapter
        self.courier = Courier(self.journal, adapter, self.clock, lambda: 0.5)

    def turn(self, times: int = 1) -> None:
        for _ in range(times):
            self.clock.move_to(max(self.courier.turn(), self.clock.monotonic_ns()))

    @property
    def at(self) -> int:
        return Cursor(path_of(self.journal, self.adapter.name)).read().seq


def test_a_courier_goes_page_by_page_and_a_new_one_goes_on_behind_it(tmp_path: Path) -> None:
    receiver = Receiver()
    trip = Trip(tmp_path, receiver, rounds=60)
    assert PAGE < len(trip.rows) < 2 * PAGE
    trip.turn()
    assert trip.at == PAGE
    Courier(trip.journal, receiver, trip.clock, lambda: 0.5).turn()
    assert receiver.got == trip.rows
    assert trip.at == len(trip.rows)


def test_what_is_not_acknowledged_comes_again_and_what_is_does_not(tmp_path: Path) -> None:
    receiver = Receiver()
    trip = Trip(tmp_path, receiver)
    receiver.takes = [AdapterError("down"), 4, 3, len(trip.rows) + 1, 4]
    trip.turn()
    assert (trip.courier.trouble, trip.at) == ("down", 0)
    trip.turn()
    assert (trip.courier.trouble, trip.at) == ("", 4)
    for told in ("acknowledged record 3", f"acknowledged record {len(trip.rows) + 1}", "took nothing"):
        trip.turn()
        assert told in trip.courier.trouble
        assert trip.at == 4
    trip.turn()
    assert (trip.courier.trouble, trip.at) == ("", len(trip.rows))
    assert {row[0] for row in receiver.got} == set(range(1, len(trip.rows) + 1))


def test_another_journal_under_an_old_cursor_is_not_delivered(tmp_path: Path) -> None:
    receiver = Receiver()
    trip = Trip(tmp_path, receiver)
    Cursor(path_of(trip.journal, "receiver")).write(START._replace(seq=3, digest=GENESIS))
    trip.turn()
    assert "the receiver has record 3" in trip.courier.trouble
    assert receiver.got == []


def test_a_cursor_is_there_whole_or_refused(tmp_path: Path) -> None:
    cursor = Cursor(tmp_path / "x.cursor")
    assert cursor.read() == START
    cursor.write(START._replace(seq=5))
    assert cursor.read() == START._replace(seq=5)
    for spoilt in (b"", b"{", b'{"seq":-1,"digest":"00"}', b"\xff", b"[" * 3_000):
        (tmp_path / "x.cursor").write_bytes(spoilt)
        with pytest.raises(CursorError, match="remove it, and everything is delivered once more"):
            cursor.read()


def test_a_damaged_cursor_is_told_and_delivers_nothing(tmp_path: Path) -> None:
    receiver = Receiver()
    trip = Trip(tmp_path, receiver)
    path_of(trip.journal, "receiver").write_bytes(b"?")
    trip.turn()
    assert "is damaged" in trip.courier.trouble
    assert receiver.got == []


def test_files_in_the_folder_hold_every_row_once(tmp_path: Path) -> None:
    place = tmp_path / "out"
    place.mkdir()
    trip = Trip(tmp_path, Folder("mvd-07", place), rounds=60)
    trip.turn(3)
    last = len(trip.rows)
    names = [f"mvd-07-0000000001-{PAGE:010d}.csv", f"mvd-07-{PAGE + 1:010d}-{last:010d}.csv"]
    assert sorted(file.name for file in place.iterdir()) == names
    found: list[list[str]] = []
    for name in names:
        with (place / name).open(encoding="utf-8", newline="") as file:
            heading, *rows = csv.reader(file)
            assert tuple(heading) == COLUMNS
            found += rows
    assert found == [[str(cell) for cell in row] for row in trip.rows]


def test_a_folder_that_nobody_collects_is_filled_to_its_limit_and_no_further(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "FILES_MAX", 2)
    place = tmp_path / "out"
    trip = Trip(tmp_path, Folder("mvd-07", place))
    trip.turn()
    assert "the directory must exist" in trip.courier.trouble
    place.mkdir()
    for name in ("1.csv", "2.csv"):
        (place / name).touch()
    trip.turn()
    assert "nobody collects" in trip.courier.trouble
    assert trip.at == 0
    (place / "1.csv").unlink()
    trip.turn()
    assert trip.at == len(trip.rows)


class Desk(BaseHTTPRequestHandler):
    """A receiver in the casino's office: checks the signature and keeps what is new, or answers what it is told."""

    kept: ClassVar[dict[int, Any]] = {}
    answers: ClassVar[list[tuple[int, bytes] | None]] = []
    headers_seen: ClassVar[list[dict[str, str]]] = []

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.headers_seen.append(dict(self.headers))
        answer = self.answers.pop(0) if self.answers else None
        if answer is not None:
            self._say(*answer)
            return
        first, last = int(self.headers["Pozo-First"]), int(self.headers["Pozo-Last"])
        signed = f'["pozo webhook 1","mvd-07",{first},{last},"{sha256(body).hexdigest()}"]'
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(KEY.public))
        key.verify(bytes.fromhex(self.headers["Pozo-Signature"]), signed.encode())
        for line in body.splitlines():
            record = json.loads(line)
            self.kept.setdefault(record["seq"], record)
        self._say(200, json.dumps({"acknowledged": last}).encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002, the base class's name
        """Say nothing."""

    def _say(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def office(place: Path, host: str = "localhost") -> Iterator[Webhook]:
    """A real TLS server on this machine, and how a table's file names it."""
    authority = Authority(place, "casino")
    certificate, key = authority.issue(host)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    Desk.kept.clear()
    Desk.answers.clear()
    Desk.headers_seen.clear()
    server = HTTPServer(("127.0.0.1", 0), Desk)
    server.handle_error = lambda *_: None  # type: ignore[method-assign]  # a refused handshake is the test's point
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield Webhook(f"https://localhost:{server.server_port}/pozo?table=7", authority.file)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_webhook_gets_every_record_signed_with_the_tables_key(tmp_path: Path) -> None:
    with office(tmp_path) as hook:
        trip = Trip(tmp_path, Hook("mvd-07", hook, lambda: KEY))
        trip.turn()
        assert trip.courier.trouble == ""
        assert trip.at == len(trip.rows)
        assert [Desk.kept[row[0]]["digest"] for row in trip.rows] == [row[-1] for row in trip.rows]
        assert json.dumps(Desk.kept[5]["event"]) == json.dumps(json.loads(trip.rows[4][6]))
        (seen,) = Desk.headers_seen
        assert (seen["Pozo-Table"], seen["Pozo-Key"]) == ("mvd-07", KEY.public)


@pytest.mark.parametrize(
    ("status", "body", "told"),
    [
        (500, b"", "answered 500"),
        (204, b"", "answered 204"),
        (302, b'{"acknowledged": 9}', "answered 302"),
        (200, b"<html>welcome to our network</html>", 'without {"acknowledged": N}'),
        (200, b'{"acknowledged": "9"}', 'without {"acknowledged": N}'),
        (200, b'{"acknowledged": 9' + b" " * 5_000 + b"}", 'without {"acknowledged": N}'),
        (200, b'{"acknowledged": 999}', "acknowledged record 999"),
    ],
)
def test_an_answer_that_is_not_the_one_agreed_on_counts_for_nothing(
    tmp_path: Path, status: int, body: bytes, told: str
) -> None:
    with office(tmp_path) as hook:
        Desk.answers.append((status, body))
        trip = Trip(tmp_path, Hook("mvd-07", hook, lambda: KEY))
        trip.turn()
        assert told in trip.courier.trouble
        assert trip.at == 0
        trip.turn()
        assert trip.at == len(trip.rows)


def test_a_server_whose_certificate_is_not_right_is_told_nothing(tmp_path: Path) -> None:
    with office(tmp_path, host="other.example") as hook:
        trip = Trip(tmp_path, Hook("mvd-07", hook, lambda: KEY))
        trip.turn()
        assert "CERTIFICATE_VERIFY_FAILED" in trip.courier.trouble
        unknown = Hook("mvd-07", Webhook(hook.url, None), lambda: KEY)
        with pytest.raises(AdapterError, match="CERTIFICATE_VERIFY_FAILED"):
            unknown.deliver(trip.rows)
        assert Desk.headers_seen == []


def test_a_receiver_that_never_answers_is_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhook, "LIMIT_S", 0.3)
    answered = threading.Event()

    def slow(self: Desk) -> None:
        answered.wait(20)
        self.close_connection = True

    monkeypatch.setattr(Desk, "do_POST", slow)
    with office(tmp_path) as hook:
        trip = Trip(tmp_path, Hook("mvd-07", hook, lambda: KEY))
        trip.turn()
        answered.set()
        assert "cannot be reached" in trip.courier.trouble
        assert trip.at == 0


def test_nothing_is_delivered_without_the_tables_key(tmp_path: Path) -> None:
    def missing() -> PrivateKey:
        raise PermissionProblemError("the key may not be read")

    with office(tmp_path) as hook:
        trip = Trip(tmp_path, Hook("mvd-07", hook, missing))
        trip.turn()
        assert trip.courier.trouble == "the key may not be read"
        assert Desk.headers_seen == []
