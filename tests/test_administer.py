"""Commissioning, accepted changes and transfers, as a technician and a supervisor type them."""

import json
import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.administer import RefusedError, administer, parameters_changed
from controller.clock import VirtualClock
from controller.config import load
from controller.core import events as ev
from controller.journal import records
from controller.signing.audit import prove
from controller.signing.key import is_key
from tests.helpers_cli import own_table, pozo_run
from tests.helpers_game import with_level

SIGNED = ("--turn-keys", "--supervisor", "Ana", "--technician", "Luis")


def commissioned(folder: Path, name: str = "mesa", changes: dict[str, str] | None = None) -> Path:
    """A commissioned table's file."""
    file = own_table(folder, changes, name)
    done = pozo_run("commission", "--config", file, "--turn-keys")
    assert done.exit_code == 0, done.output
    return file


def test_commissioning_shows_what_is_agreed_to_and_stores_it(tmp_path: Path) -> None:
    file = own_table(tmp_path)
    done = pozo_run("commission", "--config", file, "--turn-keys")
    assert "level main: starts at $ 100.000,00, restarts at $ 10.000,00" in done.output
    first = next(iter(records(tmp_path / "mesa.db")))
    assert isinstance(first.event, ev.Commissioned)
    assert json.loads(first.event.rules)["levels"][0]["base_amount"] == 10_000_000


def test_a_second_commissioning_without_a_change_is_refused(tmp_path: Path) -> None:
    file = commissioned(tmp_path)
    done = pozo_run("commission", "--config", file, *SIGNED)
    assert done.exit_code == 1
    assert "nothing to accept" in done.output


def test_a_changed_file_stops_the_start_until_both_keys_accepted_it(tmp_path: Path) -> None:
    file = commissioned(tmp_path)
    file.write_text(file.read_text().replace("increment_rate_ppm = 500_000", "increment_rate_ppm = 600_000"))
    refused = pozo_run("run", "--config", file)
    assert refused.exit_code == 1
    assert "levels.main.increment_rate_ppm: 500000 -> 600000" in refused.output
    one_person = pozo_run("commission", "--config", file, "--turn-keys", "--supervisor", "Ana")
    assert one_person.exit_code == 2
    accepted = pozo_run("commission", "--config", file, *SIGNED)
    assert accepted.exit_code == 0, accepted.output
    change = [record.event for record in records(tmp_path / "mesa.db") if record.kind == "parameters_changed"]
    assert isinstance(change[0], ev.ParametersChanged)
    assert change[0].changes == (ev.Change("levels.main.increment_rate_ppm", "500000", "600000"),)
    assert (change[0].supervisor, change[0].technician) == ("Ana", "Luis")
    assert pozo_run("journal", "verify", tmp_path / "mesa.db").exit_code == 0


def test_F118_a_limit_below_the_pot_is_not_accepted(tmp_path: Path) -> None:
    file = commissioned(tmp_path)
    text = file.read_text().replace('base_amount = "100000.00"', 'base_amount = "50000.00"', 1)
    file.write_text(text.replace('limit = "10000000.00"', 'limit = "99999.99"', 1))
    refused = pozo_run("commission", "--config", file, *SIGNED)
    assert refused.exit_code == 1
    assert "above_limit" in refused.output


def test_a_real_board_has_key_switches(tmp_path: Path) -> None:
    done = pozo_run("commission", "--config", "table", "--turn-keys")
    assert done.exit_code != 0
    assert not list(tmp_path.iterdir())


@pytest.fixture
def two_tables(tmp_path: Path) -> tuple[Path, Path]:
    """Two commissioned tables, SIM-1 and SIM-2."""
    return commissioned(tmp_path), commissioned(tmp_path, "otra", {'id = "SIM-1"': 'id = "SIM-2"'})


def filed(sender: Path) -> tuple[str, str, str]:
    """How a receiver names the key that was filed for the sender, and turns its own keys."""
    key = pozo_run("journal", "key", "--config", sender).output
    return "--sender-key", next(word for word in key.split() if is_key(word)), "--turn-keys"


def test_a_pot_moves_between_tables_once(two_tables: tuple[Path, Path], tmp_path: Path) -> None:
    """30,000.00 of 100,000.00: the sender keeps 70,000.00, the receiver has 130,000.00, and only once."""
    sender, receiver = two_tables
    paper = tmp_path / "pozo.json"
    reason = ("--reason", "table is being retired", "--turn-keys")
    sent = pozo_run("transfer", "send", "main", "30000.00", "SIM-2", paper, "--config", sender, *reason)
    assert "main: -30000.00, now 70000.00" in sent.output
    taken = pozo_run("transfer", "receive", paper, "--config", receiver, *filed(sender))
    assert "main: 30000.00, now 130000.00" in taken.output
    assert "$ 30.000,00 from table SIM-1 for level main" in taken.output
    events = [record.event for record in records(tmp_path / "otra.db") if record.kind == "transfer_received"]
    assert isinstance(events[0], ev.TransferReceived)
    assert events[0].sender_key == filed(sender)[1]
    again = pozo_run("transfer", "receive", paper, "--config", receiver, *filed(sender))
    assert again.exit_code == 1
    assert "the table refused: That transfer" in again.output, again.output
    assert "(already_received). The journal keeps that it was asked" in again.output
    meters = json.loads(pozo_run("meters", "--json", tmp_path / "otra.db").output)
    assert "13000000" in json.dumps(meters) or "130000.00" in json.dumps(meters)


def test_a_lost_transfer_file_is_made_again_from_the_journal(
    two_tables: tuple[Path, Path], tmp_path: Path
) -> None:
    sender, _ = two_tables
    paper, copy = tmp_path / "pozo.json", tmp_path / "copy.json"
    sent = pozo_run(
        "transfer", "send", "main", "1.00", "SIM-2", paper, "--config", sender, "--reason", "x", "--turn-keys"
    )
    number = json.loads(paper.read_text())["transfer"]
    assert number in sent.output
    assert pozo_run("transfer", "again", number, copy, "--config", sender, "--turn-keys").exit_code == 0
    assert copy.read_bytes() == paper.read_bytes()
    unknown = pozo_run(
        "transfer", "again", "nothing", tmp_path / "no.json", "--config", sender, "--turn-keys"
    )
    assert unknown.exit_code == 1
    assert "know no transfer" in unknown.output


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda text: text[:-20], "is no transfer file"),
        (lambda text: text.replace("SIM-2", "SIM-3"), "is for table 'SIM-3'"),
        (lambda text: text.replace('"amount": 100', '"amount": 100000'), "it was changed"),
        (lambda text: text.replace("SIM-1", "SIM-9"), "it was changed"),
        (lambda text: re.sub('"transfer": "[^"]*"', '"transfer": "0123"', text), "it was changed"),
        (
            lambda text: re.sub('"transfer": "[^"]*"', f'"transfer": "{"x" * 3500}"', text),
            "is no transfer file",
        ),
        (lambda text: re.sub('"key": "[^"]*"', f'"key": "{"0" * 64}"', text), "it names the key 0000"),
        (lambda text: text.replace("UYU", "PEN"), "is in PEN"),
        (lambda text: text.replace("transfer 2", "transfer 9"), "is of format"),
        (lambda text: text.replace('"amount"', '"sum"'), "is no transfer file"),
    ],
)
def test_a_spoiled_transfer_file_is_refused(
    two_tables: tuple[Path, Path], tmp_path: Path, spoil: object, said: str
) -> None:
    sender, receiver = two_tables
    paper = tmp_path / "pozo.json"
    pozo_run(
        "transfer", "send", "main", "1.00", "SIM-2", paper, "--config", sender, "--reason", "x", "--turn-keys"
    )
    assert callable(spoil)
    paper.write_text(spoil(paper.read_text()))
    done = pozo_run("transfer", "receive", paper, "--config", receiver, *filed(sender))
    assert done.exit_code == 1
    assert said in done.output


def test_an_edited_file_that_nobody_accepted_decides_no_correction(tmp_path: Path) -> None:
    file = commissioned(tmp_path)
    settings = load(str(file))
    level = settings.game.levels[0]
    edited = with_level(settings.game, limit=2 * level.limit)
    act = ev.PotCorrected(2, level.name, level.limit + 1, "a gift")
    with pytest.raises(RefusedError, match="amount_out_of_range"):
        administer(replace(settings, game=edited), VirtualClock(), act, both_keys=True)
    assert prove(settings.journal).bad is None


def test_a_refused_change_of_rules_is_no_flaw_of_its_journal(tmp_path: Path) -> None:
    file = commissioned(tmp_path)
    settings = load(str(file))
    edited = with_level(settings.game, limit=1)
    changed = replace(settings, game=edited)
    act = parameters_changed(changed, VirtualClock(), (), supervisor="Ana", technician="Luis")
    with pytest.raises(RefusedError):
        administer(changed, VirtualClock(), act, both_keys=True)
    assert prove(settings.journal).bad is None


def test_a_transfer_signed_by_another_table_is_refused(two_tables: tuple[Path, Path], tmp_path: Path) -> None:
    sender, receiver = two_tables
    paper = tmp_path / "pozo.json"
    pozo_run(
        "transfer", "send", "main", "1.00", "SIM-2", paper, "--config", sender, "--reason", "x", "--turn-keys"
    )
    done = pozo_run("transfer", "receive", paper, "--config", receiver, *filed(receiver))
    assert done.exit_code == 1
    assert "is not signed by the sender's key" in done.output
    nameless = pozo_run("transfer", "receive", paper, "--config", receiver, "--turn-keys")
    assert nameless.exit_code == 2
    assert "--sender-key" in nameless.output


@pytest.mark.parametrize(
    ("target", "reason", "told"),
    [
        ("MESA 2", "x", "is no table's identity"),
        ("m" * 33, "x", "is no table's identity"),
        ("SIM-1", "x", "sends nothing to itself"),
        ("SIM-2", "x" * 401, "a reason has 400 at most"),
    ],
)
def test_nothing_is_sent_to_what_is_no_table_or_for_a_reason_without_end(
    tmp_path: Path, target: str, reason: str, told: str
) -> None:
    sender = commissioned(tmp_path)
    words = ("--config", sender, "--reason", reason, "--turn-keys")
    done = pozo_run("transfer", "send", "main", "1.00", target, tmp_path / "t.json", *words)
    assert done.exit_code == 2
    assert told in done.output
    assert not (tmp_path / "t.json").exists()


def test_a_transfer_of_a_journal_set_aside_is_made_again_from_there(
    two_tables: tuple[Path, Path], tmp_path: Path
) -> None:
    sender, receiver = two_tables
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    pozo_run(
        "transfer", "send", "main", "1.00", "SIM-2", first, "--config", sender, "--reason", "x", "--turn-keys"
    )
    (tmp_path / "mesa.db").rename(tmp_path / "mesa.db.aside-1")
    for tail in ("-wal", "-shm"):
        (tmp_path / f"mesa.db{tail}").unlink(missing_ok=True)
    by = ("--supervisor", "Ana", "--technician", "Luis", "--reason", "a new card", "--turn-keys")
    assert pozo_run("recover", "--config", sender, *by).exit_code == 0
    number = json.loads(first.read_text())["transfer"]
    again = pozo_run("transfer", "again", number, second, "--config", sender, "--turn-keys")
    assert again.exit_code == 0, again.output
    taken = pozo_run("transfer", "receive", second, "--config", receiver, *filed(sender))
    assert "main: 1.00, now 100001.00" in taken.output
