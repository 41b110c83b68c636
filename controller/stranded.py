"""A table whose journal and witness do not agree: it plays nothing, and shows what is trusted until it is stopped.

It writes no file. It goes on living, so that no service manager starts it over and over; slots stay locked, lamps dark.
"""

from controller.admit import StrandedError
from controller.clock import Clock
from controller.config import Settings
from controller.display import Display
from controller.inbox import Inbox, Stop
from controller.notify import Notify
from controller.texts import Coded, Line, Text
from controller.witness.verdict import Plight, Stranded, plight, proposed
from controller.words import Words
from hal.interface import DeviceFailed, DeviceMended, Hal

LOOK_NS = 250_000_000
"""How often it turns when nothing happens: the screen's pages follow each other, the watchdog is petted."""


def lines(verdict: Stranded) -> tuple[Line, ...]:
    """What the croupier's screen says beside being out of service."""
    found = proposed(verdict)
    told = [Line(Text.STRANDED, {"plight": Coded("plight", plight(verdict))}), Line(Text.CALL_TECHNICIAN)]
    if found is None:
        return (*told, Line(Text.NEXT_RECOVER))
    source, record = found
    told += [
        Line(Text.TRUSTED, {"source": Coded("trusted", source)}),
        Line(Text.TRUSTED_AT, {"record": record.seq, "round": record.state.round}),
    ]
    told += [
        Line(Text.TRUSTED_POT, {"level": level.name, "amount": level.shown})
        for level in record.state.pot.levels
    ]
    return (*told, Line(Text.NEXT_RECOVER))


class OutOfService:
    """Holds the hardware in its safe state. `start` once, then `turn` when `wake_ns` is reached or something came."""

    def __init__(self, settings: Settings, hal: Hal, clock: Clock, error: StrandedError) -> None:
        words = Words(settings.language, settings.locale, settings.game.currency, settings.name)
        self.inbox = Inbox(line.name for line in settings.wiring.inputs)
        self.stopped = False
        self._verdict = error.verdict
        self._hal = hal
        self._clock = clock
        self._display = Display(settings.game, hal, words, settings.slots)
        self._lines = lines(error.verdict)
        self._notify = Notify()
        self._wake_ns = 0

    @property
    def plight(self) -> Plight:
        """What keeps the table out of service."""
        return plight(self._verdict)

    @property
    def wake_ns(self) -> int:
        """When the next turn is due even if nothing arrives."""
        return self._wake_ns

    def start(self) -> None:
        """Claim the hardware and show why nothing is played. Raises `HalError`; then nothing is left claimed."""
        self._hal.start(self.inbox.put)
        self._display.dark()
        self._show()
        self._notify.ready()

    def turn(self) -> None:
        """Look at what arrived, and keep the displays going."""
        now = self._clock.monotonic_ns()
        for message in self.inbox.drain():
            match message:
                case Stop():
                    self._end()
                    return
                case DeviceFailed(device=device):
                    self._display.lost(device)
                case DeviceMended(device=device):
                    self._display.found(device)
                    self._show()
                case _:
                    self._display.touched(now)
        self._display.refresh(now)
        self._wake_ns = now + LOOK_NS
        self._notify.alive(now, lambda: f"out of service: {self.plight}")

    def _show(self) -> None:
        self._display.out_of_service(self._lines)

    def _end(self) -> None:
        self._notify.stopping()
        self._hal.close()
        self.stopped = True
