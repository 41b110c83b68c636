"""Reports of the floor, worked out by hand, and their reconciliation with a journal to the unit."""

import csv
from collections.abc import Iterator
from contextlib import closing
from datetime import date
from fractions import Fraction
from math import comb
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.core import events as ev
from controller.core.game import Hand
from controller.drill.play import settings_of
from controller.drill.world import World
from controller.floor import Floor, link_rules
from controller.floor.bands import bands, interval
from controller.floor.figures import Figures, figures
from controller.floor.labels import LABELS
from controller.floor.office import House, Office
from controller.floor.page import csv_lines, html_page
from controller.floor.reconcile import reconcile
from controller.journal.read import page
from controller.slips.day import Span
from controller.slips.shift import shift_report
from tests.helpers_cli import pozo_run
from tests.helpers_floor import SECOND_NS, WALL_NS, Hall, Player, hall, joined, report_all
from tests.helpers_game import GAME, key
from tests.helpers_world import act, chip, powered, press
from tests.helpers_world import key as key_at_table

TABLE, OTHER = "mvd-07", "mvd-08"
HOUSE = House("Casino", "UTC", "08:00")


@pytest.fixture
def made() -> Iterator[Hall]:
    with hall() as found:
        Office(found.owner).init(HOUSE)
        yield found


def evening(made: Hall) -> Player:
    """Three wagers, one voided, a flush paid; one wager and a straight flush, unpaid; one late and one excess chip."""
    player = Player(TABLE)
    floor = joined(made, player)
    player.do(ev.ChipDropped(10, 1), ev.ChipDropped(11, 1), ev.ChipDropped(12, 2), ev.ChipDropped(13, 3))
    player.do(ev.CoinInPressed(20), ev.ChipDropped(25, 5), key(on=True))
    player.do(ev.SeatVoided(26, 3, ev.Reason.NO_ANTE), key(on=False))
    player.won({1: Hand.FLUSH}, "a")
    player.do(ev.AwardPaid(50, 1, ev.Payment.CASH, signed=True))
    player.end()
    player.lock(4)
    claim = player.won({4: Hand.STRAIGHT_FLUSH}, "b")
    player.end()
    report_all(floor, player.rows)
    floor.claim(claim)
    floor.close()
    return player


def all_of(office: Office, player: Player, **only: str) -> Figures:
    return figures(office, WALL_NS, WALL_NS + (len(player.rows) + 1) * SECOND_NS, **only)


def test_a_report_says_what_happened(made: Hall) -> None:
    """4 wagers of 10.00; own pot 100,000.00 + 20.00 - 10,002.00; the link the same, by its own claim."""
    player = evening(made)
    office = Office(made.owner)
    found = all_of(office, player)
    (table,) = found.tables
    assert (table.rounds, table.wagers, table.wagered, table.to_links, table.refunds) == (
        2,
        4,
        4_000,
        4_000,
        1_000,
    )
    assert (table.awards, table.awarded, table.house_awards) == (2, 50_000 + 1_000_200, 50_000)
    assert (table.paid, table.unpaid, table.late, table.excess) == (50_000, 1_000_200, 1, 1)
    assert (table.contributed, table.pots, table.reserves) == (2_000, 10_002_000 - 1_000_200, 0)
    assert table.liability == 10_002_000 - 1_000_200 + 1_000_200
    assert (table.first, table.last, table.differences) == (1, len(player.rows), ())
    (link,) = found.links
    assert (link.staked, link.contributed, link.claims) == (4_000, 2_000, 1)
    assert (link.won, link.current) == (1_000_200, 9_001_800)
    assert (link.liability, link.imbalance) == (9_001_800, 0)
    assert found.sound


def test_spans_that_touch_share_no_record_and_lose_none(made: Hall) -> None:
    player = evening(made)
    office = Office(made.owner)
    whole = all_of(office, player).tables[0]
    cut = WALL_NS + 12 * SECOND_NS
    one = figures(office, WALL_NS, cut).tables[0]
    two = figures(office, cut, WALL_NS + 1000 * SECOND_NS).tables[0]
    assert (one.last + 1, one.first, two.last) == (two.first, 1, len(player.rows))
    for name in ("rounds", "wagered", "to_links", "refunds", "awards", "awarded", "paid", "late", "excess"):
        assert getattr(one, name) + getattr(two, name) == getattr(whole, name), name
    assert figures(office, WALL_NS + 1000 * SECOND_NS, WALL_NS + 1001 * SECOND_NS).tables == ()


def test_a_report_on_one_table_or_one_link_leaves_the_others_out(made: Hall) -> None:
    made.link()
    player = evening_of_two(made)
    office = Office(made.owner)
    assert [table.table_id for table in all_of(office, player).tables] == [TABLE, OTHER]
    one = all_of(office, player, table_id=OTHER)
    assert ([table.table_id for table in one.tables], one.links) == ([OTHER], ())
    linked = all_of(office, player, link="main")
    assert [table.table_id for table in linked.tables] == [TABLE]
    assert [link.link for link in linked.links] == ["main"]


def evening_of_two(made: Hall) -> Player:
    player = Player(TABLE)
    joined(made, player).close()
    with made.table(OTHER) as floor:
        report_all(floor, Player(OTHER).rows)
    return player


def test_rows_altered_at_the_floor_do_not_pass_for_a_report(made: Hall) -> None:
    made.link()
    player = evening(made)
    made.rows("UPDATE pozo.rounds SET staked = staked + 1 WHERE round = 1 RETURNING 1")
    found = all_of(Office(made.owner), player)
    assert found.tables[0].differences == ("in_meter: 4000 by the meters, 4001 by the rows",)
    assert not found.sound


@pytest.fixture(autouse=True)
def a_link(request: pytest.FixtureRequest) -> None:
    """Most of these need one."""
    if (
        "made" in request.fixturenames
        and "link" not in request.node.name
        and "rows_altered" not in request.node.name
    ):
        request.getfixturevalue("made").link()


def test_chips_declared_stand_beside_those_expected(made: Hall) -> None:
    """Of several counts of a day the newest counts; of another day none.

    The evening is at 00:53 of the 30th, and the day begins at 08:00: its chips are those of the 29th.
    """
    player = evening(made)
    office = Office(made.owner)
    day = date(2026, 11, 29)
    for chips, when in ((9, day), (4, day), (1, day.replace(year=2020))):
        office.enter_chips(TABLE, when, chips, "Eva")
    table = all_of(office, player).tables[0]
    assert (table.wagers, table.chips_declared) == (4, 4)


def test_the_files_say_the_same_as_the_figures(made: Hall) -> None:
    player = evening(made)
    office = Office(made.owner)
    office.enter_reading("main", None, "main", 9_001_801, "Eva <b>")
    now = made.one("SELECT (extract(epoch FROM clock_timestamp()) * 1000000000)::bigint")
    found = figures(office, WALL_NS, max(int(str(now)), WALL_NS + 1000 * SECOND_NS))
    cells = {tuple(row[:3]): row[3] for row in csv.reader(csv_lines(found).splitlines())}
    assert cells["table", TABLE, "wagered"] == "40.00"
    assert cells["table", TABLE, "awarded"] == "10502.00"
    assert cells["link", "main", "current"] == "90018.00"
    assert cells["link", "main", "imbalance"] == "0"
    assert cells["link", "main", "contributed"] == cells["table", TABLE, "contributed"] == "20.00"
    assert cells["reading", "main", "main"].startswith("shown 90018.01, known 90018.00, by Eva <b>")
    for language, word in (("es", "Pozos enlazados"), ("en", "Linked pots")):
        html = html_page(found, language)
        for text in (word, "90018.00", "90018.01", "0.01", "10502.00", TABLE):
            assert text in html
        assert "<b>" not in html
        assert player.table_id in html
    assert all(all(words) for words in LABELS.values())


def test_the_report_command_writes_new_files_only(made: Hall, tmp_path: Path) -> None:
    evening(made)
    where = made.cluster.conninfo(made.database)
    shift = ("2026-11-29T08:00", "2026-11-30T08:00")
    done = pozo_run("floor", "report", "--shift", *shift, "--floor", where)
    assert done.exit_code == 0, done.output
    assert f"table,{TABLE},wagered,40.00" in done.output
    html = tmp_path / "informe.html"
    for expected in (0, 1):
        done = pozo_run("floor", "report", "--shift", *shift, "--html", html, "--floor", where)
        assert done.exit_code == expected, done.output
    assert "Informe de sala" in html.read_text(encoding="utf-8")
    assert pozo_run("floor", "report", "--floor", where).exit_code == 2
    assert pozo_run("floor", "report", "--shift", *reversed(shift), "--floor", where).exit_code == 2
    by_day = pozo_run("floor", "report", "--day", "2026-11-29", "--floor", where)
    assert f"table,{TABLE},wagered,40.00" in by_day.output
    assert TABLE not in pozo_run("floor", "report", "--day", "2026-11-30", "--floor", where).output


def played(world: World) -> None:
    """A real table's evening: chips, COIN IN, a void, a win paid, GAME OVER; twice."""
    chip(world, 1, 2, 3, 3)
    press(world, ev.Button.COIN_IN)
    key_at_table(world, ev.Key.SUPERVISOR, on=True)
    act(world, ev.SeatVoided(at(world), 2, ev.Reason.NO_ANTE))
    act(world, ev.AwardClaimed(at(world), 1, Hand.STRAIGHT_FLUSH))
    act(world, ev.AwardsApproved(at(world)))
    act(world, ev.AwardPaid(at(world), 1, ev.Payment.CASH, signed=True))
    press(world, ev.Button.GAME_OVER)
    chip(world, 4)
    press(world, ev.Button.COIN_IN)
    press(world, ev.Button.GAME_OVER)


def at(world: World) -> int:
    return world.clock.monotonic_ns()


def reported(made: Hall, world: World) -> Floor:
    """The world's journal at the floor, its table a member of a link by its own rules."""
    settings_ = world.settings
    rules = link_rules(settings_.game, "main")
    made.one("SELECT pozo.create_link('own', %s, %s, 'Ana', 'Luis')", rules.text, rules.digest)
    floor = made.table(settings_.table_id)
    made.one("SELECT pozo.admit('own', %s)", settings_.table_id)
    report_all(floor, page(world.medium.journal, 0))
    floor.join("own", rules.digest, 1)
    return floor


def test_a_real_journal_reconciles_to_the_unit_and_with_its_own_shift_report(made: Hall) -> None:
    with powered() as world:
        played(world)
        floor = reported(made, world)
        chip(world, 5)
        press(world, ev.Button.COIN_IN)
        office = Office(made.owner)
        found = reconcile(office, world.medium.journal, world.settings.table_id)
        assert found.agrees, found
        assert found.unreported > 0
        figures_ = {line.name: line.journal for line in found.lines}
        wager = world.settings.game.wager
        assert (figures_["rounds"], figures_["wagers"], figures_["wagered"]) == (2, 4, 4 * wager)
        assert (figures_["refunds"], figures_["awards"], figures_["excess"]) == (wager, 1, 1)
        assert [line.floor for line in found.lines if line.name.startswith("to link own")] == [4 * wager]
        report_all(floor, page(world.medium.journal, floor.head().seq))
        span = Span(0, 2**62)
        own = shift_report(world.medium.journal, span)
        (table,) = figures(office, *span).tables
        assert (table.wagers, table.wagered, table.refunds) == (own.wagers, own.wagered, own.refunds)
        assert (table.awarded, table.paid, table.unpaid) == (own.awarded, own.paid, own.unpaid)
        assert (table.liability, table.house_resets) == (own.liability, own.house_resets)
        floor.close()


def test_what_was_played_before_the_clock_was_set_is_in_the_floors_report_too(made: Hall) -> None:
    """As at the table: in the report that has the first date, and in none before it."""
    with closing(World(settings_of("simulated", {}))) as world:
        world.clock.trusted = False
        world.power_on(open_table=True)
        begin = world.clock.wall_ns()
        chip(world, 5)
        press(world, ev.Button.COIN_IN)
        press(world, ev.Button.GAME_OVER)
        world.clock.trusted = True
        chip(world, 5)
        press(world, ev.Button.COIN_IN)
        floor = reported(made, world)
        office, span = Office(made.owner), Span(begin, begin + 10**15)
        own = shift_report(world.medium.journal, span)
        (table,) = figures(office, *span).tables
        assert (own.first.seq, own.wagers) == (1, 2)
        assert (table.first, table.last, table.wagers) == (1, own.last.seq, 2)
        assert figures(office, 0, begin).tables == ()
        floor.close()


def test_a_journal_reconciles_while_its_link_reports(made: Hall) -> None:
    """Records that come in behind the first look are not compared: neither their rows nor their figures."""
    with powered() as world:
        played(world)
        floor = reported(made, world)
        chip(world, 5)
        press(world, ev.Button.COIN_IN)

        class Busy(Office):
            """An office with a link that reports behind each look."""

            def rows(self, query: str, *values: object) -> list[tuple[object, ...]]:
                found = super().rows(query, *values)
                report_all(floor, page(world.medium.journal, floor.head().seq))
                return found

        before = floor.head().seq
        found = reconcile(Busy(made.owner), world.medium.journal, world.settings.table_id)
        assert floor.head().seq > before
        assert found.agrees, found
        assert found.compared == before
        floor.close()


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ("UPDATE pozo.rounds SET staked = staked + 1 WHERE round = 1 RETURNING 1", "wagered"),
        ("DELETE FROM pozo.seats WHERE what = 'excess' RETURNING 1", "excess"),
        ("UPDATE pozo.awards SET paid_seq = NULL RETURNING 1", "awards paid"),
        ("UPDATE pozo.contributions SET staked = staked + 1 RETURNING 1", "to link own, records 2 to"),
    ],
)
def test_one_unit_of_difference_is_found(made: Hall, change: str, name: str) -> None:
    with powered() as world:
        played(world)
        reported(made, world).close()
        made.rows(change)
        found = reconcile(Office(made.owner), world.medium.journal, world.settings.table_id)
        assert not found.agrees
        assert next(line.name for line in found.lines if line.journal != line.floor).startswith(name)
        where = made.cluster.conninfo(made.database)
        done = pozo_run(
            "floor",
            "reconcile",
            "--journal",
            world.medium.journal,
            "--table",
            world.settings.table_id,
            "--floor",
            where,
        )
        assert done.exit_code == 1
        assert "DIFFERS" in done.output


def test_a_journal_older_than_what_was_reported_is_no_match(made: Hall, tmp_path: Path) -> None:
    """The third witness: yesterday's copy of the card stands beside what the floor was told since."""
    with powered() as world:
        played(world)
        old = tmp_path / "old.db"
        old.write_bytes(copied(world))
        chip(world, 6)
        reported(made, world).close()
        found = reconcile(Office(made.owner), old, world.settings.table_id)
        assert "older than what was reported" in found.flaw
        assert not found.agrees


def copied(world: World) -> bytes:
    """A copy of the journal as SQLite makes one."""
    import sqlite3

    with sqlite3.connect(world.medium.journal) as source, sqlite3.connect(":memory:") as target:
        source.backup(target)
        data: bytes = target.serialize()
    source.close()
    target.close()
    return data


def test_a_record_changed_at_the_floor_is_named(made: Hall) -> None:
    with powered() as world:
        played(world)
        reported(made, world).close()
        made.rows("UPDATE pozo.records SET digest = 'x' WHERE seq = 7 RETURNING 1")
        found = reconcile(Office(made.owner), world.medium.journal, world.settings.table_id)
        assert found.flaw == "record 7 is another one at the floor, or missing"


@settings(max_examples=60, deadline=None)
@given(trials=st.integers(0, 120), parts=st.integers(1, 99))
def test_the_band_is_the_binomials_own(trials: int, parts: int) -> None:
    """Summed up with whole numbers: fewer than the least, and more than the most, have under 0.135 % each."""
    p = Fraction(parts, 100)
    chances = [comb(trials, k) * p**k * (1 - p) ** (trials - k) for k in range(trials + 1)]
    tail = Fraction(135, 100_000)
    least, most = interval(trials, p)
    assert sum(chances[:least]) < tail <= sum(chances[: least + 1])
    assert sum(chances[most + 1 :]) <= tail
    assert most == least or sum(chances[most:]) > tail


def test_a_band_knows_the_cards() -> None:
    """Of 2,598,960 hands 5,112 are a flush where A-2-3-4-5 is none: as many wagers have that mean."""
    by_hand = {
        band.hand: band for band in bands(GAME, 2_598_960, {Hand.FLUSH: 5_112, Hand.FULL_HOUSE: 9_000})
    }
    flush = by_hand[Hand.FLUSH]
    assert flush.mean == Fraction(5_112)
    assert flush.inside
    assert 5_112 - flush.least == pytest.approx(3 * 5_112**0.5, rel=0.02)
    assert flush.most - 5_112 == pytest.approx(3 * 5_112**0.5, rel=0.02)
    assert not by_hand[Hand.FULL_HOUSE].inside
    assert bands(msgspec.structs.replace(GAME, dealt=3), 10, {}) == ()
