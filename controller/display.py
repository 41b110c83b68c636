"""Applies what the table shows to the hardware: only what changed, and only to devices that answer.

It decides nothing. The safe direction (locking the slots) may be applied at any time; everything else only after
the record behind it is stored, which is the loop's business.
"""

from typing import NamedTuple

from msgspec.structs import replace

from controller.core.game import Game
from controller.core.state import Table
from controller.outputs import Lamp, Line, Signals, Text, Texts, lit, signals, texts
from controller.screen import Look, draw, look
from controller.words import Words
from hal.interface import Device, Hal, Screen

LOOK_NS = 100_000_000
"""How often it is asked whether the screen wants another page or other light; nothing of a round waits for it."""


class Overlay(NamedTuple):
    """What the open menu lays over the displays: its lines, and the seat whose lamp blinks (0: none)."""

    lines: tuple[Line, ...]
    seat: int


class Display:
    """Remembers what the hardware was last told, so that it is told changes only.

    `slots`: how many seats have a slot and a lamp; a game without a wager may have more seats than that.
    """

    def __init__(self, game: Game, hal: Hal, words: Words, slots: int) -> None:
        self._game = game
        self._hal = hal
        self._words = words
        self._lamps = tuple(f"lamp_{seat}" for seat in range(1, slots + 1))
        self._pins: dict[str, bool] = {}
        self._table: Table | None = None
        self._signals: Signals | None = None
        self._failing = False
        self._overlay: Overlay | None = None
        self._said: Texts | None = None
        self._panel = hal.panel
        self._screen: tuple[str, ...] = ()
        self._look: Look | None = None
        self._state = ""
        self._shown_ns = self._touched_ns = self._look_ns = 0
        self._sign = ""
        self._lost: set[Device] = set()

    @property
    def lamps(self) -> tuple[Lamp, ...]:
        """What the lamps were last told to show."""
        return () if self._signals is None else self._signals.lamps

    def lock_slots(self) -> None:
        """Lock the slots at once: the one output that does not wait for storage."""
        self._pin("slots", on=False)

    def lost(self, device: Device) -> None:
        """Speak no more to a device that does not answer."""
        self._lost.add(device)

    def found(self, device: Device) -> None:
        """A device is back: it is told everything anew."""
        self._lost.discard(device)
        self._said = None
        if device is Device.SCREEN:
            self._look = None
        elif device is Device.SIGN:
            self._sign = ""

    def touched(self, now_ns: int) -> None:
        """Somebody is at the table: a button, a key or a chip. A dimmed screen is bright with the next `show`."""
        self._touched_ns = now_ns
        if self._look is not None and self._look.dim:
            self._look_ns = now_ns

    def show(
        self, table: Table, now_ns: int, *, failing: bool, hold_lock: bool, overlay: Overlay | None = None
    ) -> None:
        """Make the hardware show `table`, and `overlay` over it.

        `failing`: records cannot be stored, so slots stay locked and every display says so. `hold_lock`: COIN
        IN has settled but is not decided yet, so the slots stay locked whatever the table says.
        """
        fresh = table is not self._table or failing is not self._failing or overlay is not self._overlay
        if self._signals is None or fresh or table.release_until_ns is not None:
            self._signals = _blinking(signals(self._game, table, now_ns, failing=failing), overlay)
        self._switch(self._signals, now_ns, hold_lock=hold_lock)
        if fresh:
            # Texts come last: a lamp does not wait for words.
            shown = _covered(texts(self._game, table, failing=failing), overlay, failing=failing)
            self._say(shown, str(table.phase), now_ns)
        self._table, self._failing, self._overlay = table, failing, overlay
        if now_ns >= self._look_ns:
            self._draw(now_ns)

    def _switch(self, shown: Signals, now_ns: int, *, hold_lock: bool) -> None:
        self._pin("slots", on=shown.slots_open and not hold_lock)
        self._pin("release", on=shown.release)
        self._pin("bell", on=shown.bell)
        lamps = shown.lamps
        for seat, (line, lamp) in enumerate(zip(self._lamps, lamps, strict=False), start=1):
            self._pin(line, on=lit(lamp, seat, len(lamps), now_ns))

    def dark(self) -> None:
        """Everything off, as a table that plays nothing has it: slots locked, no lamp lit."""
        for line in (*self._lamps, "slots", "release", "bell"):
            self._pin(line, on=False)

    def refresh(self, now_ns: int) -> None:
        """Let the screen's pages follow each other, where nothing new is shown."""
        if now_ns >= self._look_ns:
            self._draw(now_ns)

    def out_of_service(self, more: tuple[Line, ...] = ()) -> None:
        """The last picture: nobody may read a jackpot or a round from a process that is gone.

        `more`: what else the screen says.
        """
        text = self._words.say(Line(Text.OUT_OF_SERVICE))
        shown = (text, *(self._words.say(line) for line in more))
        self._say_screen(shown, Text.OUT_OF_SERVICE, self._touched_ns)
        self._draw(self._touched_ns)
        self._say_sign(text)

    def _say(self, shown: Texts, state: str, now_ns: int) -> None:
        """Word and tell what is not said already."""
        said, self._said = self._said, shown
        if said is None or shown.screen != said.screen or state != self._state:
            self._say_screen(tuple(self._words.say(line) for line in shown.screen), state, now_ns)
        if said is None or shown.sign != said.sign:
            self._say_sign(self._words.say(shown.sign))

    def _say_screen(self, lines: tuple[str, ...], state: str, now_ns: int) -> None:
        if lines != self._screen or state != self._state:
            self._screen, self._state, self._look = lines, state, None
            self._shown_ns = self._touched_ns = self._look_ns = now_ns

    def _draw(self, now_ns: int) -> None:
        """Give the screen the picture of its lines as they are to be seen now, if that is another one."""
        self._look_ns = now_ns + LOOK_NS
        if self._panel is None or not self._speaks(Device.SCREEN):
            return
        seen = look(self._screen, self._panel, now_ns - self._shown_ns, now_ns - self._touched_ns)
        if seen != self._look:
            self._look = seen
            picture = draw(self._screen, self._panel, seen)
            self._hal.show(Screen(self._screen, picture, seen.dim, self._state))

    def _say_sign(self, text: str) -> None:
        if text != self._sign and self._speaks(Device.SIGN):
            self._sign = text
            self._hal.sign(text)

    def _speaks(self, device: Device) -> bool:
        return device in self._hal.devices and device not in self._lost

    def _pin(self, line: str, *, on: bool) -> None:
        if self._pins.get(line) is not on:
            self._pins[line] = on
            self._hal.write(line, on)


def _blinking(shown: Signals, overlay: Overlay | None) -> Signals:
    """The lamp of the seat the menu stands on is seen to be chosen; nothing else changes."""
    if overlay is None or not overlay.seat:
        return shown
    lamps = list(shown.lamps)
    lamps[overlay.seat - 1] = Lamp.CHOSEN
    return replace(shown, lamps=tuple(lamps))


def _covered(shown: Texts, overlay: Overlay | None, *, failing: bool) -> Texts:
    """The menu instead of the page; that nothing can be stored is said over both."""
    if overlay is None:
        return shown
    return replace(shown, screen=(*shown.screen[:1], *overlay.lines) if failing else overlay.lines)
