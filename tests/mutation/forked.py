"""A job in a forked process: what it does to memory, files it holds open or signals stays there."""

import os
import pickle
import resource
import select
import signal
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn, TypeVar, cast

Answer = TypeVar("Answer")
MEMORY = 4 << 30
"""What a forked job may take, in bytes: a mutant may loop while it appends."""

IDLE_S = 60
"""A job that used nothing of the processor for so long waits for what will never come."""


class LostError(Exception):
    """The job ended, or was ended, without an answer."""


class JobError(Exception):
    """The job raised; the text is its traceback."""


def forked(job: Callable[[], Answer], seconds: int | None = None, *, quiet: bool = True) -> Answer:
    """Do `job` in a forked process and return its answer.

    Raises `JobError` if it raised, `LostError` if it died or was not done after `seconds` of the processor's time: a
    machine that is busy with something else proves nothing. One that only waits is ended after a minute of it.
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
        idle = None if seconds is None else IDLE_S
        answer, raised = pickle.loads(_received(reader, child, idle))  # our own child wrote it a moment ago
        if raised:
            raise JobError(raised)
        return cast(Answer, answer)
    finally:
        os.close(reader)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _received(reader: int, child: int, idle: int | None) -> bytes:
    parts: list[bytes] = []
    used = -1
    while True:
        ready, _, _ = select.select([reader], [], [], idle)
        if not ready:
            before, used = used, _used(child)
            if used == before:
                raise LostError(f"it did nothing for {idle} s")
            continue
        part = os.read(reader, 1 << 16)
        if not part:
            break
        parts.append(part)
    if not parts:
        raise LostError("ended without an answer")
    return b"".join(parts)


def _used(child: int) -> int:
    """What a child and its own ended children have used of the processor, in ticks."""
    fields = Path(f"/proc/{child}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return sum(map(int, fields[11:15]))


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
