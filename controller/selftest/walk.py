"""The self-test as a pure machine: what happened to the part that is being tried, and what is said to that.

Every part ends: the right line moved, the technician answered, or its time is over. A line that moved in place of the
one asked for is told at once and kept, for that is how swapped wires are found.
"""

from typing import TypeAlias, assert_never

import msgspec
from msgspec.structs import replace

from controller.core.events import Finding, PartTested
from controller.selftest.plan import LINES, Kind, Step
from controller.selftest.texts import Say
from hal.interface import Device, DeviceFailed, DeviceMended, KeyPressed

SECOND_NS = 1_000_000_000
ARM_NS = 300_000_000
"""A button answers for the technician only if its press began this long after the question: no bounce does."""
NOTE_MAX = 200
"""Characters of a reason that are kept; the rest of a longer one is cut, and said to be."""
MOVED_MAX = 8
YES, NO = "coin_in", "game_over"
"""The croupier's buttons, once they are tested, answer a question at the table itself."""
TIMED_OUT, STUCK, STOPPED = "no answer in time", "active all the time", "the self-test was ended before"


class Moved(msgspec.Struct, frozen=True):
    """An input was active for longer than a bounce and is idle again; `from_ns` is when it became active."""

    line: str
    from_ns: int


class Answered(msgspec.Struct, frozen=True):
    """The technician typed a line."""

    text: str


class Passed(msgspec.Struct, frozen=True):
    """Time went by; `active` are the inputs that are active now."""

    active: frozenset[str] = frozenset()


Happened: TypeAlias = Moved | KeyPressed | DeviceFailed | DeviceMended | Answered | Passed


class Said(msgspec.Struct, frozen=True):
    """Something to tell the technician: a sentence, the step it is about, another line's name, a note."""

    text: Say
    step: Step
    other: str = ""
    note: str = ""


class Walk(msgspec.Struct, frozen=True):
    """How far the self-test has come.

    `others`: lines that moved in this step although another was asked for; `lost`: devices that do not answer now.
    """

    steps: tuple[Step, ...]
    limit_ns: int
    began_ns: int
    others: tuple[str, ...] = ()
    found: tuple[PartTested, ...] = ()
    lost: tuple[DeviceFailed, ...] = ()

    @property
    def step(self) -> Step | None:
        """The part that is being tried; None at the end."""
        return self.steps[len(self.found)] if len(self.found) < len(self.steps) else None


Turn: TypeAlias = tuple[Walk, tuple[Said, ...]]


def advance(walk: Walk, happened: Happened, now_ns: int) -> Turn:
    """What comes of it: the walk after it, and what to say. After the last part nothing does."""
    step = walk.step
    if step is None:
        return walk, ()
    match happened:
        case Moved(line=line):
            return _moved(walk, step, line, happened.from_ns, now_ns)
        case KeyPressed(key=key):
            return _pressed(walk, step, key, now_ns)
        case DeviceFailed():
            return replace(walk, lost=(*_but(walk, happened.device), happened)), ()
        case DeviceMended(device=device):
            return replace(walk, lost=_but(walk, device)), ()
        case Answered(text=text):
            return _answered(walk, step, text.strip(), now_ns)
        case Passed(active=active):
            return _passed(walk, step, active, now_ns)
        case _:
            assert_never(happened)


def stop(walk: Walk) -> Walk:
    """End here: what was not tried yet is skipped, with that as its reason."""
    left = walk.steps[len(walk.found) :]
    return replace(
        walk, found=(*walk.found, *(PartTested(step.part, Finding.SKIPPED, STOPPED) for step in left))
    )


def swapped(found: tuple[PartTested, ...]) -> tuple[tuple[str, str], ...]:
    """The pairs of lines of which each moved when the other was asked for."""
    moved = {part.part: part.moved for part in found if part.finding is Finding.FAILED}
    return tuple(
        (one, other)
        for one, others in moved.items()
        for other in others
        if one < other and one in moved.get(other, ())
    )


def question(step: Step) -> Said:
    """What the technician is asked to do or to look at."""
    return Said(Say[f"ASK_{step.kind.name}"], step)


def _but(walk: Walk, device: Device) -> tuple[DeviceFailed, ...]:
    """What is known to be lost, without this device."""
    return tuple(lost for lost in walk.lost if lost.device is not device)


def _passed(walk: Walk, step: Step, active: frozenset[str], now_ns: int) -> Turn:
    """A device that is known not to answer needs no eyes; anything else has its time."""
    device = Device.KEYPAD if step.kind is Kind.PAD else step.name
    for lost in walk.lost:
        if lost.device == device:
            return _ended(walk, step, Finding.FAILED, now_ns, lost.why)
    if now_ns - walk.began_ns < walk.limit_ns:
        return walk, ()
    stuck = step.kind in LINES and step.name in active
    return _ended(walk, step, Finding.FAILED, now_ns, STUCK if stuck else TIMED_OUT)


def _moved(walk: Walk, step: Step, line: str, from_ns: int, now_ns: int) -> Turn:
    if step.kind in LINES:
        if line == step.name:
            return _ended(walk, step, Finding.OK, now_ns)
        return _other(walk, step, line)
    if from_ns - walk.began_ns >= ARM_NS and step.kind is not Kind.PAD:
        if line == YES:
            return _ended(walk, step, Finding.OK, now_ns)
        if line == NO:
            return _ended(walk, step, Finding.FAILED, now_ns, "GAME OVER")
    return walk, ()


def _pressed(walk: Walk, step: Step, key: str, now_ns: int) -> Turn:
    if step.kind is not Kind.PAD:
        return walk, ()
    return _ended(walk, step, Finding.OK, now_ns) if key == step.name else _other(walk, step, key)


def _other(walk: Walk, step: Step, name: str) -> Turn:
    """Another line moved: keep its name, and say which it was."""
    if name not in walk.others and len(walk.others) < MOVED_MAX:
        walk = replace(walk, others=(*walk.others, name))
    return walk, (Said(Say.OTHER_MOVED, step, name),)


def _answered(walk: Walk, step: Step, text: str, now_ns: int) -> Turn:
    answer, _, reason = text.partition(" ")
    reason = reason.strip()
    asks = step.kind not in LINES and step.kind is not Kind.PAD
    match answer.lower():
        case "" if asks:
            return _ended(walk, step, Finding.OK, now_ns)
        case "" if walk.others:
            return _ended(walk, step, Finding.FAILED, now_ns, "another line moved")
        case "n":
            return _ended(walk, step, Finding.FAILED, now_ns, reason)
        case "s" if reason:
            return _ended(walk, step, Finding.SKIPPED, now_ns, reason)
        case "s":
            return walk, (Said(Say.REASON_WANTED, step),)
        case "q":
            return stop(walk), (Said(Say.STOPPED, step),)
        case _:
            return walk, (Said(Say.HINT_LOOK if asks else Say.HINT_LINE, step),)


def _ended(walk: Walk, step: Step, finding: Finding, now_ns: int, note: str = "") -> Turn:
    kept = note if len(note) <= NOTE_MAX else f"{note[: NOTE_MAX - 3]}..."
    found = PartTested(step.part, finding, kept, walk.others)
    after = replace(walk, began_ns=now_ns, others=(), found=(*walk.found, found))
    return after, (Said(Say[finding.name], step, note=kept),)
