"""A job in a forked process: what it does to memory, files it holds open or signals stays there."""

import os
import pickle
import resource
import select
import signal
import traceback
from collections.abc import Callable
from typing import NoReturn, TypeVar, cast

Answer = TypeVar("Answer")
MEMORY = 4 << 30
"""What a forked job may take, in bytes: a mutant may loop while it appends."""

IDLE_S = 60
BUSY = 20
"""How long a job is waited for: a minute, and twenty times the processor's time it may take."""


class LostError(Exception):
    """The job ended, or was ended, without an answer."""


class JobError(Exception):
    """The job raised; the text is its traceback."""


def forked(job: Callable[[], Answer], seconds: int | None = None, *, quiet: bool = True) -> Answer:
    """Do `job` in a forked process and return its answer.

    Raises `JobError` if it raised, `LostError` if it died or was not done after `seconds` of the processor's time: a
    machine that is busy with something else proves nothing. One that waits for nothing is ended after a long time.
    Prints nothing if `quiet`.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        if seconds is not None:
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        _answer(job, writer, quiet=quiet)
    os.close(writer)
    try:
        wait = None if seconds is None else IDLE_S + BUSY * seconds
        answer, raised = pickle.loads(_received(reader, wait))  # our own child wrote it a moment ago
        if raised:
            raise JobError(raised)
        return cast(Answer, answer)
    finally:
        os.close(reader)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _received(reader: int, seconds: float | None) -> bytes:
    parts: list[bytes] = []
    while True:
        ready, _, _ = select.select([reader], [], [], seconds)
        if not ready:
            raise LostError(f"not done after {seconds} s")
        part = os.read(reader, 1 << 16)
        if not part:
            break
        parts.append(part)
    if not parts:
        raise LostError("ended without an answer")
    return b"".join(parts)


def _answer(job: Callable[[], object], writer: int, *, quiet: bool) -> NoReturn:
    """Never returns: whatever happens, the copied process ends here."""
    try:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        if quiet:
            nowhere = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(nowhere, stream)
        try:
            answer, raised = job(), ""
        except BaseException:  # noqa: BLE001 - whatever it is, the parent is told
            answer, raised = None, traceback.format_exc()
        with os.fdopen(writer, "wb") as pipe:
            pickle.dump((answer, raised), pipe)
    finally:
        os._exit(0)
