"""`.ci/mutate ROOM`: try the mutants of a room that no test is known to notice yet; go on where the last run ended."""

import importlib
import os
import sys
import tempfile
import time
from pathlib import Path

import click
import hypothesis
import pytest

from tests.mutation import rooms
from tests.mutation.forked import forked
from tests.mutation.imported import caught_at_import
from tests.mutation.kept import Kept, load, save
from tests.mutation.mutants import Mutant, mutants, shown
from tests.mutation.runner import Baseline, Runner
from tests.mutation.typed import Types

LIBRARIES = (
    "coverage",
    "PIL.Image",
    "msgspec",
    "click.testing",
    "sqlite3",
    "babel.numbers",
    "luma.core.device",
)
"""What tests import and no mutant changes: imported once, before the forks."""
IGNORED = ("-W", "ignore::pytest.PytestAssertRewriteWarning")
"""Libraries are imported before pytest, so that forks share them."""
BARE = ("--assert=plain", "--tb=native")
"""That a test fails is all that is asked: no time is spent on saying how."""
SAVE_EVERY = 25


class Room:
    """A room's mutants and what is known of them."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.files = rooms.sources(name)
        self.known = load(name)
        self.all: dict[str, list[Mutant]] = {}
        self.unsaved = 0
        for path in self.files:
            short = str(path.relative_to(rooms.ROOT / "controller"))
            found = list(mutants(path, short))
            there = {mutant.id for mutant in found}
            before = self.known.get(short, Kept())
            self.known[short] = Kept(before.killed & there, before.refused & there, before.survived & there)
            self.all[short] = found
        for short in set(self.known) - set(self.all):
            del self.known[short]

    def wanted(self) -> list[Mutant]:
        """The mutants to try: new ones first, then those that survived."""
        new = [it for name, found in self.all.items() for it in found if not self._tried(name, it)]
        again = [it for name, found in self.all.items() for it in found if it.id in self.known[name].survived]
        return [*new, *again]

    def _tried(self, name: str, mutant: Mutant) -> bool:
        known = self.known[name]
        return mutant.id in known.killed | known.refused | known.survived

    def told(self, mutant: Mutant, caught: bool) -> None:
        """Keep one result; print a survivor."""
        kept = self._kept(mutant)
        (kept.killed if caught else kept.survived).add(mutant.id)
        (kept.survived if caught else kept.killed).discard(mutant.id)
        if not caught:
            click.echo(shown(mutant))
        self.unsaved += 1
        if self.unsaved >= SAVE_EVERY:
            self.save()

    def refused(self, mutant: Mutant) -> None:
        """The type checker refuses what no test noticed."""
        kept = self._kept(mutant)
        kept.survived.discard(mutant.id)
        kept.refused.add(mutant.id)

    def survives(self, mutant: Mutant) -> bool:
        """Whether it was tried and no test noticed."""
        return mutant.id in self._kept(mutant).survived

    def _kept(self, mutant: Mutant) -> Kept:
        return self.known[str(mutant.path.relative_to(rooms.ROOT / "controller"))]

    def save(self) -> None:
        """Write what is known."""
        save(self.name, self.known)
        self.unsaved = 0


def settle() -> None:
    """Make generated examples few and the same in each process, and import what never changes."""
    hypothesis.settings.register_profile(
        "mutation",
        derandomize=True,
        database=None,
        max_examples=40,
        deadline=None,
        suppress_health_check=list(hypothesis.HealthCheck),
        phases=(hypothesis.Phase.explicit, hypothesis.Phase.generate),
    )
    hypothesis.settings.load_profile("mutation")
    for library in LIBRARIES:
        importlib.import_module(library)


def measured_and_tried(
    room: Room, arguments: list[str], until: float
) -> tuple[Baseline, dict[str, Kept], set[str]]:
    """Try the mutants inside functions; in a process of its own, because it imports everything.

    Returns also the ids of those that proved nothing this way.
    """
    wanted = [mutant for mutant in room.wanted() if mutant.function]
    runner = Runner(wanted, room.files, room.told, until)
    code = pytest.main(arguments, plugins=[runner])
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED) or not runner.baseline.seconds:
        runner.baseline.failed["collection"] = f"pytest ended with {code!r}"
    return runner.baseline, room.known, runner.unproved


@click.command()
@click.argument("name", metavar="ROOM", type=click.Choice(tuple(rooms.SOURCES)))
@click.option("--minutes", default=600.0, help="Stop after this long; what is known is kept.")
def mutate(name: str, minutes: float) -> None:
    """Try the mutants of ROOM that nothing is known to notice. Exit 1 if the tests fail as they are."""
    until = time.monotonic() + minutes * 60
    os.chdir(rooms.ROOT)
    room = Room(name)
    settle()
    options, files = ["-q", "-s", "--no-header", "-p", "no:cacheprovider", *BARE, *IGNORED], rooms.tests(name)
    baseline, room.known, unproved = forked(
        lambda: measured_and_tried(room, [*options, *files], until), quiet=False
    )
    if baseline.failed:
        sys.exit(f"the tests fail on the code as it is, so they can prove nothing: {baseline.failed}")
    for mutant in room.wanted():
        if time.monotonic() > until:
            break
        if not mutant.function or mutant.id in unproved:
            room.told(mutant, caught_at_import(mutant, rooms.ROOT, options, files, baseline))
    refuse_by_types(room, until)
    room.save()
    click.echo(f"{name}: {counted(room)}")


def refuse_by_types(room: Room, until: float) -> None:
    """Ask the type checker about what no test noticed."""
    with tempfile.TemporaryDirectory(prefix="pozo-mutants-") as folder:
        types = Types(rooms.ROOT, Path(folder))
        for mutant in room.wanted():
            if time.monotonic() > until:
                break
            if room.survives(mutant) and types.refuse(mutant):
                room.refused(mutant)
                click.echo(f"{mutant.id} is refused by the types")


def counted(room: Room) -> str:
    """What became of a room's mutants, in numbers."""
    everything = sum(map(len, room.all.values()))
    killed, refused, survived = (
        sum(len(found) for found in each)
        for each in zip(*((it.killed, it.refused, it.survived) for it in room.known.values()), strict=True)
    )
    left = everything - killed - refused - survived
    return (
        f"{everything} mutants, {killed} killed, {refused} refused by types, {survived} survived, {left} left"
    )


if __name__ == "__main__":
    mutate()
