"""The statements of what goes wrong: loose plugs, slow and rotten media, lost processes, doubled messages.

Each is read, kept as data and played here, on a world with its seams open. `docs/drills.md` says what each means.
"""

from collections.abc import Callable
from pathlib import Path

import msgspec
from msgspec.structs import replace

from controller.administer import RefusedError, administer, differences, parameters_changed, rules_in_force
from controller.admit import StrandedError
from controller.assemble import ParametersChangedError
from controller.config import Settings, game_digest
from controller.core import events as ev
from controller.core.game import Role
from controller.core.money import parse
from controller.drill import statements as st
from controller.drill.line import Line, choice, count, duration, one_of
from controller.drill.plug import Pull, Step
from controller.drill.seam_world import SeamWorld, flipped, turned_back
from controller.drill.world import WorldError
from controller.journal import JournalError
from controller.journal.store import Sealer
from controller.signing.device import Change
from controller.signing.key import KeyProblemError
from controller.witness.store import SLOT_NAMES
from hal.interface import Device

SEED_MOST = 2**32
STEPS_MOST = 100_000
FLOOD_MOST = 10_000
PERSON = "Technician"
OTHER_PERSON = "Supervisor"
_MB = {"storage_low": 12, "journal_held": 40}


class Mishap(st.Statement, frozen=True):
    """Common to all of them."""


class Loosen(Mishap, frozen=True):
    """`cut_at 3 [STEP]`, `kill_at 3 [STEP]`: power or process go at the third such step from now."""

    pull: Pull
    steps: int
    step: Step | None


class ThreadDies(Mishap, frozen=True):
    """`thread_dies`: the program ends in order and says that it failed."""


class Slow(Mishap, frozen=True):
    """`slow 250ms`: every flush takes so long from now on."""

    ns: int


class Rot(Mishap, frozen=True):
    """`rot 7`: with the power off, bits of the files flip, the table is started on them, and they are put right."""

    seed: int


class TurnBack(Mishap, frozen=True):
    """`turn_back 5`: with the power off, the table is started on its journal of five records ago, once."""

    records: int


class Spoil(Mishap, frozen=True):
    """`spoil slot-a 7`, `spoil both 7`: with the power off, bits of the second copy's slots flip and stay so."""

    slots: tuple[str, ...]
    seed: int


class Unlock(Mishap, frozen=True):
    """`unlock Ana supervisor`: with the power off, both key holders free a person's PIN entry."""

    name: str
    role: Role


class Rekey(Mishap, frozen=True):
    """`rekey REASON`: with the power off, both key holders give the journal another signing key."""

    reason: str


class Stall(Mishap, frozen=True):
    """`stall sign 3s`: the device shows nothing new for so long, and says nothing of it."""

    device: Device
    ns: int


class DoubleEdge(Mishap, frozen=True):
    """`double_edge seat_3 fall`: the next such edge is told twice."""

    name: str
    active: bool


class Flood(Mishap, frozen=True):
    """`flood seat_3 600`: so many edges before the program can look."""

    name: str
    edges: int


class Again(Mishap, frozen=True):
    """`again`: the last act is delivered once more, word for word."""


class Notice(Mishap, frozen=True):
    """`notice storage_low`: what the loop itself would have noticed of its medium."""

    what: str


class Accept(Mishap, frozen=True):
    """`accept wager.amount 20.00`: with the power off the file says so, and both key holders accept it."""

    key: str
    value: str


class Edit(Mishap, frozen=True):
    """`edit wager.amount 20.00`: the file says so for one start, and nobody has accepted it."""

    key: str
    value: str


class SelfTest(Mishap, frozen=True):
    """`self_test`: with the power off, the technician's test of the hardware is recorded."""


class Move(Mishap, frozen=True):
    """`send`, `receive`, `move`: money between levels and tables; the amount is read in the table's currency."""

    event: ev.TransferSent | ev.TransferReceived | ev.PotTransferred
    amount: str


def befall(world: SeamWorld, statement: Mishap) -> None:
    """Let it happen now. Raises `WorldError` for what cannot be, and what the program raises."""
    seams, now = world.seams, world.clock.monotonic_ns()
    match statement:
        case Loosen(pull=pull, steps=steps, step=step):
            world.loosen(pull, steps, step)
        case ThreadDies():
            world.thread_dies()
        case Slow(ns=ns):
            seams.slow_ns = ns
        case Stall(device=device, ns=ns):
            world.stall(device, ns)
        case DoubleEdge(name=name, active=active):
            seams.doubled[name, active] += 1
        case Flood(name=name, edges=edges):
            world.flood(name, edges)
        case Again():
            world.again()
        case Notice(what="storage_low"):
            world.act(ev.StorageLow(now, _MB["storage_low"]))
        case Notice():
            world.act(ev.JournalHeld(now, _MB["journal_held"]))
        case SelfTest():
            _administered(world, world.settings, ev.SelfTested(now, PERSON, "simulated", ()), both_keys=False)
        case Move(event=event, amount=text):
            amount = parse(text, world.settings.game.currency)
            world.act(replace(event, at_ns=now, amount=amount))
        case Unlock(name=name, role=role):
            what = ev.UserChange.UNLOCKED
            act = ev.UserChanged(now, name, 0, role, what, OTHER_PERSON, PERSON)
            _administered(world, world.settings, act, both_keys=True)
        case Rekey(reason=reason):
            _rekeyed(world, reason)
        case Spoil(slots=slots, seed=seed):
            world.spoil(slots, seed)
        case Rot(seed=seed):
            _on_other_files(world, "rot", flipped(seed))
        case TurnBack(records=records):
            _on_other_files(world, "turned_back", turned_back(records))
        case _:
            raise TypeError(f"{statement.text!r} is played elsewhere")


def accepted(world: SeamWorld, settings: Settings) -> None:
    """Both key holders accept what the files say now; what they may not is refused, and kept in the journal."""
    path = world.medium.journal
    if world.powered or world.medium.empty:
        raise WorldError("parameters are accepted with the power off, at a table that was commissioned")
    changes = differences(rules_in_force(path), settings.game)
    act = parameters_changed(settings, world.clock, changes, supervisor=OTHER_PERSON, technician=PERSON)
    _administered(world, settings, act, both_keys=True)


def in_force(world: SeamWorld, settings: Settings) -> bool:
    """Whether the journal's rules are those of these settings."""
    return not differences(rules_in_force(world.medium.journal), settings.game)


def edited(world: SeamWorld, settings: Settings) -> None:
    """Start once on a file that was edited; it is put right again, whatever came of it."""
    if world.powered or world.medium.empty:
        raise WorldError("a file is edited with the power off, at a table that was commissioned")
    true, world.settings = world.settings, settings
    try:
        world.power_on(open_table=False)
    except ParametersChangedError:
        world.seams.happened["edited_file"] += 1
        return
    finally:
        world.settings = true
    if game_digest(true.game) != game_digest(settings.game):
        world.seams.watcher.edited(f"{settings.game.profile} plays by values nobody has accepted")
    world.power_off()


def _administered(
    world: SeamWorld,
    settings: Settings,
    act: ev.AnyEvent,
    *,
    both_keys: bool,
    sealer: Sealer | None = None,
) -> bool:
    """Whether it was done; a refusal is in the journal."""
    if world.powered or world.medium.empty:
        raise WorldError("the table is administered with the power off, once it was commissioned")
    seams = world.seams
    seams.fresh_process()
    seams.watcher.waking(world.medium.journal)
    placed = replace(settings, journal=world.medium.journal, witness=world.medium.witness)
    try:
        administer(
            placed,
            world.clock,
            act,
            both_keys=both_keys,
            sealer=sealer,
            connect=world.connect,
            files=world.files,
        )
    except RefusedError:
        return False
    except StrandedError as error:
        seams.watcher.stranded(str(error))
        return False
    return True


def _rekeyed(world: SeamWorld, reason: str) -> None:
    if world.powered or world.medium.empty:
        raise WorldError("a key is changed with the power off, at a table that was commissioned")
    change = Change(world.medium.journal, world.settings.table_id)
    now = world.clock.monotonic_ns()
    act = change.event(now, supervisor=OTHER_PERSON, technician=PERSON, reason=reason)
    change.prepare()
    try:
        done = _administered(world, world.settings, act, both_keys=True, sealer=change.seal)
    except KeyProblemError:
        return  # refused: nothing was stored, and the old key stays in force
    if done:
        change.finish()


def _on_other_files(world: SeamWorld, name: str, damage: Callable[[Path], None]) -> None:
    """A start on other files is refused, or the table that comes up is the true one."""
    watcher = world.seams.watcher

    def start() -> None:
        try:
            world.power_on(open_table=False)
        except JournalError:
            world.seams.happened[f"{name}_refused"] += 1
            return
        if world.loop is None:
            world.seams.happened[f"{name}_refused"] += 1
            return
        world.seams.happened[f"{name}_harmless"] += 1
        watcher.rotten(msgspec.json.decode(msgspec.json.encode(world.loop.table)))

    world.on_other_files(damage, start)


def _loosen(line: Line) -> st.Statement:
    steps, *step = line.takes(
        "cut_at 3 [levels|write|written|lamp|slots|release|bell|screen|sign|witness|disk]", 1, 2
    )
    return Loosen(
        line.number,
        line.text,
        pull=Pull.CUT if line.words[0] == "cut_at" else Pull.KILL,
        steps=count(line, steps, STEPS_MOST),
        step=choice(line, Step, step[0]) if step else None,
    )


def _spoil(line: Line) -> st.Statement:
    which, seed = line.takes("spoil slot-a|slot-b|both 7", 2)
    slots = SLOT_NAMES if one_of(line, which, *SLOT_NAMES, "both") == "both" else (which,)
    return Spoil(line.number, line.text, slots=tuple(slots), seed=count(line, seed, SEED_MOST))


def _unlock(line: Line) -> st.Statement:
    name, role = line.takes("unlock Ana supervisor", 2)
    return Unlock(line.number, line.text, name=name, role=choice(line, Role, role))


def _stall(line: Line) -> st.Statement:
    device, time = line.takes("stall sign 3s", 2)
    one_of(line, device, Device.SIGN, Device.SCREEN)
    return Stall(line.number, line.text, device=choice(line, Device, device), ns=duration(line, time))


def _double_edge(line: Line) -> st.Statement:
    name, way = line.takes("double_edge seat_3 fall|rise", 2)
    return DoubleEdge(line.number, line.text, name=name, active=one_of(line, way, "fall", "rise") == "fall")


def _flood(line: Line) -> st.Statement:
    name, edges = line.takes("flood seat_3 600", 2)
    return Flood(line.number, line.text, name=name, edges=count(line, edges, FLOOD_MOST))


def _file(line: Line) -> st.Statement:
    word = line.words[0]
    key, *value = line.takes(f"{word} wager.amount 20.00", 2, 99)
    made = Accept if word == "accept" else Edit
    return made(line.number, line.text, key=key, value=" ".join(value))


def _send(line: Line) -> st.Statement:
    transfer, level, amount, table, *reason = line.takes("send T1 main 5.00 mvd-08 REASON", 5, 99)
    event = ev.TransferSent(0, transfer, level, 0, table, " ".join(reason))
    return Move(line.number, line.text, event=event, amount=amount)


def _receive(line: Line) -> st.Statement:
    transfer, level, amount, table = line.takes("receive T1 main 5.00 mvd-08", 4)
    event = ev.TransferReceived(0, transfer, level, 0, table)
    return Move(line.number, line.text, event=event, amount=amount)


def _move(line: Line) -> st.Statement:
    source, target, amount, *reason = line.takes("move main mini 5.00 REASON", 4, 99)
    event = ev.PotTransferred(0, source, target, 0, " ".join(reason))
    return Move(line.number, line.text, event=event, amount=amount)


def _alone(make: Callable[..., Mishap], usage: str) -> Callable[[Line], st.Statement]:
    def read(line: Line) -> st.Statement:
        line.takes(usage, 0)
        return make(line.number, line.text)

    return read


STATEMENTS: dict[str, Callable[[Line], st.Statement]] = {
    "cut_at": _loosen,
    "kill_at": _loosen,
    "thread_dies": _alone(ThreadDies, "thread_dies"),
    "slow": lambda line: Slow(line.number, line.text, ns=duration(line, line.takes("slow 250ms", 1)[0])),
    "rot": lambda line: Rot(line.number, line.text, seed=count(line, line.takes("rot 7", 1)[0], SEED_MOST)),
    "turn_back": lambda line: TurnBack(
        line.number, line.text, records=count(line, line.takes("turn_back 5", 1)[0], STEPS_MOST)
    ),
    "spoil": _spoil,
    "unlock": _unlock,
    "rekey": lambda line: Rekey(line.number, line.text, reason=" ".join(line.takes("rekey REASON", 1, 99))),
    "stall": _stall,
    "double_edge": _double_edge,
    "flood": _flood,
    "again": _alone(Again, "again"),
    "notice": lambda line: Notice(
        line.number, line.text, what=one_of(line, line.takes("notice storage_low", 1)[0], *_MB)
    ),
    "accept": _file,
    "edit": _file,
    "self_test": _alone(SelfTest, "self_test"),
    "send": _send,
    "receive": _receive,
    "move": _move,
}
