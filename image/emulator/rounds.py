"""A new table from its first start to a whole round, and power taken away in the middle of others."""

import random
import time
from collections.abc import Callable

from emulator.bench import Bench
from emulator.guest import Guest, GuestError
from emulator.table import JOURNAL, Last, Table

Say = Callable[[str], None]


def expect(right: bool, what: str) -> None:
    """Raise `GuestError` with `what`, where it is not as it must be."""
    if not right:
        raise GuestError(f"not as it must be: {what}")


def first_start(bench: Bench, say: Say) -> None:
    """A flashed card: it grows, brings the file in, is commissioned at the table, opened, and plays a whole round."""
    bench.new_card()
    with bench.life() as guest:
        say(f"first start: the agent answers after {guest.wait():.0f} s")
        table = bench.table(guest)
        say(f"first start: READY after {table.ready():.0f} s")
        grown(guest, say)
        no_strangers(guest)
        table.commission()
        table.persons()
        table.open()
        say(f"first start: commissioned and open after {time.monotonic() - guest.began:.0f} s")
        whole_round(table)
        say(f"first start: a whole round, {table.verify().strip().splitlines()[-1]}")
        switch_off(guest)
    sign = guest.sign.read_bytes()
    expect(
        sign.startswith(b"\x04\0\0\0\0\0") and sign.lstrip(b"\x04\0").startswith(b"\x01Z"),
        f"the sign heard something before its first frame: {sign[:60]!r}",
    )
    say(f"the sign's cable: {len(sign)} bytes, the first of them the table's own frame")


def grown(guest: Guest, say: Say) -> None:
    """The data partition has taken the rest of the card."""
    total = int(guest.told("findmnt", "-bno", "SIZE", "/data"))
    expect(total > 2 << 30, f"/data has {total} bytes")
    say(f"data partition: {total >> 20} MiB")


def no_strangers(guest: Guest) -> None:
    """No shell from outside, no login on a port, a root that cannot be written, nothing failed."""
    expect(
        guest.run("systemctl", "is-active", "pozo-ssh").code != 0,
        "SSH runs without a key on the boot partition",
    )
    expect(
        "getty" not in guest.told("systemctl", "list-units", "--no-legend", "--type=service", "*getty*"),
        "there is a getty",
    )
    expect(guest.run("touch", "/usr/written").code != 0, "the root can be written")
    expect(guest.run("test", "-s", "/etc/machine-id").code in {0, 1}, "the guest answers")
    failed = guest.told("systemctl", "--failed", "--no-legend", "--plain")
    expect(not failed.strip(), f"units have failed: {failed}")


def whole_round(table: Table) -> None:
    """Chips, COIN IN, GAME OVER; each lamp is looked at."""
    before = last(table)
    table.chips([1, 3, 5])
    table.until(lambda: last(table).bets == {1, 3, 5}, "the three wagers")
    table.press("coin_in")
    table.until_phase("locked")
    table.until(lambda: table.burning() == {1, 3, 5}, "three accepted lamps")
    table.press("game_over")
    table.until_phase("open")
    expect(last(table).round == before.round + 1, "GAME OVER begins the next round")


def switch_off(guest: Guest) -> None:
    """In order, and wait until the board is off."""
    guest.run("systemctl", "--no-block", "poweroff")
    guest.ended()


def last(table: Table) -> Last:
    """The last record of a table that has one. Raises `GuestError`."""
    found = table.last()
    if found is None:
        raise GuestError("the table has no journal")
    return found


def cuts(bench: Bench, count: int, say: Say, seed: int = 1) -> None:
    """Take the power away `count` times in all, each in the middle of a round, and look what comes back.

    What was done is kept: called again it goes on where it stopped.
    """
    while (number := bench.noted("cuts") + 1) <= count:
        chance = random.Random(f"{seed}/{number}")  # noqa: S311, which moment is no secret
        with bench.life() as guest:
            guest.wait()
            table = bench.table(guest)
            say(f"  plays {table.playing():.0f} s after power on")
            came_back(bench, table, say)
            known = interrupted(table, chance)
        say(
            f"cut {number}: {known.phase}, round {known.round}, wagers {sorted(known.bets) or '-'}, record {known.seq}"
        )
        remember(bench, known)
        bench.note("cuts", number)
    with bench.life() as guest:
        guest.wait()
        table = bench.table(guest)
        say(f"  plays {table.playing():.0f} s after power on")
        came_back(bench, table, say)
        switch_off(guest)


PHASES = ("closed", "open", "locked", "award_pending", "test")


def remember(bench: Bench, known: Last) -> None:
    """What was seen before the cut, for the next start."""
    bench.note("seq", known.seq)
    bench.note("phase", PHASES.index(known.phase))
    bench.note("round", known.round)
    bench.note("bets", sum(1 << seat for seat in known.bets))


def came_back(bench: Bench, table: Table, say: Say) -> None:
    """Nothing that was seen is lost: record, phase, round and wagers stand, lamps burn, the journal is whole."""
    seq = bench.noted("seq")
    if not seq:
        return
    now = last(table)
    bets = frozenset(seat for seat in range(1, 8) if bench.noted("bets") >> seat & 1)
    expect(now.seq > seq, f"record {seq} was seen, and now the last is {now.seq}")
    answer = table.guest.told("/usr/bin/python3", "-c", BEFORE_START, JOURNAL).split()
    stored, phase, number = int(answer[0]), answer[1], int(answer[2])
    stored_bets = frozenset(int(seat) for seat in answer[3:])
    expect((now.phase, now.round, now.bets) == (phase, number, stored_bets), "the start changed the round")
    if stored == seq:
        expect(
            (phase, number) == (PHASES[bench.noted("phase")], bench.noted("round")), "another phase came back"
        )
        expect(stored_bets == bets, f"wagers {sorted(bets)} were stored, {sorted(stored_bets)} came back")
    if phase == "locked":
        table.until(lambda: table.burning() == stored_bets, "the lamps of the stored wagers")
    expect(table.burning() <= stored_bets, "a lamp burns for no stored wager")
    said = table.verify().strip().splitlines()[-1]
    say(f"  back: {phase}, round {number}, wagers {sorted(stored_bets) or '-'}; {said}")


BEFORE_START = """
import json, sqlite3, sys
base = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
seq = base.execute("SELECT max(seq) FROM journal WHERE kind = 'started'").fetchone()[0] - 1
state = json.loads(base.execute("SELECT state FROM journal WHERE seq = ?", (seq,)).fetchone()[0])
bets = [n for n, seat in enumerate(state["seats"], 1) if seat.get("wager", "none") != "none"]
print(seq, state["phase"], state.get("round", 1), *bets)
"""


def interrupted(table: Table, chance: random.Random) -> Last:
    """Play on from any phase, to a moment that chance chooses; the last record seen before the power goes."""
    if last(table).phase == "locked" and chance.random() < 0.7:
        table.press("game_over")
        table.until_phase("open")
    seats = chance.sample(range(1, 8), chance.randint(1, 7))
    moment = chance.choice(("chips", "open", "lock", "locked", "end"))
    if last(table).phase == "open":
        table.chips(seats)
        if moment != "chips":
            table.until(lambda: bool(last(table).bets), "the wagers")
        if moment in {"lock", "locked", "end"}:
            table.press("coin_in")
        if moment in {"locked", "end"}:
            table.until_phase("locked")
    if moment == "end":
        table.press("game_over")
    known = last(table)
    time.sleep(chance.uniform(0.0, 0.5))
    return known
