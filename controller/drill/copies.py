"""The statements about a table's two copies of its history: kept, put back, lost, damaged, and the way back.

Each is read, kept as data and played here. `docs/drills.md` says what each means.
"""

from collections.abc import Callable
from enum import StrEnum

from controller.clock import VirtualClock
from controller.core.events import Trusted
from controller.core.money import parse
from controller.drill import statements as st
from controller.drill.key import VIRTUAL_KEY
from controller.drill.line import Line, choice, count
from controller.drill.medium import Medium
from controller.drill.seam_world import SeamWorld
from controller.drill.world import WorldError
from controller.recovery import Paper, Request, recover
from controller.witness.verdict import Plight

TAILS = ("", "-wal", "-shm")
NUMBER_MOST = 1_000_000
JUNK = b"\xa5" * 8_192
PERSONS = ("Ana", "Luis")


class Copy(StrEnum):
    """The two copies."""

    JOURNAL = "journal"
    WITNESS = "witness"


class Copies(st.Statement, frozen=True):
    """Common to all of them."""


class Keep(Copies, frozen=True):
    """`keep journal|witness`: remember its files as they are now."""

    copy: Copy


class Old(Copies, frozen=True):
    """`old journal|witness`: with the power off, its files are again as they were when they were kept."""

    copy: Copy


class Lose(Copies, frozen=True):
    """`lose journal|witness`: with the power off, its files are gone; the journal's marker stays."""

    copy: Copy


class Damage(Copies, frozen=True):
    """`damage journal|witness`: with the power off, its files hold something else."""

    copy: Copy


class Recover(Copies, frozen=True):
    """`recover [witness|journal]`, `recover paper ROUND LAST_SLIP LEVEL AMOUNT …`: by two persons, the power off."""

    trusted: Trusted | None
    round: int = 0
    last_slip: int = 0
    amounts: tuple[tuple[str, str], ...] = ()


class ExpectStranded(st.Expect, frozen=True):
    """`expect stranded no_witness|journal_behind|…`: the table is under power and out of service."""

    plight: Plight


def play(world: SeamWorld, statement: Copies) -> None:
    """Let it happen. Raises `WorldError` under power, the recovery's and the journal's errors."""
    medium = world.medium
    if isinstance(statement, Keep):
        medium.kept[statement.copy] = _files(medium, statement.copy)
        return
    if world.powered:
        raise WorldError("files change behind a table's back with the power off only")
    match statement:
        case Old(copy=copy):
            if copy not in medium.kept:
                raise WorldError(f"nothing of the {copy} was kept: `keep {copy}` comes first")
            _lay(medium, copy, medium.kept[copy])
        case Lose(copy=copy):
            _lay(medium, copy, {})
        case Damage(copy=copy):
            _lay(medium, copy, dict.fromkeys(_files(medium, copy), JUNK))
        case Recover():
            recover(
                world.places, VirtualClock(), _request(world, statement), world.connect, files=world.files
            )
        case _:
            raise TypeError(f"{statement.text!r} is played elsewhere")
    world.files_changed()


def _request(world: SeamWorld, wanted: Recover) -> Request:
    currency = world.settings.game.currency
    amounts = {name: parse(text, currency) for name, text in wanted.amounts}
    paper = (
        Paper(amounts, wanted.round, wanted.last_slip, received=(), unpaid=())
        if wanted.trusted is Trusted.PAPER
        else None
    )
    return Request(wanted.trusted, *PERSONS, "a drill", paper, filed=VIRTUAL_KEY.public)


def _files(medium: Medium, copy: Copy) -> dict[str, bytes]:
    """The names, from the medium's folder, and the bytes of a copy's files."""
    folder = medium.journal.parent
    match copy:
        case Copy.JOURNAL:
            paths = [medium.journal.with_name(medium.journal.name + tail) for tail in TAILS[:-1]]
        case Copy.WITNESS:
            paths = sorted(medium.witness.glob("slot-?"))
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths if path.exists()}


def _lay(medium: Medium, copy: Copy, files: dict[str, bytes]) -> None:
    folder = medium.journal.parent
    for name in _files(medium, copy):
        (folder / name).unlink()
    medium.journal.with_name(medium.journal.name + TAILS[-1]).unlink(missing_ok=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)


def _copy(line: Line) -> Copy:
    return choice(line, Copy, line.takes(f"{line.words[0]} journal|witness", 1)[0])


def _recover(line: Line) -> st.Statement:
    usage = "recover [witness|journal] | recover paper ROUND LAST_SLIP LEVEL AMOUNT …"
    words = line.takes(usage, 0, 20)
    trusted = choice(line, Trusted, words[0]) if words else None
    if trusted is not Trusted.PAPER:
        line.takes(usage, 0, 1)
        return Recover(line.number, line.text, trusted=trusted)
    if len(words) < 3 or len(words) % 2 == 0:
        raise line.refuse(f"write it like: {usage}")
    return Recover(
        line.number,
        line.text,
        trusted=trusted,
        round=count(line, words[1], NUMBER_MOST),
        last_slip=count(line, words[2], NUMBER_MOST),
        amounts=tuple(zip(words[3::2], words[4::2], strict=True)),
    )


STATEMENTS: dict[str, Callable[[Line], st.Statement]] = {
    "keep": lambda line: Keep(line.number, line.text, copy=_copy(line)),
    "old": lambda line: Old(line.number, line.text, copy=_copy(line)),
    "lose": lambda line: Lose(line.number, line.text, copy=_copy(line)),
    "damage": lambda line: Damage(line.number, line.text, copy=_copy(line)),
    "recover": _recover,
}


def expect_stranded(line: Line) -> st.Statement:
    """Read `expect stranded PLIGHT`."""
    (plight,) = line.takes("expect stranded journal_behind", 1)
    return ExpectStranded(line.number, line.text, plight=choice(line, Plight, plight))
