"""Whoever can write a table's files and has no key brings in no record that the table's rules do not make."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.admit import StrandedError, admit
from controller.clock import VirtualClock
from controller.drill.play import settings_of
from controller.journal import DamagedError, Flaw
from controller.journal.record import Row
from controller.signing.audit import prove
from controller.signing.device import key_in_force
from controller.witness.verdict import JournalLost, Lack
from tests.helpers_signing import (
    FORGER,
    PUBLIC,
    SEED,
    as_csv,
    digest_of,
    played,
    public_of,
    rechained,
    rows_of,
    signature_of,
    with_state,
)
from tests.helpers_witness import played as played_table

NOTED = '[{"kind":"noted"}]'
Edit = Callable[[dict[str, object]], object]


def nothing(_: dict[str, object]) -> None:
    """The state stays as it is."""


def forged(journal: Path, event: dict[str, object], results: str = NOTED, edit: Edit = nothing) -> Row:
    """Put one more record behind the last, its digest right, its state edited; the row."""
    last = rows_of(journal)[-1]
    state = json.loads(last[8])
    edit(state)
    stamped = {**event, "at_ns": last[2] + 1}
    columns = (str(event["kind"]), json.dumps(stamped), results, json.dumps(state))
    row = (last[0] + 1, last[1], last[2] + 1, last[3] + 1, last[4], *columns, "")
    row = (*row[:-1], digest_of(last[-1], row))
    with closing(sqlite3.connect(journal)) as connection, connection:
        connection.execute(f"INSERT INTO journal VALUES ({', '.join('?' * len(row))})", row)
    return row


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """One round's history, closed with a signed stop."""
    return played(tmp_path)


KEY_CHANGE: dict[str, object] = {
    "kind": "device_key_changed",
    "old": "",
    "new": "ab" * 32,
    "endorsed": "",
    "supervisor": "Ana",
    "technician": "Luis",
    "reason": "x",
}


@pytest.mark.parametrize("event", [{"kind": "table_closed"}, KEY_CHANGE], ids=["table_closed", "key_changed"])
def test_a_record_without_a_result_is_a_flaw_not_an_exception(
    journal: Path, event: dict[str, object]
) -> None:
    row = forged(journal, event, "[]")
    bad = prove(journal).bad
    assert bad is not None
    assert (bad.seq, bad.flaw) == (row[0], Flaw.RECORD)


def test_a_change_of_key_without_a_result_ends_no_start(journal: Path) -> None:
    forged(journal, KEY_CHANGE, "[]")
    with pytest.raises(DamagedError, match="no result"):
        key_in_force(journal)


def richer(state: dict[str, object]) -> None:
    """The pot 500,000.00 higher, the law of money kept by a correction nobody made."""
    pot = state["pot"]
    assert isinstance(pot, dict)
    level = pot["levels"][0]
    level["current"] += 50_000_000
    level["corrections"] = level.get("corrections", 0) + 50_000_000


def owing(state: dict[str, object]) -> None:
    """An award that nobody claimed, still to be paid."""
    hand = {"seat": 3, "hand": "royal_flush", "level": "main", "amount": 1_000, "fund": "pot"}
    state["awards"] = [{"number": 1, "round": 1, **hand}]
    state["awards_made"] = 1


def other_rules(state: dict[str, object]) -> None:
    """The digest of rules that no two persons accepted."""
    state["game"] = "ab" * 32


NOISE: dict[str, object] = {"kind": "noise_seen", "line": "seat_1", "seat": 1, "count": 1}
RAISED = '[{"kind":"noted"},{"kind":"pot_raised","level":"main","by":50000000,"current":60000500}]'
FORGERIES: dict[str, tuple[str, Edit, str]] = {
    "more in the pot": (NOTED, richer, "pot"),
    "more in the pot, explained": (RAISED, richer, "pot_raised"),
    "an award to be paid": (NOTED, owing, "awards"),
    "rules without keys": (NOTED, other_rules, "game"),
}


@pytest.mark.parametrize("case", FORGERIES)
def test_no_unsigned_record_brings_in_a_state_the_rules_do_not_make(journal: Path, case: str) -> None:
    results, edit, named = FORGERIES[case]
    row = forged(journal, NOISE, results, edit)
    found = prove(journal)
    assert found.bad is not None
    assert (found.bad.seq, found.bad.flaw) == (row[0], Flaw.REPLAY)
    assert named in found.bad.detail
    assert found.doubt is not None
    assert prove(journal, replay=False).bad is None, "the chain, the signatures and the law of money all hold"


def test_no_history_that_only_names_the_filed_key_is_proven_by_it(tmp_path: Path) -> None:
    rows = rows_of(played(tmp_path))[:1]
    copy = as_csv(rows, tmp_path / "copy.csv")
    bad = prove(copy, (), (PUBLIC,)).bad
    assert bad is not None
    assert (bad.seq, bad.flaw) == (1, Flaw.SIGNATURE)
    assert prove(copy).bad is None, "it claims nothing that a key would have to prove"


def test_no_history_begins_with_another_pot_than_its_rules_say(tmp_path: Path) -> None:
    rows = rechained([with_state(row, funded) for row in rows_of(played(tmp_path))[:1]])
    bad = prove(as_csv(rows, tmp_path / "copy.csv")).bad
    assert bad is not None
    assert (bad.seq, bad.flaw) == (1, Flaw.REPLAY)


def funded(state: dict[str, object]) -> None:
    """The pot 500.00 higher at its commissioning, paid in by the house."""
    pot = state["pot"]
    assert isinstance(pot, dict)
    level = pot["levels"][0]
    level["current"] += 50_000
    level["house_funding"] += 50_000


def started(folder: Path) -> StrandedError:
    """What a start says of the files in `folder`."""
    settings = settings_of("simulated", {})
    places = replace(settings, journal=folder / "journal.db", witness=folder / "witness")
    with pytest.raises(StrandedError) as refused:
        admit(places, VirtualClock())
    return refused.value


def kept_table(tmp_path: Path) -> Path:
    """The folder of a table that has played one round and was switched off: journal, key and witness."""
    with played_table(1) as world:
        world.power_off()
        shutil.copytree(world.medium.journal.parent, tmp_path / "kept")
    return tmp_path / "kept"


@pytest.mark.parametrize("case", FORGERIES)
def test_no_start_plays_on_or_signs_a_state_the_rules_do_not_make(tmp_path: Path, case: str) -> None:
    folder = kept_table(tmp_path)
    results, edit, _ = FORGERIES[case]
    row = forged(folder / "journal.db", NOISE, results, edit)
    error = started(folder)
    assert isinstance(error.verdict, JournalLost)
    assert error.verdict.journal.lack is Lack.UNPROVEN
    assert f"not proven from record {row[0]} on (replay" in str(error)
    assert "The witness is good and is trusted" in str(error)


@pytest.mark.parametrize("seed", [FORGER, SEED], ids=["a key of his own", "the right key's name"])
def test_no_start_believes_a_head_that_the_devices_key_did_not_sign(tmp_path: Path, seed: bytes) -> None:
    folder = kept_table(tmp_path)
    journal = folder / "journal.db"
    row = forged(journal, NOISE, NOTED, richer)
    head: dict[str, object] = {"seq": row[0], "digest": row[-1], "key": public_of(seed), "why": "stopped"}
    signature = signature_of(FORGER, "pozo head 1", "SIM-1", row[0], row[-1])
    signed = forged(journal, {"kind": "head_signed", **head, "signature": signature})
    error = started(folder)
    assert isinstance(error.verdict, JournalLost)
    assert error.verdict.journal.lack is Lack.UNPROVEN
    assert f"not proven from record {signed[0]} on (signature" in str(error)


def test_no_start_believes_a_signed_record_whose_state_was_edited(tmp_path: Path) -> None:
    """The signed digest stays in its column; the state beside it is another one."""
    folder = kept_table(tmp_path)
    journal = folder / "journal.db"
    *_, signed, _ = rows_of(journal)
    state = json.loads(signed[8])
    richer(state)
    with closing(sqlite3.connect(journal)) as connection, connection:
        connection.execute("UPDATE journal SET state = ? WHERE seq = ?", (json.dumps(state), signed[0]))
    error = started(folder)
    assert isinstance(error.verdict, JournalLost)
    assert f"damaged at record {signed[0]}" in str(error)
