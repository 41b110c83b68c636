"""Programs of this machine that the emulator works with."""

import subprocess


class ToolError(RuntimeError):
    """A program of this machine refused."""


def tool(*command: str, content: bytes | None = None) -> bytes:
    """What a program prints, given `content` to read. Raises `ToolError` with what it said where it ends badly."""
    done = subprocess.run(command, input=content, capture_output=True, check=False)  # noqa: S603, no shell
    if done.returncode:
        raise ToolError(f"{' '.join(command)}: {done.stderr.decode('utf-8', 'replace').strip()}")
    return done.stdout
