"""The power goes at any write or flush of a recovery, and the disk keeps no more than it must: nothing is lost.

The next start plays what two persons trusted, or is out of service again and says why; doing it again then helps.
"""

import random
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from controller.admit import look
from controller.core.events import Trusted
from controller.drill.medium import Medium
from controller.drill.play import settings_of
from controller.drill.world import World
from controller.journal import verify
from controller.recovery import Paper
from controller.recovery.plan import proposal
from controller.recovery.steps import stranded as stranded_by
from controller.soak.disk import MEMORY, LossyMedium, read_tree, write_tree
from controller.soak.disk_model import Tree
from controller.soak.disk_ops import Op
from controller.soak.disk_states import legal_states
from tests.helpers_witness import PAPER, played, recovered
from tests.test_recovery import PLIGHTS, nothing_good

EACH = 3
"""States that are opened for one moment."""

CASES: dict[str, tuple[Callable[[World], None], Trusted | None, Paper | None]] = {
    name: (spoil, choice, None) for name, (spoil, _, choice, *_) in PLIGHTS.items()
} | {"nothing good": (nothing_good, Trusted.PAPER, PAPER)}


@pytest.mark.parametrize("case", CASES)
def test_a_recovery_may_stop_anywhere(case: str) -> None:
    spoil, choice, paper = CASES[case]
    base, log, done = _recorded(spoil, choice, paper)
    with closing(World(settings_of("simulated", {}), medium=Medium(MEMORY))) as world:
        states = legal_states(base, log, random.Random(case), EACH)
        outcomes = [_after(world, tree, choice, paper, done) for _, tree in states]
    assert set(outcomes) == {"plays", "again"}
    assert outcomes[-1] == "plays"


def _recorded(
    spoil: Callable[[World], None], choice: Trusted | None, paper: Paper | None
) -> tuple[Tree, list[Op], tuple[object, ...]]:
    """The files before a recovery, all that it did to the disk, and what the table shows after it."""
    medium = LossyMedium(seed=1, log=[])
    with played(1, medium) as world:
        world.power_off()
        spoil(world)
        medium.disk.settle()
        base = read_tree(medium.journal.parent)
        log: list[Op] = []
        medium.disk.log = log
        recovered(world, choice, paper)
        medium.disk.log = None
        return base, log, _shown(world)


def _shown(world: World) -> tuple[object, ...]:
    """What a start shows; the power is off again afterwards."""
    world.power_on(open_table=True)
    assert world.loop is not None
    table = world.loop.table
    world.power_off()
    assert verify(world.medium.journal).bad is None
    return table.phase, table.round, table.pot, table.awards_made


def _after(
    world: World, tree: Tree, choice: Trusted | None, paper: Paper | None, done: tuple[object, ...]
) -> str:
    """Start on these files: it plays the very state, or is out of service and can be brought back to it."""
    folder = world.medium.journal.parent
    _lay(tree, folder)
    world.power_on(open_table=True)
    if world.stranded is None:
        world.power_off()
        assert _shown(world) == done
        return "plays"
    world.power_off()
    assert read_tree(folder) | tree == read_tree(folder), "a start that is out of service changed a file"
    again = proposal(stranded_by(look(world.places))) if choice is not Trusted.PAPER else choice
    recovered(world, again or choice, paper)
    assert _shown(world) == done
    return "again"


def _lay(tree: Tree, folder: Path) -> None:
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_file():
            path.unlink()
        else:
            path.rmdir()
    write_tree(tree, folder)
