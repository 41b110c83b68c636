"""Runs inside the guest, brought by the emulator on a disk of its own: does what a line of JSON asks, answers in one.

{"run": [ARGUMENTS], "timeout": SECONDS}      -> {"code": N, "out": TEXT, "err": TEXT}
{"push": [[AFTER_MS, PIN, LEVEL], …]}         -> {}   lines pulled up or down, each after the one before
{"levels": [PIN, …]}                          -> {"levels": [BOOLEAN, …]}
{"last": PATH}                                -> {"seq", "kind", "state", "results"} of the journal's last record
{"type": TEXT}                                -> {"heard": TEXT}   typed into root's shell, and what it says then
"""

import json
import os
import pty
import select
import sqlite3
import subprocess
import termios
import threading
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

PORT = "/dev/virtio-ports/pozo"
PROMPT = "root@table# "
HOLD_S = 0.05
ROWS, COLUMNS = 50, 200
BEGINS_S, RESTS_S = 60.0, 8.0
"""So long a command may take to say its first word, and then the next one, before it is left to itself."""
MOST_HEARD = 1 << 18
"""What says more than this at once is read on with the next line."""


@cache
def place() -> Path:
    """Where sysfs has the lines of the header. Raises `StopIteration` while there are none."""
    return next(Path("/sys/devices/platform").glob("gpio-sim*/gpiochip*"))


def wire(pin: int, what: str) -> Path:
    """A file about one line: who pulls at it from outside, or its level."""
    return place() / f"sim_gpio{pin}" / what


def run(asked: dict[str, Any]) -> dict[str, object]:
    """Run a program."""
    limit = asked.get("timeout", 60)
    try:
        done = subprocess.run(  # noqa: S603, what the emulator asks for
            asked["run"], capture_output=True, text=True, errors="replace", timeout=limit, check=False
        )
    except subprocess.TimeoutExpired:
        return {"code": -1, "out": "", "err": f"not done within {limit} s"}
    return {"code": done.returncode, "out": done.stdout, "err": done.stderr}


class Hands:
    """What pulls at the lines from outside: a key that was turned stays turned.

    gpio-sim forgets that when a program asks for a line anew, so what is held down is looked at ever again.
    """

    def __init__(self) -> None:
        self._held: set[int] = set()
        self._lock = threading.Lock()

    def push(self, asked: dict[str, Any]) -> dict[str, object]:
        """Pull lines from outside, one after the other."""
        for after_ms, pin, level in asked["push"]:
            time.sleep(after_ms / 1000)
            with self._lock:
                (self._held.discard if level else self._held.add)(pin)
                wire(pin, "pull").write_text("pull-up" if level else "pull-down")
        return {}

    def hold(self) -> None:
        """Pull again at what is no longer held down, until the power goes."""
        while True:
            time.sleep(HOLD_S)
            with self._lock:
                for pin in self._held:
                    if wire(pin, "pull").read_text().strip() != "pull-down":
                        wire(pin, "pull").write_text("pull-down")


def levels(asked: dict[str, Any]) -> dict[str, object]:
    """Read the wires."""
    return {"levels": [wire(pin, "value").read_text().strip() == "1" for pin in asked["levels"]]}


def last(asked: dict[str, Any]) -> dict[str, object]:
    """Read a journal's last record."""
    connection = sqlite3.connect(f"file:{asked['last']}?mode=ro", uri=True, timeout=5)
    try:
        found = connection.execute(
            "SELECT seq, kind, state, results FROM journal ORDER BY seq DESC LIMIT 1"
        ).fetchone()
    except sqlite3.Error as error:
        return {"error": str(error)}
    finally:
        connection.close()
    seq, kind, state, results = found
    return {"seq": seq, "kind": kind, "state": json.loads(state), "results": json.loads(results)}


class Shell:
    """Root's shell on a terminal, begun with the first line typed and again after its end."""

    def __init__(self) -> None:
        self._terminal: int | None = None

    def typed(self, asked: dict[str, Any]) -> dict[str, object]:
        """Type something, and read until nothing comes for a while or the shell waits for the next command."""
        if self._terminal is None:
            self._terminal = begun()
            self._answer(0)
        heard = self._left_over()
        os.write(self._terminal, asked["type"].encode())
        heard += self._answer(asked["type"].count("\n"))
        return {"heard": heard.decode(errors="replace").replace("\r\n", "\n")}

    def _left_over(self) -> bytes:
        """What was said since it was last listened to."""
        heard = b""
        while self._says_more(0) and len(heard) < MOST_HEARD:
            heard += self._read()
        return heard

    def _answer(self, echoed: int) -> bytes:
        """What is said now; `echoed` lines of it are what was typed itself, and no answer."""
        heard = b""
        while not heard.endswith(PROMPT.encode()) and len(heard) < MOST_HEARD:
            parts = heard.split(b"\n", echoed)
            if not self._says_more(RESTS_S if len(parts) > echoed and parts[-1] else BEGINS_S):
                break
            heard += self._read()
        return heard

    def _says_more(self, within_s: float) -> bool:
        return self._terminal is not None and bool(select.select([self._terminal], [], [], within_s)[0])

    def _read(self) -> bytes:
        if self._terminal is None:
            return b""
        try:
            return os.read(self._terminal, 4096)
        except OSError:  # how a terminal says that nobody is at its other end any more
            os.close(self._terminal)
            self._terminal = None
            return b"(the shell has ended)\n"


def begun() -> int:
    """A shell of its own, as a login has it: not as urgent as this program. Its terminal comes back."""
    number, terminal = pty.fork()
    if not number:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        os.chdir("/root")
        surroundings = {**os.environ, "TERM": "dumb", "HOME": "/root", "PROMPT_COMMAND": f"PS1='{PROMPT}'"}
        os.execve("/bin/bash", ["-bash"], surroundings)  # noqa: S606, there is no other shell in between
    termios.tcsetwinsize(terminal, (ROWS, COLUMNS))
    return terminal


HANDS, SHELL = Hands(), Shell()
ACTS = {"run": run, "push": HANDS.push, "levels": levels, "last": last, "type": SHELL.typed}


def answers(requests: Iterator[bytes]) -> Iterator[bytes]:
    """Do what each line asks, and answer it."""
    for line in requests:
        asked = json.loads(line)
        act = next(ACTS[name] for name in ACTS if name in asked)
        try:
            answer = act(asked)
        except (OSError, LookupError, sqlite3.Error) as error:
            answer = {"error": repr(error)}
        yield json.dumps(answer).encode() + b"\n"


def main() -> None:
    """Serve until the power goes."""
    threading.Thread(target=HANDS.hold, daemon=True).start()
    with Path(PORT).open("r+b", buffering=0) as port:
        port.write(b'{"ready": true}\n')
        port.writelines(answers(iter(port.readline, b"")))


if __name__ == "__main__":
    main()
