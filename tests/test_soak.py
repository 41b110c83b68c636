"""A short soak is clean, counts what it saw, goes on where it stopped, and writes its failure as a drill."""

import ast
import json
from collections import Counter
from pathlib import Path
from typing import get_args

import pytest
from click.testing import CliRunner, Result

from controller.cli.drill import drill
from controller.cli.soak import soak
from controller.core.events import AnyEvent, snake
from controller.core.state import Phase
from controller.drill.statements import Statement
from controller.soak import coverage
from controller.soak.coverage import Counts, Family, FaultKind
from controller.soak.table import Table
from tests.broken import BUILDS, MONTEVIDEO, built

PAID_TWICE = next(each for each in BUILDS if each.name == "award paid twice")


def run(*arguments: str) -> Result:
    """`pozo soak` with these arguments."""
    return CliRunner().invoke(soak, list(arguments), catch_exceptions=False)


@pytest.mark.slow
def test_a_short_soak_of_every_game_is_clean(tmp_path: Path) -> None:
    result = run("--seed", "0..9", "--rounds", "60", "--out", str(tmp_path))
    assert result.exit_code == 0, result.output
    assert "10 seeds, 600 rounds" in result.output
    assert list(tmp_path.iterdir()) == []


def test_the_same_seed_plays_the_same_lines() -> None:
    first, second = Table(2, MONTEVIDEO), Table(2, MONTEVIDEO)
    first.play(15)
    second.play(15)
    assert first.lines == second.lines
    assert len(first.lines) > 60


def test_a_failing_seed_is_shrunk_to_a_drill_that_fails_too(tmp_path: Path) -> None:
    with built(PAID_TWICE):
        result = run("--seed", "2", "--rounds", "100", "--game", MONTEVIDEO, "--out", str(tmp_path), "--json")
        (written,) = tmp_path.iterdir()
        played = CliRunner().invoke(drill, [str(written)])
    assert result.exit_code == 1
    told = json.loads(result.stdout)
    assert [(each["seed"], each["checker"]) for each in told["done"]["failed"]] == [(2, "award")]
    assert written.name == "soak-2-award.drill"
    lines = written.read_text(encoding="utf-8").splitlines()
    assert [line.split()[0] for line in lines if line.split()[0] in {"claim", "approve", "paid"}]
    assert len(lines) < 40
    assert (played.exit_code, "award: record" in played.output) == (1, True), played.output
    assert CliRunner().invoke(drill, [str(written)]).exit_code == 0, "the whole program passes it"


def test_a_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    kept = tmp_path / "done.json"
    plan = ("--rounds", "10", "--game", "cl-caribbean", "--resume", str(kept), "--out", str(tmp_path))
    assert "seed 4:" in run("--seed", "4..5", *plan).output
    first = json.loads(kept.read_text(encoding="utf-8"))
    assert (first["seeds"], first["rounds"]) == ([4, 5], {"poker": sum(first["rounds"].values())})
    again = run("--seed", "4..5", *plan)
    assert "seed 4:" not in again.output
    assert again.output.startswith("2 seeds, ")
    assert json.loads(kept.read_text(encoding="utf-8")) == first
    other = run("--seed", "4..6", *plan)
    assert (other.exit_code, "is of another run" in other.output) == (2, True)


@pytest.mark.parametrize("seeds", ["x", "5..4", "-1", "1..", "..3"])
def test_seeds_that_are_none_are_wrong_use(seeds: str) -> None:
    assert run("--seed", seeds, "--rounds", "1").exit_code == 2


def test_a_game_that_is_none_is_wrong_use() -> None:
    result = run("--seed", "1", "--game", "whist")
    assert (result.exit_code, "'whist' is no game" in result.output) == (2, True)


def everything(family: Family, rounds: int) -> Counts:
    """Counts of a run that has seen all."""
    pairs = Counter({(str(family), *pair): 1 for pair in coverage.wanted(family)})
    return Counts(pairs, Counter(dict.fromkeys(FaultKind, 1)), Counter({str(family): rounds}))


def test_a_pair_or_a_fault_that_never_happened_is_named() -> None:
    full = everything(Family.POKER, coverage.PAIRS_FROM)
    assert coverage.missing(full) == []
    del full.pairs["poker", "locked", "chip_dropped"]
    del full.faults[FaultKind.FSYNC]
    assert coverage.missing(full) == [
        "poker: chip_dropped in locked",
        "fault: I/O error on a flush",
    ]


def test_a_short_run_is_asked_nothing() -> None:
    counts = coverage.no_counts()
    counts.rounds["poker"] = coverage.PAIRS_FROM - 1
    assert coverage.missing(counts) == []


def test_every_pair_is_wanted_or_has_its_reason() -> None:
    events = {snake(event.__name__) for event in get_args(AnyEvent)}
    for family in Family:
        wanted = coverage.wanted(family)
        left = {(phase.value, event) for phase in Phase for event in events} - wanted
        assert all(coverage.reason(family, *pair) for pair in left)
        assert len(wanted) > 200


def test_no_reason_is_kept_for_nothing() -> None:
    events = {snake(event.__name__) for event in get_args(AnyEvent)}
    for _, rule in coverage.CANNOT:
        assert any(
            rule(family, phase.value, event) for family in Family for phase in Phase for event in events
        )


def test_lines_of_a_soak_are_statements_of_a_drill() -> None:
    from controller.soak.table import statement

    played = Table(1, MONTEVIDEO)
    played.play(5)
    assert all(isinstance(statement(line), Statement) for line in played.lines)


CHECKS = Path(__file__).parent.parent / "controller" / "soak" / "checks"


@pytest.mark.parametrize("path", sorted(CHECKS.glob("*.py")), ids=lambda path: path.stem)
def test_the_checkers_know_no_line_of_the_program(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    modules = [str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    modules += [name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names]
    ours = [module for module in modules if module.split(".")[0] in {"controller", "hal"}]
    assert [module for module in ours if not module.startswith("controller.soak.checks")] == []
