"""Mutants of what runs at import: a process that has imported nothing yet gets the changed file, not the real one.

Nothing is written: a loader hands the changed text out.
"""

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from pathlib import Path
from types import CodeType, ModuleType

import pytest

from tests.mutation.forked import LostError, forked
from tests.mutation.mutants import Mutant
from tests.mutation.runner import GRACE_S, SLOWEST_S, Baseline

ALONE = 1
"""How many of a room's test files, in the order of its list, are asked first."""


class ChangedFile(importlib.machinery.SourceFileLoader):
    """Hands out the changed text of a module."""

    def __init__(self, name: str, mutant: Mutant) -> None:
        super().__init__(name, str(mutant.path))
        self.source = mutant.source

    def get_code(self, fullname: str) -> CodeType:
        """Compile the changed text."""
        del fullname
        return compile(self.source, self.path, "exec", dont_inherit=True)


class Finder(importlib.abc.MetaPathFinder):
    """Finds the changed file where the real one is imported."""

    def __init__(self, mutant: Mutant, root: Path) -> None:
        parts = mutant.path.relative_to(root).with_suffix("").parts
        self.wanted = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        self.mutant = mutant

    def find_spec(
        self, fullname: str, path: object, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Find the one module that is changed, and no other."""
        del path, target
        if fullname != self.wanted:
            return None
        loader = ChangedFile(fullname, self.mutant)
        return importlib.util.spec_from_file_location(fullname, self.mutant.path, loader=loader)


class Quick:
    """Keeps the quick tests, the quickest first."""

    def __init__(self, baseline: Baseline) -> None:
        self.seconds = baseline.seconds

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if self.seconds.get(item.nodeid, 0) < SLOWEST_S]
        items.sort(key=lambda item: self.seconds.get(item.nodeid, 0))


def caught_at_import(
    mutant: Mutant, root: Path, options: list[str], files: list[str], baseline: Baseline
) -> bool:
    """Whether the tests fail in a process that imports the mutant's file in place of the real one.

    The first files are asked alone first: collecting all of them takes longer than what most mutants need to fail.
    """
    stages = (files[:ALONE], files)
    return any(_caught(mutant, root, [*options, *stage], baseline) for stage in stages)


def _caught(mutant: Mutant, root: Path, arguments: list[str], baseline: Baseline) -> bool:
    def tried() -> bool:
        sys.meta_path.insert(0, Finder(mutant, root))
        return pytest.main([*arguments, "-x"], plugins=[Quick(baseline)]) != pytest.ExitCode.OK

    try:
        return forked(tried, seconds=5 * sum(baseline.seconds.values()) + 4 * GRACE_S)
    except LostError:
        return True
