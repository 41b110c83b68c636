"""`python -m tests.fuzz NAME [TARGET …] --runs N`: feed parsers under atheris, guided by coverage.

NAME is a module of this folder, see NAMES. The first finding stops the run and is
left as a file `crash-…` in the folder this is started in. Development only: the product does not know atheris.
"""

import importlib
import logging
import subprocess
import sys
import tempfile
from pathlib import Path

import click

NAMES = ("beside", "configuration", "devices", "links", "pages", "scripts", "stored")


@click.command()
@click.argument("name", type=click.Choice(NAMES))
@click.argument("targets", nargs=-1)
@click.option("--runs", default=10_000, help="Inputs for each target.")
@click.option("--seconds", default=0, help="Stop each target after this long; 0: when its runs are done.")
@click.option(
    "--replay", type=click.Path(exists=True), help="Feed this file once instead, to the one target named."
)
@click.option("--here", is_flag=True, hidden=True, help="Fuzz in this process, which libFuzzer ends.")
def fuzz(
    *, name: str, targets: tuple[str, ...], runs: int, seconds: int, replay: str | None, here: bool
) -> None:
    """Feed the targets of NAME, or some of them. Exit 1 at the first finding."""
    if here:
        _fuzz(name, targets[0], runs, seconds)
    known = importlib.import_module(f"tests.fuzz.{name}").TARGETS
    for target in targets or known:
        if target not in known:
            raise click.BadParameter(f"{name} has no target {target!r}; there are: {', '.join(known)}")
        if replay is not None:
            known[target].feed(Path(replay).read_bytes())
            continue
        # libFuzzer ends the process it runs in, so each target has one of its own.
        options = ["--runs", str(runs), "--seconds", str(seconds), "--here"]
        done = subprocess.run([sys.executable, "-m", "tests.fuzz", name, target, *options], check=False)
        if done.returncode:
            sys.exit(f"{name} {target}: a finding; feed it again with --replay FILE")
        click.echo(f"{name} {target}: nothing found")


def _fuzz(name: str, target: str, runs: int, seconds: int) -> None:
    import atheris  # here, so that --help and --replay need no atheris

    logging.disable(logging.CRITICAL)
    with atheris.instrument_imports(include=["controller", "hal"], enable_loader_override=False):
        wanted = importlib.import_module(f"tests.fuzz.{name}").TARGETS[target]
    with tempfile.TemporaryDirectory() as corpus:
        for number, seed in enumerate(wanted.seeds):
            (Path(corpus) / str(number)).write_bytes(seed)
        options = [
            f"-runs={runs}",
            f"-max_len={wanted.most}",
            "-timeout=20",
            "-verbosity=0",
            "-print_final_stats=1",
        ]
        options += [f"-max_total_time={seconds}"] if seconds else []
        atheris.Setup([sys.argv[0], *options, corpus], wanted.feed)
        atheris.Fuzz()


if __name__ == "__main__":
    fuzz()
