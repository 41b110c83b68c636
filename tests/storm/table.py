"""A table and its link as processes that may die at any moment, and the bench of the person at it."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from controller.core import events as ev
from controller.core.state import Table
from controller.journal import ends_of
from tests.helpers_process import OPERATED, ROOT, Bench, Running, journal_of
from tests.storm.network import Door

START_S = 180.0
"""How long a table may take to start while sixty processes want two processors."""

LOOK_S = 0.2


class StormTable:
    """Table `number`, the file of its configuration, and how its link comes to the floor."""

    def __init__(self, number: int, config: Path, door: Door) -> None:
        self.number = number
        self.name = config.stem
        self.config = config
        self.journal = journal_of(config)
        self.bench = Bench()
        self._door = door
        self._log = config.with_suffix(".log").open("ab")
        self._cut = self._link_killed = False
        self._link_at = 0.0
        self.running = self._begun()
        self.link = self._linked()

    @property
    def state(self) -> Table:
        """What its journal says last."""
        return ends_of(self.journal).last.state

    @property
    def last_seq(self) -> int:
        """The number of its journal's last record."""
        return ends_of(self.journal).last.seq

    @property
    def dead(self) -> bool:
        return self.running.process.poll() is not None

    def sign(self) -> str:
        """What the sign says now; empty before it said anything."""
        said = [line for _, line in self.bench.seen if line.startswith("sign ")]
        return said[-1].removeprefix("sign ") if said else ""

    def wait(self, wanted: Callable[[], bool], patience_s: float) -> bool:
        """Read until it is so; False if it does not come in time, or something must be revived."""
        end = time.monotonic() + patience_s
        while not wanted():
            left = end - time.monotonic()
            if left <= 0 or self.dead or self._link_is_due():
                return False
            self.bench.read(min(left, LOOK_S))
        return True

    def operate(self, *events: ev.AnyEvent) -> None:
        """What the operator's menu would have produced; nothing if the table is dead."""
        try:
            self.running.operate(*events)
        except BrokenPipeError:
            self.wait(lambda: self.dead, START_S)

    def cut(self) -> bool:
        """The power goes, at the table; whether it was on."""
        if self.dead:
            return False
        self._cut = True
        self.running.process.kill()
        return True

    def kill_link(self, away_s: float) -> bool:
        """Kill its link, for so long; whether it ran."""
        if self.link.poll() is not None:
            return False
        self._link_at = time.monotonic() + away_s
        self._link_killed = True
        self.link.kill()
        return True

    def _link_is_due(self) -> bool:
        """Whether its link is dead, and was so long enough."""
        return self.link.poll() is not None and time.monotonic() >= self._link_at

    def revive(self) -> None:
        """Start again what was killed. What ended by itself is a failure."""
        if self._link_is_due():
            assert self._link_killed, f"the link of {self.name} ended by itself: {self.said()}"
            self._link_killed = False
            self.link = self._linked()
        if not self.dead:
            return
        before = self.running.ended()
        assert self._cut, f"{self.name} ended by itself: {before}"
        assert before[0] == -signal.SIGKILL, before
        self._cut = False
        self.running = self._begun()
        self.wait(lambda: bool(self.sign()), START_S)

    def come_back(self) -> None:
        """Revive it now, whatever is due."""
        self._link_at = 0.0
        self.revive()

    def said(self) -> str:
        """The end of what its link said."""
        return self.config.with_suffix(".log").read_text(encoding="utf-8")[-2000:]

    def stop(self) -> None:
        """Switch the table off in order; its link stays."""
        self.running.process.send_signal(signal.SIGTERM)
        code, _, err = self.running.ended()
        assert code == 0, err

    def stop_link(self) -> None:
        self.link.send_signal(signal.SIGTERM)
        assert self.link.wait(START_S) == 0, self.said()

    def close(self) -> None:
        """End whatever still runs."""
        for process in (self.running.process, self.link):
            process.kill()
        self.running.process.communicate()
        self.link.wait()
        self._log.close()
        self.bench.close()

    def _begun(self) -> Running:
        return Running(self.config, self.bench, OPERATED)

    def _linked(self) -> subprocess.Popen[bytes]:
        command = [
            *self._door.command,
            sys.executable,
            "-m",
            "controller",
            "link",
            "--config",
            str(self.config),
        ]
        return subprocess.Popen(command, cwd=ROOT, stdout=self._log, stderr=self._log)
