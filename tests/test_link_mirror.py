"""The mirror on a real MQTT broker: the newest record, retained, said to be a mirror; nothing rests on the broker."""

import json
import signal
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.clock import VirtualClock
from controller.config import Mqtt
from controller.journal import ends_of
from controller.journal.chain import digest
from controller.journal.export import json_line
from controller.link import mirror
from controller.link.mirror import Mirror
from tests.helpers_broker import broker, watching
from tests.helpers_cli import own_table, pozo_run
from tests.helpers_floor import Player
from tests.helpers_link import store
from tests.helpers_process import PATIENCE_S, opened
from tests.helpers_tls import Authority
from tests.test_link_process import sending

TABLE = "mesa 7/ñ"
TOPIC = "sala/pozo/mesa%207%2F%C3%B1"


def plain(port: int) -> Mqtt:
    return Mqtt("127.0.0.1", port, False, "sala/pozo", None, None, None)


class Shown:
    """A mirror of a player's journal, its time in the test's hand."""

    def __init__(self, folder: Path, to: Mqtt) -> None:
        self.player = Player(TABLE)
        self.journal = store(folder / "mesa.db", self.player.rows)
        self.clock = VirtualClock()
        self.mirror = Mirror(TABLE, self.journal, to, self.clock, lambda: 0.5)

    def turn(self) -> str:
        """One turn; what is wrong then."""
        self.clock.move_to(max(self.mirror.turn(), self.clock.monotonic_ns()))
        return self.mirror.trouble

    def play(self) -> None:
        have = len(self.player.rows)
        self.player.play(1)
        store(self.journal, self.player.rows[have:])


@contextmanager
def shown(folder: Path, to: Mqtt) -> Iterator[Shown]:
    made = Shown(folder, to)
    with closing(made.mirror):
        yield made


def test_no_letter_of_a_record_commands_a_watching_screen_and_each_means_what_it_did(tmp_path: Path) -> None:
    with broker(tmp_path) as made, shown(tmp_path, plain(made.port)) as table:
        last = table.player.rows[-1]
        event = '{"why":\t"\x7f\x9b2J \u202e\u2028 \U000e0001 ñ 😀"}'
        body = (last[0] + 1, 1, 5, last[3] + 1, 1, "noted", event, "[]", last[8])
        store(table.journal, [(*body, digest(last[-1], body))])
        assert table.turn() == ""
        with watching(made.port) as screen:
            payload = screen.next("newest").payload
        assert all(each.isprintable() or each in "\t\n" for each in payload.decode())
        assert json.loads(payload)["record"]["event"] == {"why": "\x7f\x9b2J \u202e\u2028 \U000e0001 ñ 😀"}


def test_the_newest_record_is_there_for_whoever_comes_later_and_says_that_it_is_a_mirror(
    tmp_path: Path,
) -> None:
    with broker(tmp_path) as made, shown(tmp_path, plain(made.port)) as table:
        assert table.turn() == ""
        table.play()
        assert table.turn() == ""
        with watching(made.port) as screen:
            newest = screen.next("newest")
            row = table.player.rows[-1]
            assert (newest.topic, newest.retained, newest.mirror) == (f"{TOPIC}/newest", True, True)
            said = json.loads(newest.payload)
            assert (said["mirror"], said["table"]) == (True, TABLE)
            assert said["record"] == json.loads(json_line(row))
            table.turn()
            table.play()
            table.turn()
            live = screen.next("newest")
            assert (live.retained, json.loads(live.payload)["record"]["seq"]) == (
                False,
                len(table.player.rows),
            )
    assert sorted(path.name for path in tmp_path.iterdir() if "cursor" in path.name) == []


def test_a_mirror_that_ends_or_dies_is_said_to_be_offline(tmp_path: Path) -> None:
    with broker(tmp_path) as made, watching(made.port) as screen:
        with shown(tmp_path, plain(made.port)) as table:
            table.turn()
            assert screen.next("status").payload == b"online"
        assert screen.next("status").payload == b"offline"
        table.journal.unlink()
        with shown(tmp_path, plain(made.port)) as table:
            table.turn()
            assert screen.next("status").payload == b"online"
            line = table.mirror._line
            assert line is not None
            sock = line._client.socket()
            assert isinstance(sock, socket.socket)
            sock.shutdown(socket.SHUT_RDWR)  # as a table that loses its network
            assert screen.next("status").payload == b"offline"
            assert "is gone" in table.turn()
            assert table.turn() == ""
            assert screen.next("status").payload == b"online"


def test_a_broker_that_forgot_is_shown_the_newest_again(tmp_path: Path) -> None:
    """It is killed with what it had acknowledged: the journal is the record, and nothing waited for the broker."""
    with broker(tmp_path) as made, shown(tmp_path, plain(made.port)) as table:
        assert table.turn() == ""
        made.kill()
        assert "the broker 127.0.0.1" in table.turn()
        assert "cannot be reached" in table.turn()
        made.start()
        assert table.turn() == ""
        with watching(made.port) as screen:
            assert json.loads(screen.next("newest").payload)["record"]["seq"] == len(table.player.rows)


def test_what_the_broker_refuses_is_told(tmp_path: Path) -> None:
    """A broker that lets everybody in and lets nobody publish below this prefix."""
    rules = tmp_path / "acl"
    rules.write_text("topic read #\n")
    with broker(tmp_path, f"acl_file {rules}") as made, shown(tmp_path, plain(made.port)) as table:
        assert "did not take status: Not authorized" in table.turn()
    closed = tmp_path / "closed"
    closed.mkdir()
    with broker(closed, "allow_anonymous false") as made, shown(closed, plain(made.port)) as table:
        assert "Not authorized" in table.turn()


def test_a_journal_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with broker(tmp_path) as made, shown(tmp_path, plain(made.port)) as table:
        table.journal.unlink()
        assert "run `pozo commission`" in table.turn()


def test_a_broker_that_says_nothing_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mirror, "WAIT_S", 0.2)
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        shown(tmp_path, plain(silent.getsockname()[1])) as table,
    ):
        assert "does not answer; is it one that speaks MQTT 5?" in table.turn()


# The library leaves the socket of a handshake that failed to the collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_broker_is_shown_nothing_before_its_certificate_is_right_and_ours_too(tmp_path: Path) -> None:
    house, other = Authority(tmp_path, "house"), Authority(tmp_path, "other")
    server, server_key = house.issue("localhost")
    ours, our_key = house.issue("mvd-07")
    lines = (
        f"cafile {house.file}",
        f"certfile {server}",
        f"keyfile {server_key}",
        "require_certificate true",
    )
    with broker(tmp_path, *lines) as made:
        good = Mqtt("localhost", made.port, True, "pozo", house.file, ours, our_key)
        for number, (bad, why) in enumerate(
            (
                (replace(good, ca=other.file), "CERTIFICATE_VERIFY_FAILED"),
                (replace(good, host="127.0.0.1"), "CERTIFICATE_VERIFY_FAILED"),
                (replace(good, certificate=None, key=None), "broker localhost"),
                (replace(good, tls=False), "broker localhost"),
            )
        ):
            place = tmp_path / str(number)
            place.mkdir()
            with shown(place, bad) as table:
                assert why in table.turn()
        with shown(tmp_path, good) as table:
            assert table.turn() == ""


def test_the_command_shows_a_tables_newest_record_until_it_is_ended(tmp_path: Path) -> None:
    config = opened(tmp_path)
    journal = ends_of(tmp_path / "mesa.db")
    with broker(tmp_path) as made, watching(made.port) as screen:
        section = f'[mqtt]\nurl = "mqtt://localhost:{made.port}"\n'
        config.write_text(config.read_text(encoding="utf-8") + section, encoding="utf-8")
        with sending(config, "--to", "mqtt") as link:
            assert screen.next("status").payload == b"online"
            assert json.loads(screen.next("newest").payload)["record"]["seq"] == journal.last.seq
            link.send_signal(signal.SIGTERM)
            assert screen.next("status").payload == b"offline"
            link.communicate(timeout=PATIENCE_S)
            assert link.returncode == 0


def test_without_the_library_the_command_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import controller.cli.link as command

    config = own_table(tmp_path)
    config.write_text(
        config.read_text(encoding="utf-8") + '[mqtt]\nurl = "mqtt://localhost"\n', encoding="utf-8"
    )
    monkeypatch.setattr(command, "find_spec", lambda _: None)
    done = pozo_run("link", "--config", config, "--to", "mqtt")
    assert (done.exit_code, "pip install 'pozo[mqtt]'" in done.output) == (1, True)
