"""What is trusted: every kind of journal beside every kind of two slots, against a table written by hand."""

from collections.abc import Callable
from itertools import product
from typing import get_args

import msgspec
import pytest

from controller.core import events as ev
from controller.journal import Head
from controller.journal.record import Row, decode
from controller.witness.slot import Slot
from controller.witness.store import Absent, Damaged, Seen
from controller.witness.told import told
from controller.witness.verdict import (
    Agreed,
    AllDamaged,
    BadJournal,
    Forked,
    GoodJournal,
    HalfDamaged,
    JournalBehind,
    JournalLost,
    Lack,
    NewTable,
    NothingTrusted,
    NoWitness,
    Plight,
    Stranded,
    Superseded,
    Verdict,
    compare,
    plight,
    proposed,
)
from tests.helpers_signing import FORGER, PUBLIC, public_of
from tests.helpers_table import TABLE
from tests.helpers_witness import a_slot, rows_of

HEAD = 9
"""The journal's last record: the second round's GAME OVER."""


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    return rows_of(tmp_path_factory.mktemp("rows"), rounds=3)


def strange(row: Row) -> Row:
    """The same record in another history."""
    return (*row[:-1], "e" * 64)


def seen(rows: list[Row], kind: str, serial: int) -> Seen:
    match kind:
        case "same":
            return a_slot(rows[HEAD - 1], serial)
        case "older":
            return a_slot(rows[HEAD - 4], serial)
        case "ahead":
            return a_slot(rows[HEAD + 1], serial)
        case "strange":
            return a_slot(strange(rows[HEAD - 4]), serial)
        case "forged":
            return a_slot(rows[HEAD + 1], serial, seed=FORGER)
        case "unsigned":
            return a_slot(strange(rows[HEAD - 4]), serial, seed=None)
        case "foreign":
            return a_slot(rows[HEAD - 1], serial, "mesa-9")
        case "damaged":
            return Damaged("its checksum is wrong")
        case _:
            return Absent()


def good(
    rows: list[Row], last: int = HEAD, superseded: frozenset[Head] = frozenset(), *, unfinished: bool = False
) -> GoodJournal:
    at = {row[0]: row[-1] for row in rows[:last]}
    return GoodJournal(decode(rows[last - 1]), at, PUBLIC, superseded, unfinished)


KINDS = ("same", "older", "ahead", "strange", "forged", "unsigned", "foreign", "damaged", "absent")
OWN = {"same", "older", "ahead", "strange"}
STRANGERS = {"forged", "unsigned", "foreign"}
KEYS = {PUBLIC}


def by_hand(pair: tuple[str, str], journal: str) -> type[Verdict]:
    """The table of docs/evidence.md, read by a person."""
    kinds = set(pair)
    if journal == "bad":
        return JournalLost if kinds & OWN else NothingTrusted
    if kinds & STRANGERS and not kinds & OWN:
        return NoWitness
    if "strange" in kinds:
        return Forked
    if "ahead" in kinds:
        return JournalBehind
    if kinds <= {"same", "older"}:
        return Agreed
    if kinds & {"same", "older"}:
        return HalfDamaged
    if "damaged" in kinds:
        return AllDamaged
    return NewTable if journal == "new" else NoWitness


@pytest.mark.parametrize("pair", list(product(KINDS, KINDS)), ids="-".join)
def test_every_pair_of_slots_beside_a_good_journal(rows: list[Row], pair: tuple[str, str]) -> None:
    slots = (seen(rows, pair[0], 4), seen(rows, pair[1], 5))
    assert type(compare(good(rows), slots, TABLE)) is by_hand(pair, "good")


@pytest.mark.parametrize("pair", list(product(KINDS, KINDS)), ids="-".join)
@pytest.mark.parametrize("lack", list(Lack))
def test_every_pair_of_slots_beside_a_bad_journal(rows: list[Row], pair: tuple[str, str], lack: Lack) -> None:
    slots = (seen(rows, pair[0], 4), seen(rows, pair[1], 5))
    verdict = compare(BadJournal(lack, "it is gone"), slots, TABLE, KEYS)
    assert type(verdict) is by_hand(pair, "bad")
    if isinstance(verdict, JournalLost):
        newest = 1 if pair[1] in OWN else 0
        assert verdict.slot == slots[newest]


def test_what_is_signed_by_a_key_of_the_table_beside_the_journals_counts(rows: list[Row]) -> None:
    """The journal is from before a change of the key; the key file has the new one, or persons read it from paper."""
    slots = (seen(rows, "forged", 4), Absent())
    assert isinstance(compare(good(rows), slots, TABLE, {public_of(FORGER)}), JournalBehind)


def test_a_lost_journal_and_no_key_at_hand_prove_no_slot(rows: list[Row]) -> None:
    slots = (seen(rows, "same", 4), seen(rows, "unsigned", 5))
    verdict = compare(BadJournal(Lack.MISSING, "it is gone"), slots, TABLE, {""})
    assert isinstance(verdict, NothingTrusted)
    assert (
        "slot-a is not proven: it is signed with the key 3b6a-27bc-ceb6-a42d-62a3, which" in verdict.witness
    )
    assert "slot-b is not proven: nobody signed it" in verdict.witness


def test_a_slot_that_agrees_needs_no_proof(rows: list[Row]) -> None:
    agreeing = a_slot(rows[HEAD - 1], 9, seed=FORGER)
    assert compare(good(rows), (agreeing, agreeing), TABLE) == Agreed()


def test_a_journal_that_names_no_key_is_not_asked_for_one(rows: list[Row]) -> None:
    old = msgspec.structs.replace(good(rows), key="")
    slots = (a_slot(rows[HEAD + 1], 9, seed=None), Absent())
    assert isinstance(compare(old, slots, TABLE), JournalBehind)


@pytest.mark.parametrize("pair", list(product(("damaged", "absent"), repeat=2)), ids="-".join)
def test_a_table_that_was_never_played_needs_no_witness_to_be_finished(
    rows: list[Row], pair: tuple[str, str]
) -> None:
    slots = (seen(rows, pair[0], 4), seen(rows, pair[1], 5))
    assert type(compare(good(rows, last=1, unfinished=True), slots, TABLE)) is by_hand(pair, "new")
    assert type(compare(good(rows, last=1), slots, TABLE)) is by_hand(pair, "good")


def test_the_newest_slot_speaks_by_its_serial_number(rows: list[Row]) -> None:
    older, newer = a_slot(rows[10], 8), a_slot(rows[11], 7)
    verdict = compare(good(rows), (older, newer), TABLE)
    assert isinstance(verdict, JournalBehind)
    assert verdict.slot is older
    assert verdict.journal == Head(HEAD, rows[HEAD - 1][-1])


def test_a_fork_tells_both_digests(rows: list[Row]) -> None:
    verdict = compare(good(rows), (a_slot(strange(rows[4])), Absent()), TABLE)
    assert isinstance(verdict, Forked)
    assert (verdict.slot.head.digest, verdict.found) == ("e" * 64, rows[4][-1])


@pytest.mark.parametrize(
    ("other", "kind"),
    [
        (lambda _: Absent(), Superseded),
        (lambda _: Damaged("torn"), Superseded),
        (lambda rows: a_slot(rows[HEAD - 1], 6), Superseded),
        (lambda rows: a_slot(rows[HEAD], 6), JournalBehind),
        (lambda rows: a_slot(strange(rows[2]), 6), Forked),
        (lambda rows: a_slot(rows[2], 6, "mesa-9"), NoWitness),
        (lambda rows: a_slot(rows[HEAD], 6, seed=FORGER), NoWitness),
    ],
)
def test_slots_a_recovery_left_behind_are_to_be_written_anew_unless_the_other_one_objects(
    rows: list[Row], other: Callable[[list[Row]], Seen], kind: type[Verdict]
) -> None:
    left = a_slot(strange(rows[10]), 5)
    verdict = compare(good(rows, superseded=frozenset({left.head})), (left, other(rows)), TABLE)
    assert type(verdict) is kind
    if isinstance(verdict, Superseded):
        assert (verdict.slots, verdict.seq) == ((0,), HEAD)


def test_another_tables_slot_that_a_recovery_left_behind_is_no_fault_any_more(rows: list[Row]) -> None:
    left = a_slot(rows[10], 5, "mesa-9")
    verdict = compare(good(rows, superseded=frozenset({left.head})), (left, left), TABLE)
    assert verdict == Superseded((0, 1), HEAD)


def money(amount: int) -> str:
    return f"{amount / 100:.2f}"


def examples(rows: list[Row]) -> dict[Plight, Stranded]:
    slot = a_slot(rows[10], 5)
    bad = BadJournal(Lack.MISSING, "/data/journal.db is gone")
    return {
        Plight.NO_WITNESS: NoWitness("slot-a is not there, slot-b is not there", decode(rows[HEAD - 1])),
        Plight.JOURNAL_BEHIND: JournalBehind(slot, Head(9, "a" * 64)),
        Plight.JOURNAL_LOST: JournalLost(slot, bad),
        Plight.FORKED: Forked(slot, decode(rows[HEAD - 1]), "f" * 64),
        Plight.NOTHING_TRUSTED: NothingTrusted(bad, "slot-a is damaged: torn, slot-b is not there"),
    }


def test_every_plight_has_its_words_and_names_what_is_trusted(rows: list[Row]) -> None:
    found = examples(rows)
    assert {type(verdict) for verdict in found.values()} == set(get_args(Stranded))
    for kind, verdict in found.items():
        assert plight(verdict) is kind
    assert "The journal is trusted: record 9, round 3, open, main 100040.00" in told(
        found[Plight.NO_WITNESS], money
    )
    assert "ends at record 9" in told(found[Plight.JOURNAL_BEHIND], money)
    assert "The witness is trusted: record 11, round 3, open, main 100000.00" in told(
        found[Plight.JOURNAL_BEHIND], money
    )
    assert told(found[Plight.JOURNAL_LOST], money).startswith("/data/journal.db is gone. The witness is good")
    both = told(found[Plight.FORKED], money)
    assert "f" * 64 in both
    assert rows[10][-1] in both
    assert "100040.00" in both
    assert "Nothing here is trusted" in told(found[Plight.NOTHING_TRUSTED], money)


def test_what_is_proposed(rows: list[Row]) -> None:
    found = {kind: proposed(verdict) for kind, verdict in examples(rows).items()}
    assert {kind: each and (each[0], each[1].seq) for kind, each in found.items()} == {
        Plight.NO_WITNESS: (ev.Trusted.JOURNAL, 9),
        Plight.JOURNAL_BEHIND: (ev.Trusted.WITNESS, 11),
        Plight.JOURNAL_LOST: (ev.Trusted.WITNESS, 11),
        Plight.FORKED: None,
        Plight.NOTHING_TRUSTED: None,
    }
    assert isinstance(a_slot(rows[0]), Slot)
