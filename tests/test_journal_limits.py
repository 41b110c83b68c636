"""The journal at the edge of every limit: pages, dates, heads, and the log's own counting."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from controller.core import events as ev
from controller.journal import (
    Head,
    Journal,
    JournalIOError,
    schema,
)
from controller.journal.chain import GENESIS
from controller.journal.errors import (
    AlreadyCommissionedError,
)
from controller.journal.read import (
    DATED_ROWS,
    DOUBTED,
    PAGE_ROWS,
    _dates_before,
    count,
    ends_of,
    last_date,
    newest_first,
    page,
    readable_after,
    recent,
    records,
    row_at,
    rows,
    rows_from,
)
from controller.journal.record import Entry, Row
from controller.journal.verify import STEP_RECORDS, Flaw, Walk, verify
from controller.journal.wal import Wal
from tests.helpers_table import (
    TABLE,
    WALL_NS,
    a_round,
    a_table,
    chip,
    commissioning,
    filled,
    laid_out,
    new_journal,
)


def plain(numbers: Iterator[int] | range, trusted: int = 1) -> list[Row]:
    """Rows that are rows, though no records."""
    return [(seq, 1, seq, seq % 10**9 * 10, trusted, "x", "{}", "[]", "{}", "d") for seq in numbers]


def stored(path: Path, found: list[Row]) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executemany(schema.INSERT_SQL, found)


@pytest.mark.parametrize("many", [1, PAGE_ROWS - 1, PAGE_ROWS, PAGE_ROWS + 1, 2 * PAGE_ROWS])
def test_all_rows_come_page_by_page_also_false_numbers(tmp_path: Path, many: int) -> None:
    path = laid_out(tmp_path)
    stored(path, [*plain(range(-2, 0)), *plain(range(1, many + 1))])
    with closing(sqlite3.connect(path)) as connection:
        assert [row[0] for row in rows(connection)] == [-2, -1, *range(1, many + 1)]
        assert [row[0] for row in rows_from(connection, many)] == [many]
        assert list(rows_from(connection, many + 1)) == []
        assert row_at(connection, many) == plain(range(many, many + 1))[0]
        assert row_at(connection, many + 1) is None


def test_the_last_possible_number_ends_a_read(tmp_path: Path) -> None:
    path = laid_out(tmp_path)
    stored(path, plain(range(2**63 - 1, 2**63)))
    with closing(sqlite3.connect(path)) as connection:
        assert [row[0] for row in rows(connection)] == [2**63 - 1]


def test_a_follower_reads_on_after_a_number_and_no_further_than_a_page(tmp_path: Path) -> None:
    path = laid_out(tmp_path)
    stored(path, plain(range(1, PAGE_ROWS + 6)))
    assert [row[0] for row in page(path, 3, 2)] == [4, 5]
    assert [row[0] for row in page(path, 4)] == list(range(5, PAGE_ROWS + 5))
    assert page(path, PAGE_ROWS + 5) == []


@pytest.mark.parametrize(("dated", "found"), [(6, 60), (5, None)])
def test_the_newest_date_is_looked_for_so_far_back_and_no_further(
    tmp_path: Path, dated: int, found: int | None
) -> None:
    """The last of 20,005 records is number 20,005; 20,000 back from it is number 6."""
    path = laid_out(tmp_path)
    assert DATED_ROWS == 20_000
    stored(
        path,
        [*plain(range(1, dated), 0), *plain(range(dated, dated + 1)), *plain(range(dated + 1, 20_006), 0)],
    )
    assert last_date(path) == found


def test_the_newest_of_several_dates_counts(tmp_path: Path) -> None:
    path = laid_out(tmp_path)
    stored(path, [*plain(range(1, 4)), *plain(range(4, 6), 0)])
    assert last_date(path) == 30


def test_what_was_dated_before_a_doubt_counts_no_more(tmp_path: Path) -> None:
    """Dates from the first record on: 900 and then 500, which was doubted; after that 45 and 40."""
    path = laid_out(tmp_path)
    dates = (900, 500, 45, 40)
    found = [(*row[:3], wall, *row[4:]) for row, wall in zip(plain(range(1, 5)), dates, strict=True)]
    found[1] = (*found[1][:8], f'{{"fault":{{{DOUBTED}}}}}', "d")
    stored(path, found)
    assert last_date(path) == 45
    assert DOUBTED == '"code":"clock_doubted"'


def beyond_memory(_: bytes) -> str:
    raise MemoryError


@pytest.mark.parametrize("text", [str, bytes.decode, beyond_memory])
def test_dates_end_at_what_cannot_be_read(text: Callable[[bytes], str]) -> None:
    """The date of record 2 is a text of bytes that are none, or as long as no memory: 3 is read, 1 not any more."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.text_factory = text
        connection.execute("CREATE TABLE journal(seq INTEGER PRIMARY KEY, wall_ns, wall_trusted, state)")
        connection.execute("INSERT INTO journal VALUES (1,10,1,''),(2,CAST(x'ff' AS TEXT),1,''),(3,30,1,'')")
        assert _dates_before(connection, 4) == [30]


def test_what_is_behind_the_damage_is_found_whatever_session_a_record_says(tmp_path: Path) -> None:
    """Record 5 of nine cannot be read; record 3 says it is of session 1,000,000."""
    path = filled(tmp_path, 2)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE journal SET boot=1000000 WHERE seq=3")
        connection.execute("UPDATE journal SET kind=CAST(x'c3ff' AS TEXT) WHERE seq=5")
        assert [record.seq for record in readable_after(connection, 1)] == [2, 3, 4, 9, 8, 7, 6]


def test_records_are_found_by_the_kind_of_event_or_result(tmp_path: Path) -> None:
    """Record 1 commissions; of each round 2 and 3 are chips, 4 COIN IN, 5 GAME OVER."""
    path = filled(tmp_path, 3)
    assert [record.seq for record in records(path)] == list(range(1, 14))
    assert [record.seq for record in recent(path, 3)] == [11, 12, 13]
    assert [record.seq for record in recent(path, 3, "chip_dropped")] == [7, 10, 11]
    assert [record.seq for record in recent(path, 9, "round_locked")] == [4, 8, 12]
    assert [record.seq for record in newest_first(path, ("coin_in_pressed", "commissioned"))] == [12, 8, 4, 1]
    assert [count(path, kind) for kind in ("chip_dropped", "wager_placed", "round_locked", "award_paid")] == [
        6,
        6,
        3,
        0,
    ]
    assert [record.seq for record in ends_of(path)] == [1, 13]


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with closing(new_journal(tmp_path)) as made:
        yield made


def test_the_log_in_use_is_counted_by_its_frames(journal: Journal) -> None:
    """A frame is 24 bytes and a page of 2,048; the file begins with 32."""
    counted = []
    with closing(Wal(journal.path)) as wal:
        journal.append((chip(1),), WALL_NS, wall_trusted=True)
        for number in range(2, 6):
            counted.append((journal.wal_bytes() - 32) / 2_072)
            assert wal.used_bytes() == journal.wal_bytes()
            journal.append((chip(number),), WALL_NS, wall_trusted=True)
        assert all(found == int(found) for found in counted)
        assert sorted(set(counted)) == counted
        assert wal.reserved
        before = wal.path.read_bytes()
        wal.write_again()
        assert wal.path.read_bytes() == before
        assert len(before) == schema.RESERVE_BYTES


def test_a_log_that_has_just_begun_or_is_short_is_not_in_use(tmp_path: Path) -> None:
    journal = tmp_path / "pozo.db"
    log = tmp_path / "pozo.db-wal"
    log.write_bytes(b"x" * 31)
    with closing(Wal(journal)) as wal:
        assert (wal.used_bytes(), wal.reserved) == (0, False)
        wal.reserve()
        assert (wal.reserved, log.stat().st_size) == (True, 1_048_576)
        assert log.read_bytes() == b"x" * 31 + bytes(1_048_576 - 31)
        log.write_bytes(log.read_bytes()[:-1])
        assert not wal.reserved
        log.write_bytes(b"y" * 1_048_577)
        wal.reserve()
        assert log.read_bytes() == b"y" * 1_048_577


def test_a_journal_knows_its_own_heads(journal: Journal) -> None:
    journal.append(a_round(1), WALL_NS, wall_trusted=True)
    third = page(journal.path, 2, 1)[0]
    assert journal.holds(Head(0, GENESIS))
    assert not journal.holds(Head(0, "1" * 64))
    assert journal.holds(Head(3, third[-1]))
    assert not journal.holds(Head(3, "1" * 64))
    assert not journal.holds(Head(9, third[-1]))
    assert (journal.head, journal.row[0], journal.last.seq) == (Head(5, journal.row[-1]), 5, 5)
    journal.close()
    with pytest.raises(
        JournalIOError, match=r"stores nothing more in this session: .* was closed by this program"
    ):
        journal.holds(Head(0, GENESIS))
    with closing(Journal.open(journal.path, TABLE)) as again:
        assert (again.boot, again.row, again.last.seq) == (2, page(journal.path, 4, 1)[0], 5)


def test_a_seal_stands_behind_its_batch_in_the_same_transaction(tmp_path: Path) -> None:
    seen: list[Head] = []

    def seal(head: Head) -> Entry:
        seen.append(head)
        return Entry(ev.Stopped(9, "sealed"), (ev.Noted(),), a_table())

    path = tmp_path / "pozo.db"
    with closing(
        Journal.create(path, TABLE, commissioning(), WALL_NS, wall_trusted=False, seal=seal)
    ) as made:
        assert (made.head.seq, made.boot) == (2, 1)
        made.append(a_round(1), WALL_NS + 1, wall_trusted=True, seal=seal)
        assert (made.head.seq, made.last.kind, made.last.wall_ns) == (7, "stopped", WALL_NS + 1)
        found = page(path, 0)
    assert [(head.seq, head.digest) for head in seen] == [(1, found[0][-1]), (6, found[5][-1])]
    assert [(row[1], row[3], row[4]) for row in found[:3]] == [
        (1, WALL_NS, 0),
        (1, WALL_NS, 0),
        (1, WALL_NS + 1, 1),
    ]


@pytest.mark.parametrize("tail", ["", "-wal", "-shm"])
def test_a_recovery_makes_no_journal_beside_what_is_left_of_one(tmp_path: Path, tail: str) -> None:
    path = tmp_path / "pozo.db"
    path.with_name(f"pozo.db{tail}").touch()
    recovery = ev.JournalRecovered(
        50, TABLE, "digest", "{}", ev.Trusted.WITNESS, "gone", None, (), (), "Ana", "Luis", "a new card"
    )
    first = Entry(recovery, (ev.Recovered("open", 0),), a_table())
    with pytest.raises(AlreadyCommissionedError, match=f"pozo.db{tail} is there: it must be set aside"):
        Journal.create(path, TABLE, first, WALL_NS, wall_trusted=True)
    path.with_name(f"pozo.db{tail}").unlink()
    Journal.create(path, TABLE, first, WALL_NS, wall_trusted=True).close()
    assert ends_of(path).last.kind == "journal_recovered"


def test_a_long_proof_says_after_each_thousand_records_that_it_gets_on(journal: Journal) -> None:
    """Record 1 commissions; then 2,000 chips."""
    journal.append(tuple(chip(number) for number in range(1, 2_001)), WALL_NS, wall_trusted=True)
    steps: list[int] = []
    assert verify(journal.path, None, lambda: steps.append(1)).records == 2_001
    assert (len(steps), STEP_RECORDS) == (2, 1_000)


def test_a_walk_begins_behind_a_head_and_knows_what_paper_says(tmp_path: Path) -> None:
    found = page(filled(tmp_path, 2), 0)
    heads = [Head(row[0], row[-1]) for row in found]
    walk = Walk((Head(6, heads[5].digest[:16]), heads[8]), after=heads[3])
    assert walk.through(found[4:]) is None
    assert walk.verdict(None) == (verdict := Walk((), after=heads[8]).verdict(None))
    assert (verdict.records, verdict.head, verdict.bad) == (9, heads[8], None)
    late = Walk((Head(10, "ab"), Head(12, "cd")), after=heads[8]).verdict(None).bad
    assert late is not None
    assert (late.seq, late.flaw) == (10, Flaw.TRUNCATED)
    assert late.detail == "it ends at record 9; the head says there is a record 12"
    other = Walk((Head(6, "f" * 16),), after=heads[3]).through(found[4:])
    assert other is not None
    assert (other.seq, other.flaw, other.detail) == (
        6,
        Flaw.HEAD,
        f"its digest is {heads[5].digest}; the head says {'f' * 16}",
    )
