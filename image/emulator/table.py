"""A table in the guest: hands on its lines, eyes on its lamps, and what its journal and its unit say."""

import re
import time
import tomllib
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from emulator.guest import Guest, GuestError
from emulator.reading import read

JOURNAL = "/var/lib/pozo/journal.db"
CONFIG = "/var/lib/pozo/table.toml"

COMMAND = "/usr/local/sbin/pozo"
"""What somebody over SSH calls."""

PATIENCE_S = 900.0
GLANCE_S = 0.2
"""Between two looks at the screen, which cost the guest nothing."""

SOON_LOOKS = 150
"""What a press does is on the screen by then, also of a guest with a fifth of a processor."""

LOOK_S = 4.0
"""Between two looks: each is a program that the emulated processor starts, before what is waited for."""

SEATS = range(1, 8)
PIN = "0102"
PERSON = "pozo-emulator-person.service"
PRESS_MS = 150
HOLD_MS = 1600
"""Longer than GAME OVER must be held, also by an emulated clock that is late."""


MENU_SILENT_S = 20
"""The menu closes by itself after this long."""

DONE, SURE = "LISTO", "SÍ, HACERLO"
"""What the menu of a table in Spanish calls the end of an entry, and its yes."""

TRIES = 4

COUNT = """
import sqlite3, sys
base = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
print(base.execute("SELECT count(*) FROM journal WHERE kind = ?", (sys.argv[2],)).fetchone()[0])
"""


GAP_MS = 200
"""A finger's way up and down again: what is shorter is to the filter a button that was never freed."""

AFTER_MS = 1200
"""So long after a press the emulated program has drawn its page: what goes down before that does nothing (F046)."""


class Last(NamedTuple):
    """The journal's last record, as far as it is looked at."""

    seq: int
    kind: str
    phase: str
    round: int
    bets: frozenset[int]


class Table:
    """One table on the reference board."""

    def __init__(self, guest: Guest, board: Path) -> None:
        self.guest = guest
        wiring = tomllib.loads(board.read_text(encoding="utf-8"))
        self._inputs: dict[str, int] = wiring["inputs"]
        self._outputs: dict[str, int] = wiring["outputs"]

    def unit(self, name: str = "pozo-table.service") -> dict[str, str]:
        """What the service manager says of a unit."""
        told = self.guest.told(
            "systemctl",
            "show",
            name,
            "-p",
            "ActiveState,SubState,Result,NRestarts,StatusText,MainPID,ExecMainStatus",
        )
        return dict(line.split("=", 1) for line in told.splitlines() if "=" in line)

    def ready(self) -> float:
        """Wait until the table's unit has said READY; seconds since power on."""
        self.until(lambda: self.unit()["ActiveState"] == "active", "READY")
        return time.monotonic() - self.guest.began

    def playing(self) -> float:
        """Wait until the program that runs now has said that the table plays; seconds since power on."""
        self.until(self._plays, "play")
        return time.monotonic() - self.guest.began

    def _plays(self) -> bool:
        run = self.guest.told(
            "systemctl", "show", "--value", "-p", "InvocationID", "pozo-table.service"
        ).strip()
        return " plays: " in self.guest.told("journalctl", "-b", "-o", "cat", f"_SYSTEMD_INVOCATION_ID={run}")

    def until(self, wanted: Callable[[], bool], what: str, limit_s: float = PATIENCE_S) -> float:
        """Wait for something; the seconds it took. Raises `GuestError` with what the unit said last."""
        began = time.monotonic()
        while not wanted():
            if time.monotonic() - began > limit_s:
                raise GuestError(
                    f"{what} did not come within {limit_s:.0f} s; the guest says:\n{self._troubles()}"
                )
            time.sleep(LOOK_S)
        return time.monotonic() - began

    def _troubles(self) -> str:
        """What helps to see why something did not come."""
        asked = (
            ("journalctl", "-b", "-n", "40", "-o", "cat", "-u", "pozo-table"),
            ("journalctl", "-b", "-n", "30", "-o", "cat", "-p", "warning"),
            ("systemctl", "--failed", "--no-legend", "--plain"),
            ("systemctl", "list-jobs", "--no-legend", "--plain"),
        )
        return "\n".join(f"$ {' '.join(words)}\n{self.guest.run(*words).out}" for words in asked)

    def last(self) -> Last | None:
        """The journal's last record; None while there is no journal."""
        found: dict[str, Any] = self.guest.ask({"last": JOURNAL})
        if "error" in found:
            return None
        state = found["state"]
        seats = frozenset(
            number for number, seat in enumerate(state["seats"], 1) if seat.get("wager", "none") != "none"
        )
        return Last(found["seq"], found["kind"], state["phase"], state.get("round", 1), seats)

    def phase(self) -> str:
        """The table's phase, empty while it has no journal."""
        last = self.last()
        return "" if last is None else last.phase

    def until_phase(self, *phases: str) -> None:
        """Wait for one of these phases."""
        self.until(lambda: self.phase() in phases, f"phase {' or '.join(phases)} (it is {self.phase()})")

    def push(self, *pushes: tuple[int, str, bool]) -> None:
        """After so many ms, this input becomes active or not; all inputs of the board are active low."""
        self.guest.ask({"push": [(after, self._inputs[name], not active) for after, name, active in pushes]})

    def key(self, name: str, on: bool) -> None:
        """Turn a key."""
        self.push((0, name, on), (300, name, on))

    def press(self, button: str, hold_ms: int = PRESS_MS) -> None:
        """Press a button and let it go."""
        self.push((0, button, True), (hold_ms, button, False), (AFTER_MS, button, False))

    def chips(self, seats: Iterable[int]) -> None:
        """Let chips fall, one after the other."""
        names = [f"seat_{seat}" for seat in seats]
        self.push(*(push for name in names for push in ((60, name, True), (40, name, False))))

    def lit(self) -> frozenset[int]:
        """The seats whose lamps burn at this moment."""
        pins = [self._outputs[f"lamp_{seat}"] for seat in SEATS]
        levels = self.guest.ask({"levels": pins})["levels"]
        return frozenset(seat for seat, on in zip(SEATS, levels, strict=True) if on)

    def driven(self) -> dict[str, bool]:
        """Each output of the board at this moment; all of the reference board's are active high."""
        levels = self.guest.ask({"levels": list(self._outputs.values())})["levels"]
        return dict(zip(self._outputs, levels, strict=True))

    def burning(self) -> frozenset[int]:
        """The seats whose lamps burn steadily: at each of several looks in a row."""
        looks = []
        for _ in range(12):
            looks.append(self.lit())
            time.sleep(0.1)
        return frozenset.intersection(*looks)

    def read_screen(self) -> tuple[str, ...]:
        """The rows of text on the croupier's screen; none while it is dark."""
        seen = self.guest.screen()
        return () if seen is None else read(seen.rows)

    def shows(self, words: str) -> bool:
        """Whether these words are on the screen now, wherever a row of theirs ends."""
        return words in " ".join(self.read_screen())

    def until_shows(self, *words: str, limit_s: float = PATIENCE_S) -> str:
        """Wait until any of these is on the screen, which may turn pages; the one that is. Raises `GuestError`."""
        end = time.monotonic() + limit_s
        while not (shown := [some for some in words if self.shows(some)]):
            if time.monotonic() > end:
                raise GuestError(
                    f"the screen did not show {' or '.join(words)} within {limit_s:.0f} s, "
                    f"but {' / '.join(self.read_screen()) or 'nothing'}; the guest says:\n{self._troubles()}"
                )
            time.sleep(GLANCE_S)
        return shown[0]

    def commission(self) -> None:
        """Both keys and GAME OVER for three seconds make a new table; the new table then plays by itself."""
        self.until_shows("MESA NUEVA")
        self.until(self._agreed, "the commissioning")
        self.until(self._seen_the_key, "the start after the commissioning")
        self.playing()

    def _agreed(self) -> bool:
        """Whether the table has a journal; it is asked for again, for its page may not have stood there yet."""
        if self.last() is not None:
            return True
        keys = ("supervisor", "technician")
        self.push(*((100, key, True) for key in keys), (500, "game_over", True), (5000, "game_over", False))
        self.push(*((500, key, False) for key in keys))
        time.sleep(5)
        return self.last() is not None

    def _seen_the_key(self) -> bool:
        """Whether it plays; the page with the new table's key goes away when GAME OVER is pressed."""
        last = self.last()
        if last is not None and last.kind == "started":
            return True
        self.press("game_over")
        return False

    def persons(self) -> None:
        """A supervisor and a technician get a PIN, as at a terminal: the table stopped, both keys turned.

        The second is added by the first: his number and PIN are asked for.
        """
        self.guest.told("systemctl", "stop", "pozo-table.service")
        self._person("Ana", "supervisor", 7, (PIN, PIN))
        self._person("Luis", "technician", 12, ("7", PIN, PIN, PIN))
        self.guest.told("systemctl", "start", "pozo-table.service", limit_s=300)
        self.playing()

    def _person(self, name: str, role: str, number: int, typed: Iterable[str]) -> None:
        """The command waits for the keys, so that it runs by itself while they are turned."""
        said = " ".join(f"echo {line};" for line in typed)
        adding = f"{COMMAND} users add {name} --role {role} --number {number} --config {CONFIG}"
        self.guest.told(
            *("systemd-run", "--quiet", "--no-block", "--remain-after-exit", f"--unit={PERSON}"),
            *("sh", "-c", f"{{ {said} }} | {adding}"),
        )
        self.until(self._added, f"{name} in the list of users")
        self.guest.told("systemctl", "stop", PERSON)

    def _added(self) -> bool:
        """Whether the command has ended well; the keys are turned again until it has seen them."""
        keys = ("supervisor", "technician")
        self.push(*((100, key, True) for key in keys), *((3000, key, False) for key in keys))
        said = self.unit(PERSON)
        if said["ActiveState"] == "failed":
            raise GuestError(self.guest.told("journalctl", "-b", "-u", PERSON, "-o", "cat"))
        return said["SubState"] == "exited"

    def marked(self) -> str:
        """The menu's entry that is marked on the screen now; empty where none is, or another page is shown."""
        found = re.search(r"(?:^| )> (.*?)(?: - |$)", " ".join(self.read_screen()))
        return found.group(1) if found else ""

    def take(self, entry: str) -> None:
        """Mark this entry of the menu and take it, looking at each press. Raises `GuestError` where there is none."""
        seen: list[str] = []
        while (marked := self._marked()) != entry:
            if seen.count(marked) > TRIES:
                raise GuestError(f"the menu has no {entry!r}, but {', '.join(sorted(set(seen)))}")
            seen.append(marked)
            self._tap(PRESS_MS)
            if not self._soon(partial(self._marks_another, marked)):
                self.rest(2)  # late or not felt: whatever it did is drawn after this
        before = self.guest.screen()
        self._tap(HOLD_MS)
        if not self._soon(lambda: self.guest.screen() != before):
            self.rest(2)

    def _marked(self) -> str:
        """The marked entry, once there is one."""
        end = time.monotonic() + PATIENCE_S
        while not (found := self.marked()):
            if time.monotonic() > end:
                raise GuestError(f"no menu came, but {' / '.join(self.read_screen()) or 'a dark screen'}")
            time.sleep(GLANCE_S)
        return found

    def _tap(self, hold_ms: int) -> None:
        """GAME OVER, by somebody who looks at the screen before the next one."""
        self.push((0, "game_over", True), (hold_ms, "game_over", False), (GAP_MS, "game_over", False))

    def _marks_another(self, entry: str) -> bool:
        """Whether another entry is marked now."""
        return self.marked() not in {"", entry}

    def _soon(self, done: Callable[[], bool]) -> bool:
        """Wait for what a press does to the screen; whether it came.

        Looks are counted, not seconds: a machine that was stopped has not looked meanwhile.
        """
        for _ in range(SOON_LOOKS):
            if done():
                return True
            time.sleep(GLANCE_S)
        return False

    def enter(self, key: str) -> None:
        """Turn a key, and enter its holder's PIN with the one button: he is the only one of his role."""
        self.key(key, True)
        self.take(self._marked())
        for entry in (*PIN, DONE):
            self.take(entry)

    def open(self) -> None:
        """The supervisor opens it: who he is, the lamp test, the opening, and that no lamp is dark."""
        self._as_supervisor(("PRUEBA DE LUCES", "ABRIR LA MESA", DONE), "open")

    def close(self) -> None:
        """The supervisor closes it."""
        self._as_supervisor(("CERRAR LA MESA", SURE), "closed")

    def _as_supervisor(self, entries: Iterable[str], phase: str) -> None:
        def act() -> None:
            self.enter("supervisor")
            for entry in entries:
                self.take(entry)
            self.key("supervisor", False)

        self._surely(act, lambda: self.phase() == phase, f"phase {phase}")

    def ask_update(self) -> None:
        """Both persons ask for it at the closed table."""
        self._ask_for("update_asked", "ACTUALIZAR DESDE EL PENDRIVE")

    def ask_backup(self) -> None:
        """The same for a backup."""
        self._ask_for("backup_asked", "COPIA EN EL PENDRIVE")

    def _ask_for(self, kind: str, entry: str) -> None:
        """The supervisor's key first: the technician's alone would make TEST. They stay turned."""
        before = self.records(kind)

        def asking() -> None:
            for name in ("supervisor", "technician"):
                self.key(name, False)
            for name in ("supervisor", "technician"):
                self.enter(name)
            self.take(entry)
            self.take(SURE)

        self._surely(asking, lambda: self.records(kind) > before, f"the record {kind}")

    def records(self, kind: str) -> int:
        """How many records of a kind there are."""
        return int(self.guest.told("/usr/bin/python3", "-c", COUNT, JOURNAL, kind))

    def _surely(self, act: Callable[[], None], done: Callable[[], bool], what: str) -> None:
        """Do it at the menu, and again where a press was not felt: a program that only just plays may be late."""
        for _ in range(TRIES):
            self.rest(3)
            act()
            self.rest(2)
            if done():
                return
            self.rest(MENU_SILENT_S + 5)
        raise GuestError(f"{what} did not come in {TRIES} tries; the guest says:\n{self._troubles()}")

    def rest(self, seconds: int) -> None:
        """Let the guest's own time pass."""
        self.guest.told("sleep", str(seconds))

    def verify(self) -> str:
        """Have the whole journal proven, as the auditor does."""
        return self.guest.told(COMMAND, "journal", "verify", JOURNAL, limit_s=300)
