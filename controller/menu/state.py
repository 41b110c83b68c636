"""The menu's own state and what is put into it. It is volatile: after a power cut the menu is closed."""

import msgspec

from controller.core import events as ev
from controller.core.state import Phase

SILENCE_NS = 20_000_000_000
"""This long without a key closes the menu."""


class Menu(msgspec.Struct, frozen=True):
    """Where the dealer stands in the menu. Stamps are monotonic nanoseconds.

    `path`: the answers so far; it is never longer than the longest script, which every question bounds.
    `marked`: the value of the option that stands marked, None for the first. `typed`: digits of a seat or place
    typed on the keypad. `phase`: the table's phase when the menu was opened. `since_ns`: when this page appeared (or
    the menu closed): a button that went down before that belongs to the page before and does nothing (field log
    F046).
    """

    open: bool = False
    path: tuple[object, ...] = ()
    marked: object = None
    typed: str = ""
    phase: Phase | None = None
    since_ns: int = 0
    closes_at_ns: int = 0

    @property
    def due_ns(self) -> int | None:
        """When the menu closes by itself, or None while it is closed."""
        return self.closes_at_ns if self.open else None


class Pushed(msgspec.Struct, frozen=True):
    """A button acted. `fell_ns`: when it went down."""

    event: ev.CoinInPressed | ev.GameOverPressed | ev.GameOverHeld
    fell_ns: int


class Typed(msgspec.Struct, frozen=True):
    """A key of the keypad: a digit, ENTER, CLEAR, or an act's name."""

    key: str
    at_ns: int


class Looked(msgspec.Struct, frozen=True):
    """Time has passed, or the table has changed."""

    at_ns: int


class Turned(msgspec.Struct, frozen=True):
    """A key was turned, and the table knows it."""

    key: ev.Key
    on: bool
    at_ns: int


Given = Pushed | Typed | Looked | Turned
