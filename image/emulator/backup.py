"""A backup onto a stick, asked for at the table's menu with both keys, and what is on the stick then."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from emulator.bench import Bench
from emulator.rounds import expect, last, switch_off
from emulator.table import JOURNAL, Table
from emulator.tools import tool

Say = Callable[[str], None]

STICK_MIB = 512


def new_stick(bench: Bench) -> Path:
    """An empty USB stick labelled POZO."""
    stick = bench.place / "stick.img"
    stick.unlink(missing_ok=True)
    with stick.open("wb") as file:
        file.truncate(STICK_MIB << 20)
    tool("mkfs.vfat", "-F", "32", "-n", "POZO", str(stick))
    return stick


def backed_up(bench: Bench, say: Say) -> None:
    """With both keys, at the menu of the closed table; what is on the stick then is looked at from outside."""
    stick = new_stick(bench)
    with bench.life() as guest:
        guest.wait()
        table = bench.table(guest)
        table.playing()
        closed(table)
        table.ask_backup()
        told = ended(table)
        expect(told.became == "no_stick", f"a backup without a stick became {told}")
        guest.plug(stick, writable=True)
        table.until(lambda: guest.run("findmnt", "/media/pozo").code == 0, "the stick at its place")
        table.ask_backup()
        told = ended(table)
        expect(told.became == "done", f"the backup became {told}")
        for key in ("technician", "supervisor"):
            table.key(key, False)
        table.open()
        switch_off(guest)
    listed = tool("mdir", "-b", "-/", "-i", str(stick), "::").decode()
    expect("/backup.json" in listed and "/journal.db" in listed, f"on the stick is {listed}")
    say(f"backup: asked for at the table, proven and on the stick: {told.note}")


def closed(table: Table) -> None:
    """Close the table, in whatever phase the last cut left it."""
    between_rounds(table)
    if last(table).phase == "open":
        table.close()


def between_rounds(table: Table) -> None:
    """End the round that the last cut left, if there is one."""
    if last(table).bets and last(table).phase == "open":
        table.press("coin_in")
        table.until_phase("locked")
    if last(table).phase == "locked":
        table.press("game_over")
        table.until_phase("open")


class Told(NamedTuple):
    """What the table says of its last errand."""

    seq: int
    became: str
    note: str


def ended(table: Table) -> Told:
    """Wait for the end of an errand. Raises `GuestError`."""
    before = last(table).seq

    def newest() -> Told:
        found = table.guest.told("/usr/bin/python3", "-c", ERRAND, JOURNAL).split(" ", 2)
        return Told(int(found[0]), found[1], found[2].strip())

    table.until(lambda: newest().seq >= before, "the end of the errand")
    return newest()


ERRAND = """
import json, sqlite3, sys
base = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
found = base.execute("SELECT seq, event FROM journal WHERE kind = 'errand_ended' ORDER BY seq DESC LIMIT 1").fetchone()
seq, event = found or (0, "{}")
event = json.loads(event)
print(seq, event.get("became", "-"), event.get("note", "-"))
"""
