"""How the units behave under the image's own systemd: crashes, a bad file, a stopped process, an ordered stop."""

import re
from collections.abc import Callable
from functools import partial

from emulator.bench import Bench
from emulator.card import Fat
from emulator.guest import Guest
from emulator.rounds import expect, last, switch_off
from emulator.table import CONFIG, Table

Say = Callable[[str], None]

CRASHES = 8
UNITS = (
    "pozo-table.service",
    "pozo-console.service",
    "pozo-link@any.service",
    "pozo-backup.service",
    "pozo-print.service",
    "pozo-errand-backup.service",
    "pozo-errand-update.service",
    "pozo-update.service",
    "pozo-confirm.service",
)
"""Of the links any instance: those that are started are masked here."""

EXPOSED_MOST = 2.0
STOP_S = 3.5
"""An ordered stop has 3 s; half a second is the emulated service manager's."""


def behaviour(bench: Bench, say: Say) -> None:
    """All of it, in one life of the card that first_start left."""
    with bench.life() as guest:
        guest.wait()
        table = bench.table(guest)
        table.playing()
        exposure(guest, say)
        ordered_stop(table, say)
        stopped_process(table, say)
        crash_loop(table, say)
        bad_file(bench, table, say)
        table.verify()
        switch_off(guest)


def exposure(guest: Guest, say: Say) -> None:
    """What a unit could still do, as systemd judges it: 10 is everything."""
    for unit in UNITS:
        told = guest.run("systemd-analyze", "security", "--no-pager", unit, limit_s=240).out
        found = re.search(r"Overall exposure level for .*: ([0-9.]+)", told)
        level = float(found.group(1)) if found else 10.0
        say(f"exposure of {unit}: {level}")
        expect(level <= EXPOSED_MOST, f"{unit} is exposed at {level}")


def ordered_stop(table: Table, say: Say) -> None:
    """SIGTERM, as `systemctl stop` sends it."""
    took = timed(table.guest, "systemctl stop pozo-table.service")
    say(f"SIGTERM: stopped after {took:.1f} s, {last(table).kind}")
    expect(took <= STOP_S, f"an ordered stop took {took:.1f} s")
    expect(last(table).kind in {"stopped", "head_signed"}, f"the last record is {last(table).kind}")
    table.guest.told("systemctl", "start", "pozo-table.service", limit_s=300)
    table.playing()


def stopped_process(table: Table, say: Say) -> None:
    """A process that does nothing any more is ended by its watchdog and comes back by itself."""
    before = int(table.unit()["NRestarts"])
    table.guest.told("systemctl", "kill", "--signal=SIGSTOP", "--kill-whom=main", "pozo-table.service")
    table.until(lambda: int(table.unit()["NRestarts"]) > before, "the watchdog's end of a stopped process")
    took = table.until(lambda: table.unit()["ActiveState"] == "active", "READY after the watchdog")
    table.playing()
    told = table.guest.told("journalctl", "-b", "-u", "pozo-table", "-o", "cat", "-n", "30")
    expect("watchdog" in told.lower(), f"the watchdog is not named: {told}")
    say(f"SIGSTOP: the watchdog ended it, READY again {took:.0f} s later")


def crash_loop(table: Table, say: Say) -> None:
    """However often it dies, it is started again, and never left dead (F101)."""
    before = int(table.unit()["NRestarts"])
    for number in range(1, CRASHES + 1):
        table.until(lambda: table.unit()["MainPID"] != "0", "a process to kill")
        table.guest.run("systemctl", "kill", "--signal=SIGKILL", "pozo-table.service")
        table.until(partial(started_again, table, before + number), "the next start")
    table.playing()
    unit = table.unit()
    expect(unit["Result"] == "success", f"the unit ended with {unit}")
    say(f"crash loop: killed {CRASHES} times in a row, {unit['NRestarts']} starts, plays")


def started_again(table: Table, times: int) -> bool:
    """Whether the service manager has started it so often by itself."""
    return int(table.unit()["NRestarts"]) >= times


def bad_file(bench: Bench, table: Table, say: Say) -> None:
    """A file that cannot be used stops play but not the process, and repairing it is enough."""
    guest, seq = table.guest, last(table).seq
    guest.told("cp", CONFIG, "/run/good.toml")
    guest.told("sed", "-i", "s/^amount = .*/amount = ten/", CONFIG)
    guest.told("mount", "-o", "remount,rw", "/boot/firmware")
    guest.told("mv", "/boot/firmware/pozo/table.toml", "/boot/firmware/pozo/kept")
    guest.told("systemctl", "restart", "pozo-table.service", limit_s=300)
    table.until(lambda: table.unit()["ActiveState"] == "active", "the page that says why nothing is played")
    expect(
        last(table).kind != "started" or last(table).seq <= seq + 3, "it plays by a file that cannot be read"
    )
    said = guest.told("journalctl", "-b", "-u", "pozo-table", "-o", "cat", "-n", "12")
    expect("amount" in said, f"the key is not named: {said}")
    stopped_at = last(table).seq
    guest.told("cp", "/run/good.toml", CONFIG)
    guest.told("mv", "/boot/firmware/pozo/kept", "/boot/firmware/pozo/table.toml")
    guest.told("mount", "-o", "remount,ro", "/boot/firmware")
    took = table.until(lambda: last(table).seq > stopped_at, "play after the file was repaired")
    say(f"bad file: said why, played {took:.0f} s after it was repaired")
    expect(bool(Fat(bench.card, 1).read("pozo/table.toml")), "the file on the boot partition")


def timed(guest: Guest, command: str) -> float:
    """Seconds a command takes, by the guest's own clock."""
    told = guest.told("/bin/bash", "-c", f"a=$EPOCHREALTIME; {command} >&2; echo $a $EPOCHREALTIME")
    began, ended = map(float, told.replace(",", ".").split())
    return ended - began
