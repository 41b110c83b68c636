"""Deliberately broken builds: each is the program with one piece of its text changed, as a careless hand might.

A build names the function, the text that stands there and what stands there instead; it is compiled into the running
program and taken out again. The soak must catch every one (`tests/test_soak_broken.py`). In all of them the program's
own check of the law is switched off: it may not be its own judge.
"""

import inspect
import textwrap
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import FunctionType
from typing import Any, NamedTuple

from controller import administer, admit, assemble, outputs
from controller.core import pot
from controller.core.table import claims, keys, link, parameters, seats
from controller.display import Display
from controller.inputs.outbox import Outbox
from controller.journal import schema, store
from controller.keeper import Keeper
from controller.loop import Loop
from controller.soak.table import shares

MONTEVIDEO = "uy-montevideo-caribbean"


class Edit(NamedTuple):
    """A function, what stands in it, and what stands there instead."""

    function: Callable[..., Any]
    old: str
    new: str


class Build(NamedTuple):
    """A broken build, and which checkers may find it. `seeds` of `rounds` rounds are all the soak gets."""

    name: str
    edits: tuple[Edit, ...]
    found_by: frozenset[str]
    seeds: tuple[int, ...]
    rounds: int


SHOW = "self._display.show(entries[-1].state, self._clock.monotonic_ns(), failing=False, hold_lock=False)"
OF_LINKS = tuple(seed for seed in range(100) if shares(seed))
"""Seeds whose table has a linked pot."""

LOWERED = "tuple(replace(each, current=each.current - amount // 2) for each in pot.levels)"

UNJUDGED = (
    Edit(Keeper.decide, "check(self._game, table, after, results)", "pass"),
    Edit(administer._decided, "check(game, table, after, results)", "pass"),
)


@contextmanager
def built(build: Build) -> Iterator[None]:
    """The program as this build has it."""
    with ExitStack() as stack:
        for edit in (*UNJUDGED, *build.edits):
            stack.enter_context(_edited(edit))
        yield


@contextmanager
def _edited(edit: Edit) -> Iterator[None]:
    function = inspect.unwrap(edit.function)
    assert isinstance(function, FunctionType)
    source = textwrap.dedent(inspect.getsource(function))
    assert source.count(edit.old) == 1, (
        f"{function.__qualname__} does not hold {edit.old!r} once: put the edit right"
    )
    scope: dict[str, Any] = {}
    exec(
        compile(source.replace(edit.old, edit.new), function.__qualname__, "exec"),
        function.__globals__,
        scope,
    )
    kept, function.__code__ = function.__code__, scope[function.__name__].__code__
    try:
        yield
    finally:
        function.__code__ = kept


Change = tuple[Callable[..., Any], str, str]


def build(
    name: str,
    found_by: str,
    *edits: Change,
    seeds: tuple[int, ...] = tuple(range(2, 102, 10)),
    rounds: int = 120,
) -> Build:
    """A build of these edits; the checkers' names in one text."""
    return Build(name, tuple(Edit(*each) for each in edits), frozenset(found_by.split()), seeds, rounds)


BUILDS = (
    build(
        "lamp before commit",
        "lamp slots",
        (
            Loop._settle,
            "    if self._keeper.store(entries):",
            f"    {SHOW}\n    if self._keeper.store(entries):",
        ),
    ),
    build(
        "retry after a failed flush",
        "flush",
        (Keeper.store, "except (*_RETRIED, *_REOPENED) as error:", "except JournalError as error:"),
        (store.Journal._failed, "if not isinstance(error, RETRIABLE):", "if False:"),
    ),
    build("award paid twice", "award", (claims.paid, "if award.paid:", "if False:")),
    build("lock after commit", "slots", (Display.lock_slots, 'self._pin("slots", on=False)', "pass")),
    build(
        "contribution rounded",
        "money",
        (
            pot._contribute,
            "units, carry = part(staked, rules.increment_rate_ppm, level.carry)",
            "units, carry = (staked * rules.increment_rate_ppm + 500_000) // 1_000_000, 0",
        ),
    ),
    build("carry dropped", "money", (pot._contribute, "carry=carry,", "carry=0,")),
    build(
        "overflow lost",
        "money",
        (
            pot._contribute,
            "overflow_meter=level.overflow_meter + over,",
            "overflow_meter=level.overflow_meter,",
        ),
        seeds=(20, 25, 28, 7, 10, 22),
    ),
    build("chip as old as COIN IN accepted", "lockout", (Outbox.put, "rank = RANK_CHIP", "rank = -1")),
    build(
        "void refund taken from the pot",
        "money",
        (
            pot.refund,
            "refund_meter=pot.refund_meter + amount",
            f"refund_meter=pot.refund_meter + amount, levels={LOWERED}",
        ),
    ),
    build(
        "recovery to CLOSED instead of the phase",
        "recovery phase",
        (keys.started, "phase=phase,\n", "phase=Phase.CLOSED,\n"),
    ),
    build(
        "sign never updated after an award",
        "sign",
        (Display._say_sign, "if text != self._sign and", 'if "GANA" not in text and text != self._sign and'),
    ),
    build(
        "lamp kept after a void",
        "lamp",
        (outputs._lamp, "if wager is _ACCEPTED:", "if wager in (_ACCEPTED, Wager.VOID):"),
    ),
    build(
        "release pulse not repeated",
        "recovery release",
        (keys.started, "release_until_ns=pulse,", "release_until_ns=None,"),
    ),
    build(
        "jammed seat accepts",
        "count",
        (seats.chip_dropped, "or seat.closed is not _NOT_CLOSED", ""),
    ),
    build(
        "parameters taken from the file",
        "keys",
        (assemble._compare, "if agreed(settings, table):", "if True:"),
    ),
    build(
        "approved without the key",
        "keys",
        (claims.approved, "and nobody is not None", "and False"),
    ),
    build(
        "slots open while nothing is stored",
        "slots",
        (
            outputs.signals,
            "slots_open=not failing and slots_open(game, table)",
            "slots_open=slots_open(game, table)",
        ),
        seeds=(5, 11, 14, 18),
    ),
    build(
        "transfer taken in twice",
        "money",
        (parameters.received, "if event.transfer in table.received:", "if False:"),
        seeds=(7, 9, 3, 4, 27, 26, 2, 12),
    ),
    build(
        "witness not asked",
        "recovery",
        (admit.admit, "raise StrandedError(settings, verdict)", "return Admitted(witness, ())"),
        seeds=(11, 3, 9, 15, 17),
    ),
    build(
        "flush left out",
        "recovery program crash",
        (schema.configure, "PRAGMA synchronous=FULL", "PRAGMA synchronous=OFF"),
        seeds=(1, 8, 15, 22),
    ),
    build(
        "batch stored record by record",
        "recovery",
        (store._insert, "with _transaction(connection):", "if True:"),
        seeds=(64, 106, 36, 134, 29, 113, 43, 15),
    ),
    build(
        "contribution to a link counted twice",
        "money",
        (pot._contribute_to_link, "link_out=level.link_out + by)", "link_out=level.link_out + 2 * by)"),
        seeds=OF_LINKS,
    ),
    build(
        "claim of a link served twice",
        "award",
        (link._settled, "if each.number != claim.number)", "if True)"),
        seeds=OF_LINKS,
    ),
    build("late chip not counted", "count", (seats._late, "late=seat.late + 1, ", "")),
)
