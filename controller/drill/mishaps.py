"""The statements of what goes wrong: loose plugs, slow and rotten media, lost processes, doubled messages.

Each is read, kept as data and played here, on a world with its seams open. `docs/drills.md` says what each means.
"""

from collections.abc import Callable

from msgspec.structs import replace

from controller.core import events as ev
from controller.core.game import Role
from controller.core.money import parse
from controller.drill import statements as st
from controller.drill.line import Line, choice, count, duration, one_of
from controller.drill.off import PERSON, administered, rekeyed, start_on_other_files, unlocked
from controller.drill.plug import Pull, Step
from controller.drill.seam_world import SeamWorld, flipped, turned_back
from controller.drill.world import WorldError
from controller.inbox import FloorHeard
from controller.journal import ends_of
from controller.witness.store import SLOT_NAMES
from hal.interface import Device

SEED_MOST = 2**32
STEPS_MOST = 100_000
FLOOD_MOST = 10_000
AHEAD = 5
"""A floor that is ahead of the journal is so many records ahead."""
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


class FloorSays(Mishap, frozen=True):
    """`floor agrees|ahead|garbles`: what the link says the floor has: our newest record, one we lack, or nonsense."""

    what: str


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
            administered(world, world.settings, ev.SelfTested(now, PERSON, "simulated", ()), both_keys=False)
        case Move(event=event, amount=text):
            amount = parse(text, world.settings.game.currency)
            world.act(replace(event, at_ns=now, amount=amount))
        case FloorSays(what=what):
            _floor_says(world, what)
        case Unlock(name=name, role=role):
            unlocked(world, name, role)
        case Rekey(reason=reason):
            rekeyed(world, reason)
        case Spoil(slots=slots, seed=seed):
            world.spoil(slots, seed)
        case Rot(seed=seed):
            start_on_other_files(world, "rot", flipped(seed))
        case TurnBack(records=records):
            start_on_other_files(world, "turned_back", turned_back(records))
        case _:
            raise TypeError(f"{statement.text!r} is played elsewhere")


def _floor_says(world: SeamWorld, what: str) -> None:
    if world.medium.empty:
        raise WorldError("the floor says something of a table that was commissioned")
    now = world.clock.monotonic_ns()
    if what == "garbles":
        world.act(ev.HostGarbled(now, 3, "no JSON"))
        return
    last = ends_of(world.medium.journal).last
    agrees = what == "agrees"
    seq, digest = (last.seq, last.digest) if agrees else (last.seq + AHEAD, "f" * len(last.digest))
    if world.powered or not world.seams.was_loose:
        world.put(FloorHeard(seq, digest, now))


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
    "floor": lambda line: FloorSays(
        line.number,
        line.text,
        what=one_of(line, line.takes("floor agrees|ahead|garbles", 1)[0], "agrees", "ahead", "garbles"),
    ),
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
