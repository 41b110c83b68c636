"""A win is told by the floor itself, before anybody asks; what is only said, and not so, changes nothing."""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from controller.floor import Moved
from controller.link.pump import ASK_NS, NEWS_NS
from tests.helpers_floor import Hall, hall
from tests.helpers_link_pots import LinkedTable, linked_table
from tests.helpers_linked import LINK, LINKED, RF

SOON_S = 20.0
"""For what comes at once, on a machine that may be busy."""


@pytest.fixture
def floor() -> Iterator[Hall]:
    with hall() as made:
        made.link(LINKED, name=LINK)
        yield made


@pytest.fixture
def tables(tmp_path: Path, floor: Hall) -> Iterator[tuple[LinkedTable, LinkedTable]]:
    """Two tables of the link that know its pot, with nothing left to say."""
    with ExitStack() as stack:
        one, other = (
            stack.enter_context(linked_table(tmp_path / name, floor, name)) for name in ("a-1", "b-2")
        )
        for table in (one, other):
            table.pass_seconds(3)
            table.wire.turn()
        while other.wire.pump.wait(0.0) and due_in(other) < ASK_NS // 2:
            other.wire.turn()
        yield one, other


def due_in(table: LinkedTable) -> int:
    """When the next turn is due, in nanoseconds from now."""
    return table.wire.pump.turn() - table.wire.clock.monotonic_ns()


def ask(table: LinkedTable) -> None:
    """Let the time come at which the next turn is due, and turn."""
    table.wire.turn()
    table.wire.pump.turn()


def until_due_in(table: LinkedTable, most_ns: int) -> None:
    """Listen until a turn is due as soon as that."""
    end = time.monotonic() + SOON_S
    while due_in(table) > most_ns:
        assert time.monotonic() < end, "no word of the floor's made it due"
        assert table.wire.pump.wait(SOON_S)


def test_a_win_at_one_table_reaches_the_other_before_it_asks(
    floor: Hall, tables: tuple[LinkedTable, LinkedTable]
) -> None:
    """It is asked within 0.2 s of its last question, and not after the second that it would have let pass."""
    one, other = tables
    began = other.wire.clock.monotonic_ns()
    one.win({3: RF})
    one.pass_seconds(2)
    assert floor.one("SELECT count(*) FROM pozo.claims") == 1
    until_due_in(other, NEWS_NS)
    ask(other)
    assert [(each.amount, each.wins) for each in other.said] == [(1_000_000, 1)]
    assert other.wire.clock.monotonic_ns() - began < ASK_NS


def test_a_correction_is_news_and_growth_is_not(floor: Hall, tables: tuple[LinkedTable, LinkedTable]) -> None:
    one, other = tables
    one.play(1, 2, 3)
    one.pass_seconds(3)
    floor.one("SELECT pg_notify('pozo_link', '{}')")
    assert other.wire.pump.wait(SOON_S)
    assert due_in(other) > NEWS_NS
    floor.one("SELECT pozo.correct_link(%s, 5000, 'counted', 'Ana', 'Luis')", LINK)
    until_due_in(other, NEWS_NS)
    ask(other)
    assert [each.amount for each in other.said] == [5_000]


@pytest.mark.parametrize(
    "payload",
    ["no json", "[" * 5_000, '{"link":"sala"}', '{"link":"other","current":0,"claims":9}', "null"],
)
def test_what_is_no_word_of_this_tables_link_is_passed_over(
    floor: Hall, tables: tuple[LinkedTable, LinkedTable], payload: str
) -> None:
    _, other = tables
    floor.one("SELECT pg_notify('pozo_link', %s)", payload)
    assert other.wire.pump.wait(SOON_S)
    assert due_in(other) > NEWS_NS
    assert not other.wire.pump.trouble


def test_a_false_word_makes_the_link_ask_and_no_more_often_than_five_times_a_second(
    floor: Hall, tables: tuple[LinkedTable, LinkedTable]
) -> None:
    """Any login may say that the pot was won: what the table hears is the floor's answer."""
    _, other = tables
    began = other.wire.clock.monotonic_ns()
    for times in range(1, 4):
        floor.one("SELECT pg_notify('pozo_link', %s)", f'{{"link":"{LINK}","current":1,"claims":{times}}}')
        until_due_in(other, NEWS_NS)
        ask(other)
    assert [(each.amount, each.wins) for each in other.said] == [(10_000_000, 0)]
    assert other.wire.clock.monotonic_ns() - began >= 2 * NEWS_NS


def test_a_line_that_breaks_while_it_listens_is_told_and_made_anew(
    floor: Hall, tables: tuple[LinkedTable, LinkedTable]
) -> None:
    _, other = tables
    floor.rows("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'b-2'")
    assert other.wire.pump.wait(SOON_S)
    assert "does not answer" in other.wire.pump.trouble
    assert not other.wire.pump.wait(SOON_S), "nothing can be heard, nothing is waited for"
    other.pass_seconds(5)
    assert (other.wire.pump.trouble, [each.amount for each in other.said]) == ("", [10_000_000])


def test_a_word_that_came_during_a_call_is_heard_after_it(floor: Hall) -> None:
    with floor.table("a-1") as listening:
        listening.listen()
        floor.one('SELECT pg_notify(\'pozo_link\', \'{"link":"sala","current":7,"claims":1}\')')
        listening.head()
        assert listening.heard(SOON_S) == (Moved("sala", 7, 1),)
        assert listening.heard(0.0) == ()
