"""Runs inside the guest, brought by the emulator on a disk of its own: does what a line of JSON asks, answers in one.

{"run": [ARGUMENTS], "timeout": SECONDS}      -> {"code": N, "out": TEXT, "err": TEXT}
{"push": [[AFTER_MS, PIN, LEVEL], …]}         -> {}   lines pulled up (true) or down from outside, each after the one before
{"levels": [PIN, …]}                          -> {"levels": [BOOLEAN, …]}
{"last": PATH}                                -> {"seq", "kind", "state", "results"} of the journal's last record
"""

import glob
import json
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PORT = "/dev/virtio-ports/pozo"


def place() -> Path:
    return Path(glob.glob("/sys/devices/platform/gpio-sim*/gpiochip*")[0])


def run(asked: dict[str, Any]) -> dict[str, object]:
    limit = asked.get("timeout", 60)
    try:
        done = subprocess.run(
            asked["run"], capture_output=True, text=True, errors="replace", timeout=limit, check=False
        )
    except subprocess.TimeoutExpired:
        return {"code": -1, "out": "", "err": f"not done within {limit} s"}
    return {"code": done.returncode, "out": done.stdout, "err": done.stderr}


def push(asked: dict[str, Any]) -> dict[str, object]:
    lines = place()
    for after_ms, pin, level in asked["push"]:
        time.sleep(after_ms / 1000)
        (lines / f"sim_gpio{pin}" / "pull").write_text("pull-up" if level else "pull-down")
    return {}


def levels(asked: dict[str, Any]) -> dict[str, object]:
    lines = place()
    return {
        "levels": [(lines / f"sim_gpio{pin}" / "value").read_text().strip() == "1" for pin in asked["levels"]]
    }


def last(asked: dict[str, Any]) -> dict[str, object]:
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


def answers(requests: Iterator[bytes]) -> Iterator[dict[str, object]]:
    for line in requests:
        asked = json.loads(line)
        act = next(ACTS[name] for name in ACTS if name in asked)
        try:
            yield act(asked)
        except (OSError, LookupError, sqlite3.Error) as error:
            yield {"error": repr(error)}


def main() -> None:
    with open(PORT, "r+b", buffering=0) as port:
        port.write(b'{"ready": true}\n')
        for answer in answers(iter(port.readline, b"")):
            port.write(json.dumps(answer).encode() + b"\n")


if __name__ == "__main__":
    sys.exit(main())
