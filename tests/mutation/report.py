"""`python -m tests.mutation.report`: what is known of all rooms, as the table and lists of docs/mutation.md."""

import tomllib
from pathlib import Path

import click
import msgspec

from tests.mutation.kept import Kept, load
from tests.mutation.mutants import Mutant, mutants, shown
from tests.mutation.rooms import ROOT, SOURCES, sources

REASONS = Path(__file__).parent / "reasons.toml"


class Result(msgspec.Struct):
    """One room: its mutants as the code stands now, and what became of them."""

    everything: int
    killed: int
    refused: int
    """By the type checker, where no test noticed."""
    survivors: dict[str, Mutant]
    reasons: dict[str, str]

    @property
    def left(self) -> int:
        """Mutants that nobody has tried."""
        return self.everything - self.caught - len(self.survivors)

    @property
    def caught(self) -> int:
        """By a test or by the type checker."""
        return self.killed + self.refused

    @property
    def score(self) -> float:
        """Percent of the tried ones that were caught, those left out that nothing could catch."""
        return 100 * self.caught / max(1, self.caught + len(self.survivors) - len(self.reasons))


def reasons() -> dict[str, dict[str, str]]:
    """By room, why a survivor is no gap."""
    found: dict[str, dict[str, str]] = tomllib.loads(REASONS.read_text(encoding="utf-8"))
    return found


def result(room: str) -> Result:
    """What is known of a room."""
    known, given = load(room), reasons().get(room, {})
    found = Result(0, 0, 0, {}, {})
    for path in sources(room):
        name = str(path.relative_to(ROOT / "controller"))
        kept = known.get(name, Kept())
        for mutant in mutants(path, name):
            found.everything += 1
            if mutant.id in kept.killed:
                found.killed += 1
            elif mutant.id in kept.refused:
                found.refused += 1
            elif mutant.id in kept.survived:
                found.survivors[mutant.id] = mutant
    found.reasons = {key: why for key, why in given.items() if key in found.survivors}
    return found


@click.command()
def report() -> None:
    """Print the results of all rooms."""
    results = {room: result(room) for room in SOURCES}
    click.echo(
        "| room | mutants | a test notices | types refuse | survive | nothing could catch | not tried | score |"
    )
    click.echo("|---|---|---|---|---|---|---|---|")
    for room, it in results.items():
        counts = (it.everything, it.killed, it.refused, len(it.survivors), len(it.reasons), it.left)
        score = f"{it.score:.1f} %" if it.caught else "–"
        click.echo(f"| {room} | {' | '.join(map(str, counts))} | {score} |")
    for room, it in results.items():
        click.echo(f"\n## {room}\n")
        for key, mutant in it.survivors.items():
            click.echo(f"- `{shown(mutant)}`: {it.reasons.get(key, 'not looked at yet')}")


if __name__ == "__main__":
    report()
