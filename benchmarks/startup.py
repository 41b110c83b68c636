"""Limits, row 6: what `pozo run` costs until it is ready, beside a Python that does nothing.

A simulated table is commissioned in a temporary folder and started by its command; it says that it is ready to the
service manager's socket, which is here. CPU up to then is the kernel's count for its threads (`schedstat`); the
peer, in turns, is the whole life of `python -c pass`. Both find their modules compiled (in a folder of this benchmark),
as an installed program does. Resident memory (PSS: shared pages counted in parts), threads
and imported modules are read at the same moment. The same is measured for a table whose pins are gpiozero's, on its
mock factory (`startup_pins.py`). Limits: 12 times the bare interpreter's CPU, 35 MB, 4 threads.

Start-up may not depend on the journal's length: at last the table gets a journal of `--records` records (the issue
asks for 5 million: some minutes and 6 GB) and is started again, in turns with the short one. Limit: 1.1 times.

Run: `python benchmarks/startup.py [--rounds N] [--records N] [--directory D]`. Exit code 1 if a limit is missed.
"""

import argparse
import os
import socket
import subprocess
import sys
import tempfile
from itertools import islice
from pathlib import Path
from statistics import median

from journals import WALL_NS, entries
from measure import interleaved, ratio, tell

from controller.config import load
from controller.config.shipped import folder
from controller.journal import Journal
from controller.signing.device import signer_of

BATCH = 2_000
READY_S = 30


class Started:
    """One start of a table: what it had cost when it said that it was ready."""

    def __init__(self, command: list[str], directory: Path) -> None:
        address = directory / "notify"
        address.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.bind(str(address))
            manager.settimeout(READY_S)
            process = subprocess.Popen(
                command,
                env={**os.environ, "NOTIFY_SOCKET": str(address)},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
            try:
                said = manager.recv(64)
                self._read(Path(f"/proc/{process.pid}"))
            finally:
                process.terminate()
                told = process.communicate()[1]
        if said != b"READY=1" or process.returncode:
            raise AssertionError(f"{command} said {said!r} and ended with {process.returncode}: {told}")
        self.modules = told.count("import time:")

    def _read(self, folder: Path) -> None:
        tasks = [Path(task, "schedstat").read_text() for task in (folder / "task").iterdir()]
        self.threads = len(tasks)
        self.cpu_s = sum(int(task.split()[0]) for task in tasks) / 1e9
        rollup = (folder / "smaps_rollup").read_text()
        self.pss_mb = int(rollup.partition("\nPss:")[2].split()[0]) / 1024
        self.rss_mb = int(rollup.partition("Rss:")[2].split()[0]) / 1024


def compiled_in(directory: Path) -> None:
    """Let this process's children keep their compiled modules in a folder of their own."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = str(directory / "compiled")


def bare() -> float:
    """CPU seconds of a Python that does nothing."""
    process = os.posix_spawn(sys.executable, [sys.executable, "-c", "pass"], os.environ)
    _, status, usage = os.wait4(process, 0)
    if status:
        raise AssertionError(f"a bare Python ended with status {status}")
    return usage.ru_utime + usage.ru_stime


def make_table(directory: Path) -> Path:
    """A table's file whose journal and witness lie beside it, commissioned by the command."""
    directory.mkdir()
    file = directory / "table.toml"
    text = (folder() / "simulated.toml").read_text()
    paths = [line for line in text.splitlines() if line.startswith("path = ")]
    for path, place in zip(paths, ("pozo.db", "witness"), strict=True):
        text = text.replace(path, f'path = "{directory / place}"')
    file.write_text(text)
    subprocess.run(
        [sys.executable, "-m", "controller", "commission", "--config", str(file), "--turn-keys"],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return file


def lengthen(file: Path, records: int) -> None:
    """Give a table's journal `records` records of play."""
    settings = load(str(file))
    journal = Journal.open(settings.journal, settings.table_id)
    sign = signer_of(settings.journal, settings.table_id)
    left = islice(entries(settings.game, journal.last.state), records - journal.head.seq)
    while batch := tuple(islice(left, BATCH)):
        journal.append(batch, WALL_NS, wall_trusted=True, seal=sign(batch, batch[-1].event.at_ns))
        journal.checkpoint()
    journal.close()


def run_command(file: Path) -> list[str]:
    return ["-m", "controller", "run", "--config", str(file)]


def pins_command(file: Path) -> list[str]:
    return [str(Path(__file__).with_name("startup_pins.py")), str(file)]


def cost_table(name: str, arguments: list[str], directory: Path, rounds: int) -> list[bool]:
    """CPU, memory, threads and modules of one way to start."""
    starts: list[Started] = []

    def start() -> float:
        starts.append(Started([sys.executable, *arguments], directory))
        return starts[-1].cpu_s

    costs = interleaved({"bare": bare, "table": start}, rounds)
    times = ratio(costs, "table", "bare")
    memory = median(each.pss_mb for each in starts)
    threads = max(each.threads for each in starts)
    modules = Started([sys.executable, "-X", "importtime", *arguments], directory).modules
    print(f"{name}: {modules} modules, {median(each.rss_mb for each in starts):.1f} MB RSS")
    return [
        tell(f"6 CPU until ready, {name} / bare Python", times, "x", "<= 12", good=times <= 12),
        tell(f"6 resident memory, {name}", memory, "MB", "<= 35", good=memory <= 35),
        tell(f"6 threads, {name}", threads, "", "<= 4", good=threads <= 4),
    ]


def cost_length(file: Path, directory: Path, rounds: int, records: int) -> bool:
    """A start on the short journal against one on the long."""
    long = make_table(directory / "long")
    lengthen(long, records)
    costs = interleaved(
        {
            "short": lambda: Started([sys.executable, *run_command(file)], directory).cpu_s,
            "long": lambda: Started([sys.executable, *run_command(long)], directory).cpu_s,
        },
        rounds,
    )
    found = ratio(costs, "long", "short")
    return tell(f"6 CPU until ready, {records} records / some", found, "x", "<= 1.1", good=found <= 1.1)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=15, help="measured starts of each contender")
    options.add_argument("--records", type=int, default=100_000, help="length of the long journal")
    options.add_argument("--directory", type=Path, help="on the medium to measure (default: a temporary one)")
    given = options.parse_args()
    with tempfile.TemporaryDirectory(dir=given.directory) as name:
        directory = Path(name)
        compiled_in(directory)
        file = make_table(directory / "short")
        kept = [
            *cost_table("simulated", run_command(file), directory, given.rounds),
            *cost_table("with pins", pins_command(file), directory, given.rounds),
            cost_length(file, directory, given.rounds, given.records),
        ]
    sys.exit(0 if all(kept) else 1)


if __name__ == "__main__":
    main()
