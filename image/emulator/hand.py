"""The table by hand: each line of text is a chip, a press, a key, a look. For a person, or a program through a FIFO."""

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import assert_never

from emulator.backup import new_stick
from emulator.bench import Bench
from emulator.gallery import png
from emulator.guest import Guest, GuestError
from emulator.orders import (
    HELP,
    Chips,
    HandError,
    Key,
    Lamps,
    Look,
    Order,
    Plain,
    Press,
    Stick,
    Take,
    Typed,
    Wait,
    order_of,
)
from emulator.reading import read
from emulator.rounds import switch_off
from emulator.table import Table
from emulator.tools import ToolError
from emulator.updates import TRYING, stick_with

WAIT_S = 600.0
LOOKS, LOOK_S = 12, 0.15
"""A lamp that is the same at each look burns or is dark; one that changes blinks."""


class Hand:
    """Does orders at one table, switched on with the first one. `say` gets what there is to see."""

    def __init__(self, bench: Bench, say: Callable[[str], None]) -> None:
        self._bench = bench
        self._say = say
        self._guest: Guest | None = None
        self._table: Table | None = None
        self._stuck = False

    def serve(self, lines: Iterable[str]) -> None:
        """Do line by line what is asked, until `quit` or the lines end; then the plug is pulled."""
        self._on(trying=False)
        try:
            for line in lines:
                if line.strip() and not self._served(line):
                    return
        finally:
            self._cut()

    def _served(self, line: str) -> bool:
        """Whether it goes on."""
        try:
            order = order_of(line)
            if order == Plain("quit"):
                return False
            self._restarted()
            self._do(order)
        except (HandError, GuestError, ToolError, OSError) as error:
            self._say(f"error: {error}")
        return True

    def _do(self, order: Order) -> None:
        match order:
            case Chips(seats):
                self._hands().chips(seats)
                self._look(None)
            case Press(button, hold_ms):
                self._hands().press(button, hold_ms)
                self._look(None)
            case Key(name, on):
                self._hands().key(name, on)
                self._look(None)
            case Take(entry):
                self._hands().take(entry)
                self._look(None)
            case Lamps():
                self._say(outputs(self._hands()))
            case Look(file):
                self._look(file)
            case Wait(words):
                self._hands().until_shows(words, limit_s=WAIT_S)
                self._look(None)
            case Typed(text):
                self._say(self._hands().guest.type(text))
            case Stick(file):
                self._plug(file)
            case Plain(word):
                self._plain(word)
            case _ as unknown:
                assert_never(unknown)

    def _plain(self, word: str) -> None:
        match word:
            case "unstick":
                self._running().unplug()
                self._stuck = False
                self._say("the stick is out")
            case "off":
                switch_off(self._hands().guest)
                self._gone()
                self._say("off, in order")
            case "cut":
                self._running()
                self._cut()
                self._say("the plug is pulled")
            case "on":
                if self._guest is not None:
                    raise HandError("the table is on; off or cut comes first")
                self._on(trying=False)
            case _:
                self._say(HELP)

    def _on(self, *, trying: bool) -> None:
        self._guest = self._bench.life(trying=trying)
        self._say(
            f"power on: partition {self._guest.boot.partition}; pictures and console in {self._guest.place}"
        )

    def _cut(self) -> None:
        if self._guest is not None:
            self._guest.cut()
        self._gone()

    def _gone(self) -> None:
        self._guest = self._table = None
        self._stuck = False

    def _restarted(self) -> None:
        """Notice that the board has switched itself off, and start it anew where it asked for that."""
        guest = self._guest
        if guest is None or guest.runs():
            return
        asked, anew = guest.ended(), guest.starts_anew()
        self._gone()
        self._say("the board has started anew by itself" if anew else "the board has switched itself off")
        if anew:
            self._on(trying=asked == TRYING)

    def _running(self) -> Guest:
        if self._guest is None:
            raise HandError("the table is off: on switches it on")
        return self._guest

    def _hands(self) -> Table:
        """The table, once somebody can be at it: the emulator's agent comes up with the board."""
        guest = self._running()
        if self._table is None:
            self._say("the board is starting: this takes some minutes")
            guest.wait()
            self._table = self._bench.table(guest)
        return self._table

    def _look(self, file: Path | None) -> None:
        seen = self._running().screen()
        if file is not None:
            file.write_bytes(png(seen))
        if seen is None:
            self._say("the screen is dark")
            return
        rows = read(seen.rows)
        self._say(
            "\n".join(f"| {row}" for row in rows) if rows else "the screen shows something without text"
        )

    def _plug(self, file: Path | None) -> None:
        guest = self._running()
        if self._stuck:
            raise HandError("a stick is plugged in: unstick comes first")
        if file is None:
            stick = new_stick(self._bench)
        elif file.suffix == ".update":
            stick = stick_with(self._bench, file)
        else:
            stick = file
        guest.plug(stick, writable=True)
        self._stuck = True
        self._say(f"plugged in: {stick}; look into it with mdir -i {stick} once it is out")


def outputs(table: Table) -> str:
    """What burns, what blinks, and which of the others are driven, by several looks in a row."""
    looks = []
    for _ in range(LOOKS):
        looks.append(table.driven())
        time.sleep(LOOK_S)
    steady = {name for name in looks[0] if all(look[name] for look in looks)}
    changing = {name for name in looks[0] if any(look[name] for look in looks)} - steady
    dark = [name for name in looks[0] if name not in steady | changing]
    return "\n".join(
        f"{what}: {' '.join(sorted(names)) or '-'}"
        for what, names in (("on", steady), ("blinking", changing), ("off", dark))
    )
