"""A line-by-line conversation over a file descriptor, on one thread of its own.

It knows nothing of what the lines mean. Whoever reports through it never waits: reports queue up to a limit,
beyond it the oldest leave and the other side is told how many.
"""

import logging
import os
import select
from collections import deque
from collections.abc import Callable
from threading import Lock, Thread

LOG = logging.getLogger(__name__)

LINE_BYTES = 200
"""The longest line that is read; a longer one is answered with an error and otherwise ignored."""
REPORTS = 1000
"""How many reports wait for the other side to read them."""
READ_BYTES = 4096
FLUSH_MS = 200
"""How long `close` waits for the other side to take the next piece of what is left to say."""
JOIN_S = 2.0


class Channel:
    """Talks on `fd`, which it owns from now on: every line goes through `obey`, which answers with a line.

    `obey` runs on the channel's thread and must not raise. The thread ends when the other side hangs up.
    """

    def __init__(self, fd: int, obey: Callable[[str], str]) -> None:
        os.set_blocking(fd, False)
        self._fd = fd
        self._obey = obey
        self._wake = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._guard = Lock()
        self._open = True
        self._closing = False
        self._reports: deque[str] = deque()
        self._lost = 0
        self._unsent = b""
        self._line = bytearray()
        self._poll = select.poll()
        self._poll.register(self._wake, select.POLLIN)
        self._thread = Thread(name="bench", target=self._run, daemon=True)
        self._thread.start()

    def report(self, line: str) -> None:
        """Say one line, soon. Returns at once; after a hang-up or `close` there is nobody to say it to."""
        with self._guard:
            if not self._open:
                return
            if len(self._reports) == REPORTS:
                self._reports.popleft()
                self._lost += 1
            self._reports.append(" ".join(line.splitlines()))
            os.eventfd_write(self._wake, 1)

    def close(self) -> None:
        """Say what is left, as far as the other side takes it, then let go of the descriptor."""
        with self._guard:
            if self._open:
                self._closing = True
                os.eventfd_write(self._wake, 1)
        self._thread.join(JOIN_S)

    def _run(self) -> None:
        try:
            while self._turn():
                pass
        except OSError as error:  # how a pty or a cable says that the other side is gone
            LOG.warning("the bench channel hung up: %s", error)
        finally:
            with self._guard:
                self._open = False
                os.close(self._fd)
                os.close(self._wake)

    def _turn(self) -> bool:
        with self._guard:
            closing, left = self._closing, bool(self._unsent or self._reports or self._lost)
        if closing and not left:
            return False
        self._poll.register(self._fd, (0 if closing else select.POLLIN) | (select.POLLOUT if left else 0))
        ready = dict(self._poll.poll(FLUSH_MS if closing else None))
        if self._wake in ready:
            os.eventfd_read(self._wake)
        happened = ready.get(self._fd, 0)
        if happened & select.POLLIN:
            return self._read()
        if happened & (select.POLLHUP | select.POLLERR | select.POLLNVAL):
            return False
        if happened & select.POLLOUT:
            self._send()
        return bool(ready)

    def _read(self) -> bool:
        data = os.read(self._fd, READ_BYTES)
        for piece in data.splitlines(keepends=True):
            self._line += piece[: LINE_BYTES + 2]
            del self._line[LINE_BYTES + 2 :]
            if piece.endswith((b"\n", b"\r")):
                self._take(bytes(self._line).strip())
                self._line.clear()
        return bool(data)

    def _take(self, line: bytes) -> None:
        if len(line) > LINE_BYTES:
            self.report(f"error a line may have {LINE_BYTES} bytes at most; this one was ignored")
        elif line:
            self.report(self._obey(line.decode(errors="replace")))

    def _send(self) -> None:
        with self._guard:
            if not self._unsent:
                said = [f"lost {self._lost} reports"] if self._lost else []
                self._unsent = "".join(f"{line}\n" for line in (*said, *self._reports)).encode()
                self._reports.clear()
                self._lost = 0
        self._unsent = self._unsent[os.write(self._fd, self._unsent) :]
