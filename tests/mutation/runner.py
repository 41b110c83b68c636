"""Runs the tests against mutants: a pytest plugin that collects once and then forks one process a mutant.

A mutant inside a function is put in by exchanging the function's code in the forked process; only the tests that ran
its lines are run, the quickest first, up to the first failure.
"""

import functools
import gc
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from types import CodeType, FunctionType

import coverage
import msgspec
import pytest

from tests.mutation.forked import JobError, LostError, forked
from tests.mutation.mutants import Mutant

SLOWEST_S = 2.0
"""A test that takes longer than this is not asked."""
LONGEST_S = 25.0
"""Nor are further tests once those before them take this long together."""
GRACE_S = 4
"""What a mutant's tests may take of the processor beyond three times their usual time; one that takes more is caught:
it hangs."""

Told = Callable[[Mutant, bool], None]


class Baseline(msgspec.Struct):
    """What the tests do on the code as it is."""

    seconds: dict[str, float]
    failed: dict[str, str]
    by_line: dict[Path, dict[int, list[str]]]
    """Of each file, which tests ran a line."""


class Watch:
    """Notes whether a test failed."""

    def __init__(self) -> None:
        self.failed = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed = str(report.longrepr)


class Runner:
    """Takes pytest's place when the tests are collected: measures once, then tries each mutant."""

    def __init__(self, wanted: list[Mutant], files: list[Path], told: Told, until: float) -> None:
        self.wanted = wanted
        self.files = files
        self.told = told
        self.until = until
        self.watch = Watch()
        self.items: dict[str, pytest.Item] = {}
        self.baseline = Baseline({}, {}, {})
        self.unproved: set[str] = set()
        """Mutants of functions that no test runs, or that could not be put in: some run at import only."""
        self.functions: dict[Path, list[FunctionType]] = {}
        self.caches: list[functools._lru_cache_wrapper[object]] = []

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        config.pluginmanager.register(self.watch)
        self.items = {item.nodeid: item for item in items}

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if session.testsfailed:
            raise session.Interrupted("the tests cannot be collected")
        self.baseline = forked(self._measured)
        if not self.baseline.failed:
            self._try_all()
        return True

    def _try_all(self) -> None:
        self.functions = _functions()
        self.caches = [it for it in gc.get_objects() if isinstance(it, functools._lru_cache_wrapper)]
        gc.freeze()
        for mutant in self.wanted:
            if time.monotonic() > self.until:
                break
            self.told(mutant, self._caught(mutant))

    def _measured(self) -> Baseline:
        cover = coverage.Coverage(
            data_file=None, include=[str(path) for path in self.files], config_file=False
        )
        found = Baseline({}, {}, {})
        cover.start()
        for name, item in self.items.items():
            cover.switch_context(name)
            began = time.monotonic()
            self._run(item)
            found.seconds[name] = time.monotonic() - began
            if self.watch.failed:
                found.failed[name] = self.watch.failed
                self.watch.failed = ""
        cover.stop()
        data = cover.get_data()
        for path in self.files:
            found.by_line[path] = {
                line: [name for name in names if name]
                for line, names in data.contexts_by_lineno(str(path)).items()
            }
        return found

    def _run(self, item: pytest.Item) -> None:
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)

    def _fails(self, name: str) -> bool:
        try:
            self._run(self.items[name])
        except BaseException:  # noqa: BLE001 - a mutant may raise what pytest takes for no failed test
            return True
        return bool(self.watch.failed)

    def asked(self, mutant: Mutant) -> list[str]:
        """The tests that ran a line of the mutant, the quickest first; further cases of one test come later."""
        by_line = self.baseline.by_line[mutant.path]
        names = {name for line in range(mutant.line, mutant.end + 1) for name in by_line.get(line, ())}
        asked: list[str] = []
        together = 0.0
        for name in self._ordered(names):
            together += self.baseline.seconds[name]
            if together > LONGEST_S:
                break
            asked.append(name)
        return asked

    def _ordered(self, names: set[str]) -> list[str]:
        seconds = self.baseline.seconds
        cases: Counter[str] = Counter()
        delayed: dict[str, float] = {}
        for name in sorted(names, key=lambda name: (seconds[name], name)):
            if seconds[name] >= SLOWEST_S:
                break
            test = name.partition("[")[0]
            delayed[name] = seconds[name] * (1 + cases[test] / 10)
            cases[test] += 1
        return sorted(delayed, key=lambda name: delayed[name])

    def _caught(self, mutant: Mutant) -> bool:
        names = self.asked(mutant)

        def tried() -> bool:
            self._put_in(mutant)
            return any(self._fails(name) for name in names)

        if not names:
            self.unproved.add(mutant.id)
            return False
        try:
            usual = sum(self.baseline.seconds[name] for name in names)
            return forked(tried, seconds=int(3 * usual) + GRACE_S)
        except JobError:  # it could not be put in
            self.unproved.add(mutant.id)
            return False
        except LostError:
            return True

    def _put_in(self, mutant: Mutant) -> None:
        changed = {
            code.co_qualname: code for code in _codes(compile(mutant.source, str(mutant.path), "exec"))
        }
        inner = f"{mutant.function}.<locals>."
        done = 0
        for function in self.functions[mutant.path]:
            name = function.__code__.co_qualname
            if name == mutant.function or name.startswith(inner):
                new = changed.get(name)
                if new is not None and new.co_freevars == function.__code__.co_freevars:
                    function.__code__ = new
                    done += 1
        if not done:
            raise LookupError(f"{mutant.path}: nothing here is called {mutant.function}")
        for cache in self.caches:
            cache.cache_clear()


def _functions() -> dict[Path, list[FunctionType]]:
    found: dict[Path, list[FunctionType]] = defaultdict(list)
    for thing in gc.get_objects():
        if isinstance(thing, FunctionType):
            found[Path(thing.__code__.co_filename)].append(thing)
    return found


def _codes(code: CodeType) -> Iterable[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)
