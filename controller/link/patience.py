"""A limit on waiting for a peer that keeps the line and says nothing: the line is cut, and the call fails.

A server's own time-outs do not help against a server, or a network, that has gone silent.
"""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Timer


@contextmanager
def limited(descriptor: int, limit_s: float) -> Iterator[None]:
    """Cut the connection behind `descriptor` if what is done inside takes longer than `limit_s` seconds."""
    # A twin of the descriptor: whatever the number stands for by then, only this connection can be cut.
    with socket.socket(fileno=os.dup(descriptor)) as twin:
        timer = Timer(limit_s, _cut, (twin,))
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()


def _cut(line: socket.socket) -> None:
    with suppress(OSError):  # it is cut already
        line.shutdown(socket.SHUT_RDWR)
