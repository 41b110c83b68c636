"""Runs inside the guest, brought by the emulator on a disk of its own: does what a line of JSON asks, answers in one.

{"run": [ARGUMENTS], "timeout": SECONDS}      -> {"code": N, "out": TEXT, "err": TEXT}
{"push": [[AFTER_MS, PIN, LEVEL], …]}         -> {}   lines pulled up or down, each after the one before
{"levels": [PIN, …]}                          -> {"levels": [BOOLEAN, …]}
{"last": PATH}                                -> {"seq", "kind", "state", "results"} of the journal's last record
"""

import json
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PORT = "/dev/virtio-ports/pozo"


def place() -> Path:
    """Where sysfs has the lines of the header."""
    return next(Path("/sys/devices/platform").glob("gpio-sim*/gpiochip*"))


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


def push(asked: dict[str, Any]) -> dict[str, object]:
    """Pull lines from outside, one after the other."""
    lines = place()
    for after_ms, pin, level in asked["push"]:
        time.sleep(after_ms / 1000)
        (lines / f"sim_gpio{pin}" / "pull").write_text("pull-up" if level else "pull-down")
    return {}


def levels(asked: dict[str, Any]) -> dict[str, object]:
    """Read the wires."""
    lines = place()
    return {
        "levels": [(lines / f"sim_gpio{pin}" / "value").read_text().strip() == "1" for pin in asked["levels"]]
    }


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


ACTS = {"run": run, "push": push, "levels": levels, "last": last}


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
    with Path(PORT).open("r+b", buffering=0) as port:
        port.write(b'{"ready": true}\n')
        port.writelines(answers(iter(port.readline, b"")))


if __name__ == "__main__":
    main()
