"""The technician's keyboard: lines of a descriptor go to a session until it is done, the hardware's messages too."""

import os
import select
import time

from controller.selftest.session import Session

TURN_MS = 100
"""The bell and the release coil are switched this exactly."""
LINE_MAX = 1000
"""Characters of a line that is not finished; a longer one is taken as it is."""


class Typed:
    """Whole lines from a descriptor that may give them in pieces."""

    def __init__(self, descriptor: int) -> None:
        self._rest = b""
        self.descriptor: int | None = descriptor
        """None once the other side has closed it; the time limits end what is left."""

    def read(self) -> list[str]:
        """The lines that are finished; called when there is something to read."""
        if self.descriptor is None:
            return []
        data = os.read(self.descriptor, 4096)
        if not data:
            self.descriptor = None
        *whole, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > LINE_MAX:
            whole, self._rest = [*whole, self._rest], b""
        return [line.decode(errors="replace") for line in whole]


def converse(session: Session, descriptor: int) -> None:
    """Run a session that was started, answered by the lines of `descriptor`."""
    typed = Typed(descriptor)
    while not session.done:
        poll = select.poll()
        poll.register(session.fileno, select.POLLIN)
        if typed.descriptor is not None:
            poll.register(typed.descriptor, select.POLLIN)
        ready = {fd for fd, _happened in poll.poll(TURN_MS)}
        if session.fileno in ready:
            os.eventfd_read(session.fileno)
        session.turn(typed.read() if typed.descriptor in ready else (), time.monotonic_ns())
