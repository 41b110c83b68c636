"""A table of the property tests: its plug, its lines, its chips, and what must always be true of it.

Rules are written for `hypothesis.stateful`; `tests/test_powercut.py` adds the people and what breaks.
"""

from collections import Counter
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

import msgspec
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from controller.core import events as ev
from controller.drill.play import settings_of
from controller.drill.statements import Part
from controller.drill.world import World
from controller.journal import verify
from controller.loop import Loop
from controller.outputs import Lamp
from tests.helpers_ledger import RATES, Json, audit
from tests.helpers_powercut import CutMedium, Plug, PowerCut, hal_on, lit_claims, slots_may_open

TABLE = settings_of("simulated", RATES)
MS = 1_000_000
SEATS = st.integers(1, 7)
STEPS = (
    "before insert",
    "after insert",
    "before commit",
    "after commit",
    "lamp",
    "slots",
    "release",
    "bell",
    "screen",
    "sign",
    "levels",
)
"""Where the plug is pulled on purpose; `levels` is the begin of a turn."""
P = ParamSpec("P")
M = TypeVar("M", bound="Felt")


def survives(play: Callable[Concatenate[M, P], None]) -> Callable[Concatenate[M, P], None]:
    """A rule in the middle of which the power may go: then the lines fall idle and the table is dark."""

    @wraps(play)
    def played(machine: M, /, *args: P.args, **kwargs: P.kwargs) -> None:
        try:
            play(machine, *args, **kwargs)
        except PowerCut:
            machine.world.power_cut()
            machine.release_lines()

    return played


def powered(machine: "Felt") -> bool:
    return machine.world.loop is not None


SEEN: Counter[str] = Counter()
"""What happened in a whole run."""


class Felt(RuleBasedStateMachine):
    """A Montevideo table, its hands and its plug."""

    def __init__(self) -> None:
        super().__init__()
        self.plug = Plug()
        medium = CutMedium(self.plug)
        self.world = World(TABLE, medium=medium, make_hal=hal_on(medium))
        self.medium = medium
        medium.chosen = self._chosen
        self.driven: Counter[tuple[int, int]] = Counter()
        self.broken = False

    def _chosen(self) -> int:
        """The seat whose lamp the menu makes blink."""
        lamps = () if self.world.loop is None else self.world.loop.lamps
        return next((number for number, lamp in enumerate(lamps, start=1) if lamp is Lamp.CHOSEN), 0)

    @initialize()
    def commissioned(self) -> None:
        self.world.power_on(open_table=True)

    def teardown(self) -> None:
        self.plug.left = None
        try:
            if self.world.loop is not None:
                self.world.break_part(Part.JOURNAL, broken=False)
                self.world.power_off()
            if not self.world.medium.empty:
                self.audited()
        finally:
            self.world.close()

    def audited(self) -> None:
        """The whole history, by the account and by the program's own proof."""
        path = self.world.medium.journal
        ledger = audit(path)
        assert verify(path).bad is None
        SEEN.update(ledger.seen)
        SEEN.update(f"cut {place}" for place in self.plug.pulled_at)
        for chip, times in ledger.chips.items():
            assert times <= self.driven[chip], f"chip {chip} fell {self.driven[chip]} times"

    @property
    def loop(self) -> Loop:
        loop = self.world.loop
        assert loop is not None
        return loop

    @property
    def now(self) -> int:
        return self.world.clock.monotonic_ns()

    def stored(self) -> Json:
        return self.medium.stored()

    def release_lines(self) -> None:
        for line, active in self.world.hal.physical.items():
            if active and line not in {"supervisor", "technician"}:
                self.world.drive(line, active=False)

    def fall(self, line: str) -> None:
        if line.startswith("seat_") and not self.world.hal.physical[line]:
            self.driven[int(line.removeprefix("seat_")), self.world.clock.monotonic_ns()] += 1
        self.world.drive(line, active=True)

    def rise(self, line: str) -> None:
        self.world.drive(line, active=False)

    def wait_ms(self, ms: int) -> None:
        self.world.pass_time(ms * MS)

    def press(self, button: str, ms: int) -> None:
        if not self.world.hal.physical[button]:
            self.fall(button)
            self.wait_ms(ms)
            self.rise(button)
            self.wait_ms(80)

    def turned(self, key: ev.Key, on: bool) -> None:
        self.world.drive(key, active=on)
        self.wait_ms(50)

    # The plug.

    @rule(steps=st.integers(0, 4), kind=st.sampled_from(STEPS))
    def loosen_the_plug(self, steps: int, kind: str) -> None:
        self.plug.loosen(steps, kind)

    @precondition(powered)
    @rule()
    def cut(self) -> None:
        self.world.power_cut()

    @precondition(powered)
    @rule()
    @survives
    def off(self) -> None:
        self.world.power_off()

    @precondition(lambda machine: not powered(machine))
    @rule()
    @survives
    def on(self) -> None:
        self.medium.mend()
        self.broken = False
        self.world.power_on(open_table=False)

    @precondition(lambda machine: not powered(machine))
    @rule(steps=st.integers(0, 30))
    @survives
    def on_for_a_moment(self, steps: int) -> None:
        self.plug.loosen(steps)
        self.medium.mend()
        self.broken = False
        self.world.power_on(open_table=False)

    @precondition(lambda machine: not powered(machine))
    @rule()
    @survives
    def on_with_a_full_medium(self) -> None:
        """Not even the start can be recorded: what was stored is shown, and nothing opens."""
        self.medium.mend()
        self.medium.full = self.broken = True
        self.world.power_on(open_table=False)
        assert self.loop.failing

    # The felt.

    @precondition(powered)
    @rule(seats=st.lists(SEATS, min_size=1, max_size=5, unique=True), apart_ms=st.integers(3, 30))
    @survives
    def chips(self, seats: list[int], apart_ms: int) -> None:
        """Chips that overlap. If nothing is out of order each is stored exactly once."""
        self.drop(seats, apart_ms)

    def drop(self, seats: list[int], apart_ms: int) -> None:
        free = [seat for seat in seats if not self.world.hal.physical[f"seat_{seat}"]]
        begin = self.world.clock.monotonic_ns()
        moments = sorted(
            (begin + number * apart_ms * MS + after, seat, after == 0)
            for number, seat in enumerate(free)
            for after in (0, 40 * MS)
        )
        self.world.listen()
        fell = self.driven.copy()
        for at_ns, seat, active in moments:
            self.world.pass_until(at_ns)
            (self.fall if active else self.rise)(f"seat_{seat}")
        self.wait_ms(60)
        if not self.broken:
            told = [
                (entry.event.seat, entry.event.at_ns)
                for entry in self.world.told
                if isinstance(entry.event, ev.ChipDropped)
            ]
            for chip in self.driven - fell:
                assert told.count(chip) == 1, f"chip {chip} was told {told.count(chip)} times"

    @precondition(powered)
    @rule(seat=SEATS, press_after_us=st.sampled_from([-3_000, -1, 0, 0, 1, 3_000]))
    @survives
    def race(self, seat: int, press_after_us: int) -> None:
        """A chip and COIN IN within three milliseconds."""
        line = f"seat_{seat}"
        if self.world.hal.physical[line] or self.world.hal.physical["coin_in"]:
            return
        if self.stored()["phase"] == "locked":
            self.press("game_over", 120)
        order = [(0, line), (press_after_us * 1_000, "coin_in")]
        begin = self.world.clock.monotonic_ns() + 3 * MS
        for after_ns, name in sorted(order):
            self.world.pass_until(begin + after_ns)
            self.fall(name)
        self.wait_ms(40)
        self.rise(line)
        self.wait_ms(60)
        self.rise("coin_in")
        self.wait_ms(80)

    @precondition(powered)
    @rule(at_ms=st.integers(1, 9), seat=SEATS)
    @survives
    def noise(self, at_ms: int, seat: int) -> None:
        line = f"seat_{seat}"
        if not self.world.hal.physical[line]:
            self.world.drive(line, active=True)
            self.wait_ms(at_ms)
            self.rise(line)
            self.wait_ms(20)

    @precondition(powered)
    @rule(seats=st.lists(SEATS, min_size=3, max_size=7, unique=True), for_ms=st.integers(1, 60))
    @survives
    def all_at_once(self, seats: list[int], for_ms: int) -> None:
        """Lines that fall and rise together: noise, none counts."""
        lines = [f"seat_{seat}" for seat in seats if not self.world.hal.physical[f"seat_{seat}"]]
        for line in lines:
            self.fall(line)
        self.wait_ms(for_ms)
        for line in lines:
            self.rise(line)
        self.wait_ms(20)

    @precondition(powered)
    @rule(seats=st.lists(SEATS, min_size=3, max_size=7, unique=True))
    @survives
    def coin_in_waits(self, seats: list[int]) -> None:
        """COIN IN waits for lines that fell together; the slots do not wait with it."""
        lines = [f"seat_{seat}" for seat in seats if not self.world.hal.physical[f"seat_{seat}"]]
        if self.world.hal.physical["coin_in"]:
            return
        for line in lines:
            self.fall(line)
        self.wait_ms(5)
        self.fall("coin_in")
        self.wait_ms(21)
        for number, line in enumerate(lines):
            assert not self.world.hal.outputs["slots"] or self.stored()["phase"] == "test"
            self.wait_ms(3 + number)
            self.rise(line)
        self.wait_ms(120)
        self.rise("coin_in")
        self.wait_ms(80)

    @precondition(powered)
    @rule(seat=SEATS, for_ms=st.sampled_from([900, 1_300]))
    @survives
    def hold_a_slot(self, seat: int, for_ms: int) -> None:
        """Something sticks in a slot; it stays there."""
        self.fall(f"seat_{seat}")
        self.wait_ms(for_ms)

    @precondition(powered)
    @rule()
    @survives
    def free_the_lines(self) -> None:
        self.release_lines()
        self.wait_ms(60)

    @precondition(powered)
    @rule(seat=SEATS, active=st.booleans())
    @survives
    def lose_an_edge(self, seat: int, active: bool) -> None:
        line = f"seat_{seat}"
        if self.world.hal.physical[line]:
            return
        self.world.hal.drop_edge(line, active)
        self.fall(line)
        self.wait_ms(40)
        self.rise(line)
        self.wait_ms(120)

    # What must always be true.

    @invariant()
    def a_dark_table_is_locked(self) -> None:
        if not powered(self):
            assert not any(self.world.hal.outputs.values())

    @invariant()
    def what_is_shown_is_what_is_stored(self) -> None:
        if not powered(self):
            return
        state, outputs = self.stored(), self.world.hal.outputs
        assert msgspec.json.decode(msgspec.json.encode(self.loop.table)) == state
        if not slots_may_open(state) or self.loop.failing:
            assert not outputs["slots"], "slots open in a phase that takes no wager"
        for number, seat in enumerate(state["seats"], start=1):
            if seat.get("wager") == "accepted" and number not in lit_claims(state):
                assert outputs[f"lamp_{number}"], f"the stored wager of seat {number} is dark"
            if state["phase"] == "locked" and not seat.get("wager") and seat.get("closed") != "fault":
                assert not outputs[f"lamp_{number}"], f"seat {number} is lit without a wager"

    @invariant()
    def an_open_table_in_health_takes_chips(self) -> None:
        if powered(self) and not self.loop.failing:
            state = self.stored()
            if state["phase"] == "open" and not state.get("faults"):
                assert self.world.hal.outputs["slots"]
