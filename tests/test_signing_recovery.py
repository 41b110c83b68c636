"""What signatures say after a recovery: of a journal that begins anew, and of one that goes on with another key."""

import json
from pathlib import Path

from controller.journal import Flaw
from controller.journal.record import Row
from controller.signing.audit import prove
from controller.signing.device import key_in_force, signer_of
from tests.helpers_cli import own_table, pozo_run
from tests.helpers_signing import FORGER, PUBLIC, as_csv, played, public_of, rechained, rows_of

BY = ("--supervisor", "Ana", "--technician", "Luis", "--reason", "the card died", "--turn-keys")


def commissioned(folder: Path) -> tuple[Path, Path, str]:
    """A table's file, its journal, and the public key that was filed."""
    file = own_table(folder)
    assert pozo_run("commission", "--config", file, "--turn-keys").exit_code == 0
    return file, folder / "mesa.db", key_in_force(folder / "mesa.db")


def lose(journal: Path, *tails: str) -> None:
    for tail in ("", "-wal", "-shm", ".id", *tails):
        journal.with_name(journal.name + tail).unlink(missing_ok=True)


def test_a_new_journal_goes_on_with_the_key_that_is_still_there(tmp_path: Path) -> None:
    file, journal, filed = commissioned(tmp_path)
    lose(journal)
    done = pozo_run("recover", "--config", file, *BY)
    assert done.exit_code == 0, done.output
    assert f"record 1 of {journal} says who and why" in done.output
    assert f"key {filed}" in done.output
    found = prove(journal, (), (filed,))
    assert found.bad is None
    assert found.signed is not None
    assert found.signed.seq == 1, "the recovery itself is signed"
    assert [each.key for each in found.keys] == [filed]
    told = pozo_run("journal", "verify", journal)
    assert (
        "this history begins with a recovery from the witness: what was before it is not in this file"
        in told.output
    )


def test_with_the_card_the_key_is_gone_and_the_recovery_makes_another_to_be_filed(tmp_path: Path) -> None:
    file, journal, filed = commissioned(tmp_path)
    lose(journal, ".key")
    done = pozo_run("recover", "--config", file, *BY, "--filed-key", filed)
    assert done.exit_code == 0, done.output
    assert "The table signs with ANOTHER key from here on" in done.output
    made = key_in_force(journal)
    assert made != filed
    assert f"key {made}" in done.output
    assert "File it away" in done.output
    signer_of(journal, "SIM-1")
    assert prove(journal, (), (made,)).bad is None
    alone = prove(journal, (), (filed,)).bad
    assert alone is not None
    assert (alone.seq, alone.flaw) == (1, Flaw.KEY)


def recovery(row: Row, table: str, key: str) -> dict[str, object]:
    return {
        "kind": "journal_recovered",
        "at_ns": row[2],
        "table": table,
        "game": "g",
        "rules": "{}",
        "trusted": "paper",
        "found": "x",
        "journal": None,
        "witness": [],
        "aside": [],
        "supervisor": "Ana",
        "technician": "Luis",
        "reason": "x",
        "device_key": key,
    }


def test_a_false_recovery_in_the_middle_is_caught(tmp_path: Path) -> None:
    """It is signed as any decision is, names its table, and brings no key in that is not filed."""
    rows = rows_of(played(tmp_path))
    place = next(at for at, row in enumerate(rows) if row[5] == "head_signed") + 1
    model = (*rows[place - 1][:3], rows[place - 1][3] + 1, *rows[place - 1][4:])
    for table, key, flaw in (
        ("SIM-1", "", Flaw.SIGNATURE),
        ("SIM-2", "", Flaw.RECORD),
        ("SIM-1", public_of(FORGER), Flaw.KEY),
    ):
        event = recovery(model, table, key)
        row = (*model[:5], "journal_recovered", json.dumps(event), *model[7:])
        forged = rechained([*rows[:place], row, *rows[place:]])
        found = prove(as_csv(forged, tmp_path / "copy.csv"), (), (PUBLIC,), replay=False)
        assert found.bad is not None
        assert (found.bad.seq, found.bad.flaw) == (place + 1, flaw)
