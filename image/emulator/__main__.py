"""The command: `image/emulate`."""

import argparse
import os
import signal
import sys
import time
from pathlib import Path

from emulator.backup import backed_up
from emulator.behaviour import behaviour
from emulator.bench import ROOT, Bench
from emulator.card import CardError
from emulator.guest import GuestError
from emulator.hand import Hand
from emulator.rounds import cuts, first_start
from emulator.tools import ToolError
from emulator.updates import updates

BEGAN = time.monotonic()
PARTS = ("cuts", "behaviour", "backup", "updates")
POZO = ROOT / ".venv" / "bin" / "pozo"


def say(what: str) -> None:
    """Tell something, with the seconds since the beginning."""
    sys.stdout.write(f"{time.monotonic() - BEGAN:6.0f} s  {what}\n")
    sys.stdout.flush()


def cache() -> Path:
    """Where image/build leaves the image."""
    given = os.environ.get("POZO_CACHE")
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return (Path(given) if given else home / "pozo") / "image"


def asked(arguments: list[str]) -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(
        prog="image/emulate", description="Boot the image in QEMU and do to it what happens to a table."
    )
    parser.add_argument(
        "--image", type=Path, default=cache() / "pozo.img", help="the image (default: image/build's)"
    )
    parser.add_argument(
        "--work", type=Path, default=cache() / "emulated", help="a folder for card and consoles"
    )
    parser.add_argument(
        "--cuts", type=int, default=20, help="how often power is taken away in all (default: 20)"
    )
    parser.add_argument("--only", choices=PARTS, help="one of the parts after the first start")
    parser.add_argument(
        "--key", type=Path, default=cache() / "test" / "release.key", help="the image's release key"
    )
    parser.add_argument("--short", action="store_true", help="one start, one cut, nothing else")
    parser.add_argument(
        "--resume", action="store_true", help="go on with the card and the cuts of an earlier run"
    )
    parser.add_argument(
        "--by-hand", action="store_true", help="do what lines on standard input say (help lists them)"
    )
    parser.add_argument(
        "--table", type=Path, help="by hand: a table.toml of your own, put on the new card's boot partition"
    )
    parser.add_argument("--board", type=Path, help="by hand: the board's file that it names, put beside it")
    given = parser.parse_args(arguments)
    if (given.table or given.board) and (given.resume or not given.by_hand):
        parser.error("--table and --board are for a new card: with --by-hand, and without --resume")
    return given


def by_hand(bench: Bench, given: argparse.Namespace) -> None:
    """A new card, or the one that is there, and then whatever is asked for."""
    if not (given.resume and bench.card.exists()):
        bench.new_card(given.table, given.board)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    Hand(bench, shown).serve(sys.stdin)


def shown(what: str) -> None:
    """Tell something at once, for whoever reads along."""
    sys.stdout.write(f"{what}\n")
    sys.stdout.flush()


def main(arguments: list[str]) -> int:
    """Exit code 0 if everything was as it must be, 1 if not."""
    given = asked(arguments)
    bench = Bench(given.image, given.work)
    parts = ("cuts",) if given.short else (given.only,) if given.only else PARTS
    try:
        if given.by_hand:
            by_hand(bench, given)
            return 0
        if not (given.resume and bench.noted("begun")):
            first_start(bench, say)
            bench.note("begun", 1)
        if "cuts" in parts:
            cuts(bench, 1 if given.short else given.cuts, say)
        if "behaviour" in parts:
            behaviour(bench, say)
        if "backup" in parts:
            backed_up(bench, say)
        if "updates" in parts:
            updates(bench, given.key, POZO, say)
    except (GuestError, CardError, ToolError) as error:
        say(f"FAILED: {error}")
        return 1
    except KeyboardInterrupt:
        say("interrupted: the plug is pulled")
        return 1
    say("all as it must be")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
