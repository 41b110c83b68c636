"""Two real tables, two real links and a real PostgreSQL: a win at one changes the sign of the other."""

import signal
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import NamedTuple

import pytest

from controller.config import load
from controller.core import events as ev
from controller.core.game import Hand
from controller.floor.office import Office
from controller.floor.reconcile import reconcile
from controller.journal import ends_of
from tests.helpers_cli import own_table, pozo_run
from tests.helpers_floor import Hall, hall
from tests.helpers_process import OPERATED, Bench, Running, chip, journal_of, opened_for_bets, pause, press
from tests.test_link_process import sending

LINK = "sala"
SLOW_S = 40.0
"""Two tables and two links start on a machine that may be busy."""


class Seated(NamedTuple):
    """A running table, its configuration and the person at it."""

    config: Path
    running: Running
    bench: Bench

    def sign(self) -> str:
        """What the sign says now."""
        said = [line.removeprefix("sign ") for _, line in self.bench.seen if line.startswith("sign ")]
        return said[-1] if said else ""

    def shows(self, amount: str) -> None:
        """Wait for an amount on the sign."""
        self.bench.until(
            lambda: amount in self.sign(), f"{amount} on the sign, which says {self.sign()}", SLOW_S
        )

    def win(self, seat: int, hand: Hand) -> None:
        """A round in which this seat alone plays, and wins."""
        chip(self.bench, seat)
        press(self.bench, "coin_in")
        self.bench.say("on supervisor")
        pause(self.bench, 100)
        self.running.operate(ev.AwardClaimed(0, seat, hand))
        self.bench.until(lambda: "bell" in self.bench.on, "the bell of a claim", SLOW_S)
        self.running.operate(ev.AwardsApproved(0))
        self.bench.until(lambda: "bell" not in self.bench.on, "the end of the bell", SLOW_S)
        self.bench.say("off supervisor")


def a_table(folder: Path, floor: Hall, name: str) -> Path:
    """The file of a table of the link, commissioned and opened for bets."""
    changes = {
        'id = "SIM-1"': f'id = "{name}"',
        "require_host = false": "require_host = true",
        'overflow_use = "next_reset"': f'overflow_use = "next_reset"\nlink = "{LINK}"',
        "[release]": (
            f'[link]\nfloor = "{floor.cluster.conninfo(floor.database, name)}"\n'
            f'socket = "{folder}/{name}.sock"\n\n[release]'
        ),
    }
    config = own_table(folder, changes, name)
    done = pozo_run("commission", "--turn-keys", "--config", config)
    assert done.exit_code == 0, done.output
    return opened_for_bets(config)


@pytest.fixture
def floor() -> Iterator[Hall]:
    with hall() as made:
        yield made


def office(floor: Hall, *words: object) -> None:
    """`pozo floor …` as the owner."""
    done = pozo_run("floor", *words, "--floor", floor.cluster.conninfo(floor.database))
    assert done.exit_code == 0, done.output


def test_a_win_at_one_table_changes_the_sign_of_the_other(tmp_path: Path, floor: Hall) -> None:
    names = ("mesa-a", "mesa-b")
    files = [a_table(tmp_path, floor, name) for name in names]
    persons = ("--supervisor", "Ana", "--technician", "Luis")
    office(floor, "link", "create", LINK, "--config", files[0], "--level", "main", *persons)
    for name in names:
        office(floor, "table", "add", name)
        office(floor, "link", "admit", LINK, name)
    with ExitStack() as stack:
        tables = [
            Seated(file, stack.enter_context(Running(file, bench, OPERATED)).ready(), bench)
            for file, bench in ((file, stack.enter_context(closing(Bench()))) for file in files)
        ]
        one, other = tables
        assert "FUERA DE SERVICIO" in one.sign(), "nothing is promised before the floor was heard"
        links = [stack.enter_context(sending(table.config)) for table in tables]
        for table in tables:
            table.shows("100.000,00")
            table.bench.until(lambda: "slots" in table.bench.on, "open slots", SLOW_S)  # noqa: B023, at once
        one.win(3, Hand.ROYAL_FLUSH)
        # Half of one wager of 10.00 is in the pot that is won; the reset is 10,000.00.
        one.shows("GANA $ 100.005,00")
        other.shows("10.000,00")
        assert "GANA" not in other.sign()
        press(one.bench, "game_over")
        other.win(5, Hand.STRAIGHT_FLUSH)
        other.shows("GANA $ 1.000,50")
        one.shows("9.004,50")
        press(other.bench, "game_over")
        for table in tables:
            table.running.process.send_signal(signal.SIGTERM)
            assert table.running.ended()[0] == 0
        one.bench.until(
            lambda: all(_arrived(floor, table) for table in tables), "all records at the floor", SLOW_S
        )
        for link in links:
            link.send_signal(signal.SIGTERM)
            assert link.wait(SLOW_S) == 0
    for table, name in zip(tables, names, strict=True):
        found = reconcile(Office(floor.owner), journal_of(table.config), name)
        assert found.agrees, found
        assert pozo_run("journal", "verify", "--config", table.config).exit_code == 0
    assert floor.sound(LINK)


def _arrived(floor: Hall, table: Seated) -> bool:
    name = load(str(table.config)).table_id
    last = ends_of(journal_of(table.config)).last.seq
    return floor.one("SELECT seq FROM pozo.heads WHERE table_id = %s", name) == last
