"""The croupier's screen: a driver that shows the newest picture on a panel, and brings a lost panel back.

It knows pictures, not what they say. The caller never waits: `show` only remembers. On its own thread the driver
sends what changed; every ten seconds, with every new state of the table and after every error it sets the panel up
from the first command and draws the whole picture, because a panel that lost its power for a moment takes every
byte and shows nothing (F056).
"""

from typing import Protocol

from hal.health import Health
from hal.interface import DeviceError, Picture, Screen
from hal.worker import NEVER_NS

RENEW_NS = 10_000_000_000


class PanelDriver(Protocol):
    """A panel that can be spoken to. Every method but `close` raises `DeviceError` when it does not answer."""

    def set_up(self) -> None:
        """Send the whole set-up, from its first command; full brightness."""

    def draw(self, picture: Picture, before: Picture | None) -> None:
        """Send the picture: all of it, or what differs from the one shown before."""

    def dim(self, on: bool) -> None:
        """Spare the pixels, or give full light again."""

    def close(self) -> None:
        """Let go of the bus; the panel keeps its picture."""


class ScreenDriver:
    """Keeps `panel` showing the newest screen. A part of a `Worker`; `show` may be called from any thread."""

    def __init__(self, panel: PanelDriver, health: Health) -> None:
        self._panel = panel
        self._health = health
        self._wanted: Screen | None = None
        self._shown: Screen | None = None
        self._renew_ns = 0

    def show(self, screen: Screen) -> None:
        """Remember what to show; an older picture that was not shown yet is forgotten. Returns at once."""
        self._wanted = screen

    @property
    def waits_for(self) -> None:
        """No descriptor: the bus is written to only."""
        return

    @property
    def settled(self) -> bool:
        """Whether the newest picture is shown, or the panel does not answer."""
        return self._shown is self._wanted or not self._health.well

    def turn(self, now_ns: int) -> int:
        """Show the newest picture if it is not shown, or the panel is due for its set-up."""
        wanted = self._wanted
        if wanted is None:
            return NEVER_NS
        if not self._health.well and now_ns < self._health.retry_ns:
            return self._health.retry_ns
        try:
            self._bring(wanted, now_ns)
        except DeviceError as error:
            self._shown = None  # nothing is known of the panel any more: the next try is a new beginning
            self._health.failed(now_ns, str(error))
            return self._health.retry_ns
        self._health.works(now_ns)
        return self._renew_ns

    def close(self) -> None:
        """Let go of the bus; the last picture stays."""
        self._panel.close()

    def _bring(self, wanted: Screen, now_ns: int) -> None:
        shown = self._shown
        if shown is None or wanted.state != shown.state or now_ns >= self._renew_ns:
            self._panel.set_up()
            if wanted.dim:
                self._panel.dim(on=True)
            self._panel.draw(wanted.picture, None)
            self._renew_ns = now_ns + RENEW_NS
        else:
            if wanted.picture != shown.picture:
                self._panel.draw(wanted.picture, shown.picture)
            if wanted.dim != shown.dim:
                self._panel.dim(on=wanted.dim)
        self._shown = wanted
