"""Proof with the public key alone: every rewriting of a signed history is found, and the money in doubt is told."""

import json
from collections import Counter
from pathlib import Path

import pytest

from controller.journal import Flaw, Head
from controller.journal.export import Format, lines
from controller.journal.record import Row
from controller.signing.audit import Proof, prove
from controller.signing.doubt import Figure
from tests.helpers_cli import pozo_run
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
    with_event,
    with_state,
)
from tests.helpers_slips import TWO_AWARDS

KEY = (PUBLIC,)
Rows = list[Row]


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three wagers, then two with a straight flush and a royal; the royal is paid."""
    return played(tmp_path_factory.mktemp("evening"), TWO_AWARDS)


@pytest.fixture(scope="module")
def rows(evening: Path) -> Rows:
    return rows_of(evening)


def proof_of(rows: Rows, folder: Path, keys: tuple[str, ...] = KEY, heads: tuple[Head, ...] = ()) -> Proof:
    """What chain, signatures and keys say by themselves: whether a record follows is asked in test_forged_history."""
    return prove(as_csv(rows, folder / "copy.csv"), heads, keys, replay=False)


def heads_in(rows: Rows) -> list[int]:
    """Places (from 0) of the signed heads."""
    return [place for place, row in enumerate(rows) if row[5] == "head_signed"]


ROUND_1, ROUND_2 = 1, 2
"""Which of the signed heads are those: the first is that of the commissioning."""


def stamp(row: Row) -> tuple[int, int]:
    """Session and wall time: what the records of one batch have in common."""
    return row[1], row[3]


def flaw(found: Proof) -> tuple[int, Flaw]:
    assert found.bad is not None
    return found.bad.seq, found.bad.flaw


@pytest.mark.parametrize("form", [None, *Format])
def test_the_journal_and_both_copies_are_proven_alike(
    evening: Path, rows: Rows, tmp_path: Path, form: Format | None
) -> None:
    file = evening
    if form is not None:
        file = tmp_path / "copy"
        file.write_bytes("".join(lines(rows, form)).encode())
    found = prove(file, (), KEY)
    assert found.bad is None
    assert found.form == ("journal" if form is None else form)
    assert (found.table, found.records) == ("SIM-1", len(rows))
    assert str(found.head) == f"{len(rows)}:{rows[-1][-1]}"
    # The commissioning, two rounds, one approval, one payment, one stop.
    assert found.signatures == 6
    assert found.signed == Head(len(rows) - 1, rows[-2][-1])
    assert found.unsigned == 0
    assert [(each.key, each.since, each.vouched) for each in found.keys] == [(PUBLIC, 1, True)]


def test_records_after_the_last_signature_are_counted(rows: Rows, tmp_path: Path) -> None:
    last = heads_in(rows)[ROUND_1]
    assert [row[5] for row in rows[last + 1 : last + 3]] == ["chip_dropped", "chip_dropped"]
    for more in (0, 1, 2):
        found = proof_of(rows[: last + 1 + more], tmp_path)
        assert found.bad is None
        assert (found.signatures, found.unsigned) == (2, more)


def test_without_a_key_the_journal_vouches_only_for_itself(rows: Rows, tmp_path: Path) -> None:
    found = proof_of(rows, tmp_path, keys=())
    assert found.bad is None
    assert [each.vouched for each in found.keys] == [False]


def test_another_key_than_the_filed_one_is_named_at_record_1(rows: Rows, tmp_path: Path) -> None:
    found = proof_of(rows, tmp_path, keys=(public_of(FORGER),))
    assert flaw(found) == (1, Flaw.KEY)
    assert found.bad is not None
    assert PUBLIC in found.bad.detail


# Somebody who can write the whole file, knows every formula, and does not have the key.


def richer(rows: Rows) -> Rows:
    """The pot 50.00 higher behind the signed commissioning, and the house's funding with it: the law of money holds."""

    def edit(state: dict[str, object]) -> None:
        pot = state["pot"]
        assert isinstance(pot, dict)
        level = pot["levels"][0]
        level["current"] += 5_000
        level["house_funding"] += 5_000

    return [*rows[:2], *(with_state(row, edit) for row in rows[2:])]


def named(rows: Rows, key: str) -> Rows:
    """Record 1 with this key."""
    return [with_event(rows[0], lambda event: event.update(device_key=key)), *rows[1:]]


def test_a_rewritten_history_keeps_a_good_chain_and_loses_its_signatures(rows: Rows, tmp_path: Path) -> None:
    found = proof_of(rechained(richer(rows)), tmp_path, keys=())
    assert flaw(found) == (heads_in(rows)[ROUND_1] + 1, Flaw.SIGNATURE)


def test_one_signed_anew_with_another_key_is_caught_by_the_filed_one(rows: Rows, tmp_path: Path) -> None:
    forged = rechained(named(richer(rows), public_of(FORGER)), FORGER)
    assert proof_of(forged, tmp_path, keys=()).bad is None, "it is a perfect history of another device"
    found = proof_of(forged, tmp_path)
    assert flaw(found) == (1, Flaw.KEY)


def test_one_signed_anew_under_the_right_keys_name_is_caught(rows: Rows, tmp_path: Path) -> None:
    forged = rechained(richer(rows), FORGER)
    assert flaw(proof_of(forged, tmp_path)) == (heads_in(rows)[0] + 1, Flaw.SIGNATURE)
    lying = [
        with_event(row, lambda event: event.update(key=PUBLIC)) if row[5] == "head_signed" else row
        for row in forged
    ]
    assert flaw(proof_of(rechained(lying), tmp_path)) == (heads_in(rows)[0] + 1, Flaw.SIGNATURE)


def change_of_key(rows: Rows, endorsed: str) -> Rows:
    """Two records after the second one that hand the table over to the forger, and the signature of his key."""
    event = {
        "kind": "device_key_changed",
        "at_ns": rows[1][2],
        "old": PUBLIC,
        "new": public_of(FORGER),
        "endorsed": endorsed,
        "supervisor": "Ana",
        "technician": "Luis",
        "reason": "lost",
    }
    noted = '[{"kind":"noted"}]'
    begin, state = rows[1][:5], rows[1][8:]
    change = (*begin, "device_key_changed", json.dumps(event), noted, *state)
    head = rows[heads_in(rows)[0]]
    signed = with_event(
        (*begin, "head_signed", head[6], noted, *state), lambda each: each.update(at_ns=rows[1][2])
    )
    return [*rows[:2], change, signed, *rows[2:]]


@pytest.mark.parametrize(
    ("endorsed", "expected", "detail"),
    [
        ("", Flaw.KEY, "without the old one's signature"),
        (
            signature_of(FORGER, "pozo key 1", "SIM-1", PUBLIC, public_of(FORGER)),
            Flaw.SIGNATURE,
            "the old key's signature under the new one is not",
        ),
        (signature_of(SEED, "pozo key 1", "SIM-2", PUBLIC, public_of(FORGER)), Flaw.SIGNATURE, "is not"),
        (signature_of(SEED, "pozo head 1", "SIM-1", PUBLIC, public_of(FORGER)), Flaw.SIGNATURE, "is not"),
    ],
)
def test_a_change_of_key_that_the_old_key_did_not_sign_is_caught(
    rows: Rows, tmp_path: Path, endorsed: str, expected: Flaw, detail: str
) -> None:
    forged = change_of_key(richer(rows), endorsed)
    found = proof_of(rechained(forged, FORGER, kept=2), tmp_path)
    assert flaw(found) == (3, expected)
    assert found.bad is not None
    assert detail in found.bad.detail


def test_a_change_of_key_that_the_old_key_signed_is_followed(rows: Rows, tmp_path: Path) -> None:
    endorsed = signature_of(SEED, "pozo key 1", "SIM-1", PUBLIC, public_of(FORGER))
    found = proof_of(rechained(change_of_key(rows, endorsed), FORGER, kept=2), tmp_path)
    assert found.bad is None
    assert [(each.key, each.since) for each in found.keys] == [(PUBLIC, 1), (public_of(FORGER), 3)]
    assert all(each.vouched for each in found.keys)


def test_a_history_without_its_signatures_is_caught(rows: Rows, tmp_path: Path) -> None:
    bare = rechained([row for row in richer(rows) if row[5] != "head_signed"])
    ended = next(row[0] for row in bare if "round_ended" in row[7])
    assert flaw(proof_of(bare, tmp_path, keys=())) == (ended, Flaw.SIGNATURE)
    assert flaw(proof_of(bare, tmp_path)) == (1, Flaw.SIGNATURE), "who has the filed key asks for all of it"
    as_before = rechained(named(bare, ""))
    assert flaw(proof_of(as_before, tmp_path)) == (1, Flaw.KEY), "as if it had never signed"


def test_one_signature_left_out_is_caught(rows: Rows, tmp_path: Path) -> None:
    """But where the next batch is of the same instant, which only a virtual clock has: its signature covers both."""
    apart = [place for place in heads_in(rows)[:-1] if stamp(rows[place]) != stamp(rows[place + 1])]
    assert len(apart) == 4
    for place in [*apart, heads_in(rows)[-1]]:
        forged = rechained([*rows[:place], *rows[place + 1 :]], SEED)
        found = proof_of(forged, tmp_path)
        at, what = flaw(found)
        assert what is Flaw.SIGNATURE
        assert stamp(rows[at - 1]) == stamp(rows[place]), "at a record that was stored with it"


def test_a_false_award_after_the_last_signature_is_caught(rows: Rows, tmp_path: Path) -> None:
    """The forger keeps the signed part and lets the table go on as he likes."""
    kept = heads_in(rows)[1] + 1
    false = [row for row in rows[kept:] if row[5] != "head_signed"]
    found = proof_of(rechained([*rows[:kept], *false]), tmp_path)
    assert found.bad is not None
    assert found.bad.flaw is Flaw.SIGNATURE
    assert found.signatures == 2
    assert found.head == Head(kept - 1, rows[kept - 2][-1])


def test_swapped_signatures_are_caught(rows: Rows, tmp_path: Path) -> None:
    one, other = heads_in(rows)[:2]
    events = {place: json.loads(rows[place][6])["signature"] for place in (one, other)}
    forged = list(rows)
    forged[one] = with_event(rows[one], lambda event: event.update(signature=events[other]))
    forged[other] = with_event(rows[other], lambda event: event.update(signature=events[one]))
    assert flaw(proof_of(rechained(forged), tmp_path)) == (one + 1, Flaw.SIGNATURE)


def test_swapped_heads_are_caught(rows: Rows, tmp_path: Path) -> None:
    one, other = heads_in(rows)[:2]
    forged = list(rows)
    forged[one], forged[other] = (*rows[one][:6], *rows[other][6:]), (*rows[other][:6], *rows[one][6:])
    found = proof_of(rechained(forged), tmp_path)
    assert found.bad is not None
    assert found.bad.seq == one + 1


def test_the_signatures_of_another_table_are_caught(rows: Rows, tmp_path: Path) -> None:
    """The same key signs for table SIM-2: as valid a signature as any, and none of this table."""
    assert proof_of(rechained(rows, SEED), tmp_path).bad is None
    forged = rechained(rows, SEED, table="SIM-2")
    assert flaw(proof_of(forged, tmp_path)) == (heads_in(rows)[0] + 1, Flaw.SIGNATURE)


def test_a_signature_that_skips_a_record_is_caught(rows: Rows, tmp_path: Path) -> None:
    place = heads_in(rows)[0]
    before = rows[place - 2]

    def older(event: dict[str, object]) -> None:
        event |= {"seq": before[0], "digest": before[-1]}
        event["signature"] = signature_of(SEED, "pozo head 1", "SIM-1", before[0], before[-1])

    forged = rechained([*rows[:place], with_event(rows[place], older), *rows[place + 1 :]])
    assert flaw(proof_of(forged, tmp_path)) == (place + 1, Flaw.SIGNATURE)


def test_a_cut_off_end_is_caught_by_a_head_from_paper(rows: Rows, tmp_path: Path) -> None:
    paper = Head(len(rows), rows[-1][-1][:16])
    assert proof_of(rows, tmp_path, heads=(paper,)).bad is None
    for length in range(1, len(rows)):
        found = proof_of(rows[:length], tmp_path, heads=(paper,))
        assert found.bad is not None
        assert found.bad.flaw is Flaw.TRUNCATED
        assert found.bad.seq == length + 1


def test_a_copy_that_ends_within_a_batch_is_caught_without_any_head(rows: Rows, tmp_path: Path) -> None:
    """What asks for a signature and its signature are one transaction: no honest journal ends between them."""
    for place in heads_in(rows):
        at, what = flaw(proof_of(rows[:place], tmp_path))
        assert what is Flaw.SIGNATURE
        assert stamp(rows[at - 1]) == stamp(rows[place])


def test_a_digest_from_paper_that_is_another_is_named(rows: Rows, tmp_path: Path) -> None:
    right, wrong = rows[6][-1][:16], "0" * 16
    assert proof_of(rows, tmp_path, heads=(Head(7, right),)).bad is None
    found = proof_of(rows, tmp_path, heads=(Head(3, rows[2][-1]), Head(7, wrong)))
    assert flaw(found) == (7, Flaw.HEAD)
    assert found.doubt is not None
    assert found.doubt.since == 3, "the other paper still vouches for record 3"


# What money is in doubt. 3 wagers of 10.00, half of it to a pot of 100,000.00; then two more, a straight flush (10 % of
# 100,025.00) and the royal (the rest); the pot begins again with 10,000.00; the royal is paid.


def approval(rows: Rows) -> int:
    return next(place for place, row in enumerate(rows) if row[5] == "awards_approved")


def figures(found: Proof) -> dict[str, tuple[int | None, int | None]]:
    assert found.doubt is not None
    return {each.meter: (each.stands, each.says) for each in found.doubt.figures}


def test_the_money_in_doubt_is_what_stands_against_what_the_file_says(rows: Rows, tmp_path: Path) -> None:
    place = approval(rows)
    forged = list(rows)
    forged[place] = (*rows[place][:3], rows[place][3] + 1, *rows[place][4:])
    found = proof_of(forged, tmp_path)
    assert flaw(found) == (place + 1, Flaw.DIGEST)
    assert found.doubt is not None
    assert (found.doubt.since, found.doubt.until) == (place, len(rows))
    told = figures(found)
    assert told["main.current"] == (10_002_500, 1_000_000)
    assert told["in_meter"] == (5_000, 5_000)
    assert told["unpaid"] == (0, 1_000_250)
    assert told["wins_meter"] == (0, 1_000_250 + 9_002_250)
    assert "refund_meter" not in told, "it is 0 in both"
    straight, royal = found.doubt.awards
    assert (straight.seat, straight.amount, straight.paid) == (2, 1_000_250, False)
    assert (royal.seat, royal.amount, royal.paid) == (5, 9_002_250, True)
    assert straight.record == royal.record == place + 1
    assert found.doubt.settled == ()


def test_after_a_broken_signature_only_what_is_signed_stands(rows: Rows, tmp_path: Path) -> None:
    """The first round is signed (100,015.00); the forger began with the second: nothing after the first is trusted."""
    first, second = heads_in(rows)[ROUND_1], heads_in(rows)[ROUND_2]
    forged = [*rows[: first + 1], *richer(rows)[first + 1 :]]
    found = proof_of(rechained(forged), tmp_path)
    assert flaw(found) == (second + 1, Flaw.SIGNATURE)
    assert found.doubt is not None
    assert found.doubt.since == first
    assert figures(found)["main.current"] == (10_001_500, 1_000_000 + 5_000)
    assert [award.number for award in found.doubt.awards] == [1, 2]


def test_a_payment_in_doubt_of_an_award_that_stands_is_told(rows: Rows, tmp_path: Path) -> None:
    paid = next(place for place, row in enumerate(rows) if row[5] == "award_paid")
    forged = list(rows)
    forged[paid] = (*rows[paid][:-1], "0" * 64)
    found = proof_of(forged, tmp_path)
    assert found.doubt is not None
    assert (found.doubt.awards, found.doubt.settled) == ((), (2,))
    assert figures(found)["unpaid"] == (1_000_250 + 9_002_250, 1_000_250)


def test_a_cut_off_end_leaves_amounts_that_nobody_knows(rows: Rows, tmp_path: Path) -> None:
    found = proof_of(rows[:4], tmp_path, heads=(Head(len(rows), rows[-1][-1]),))
    assert found.doubt is not None
    assert (found.doubt.since, found.doubt.until) == (4, None)
    assert Figure("main.current", 10_000_000, None) in found.doubt.figures


def test_a_broken_page_is_read_from_both_sides(evening: Path, tmp_path: Path) -> None:
    whole = evening.read_bytes()
    seen = Counter[str]()
    for page in range(2, len(whole) // 2048):
        image = bytearray(whole)
        image[page * 2048 : (page + 1) * 2048] = b"\xff" * 2048
        file = tmp_path / "broken.db"
        file.write_bytes(image)
        found = prove(file, (), KEY)
        assert found.bad is not None
        if found.doubt is not None and found.doubt.until is not None:
            seen["the last record" if found.doubt.until == len(rows_of(evening)) else "one before"] += 1
            assert found.doubt.until > found.records
    assert seen["the last record"] >= 3


def test_the_command_says_it_in_words_and_figures(rows: Rows, tmp_path: Path) -> None:
    place = approval(rows)
    forged = list(rows)
    forged[place] = (*rows[place][:3], rows[place][3] + 1, *rows[place][4:])
    file = as_csv(forged, tmp_path / "copy.csv")
    done = pozo_run("journal", "verify", file, "--key", PUBLIC)
    assert done.exit_code == 1
    lines_ = done.output.splitlines()
    assert lines_[0].startswith(f"NOT GOOD at record {place + 1} (digest): ")
    figure = next(line for line in lines_ if line.strip().startswith("main.current"))
    assert figure.split() == ["main.current", "100025.00", "10000.00", "<-", "differs"]
    assert f"  award 1 (record {place + 1}): seat 2, straight_flush, 10002.50, not paid" in lines_
    assert f"  award 2 (record {place + 1}): seat 5, royal_flush, 90022.50, paid" in lines_
    answer = json.loads(pozo_run("journal", "verify", file, "--key", PUBLIC, "--json").output)
    assert (answer["good"], answer["bad"]["flaw"]) == (False, "digest")
    assert answer["doubt"]["awards"][0]["amount"] == 1_000_250


def test_the_command_takes_what_paper_has(evening: Path, rows: Rows, tmp_path: Path) -> None:
    (tmp_path / "filed").write_text(f"pozo-public-key ed25519 {PUBLIC}\n")
    short = " ".join(rows[4][-1][start : start + 4].upper() for start in range(0, 16, 4))
    done = pozo_run("journal", "verify", evening, "--key", tmp_path / "filed", "--head", f"5:{short}")
    assert done.exit_code == 0, done.output
    assert done.output.splitlines() == [
        f"good: {len(rows)} records, it has every record of the heads given",
        f"head {len(rows)}:{rows[-1][-1]}",
        f"key {PUBLIC}, from record 1 on: as filed, or signed by the key before it",
        "6 signatures, all good",
        f"signed up to record {len(rows) - 1} ("
        + " ".join(rows[-2][-1][start : start + 4] for start in range(0, 16, 4))
        + "); 0 records after it are not",
        "each record is what the rules in force make of the one before it",
    ]


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--key", "0123", "there is no 0123"),
        ("--key", "pozo.key", "keep that file to yourself"),
        ("--head", "5:0123", "at least the 16 that paper has"),
    ],
)
def test_wrong_use_says_what_is_right(
    evening: Path, tmp_path: Path, option: str, value: str, said: str
) -> None:
    (tmp_path / "pozo.key").write_text(f"pozo-private-key ed25519 {'1' * 64}\n")
    given = tmp_path / value if value == "pozo.key" else value
    done = pozo_run("journal", "verify", evening, option, given)
    assert done.exit_code == 2
    assert said in " ".join(done.output.split())


def test_our_formula_and_the_programs_give_the_same_chain(rows: Rows) -> None:
    previous = "0" * 64
    for row in rows:
        assert digest_of(previous, row) == row[-1]
        previous = row[-1]
