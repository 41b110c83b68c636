"""Plays a drill in a `World`: each statement becomes things that happen at certain moments.

Physical statements are lists of moments, so that `together` can lay several over each other; everything else
happens at once.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from controller.config import Settings, load
from controller.core import events as ev
from controller.core.money import AmountError, parse
from controller.drill import statements as st
from controller.drill.copies import Copies, play
from controller.drill.expect import FailedError, expect
from controller.drill.line import DrillError
from controller.drill.medium import Medium
from controller.drill.mishaps import Accept, Edit, Mishap, befall
from controller.drill.off import accepted, edited, in_force
from controller.drill.people import AddUser
from controller.drill.plug import PulledError
from controller.drill.seam_world import SeamWorld
from controller.drill.shared import Shared, happen
from controller.drill.world import World, WorldError
from controller.journal import JournalError
from controller.soak.checks.auditor import Auditor
from controller.soak.disk import LossyMedium
from controller.soak.disk_calls import PowerCut
from controller.users import UsersError
from controller.witness import WitnessError
from hal.interface import DeviceError, LineError

CHIP_NS = 40_000_000
APART_NS = 15_000_000
AGAIN_NS = 60_000_000
REST_NS = 60_000_000
PRESS_REST_NS = 80_000_000
KEY_REST_NS = 50_000_000
PAD_NS = 100_000_000
IN_ORDER = "a table in order"
"""What a watcher's finding was expected to be."""
GOES_ON = "a program that goes on"
"""What an error of the program was expected to be."""


class Moment(NamedTuple):
    """Something that happens `at_ns` after the statement began."""

    at_ns: int
    do: Callable[[SeamWorld], None]


class Timeline(NamedTuple):
    """What a statement does, and how long it takes in all."""

    moments: tuple[Moment, ...]
    length_ns: int


class Played(NamedTuple):
    """What is told to whoever watches, after each statement."""

    statement: st.Statement
    world: SeamWorld


Watch = Callable[[Played], None]


class Drill:
    """One script on one table; its journal may be kept as `keep`, its medium lies in `parent`.

    `play` raises `FailedError` at the first expectation that is not met.
    """

    def __init__(
        self, watch: Watch = lambda _: None, keep: Path | None = None, parent: Path | None = None
    ) -> None:
        self._table = "simulated"
        self._values: dict[str, str] = {}
        self._world: SeamWorld | None = None
        self._watch = watch
        self._keep = keep
        self._parent = parent
        self._lossy: int | None = None
        self.auditor: Auditor | None = None
        """Who watches since `audit`."""
        self.asserted = 0

    def play(self, statements: Sequence[st.Statement]) -> None:
        """Play all statements, then switch off."""
        try:
            for statement in statements:
                self.one(statement)
        finally:
            self.close()
        if self.auditor is not None and statements:
            _refuse_findings(statements[-1], self.auditor)

    def close(self) -> None:
        """Switch off; what a watcher has to say of the whole is said now."""
        if self._world is None:
            return
        world, self._world = self._world, None
        try:
            _through(world, SeamWorld.power_off)
            if self.auditor is not None and not world.medium.empty and not self.auditor.found:
                self.auditor.waking(world.medium.journal)
                self.auditor.replay(world.medium.journal)
        finally:
            world.close(self._keep)

    def one(self, statement: st.Statement) -> None:
        """Play one statement. Raises `FailedError`, also for what a watcher found wrong in it, and `DrillError`."""
        self._one(statement)
        if self._world is not None:
            self._watch(Played(statement, self._world))
        if self.auditor is not None:
            self.auditor.look()
            _refuse_findings(statement, self.auditor)

    def _one(self, statement: st.Statement) -> None:
        match statement:
            case st.Audit():
                self.asserted += 1
                self.auditor = Auditor(self.world)
                self.world.seams.watcher = self.auditor
            case st.UseMedium(seed=seed):
                self._before_power(statement)
                self._lossy = seed
            case Accept() | Edit():
                with _told_as_failed(statement):
                    self._other_values(statement)
            case st.UseTable(name=name):
                self._before_power(statement)
                self._table = name
            case st.SetValue(key=key, value=value):
                self._before_power(statement)
                self._values[key] = value
            case st.Repeat(times=times, body=body):
                for each in body * times:
                    self.one(each)
            case st.Expect():
                self.asserted += 1
                expect(self.world, statement)
            case _:
                self._happen(statement)

    @property
    def world(self) -> SeamWorld:
        """The table's world; made at the first statement that needs it."""
        if self._world is None:
            settings = settings_of(self._table, self._values)
            if self._lossy is None:
                self._world = SeamWorld(settings, Medium(self._parent))
            else:
                medium = LossyMedium(self._lossy, self._parent)
                self._world = SeamWorld(settings, medium, lambda: medium.disk)
        return self._world

    def _other_values(self, statement: Accept | Edit) -> None:
        values = {**self._values, statement.key: statement.value}
        settings = settings_of(self._table, values)
        if isinstance(statement, Edit):
            _through(self.world, lambda world: edited(world, settings))
            return
        _through(self.world, lambda world: accepted(world, settings))
        if in_force(self.world, settings):
            # Also where the power went before anybody was told: what the journal has is what was agreed to.
            self.world.settings, self._values = settings, values

    def _before_power(self, statement: st.Statement) -> None:
        if self._world is not None:
            raise FailedError(
                statement, "`table` and `set` before anything happens", "the world is made already"
            )

    def _happen(self, statement: st.Statement) -> None:
        world = self.world
        world.listen()
        timeline = _timeline(world, statement)
        begin = world.elapsed_ns
        with _told_as_failed(statement):
            for moment in sorted(timeline.moments, key=lambda each: each.at_ns):
                _until(world, begin + moment.at_ns)
                _through(world, moment.do)
            _until(world, begin + timeline.length_ns)


@contextmanager
def _told_as_failed(statement: st.Statement) -> Iterator[None]:
    """What the world or the program cannot do is told with the line it was asked in."""
    try:
        yield
    except (WorldError, WitnessError) as error:
        raise FailedError(statement, "something that can happen now", str(error)) from error
    except JournalError as error:
        raise FailedError(statement, GOES_ON, str(error)) from error
    except (LineError, DeviceError, AmountError, UsersError) as error:
        raise DrillError(f"line {statement.line}: {statement.text}\n  {error}") from error


def _refuse_findings(statement: st.Statement, auditor: Auditor) -> None:
    if auditor.found:
        raise FailedError(statement, IN_ORDER, auditor.found[0])


def _until(world: SeamWorld, elapsed_ns: int) -> None:
    wait_ns = max(elapsed_ns - world.elapsed_ns, 0)
    _through(world, lambda each: each.pass_time(wait_ns))


def _through(world: SeamWorld, do: Callable[[SeamWorld], None]) -> None:
    """Do something in the middle of which the power may go, or the program end by a flush that failed."""
    try:
        do(world)
    except PulledError:
        world.pulled()
    except PowerCut:
        world.lost_in_a_write()
    except JournalError:
        if not world.seams.flush_failed:
            raise
        world.ended()
    world.bury()


def settings_of(table: str, values: Mapping[str, str]) -> Settings:
    """The settings of a drill's table. Where journal and witness are is the world's business."""
    return replace(load(table, values), journal=Path("unused"), witness=Path("unused"))


def _timeline(world: SeamWorld, statement: st.Statement) -> Timeline:
    match statement:
        case st.Together(body=body):
            lines = [_timeline(world, each) for each in body]
            moments = tuple(moment for line in lines for moment in line.moments)
            return Timeline(moments, max((line.length_ns for line in lines), default=0))
        case st.Repeat(times=times, body=body):
            return _in_turn([_timeline(world, each) for each in body] * times)
        case st.Chip(seats=seats):
            return _chips(seats)
        case st.Wave(name=name, levels=levels):
            return _wave(name, levels)
        case st.Press(button=button, ns=ns):
            return Timeline((_drive(0, button, on=True), _drive(ns, button, on=False)), ns + PRESS_REST_NS)
        case st.TurnKey(key=key, on=on):
            return Timeline((_drive(0, key, on=on),), KEY_REST_NS)
        case st.Pad(keys=keys):
            return Timeline(tuple(_type(at * PAD_NS, key) for at, key in enumerate(keys)), len(keys) * PAD_NS)
        case st.Wait(ns=ns):
            return Timeline((), ns)
        case st.Freeze(ns=ns):
            return Timeline((Moment(0, World.freeze), Moment(ns, World.thaw)), ns)
        case _:
            return Timeline((Moment(0, lambda each: _at_once(each, statement)),), 0)


def _in_turn(lines: Sequence[Timeline]) -> Timeline:
    moments: list[Moment] = []
    begin = 0
    for line in lines:
        moments += [Moment(begin + moment.at_ns, moment.do) for moment in line.moments]
        begin += line.length_ns
    return Timeline(tuple(moments), begin)


def _drive(at_ns: int, line: str, *, on: bool) -> Moment:
    return Moment(at_ns, lambda world: world.drive(line, active=on))


def _type(at_ns: int, key: str) -> Moment:
    return Moment(at_ns, lambda world: world.type_key(key))


def _chips(seats: tuple[int, ...]) -> Timeline:
    moments: list[Moment] = []
    free: dict[int, int] = {}
    begin = end = 0
    for seat in seats:
        begin = max(begin, free.get(seat, 0))
        moments += [_drive(begin, f"seat_{seat}", on=True), _drive(begin + CHIP_NS, f"seat_{seat}", on=False)]
        end = max(end, begin + CHIP_NS)
        free[seat] = begin + CHIP_NS + AGAIN_NS
        begin += APART_NS
    return Timeline(tuple(moments), end + REST_NS)


def _wave(name: str, levels: tuple[tuple[bool, int], ...]) -> Timeline:
    moments: list[Moment] = []
    at_ns = 0
    for active, ns in levels:
        moments.append(_drive(at_ns, name, on=active))
        at_ns += ns
    return Timeline(tuple(moments), at_ns)


def _at_once(world: SeamWorld, statement: st.Statement) -> None:
    match statement:
        case Mishap():
            befall(world, statement)
        case Copies():
            play(world, statement)
        case Shared():
            happen(world, statement)
        case AddUser():
            world.add_user(statement)
        case st.Power(kind=kind):
            _power(world, kind)
        case st.Operate(events=events):
            now = world.clock.monotonic_ns()
            world.act(*(replace(event, at_ns=now) for event in events))
        case st.OperateAmount(event=event, field=field, amount=text):
            amount = parse(text, world.settings.game.currency)
            world.act(replace(event, at_ns=world.clock.monotonic_ns(), **{field: amount}))
        case st.PayAward(seat=seat):
            number = _award_of(world, seat)
            world.act(ev.AwardPaid(world.clock.monotonic_ns(), number, ev.Payment.CHIPS, signed=True))
        case st.Correct(level=level, amount=text, reason=reason):
            amount = parse(text, world.settings.game.currency)
            world.act(ev.PotCorrected(world.clock.monotonic_ns(), level, amount, reason))
        case st.Fail(part=st.Part.FSYNC, broken=broken):
            world.seams.fail_flush(fails=broken)
        case st.Fail(part=part, broken=broken):
            world.break_part(part, broken=broken)
        case st.StepClock(ns=ns):
            world.clock.step_wall(ns)
        case st.DropEdge(name=name, active=active):
            world.hal.drop_edge(name, active)
        case _:
            raise TypeError(f"{statement.text!r} is played elsewhere")


def _power(world: SeamWorld, kind: st.PowerKind) -> None:
    match kind:
        case st.PowerKind.BACK:
            if not world.powered:
                world.power_on(open_table=True)
        case st.PowerKind.KILL:
            world.seams.happened["killed"] += 1
            world.kill()
        case st.PowerKind.ON:
            world.power_on(open_table=True)
        case st.PowerKind.ON_CLOSED:
            world.power_on(open_table=False)
        case st.PowerKind.OFF:
            world.power_off()
        case st.PowerKind.CUT:
            world.seams.happened["cut"] += 1
            world.power_cut()


def _award_of(world: SeamWorld, seat: int) -> int:
    if world.loop is None and world.seams.was_loose:
        return 0
    if world.loop is None:
        raise WorldError("the table is without power: `power on` comes first")
    awards = [award for award in world.loop.table.awards if award.seat == seat]
    unpaid = [award for award in awards if not award.paid]
    chosen = unpaid[:1] or awards[-1:]
    return chosen[0].number if chosen else 0
