"""Power that goes in the middle of what Pozo does with plain files, and a medium that is full."""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

STEPS = ((os, "fsync"), (Path, "rename"), (Path, "replace"), (Path, "write_bytes"))
"""Calls that make something durable or give it a name. A cut at one that writes or flushes leaves half of the file."""


class CutError(BaseException):
    """The power goes."""


@contextmanager
def cut_after(steps: int, monkeypatch: pytest.MonkeyPatch, *further: tuple[object, str]) -> Iterator[None]:
    """The power goes at the call number `steps` of `STEPS`, counted together with `further` ones."""
    left = steps

    def until_cut(call: Callable[..., object]) -> Callable[..., object]:
        def cut(*args: object, **named: object) -> object:
            nonlocal left
            left -= 1
            if left < 0:
                _torn(call.__name__, args)
                raise CutError
            return call(*args, **named)

        return cut

    with monkeypatch.context() as cutting:
        for owner, name in (*STEPS, *further):
            cutting.setattr(owner, name, until_cut(getattr(owner, name)))
        yield


def _torn(call: str, args: tuple[object, ...]) -> None:
    """Leave half of what was being written: not all that was handed to the medium was on it."""
    match call, args:
        case "write_bytes", (Path() as path, bytes() as data):
            with path.open("wb") as file:
                file.write(data[: len(data) // 2])
        case "fsync", (int() as descriptor,) if stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.truncate(Path(f"/proc/self/fd/{descriptor}").readlink(), os.fstat(descriptor).st_size // 2)
        case _:
            pass


@contextmanager
def full_medium(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing more can be made durable."""

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as filled:
        filled.setattr(os, "fsync", full)
        yield
