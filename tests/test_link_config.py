"""Where a table's file may send its records, and what `offline` makes of the policy."""

from pathlib import Path

import pytest

from controller.config import Link, Mqtt, Webhook, load
from tests.helpers_config import BOARD, refusal, table, with_board

HOST_POLICY = "require_host = false                 # sin el sistema central la mesa sigue jugando\n"
WITNESS = "[witness]\n"
LINK = '[link]\nfloor = "service=pozo"\nsocket = "/run/pozo/link.sock"\n'


def linked(folder: Path, section: str = LINK, *changes: tuple[str, str]) -> Path:
    """The shipped table with these sections, and no word of its own about `require_host`."""
    return table(folder, (HOST_POLICY, ""), (WITNESS, f"{section}\n{WITNESS}"), *changes)


def test_a_table_without_the_sections_sends_nothing_anywhere(tmp_path: Path) -> None:
    sent_to = load(str(table(tmp_path))).onward
    assert (sent_to.link, sent_to.webhook, sent_to.folder) == (None, None, None)


def test_every_section_comes_out_as_it_stands(tmp_path: Path) -> None:
    more = '[webhook]\nurl = "https://casino.example/pozo"\nca = "/etc/pozo/ca.pem"\n[folder]\npath = "/srv/pozo"\n'
    more += '[mqtt]\nurl = "mqtts://broker.casino"\nca = "/ca"\ncertificate = "/c"\nkey = "/k"\nprefix = "sala/pozo"\n'
    sent_to = load(str(linked(tmp_path, LINK + more))).onward
    assert sent_to.link == Link("service=pozo", Path("/run/pozo/link.sock"))
    assert sent_to.webhook == Webhook("https://casino.example/pozo", Path("/etc/pozo/ca.pem"))
    assert sent_to.folder == Path("/srv/pozo")
    files = (Path("/ca"), Path("/c"), Path("/k"))
    assert sent_to.mqtt == Mqtt("broker.casino", 8883, True, "sala/pozo", *files)


@pytest.mark.parametrize(
    ("line", "required"), [("", True), ('offline = "strict"\n', True), ('offline = "continue"\n', False)]
)
def test_offline_is_the_policy_and_strict_unless_it_says_otherwise(
    tmp_path: Path, line: str, required: bool
) -> None:
    assert load(str(linked(tmp_path, LINK + line))).game.policies.require_host is required


def test_policy_and_offline_may_not_contradict(tmp_path: Path) -> None:
    message = refusal(table(tmp_path, (WITNESS, f"{LINK}\n{WITNESS}")))
    assert "policies.require_host = false says the contrary" in message
    assert "set offline = continue" in message
    agreeing = table(tmp_path, (WITNESS, f'{LINK}offline = "continue"\n{WITNESS}'))
    assert not load(str(agreeing)).game.policies.require_host


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("service=pozo", "host=db password=secret", "link.floor: holds a password"),
        ("service=pozo", "host=db PASSWORD = secret", "link.floor: holds a password"),
        ("service=pozo", "postgresql://t:secret@db/pozo", "link.floor: holds a password"),
        ("/run/pozo/link.sock", "run/link.sock", "an absolute path"),
        ("/run/pozo/link.sock", "/" + "s" * 107, "longer than a socket's path may be (107 bytes)"),
        ('socket = "/run/pozo/link.sock"\n', "", "link.socket: is missing"),
        (
            'socket = "/run/pozo/link.sock"',
            'socket = "/s"\noffline = "maybe"',
            'must be one of "strict", "continue"',
        ),
        (LINK, '[webhook]\nurl = "http://casino.example/"\n', "begins with https://"),
        (LINK, '[webhook]\nurl = "https://me:secret@casino.example/"\n', "webhook.url: holds a password"),
        (LINK, '[mqtt]\nurl = "mqtt://broker.casino"\n', "mqtt:// is for this machine only"),
        (LINK, '[mqtt]\nurl = "mqtts://me:secret@broker"\n', "mqtt.url: holds a password"),
        (LINK, '[mqtt]\nurl = "mqtts://broker/topic"\n', "must be mqtts://HOST or mqtts://HOST:PORT"),
        (LINK, '[mqtt]\nurl = "mqtts://broker:99999"\n', "must be mqtts://HOST or mqtts://HOST:PORT"),
        (LINK, '[mqtt]\nurl = "mqtts://[::1"\n', "must be mqtts://HOST or mqtts://HOST:PORT"),
        (LINK, '[mqtt]\nurl = "http://broker"\n', "begins with mqtts://"),
        (LINK, '[mqtt]\nurl = "mqtts://broker"\nkey = "/k"\n', "add mqtt.certificate"),
        (LINK, '[mqtt]\nurl = "mqtts://broker"\nprefix = "a/#"\n', "the beginning of its topics"),
        (LINK, '[folder]\npath = "/var/lib/pozo"\n', "is the directory of journal.path"),
        (LINK, '[folder]\npath = "/var/lib/pozo-witness"\n', "is the directory of witness.path"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path: Path, old: str, new: str, told: str) -> None:
    message = refusal(linked(tmp_path, LINK.replace(old, new)))
    assert told in message
    assert "secret" not in message


def test_the_longest_path_of_a_socket_is_taken(tmp_path: Path) -> None:
    longest = "/" + "s" * 106
    link = load(str(linked(tmp_path, LINK.replace("/run/pozo/link.sock", longest)))).onward.link
    assert link is not None
    assert str(link.socket) == longest


def test_a_host_is_no_part_of_a_real_board(tmp_path: Path) -> None:
    assert "devices = [] " in BOARD
    message = refusal(with_board(tmp_path, ("devices = [] ", 'devices = ["host"] ')))
    assert "a table hears the floor by its own file's [link]" in message


def test_a_service_named_password_is_none(tmp_path: Path) -> None:
    file = linked(tmp_path, LINK.replace("service=pozo", "service=password sslmode=verify-full"))
    assert load(str(file)).onward.link == Link(
        "service=password sslmode=verify-full", Path("/run/pozo/link.sock")
    )
