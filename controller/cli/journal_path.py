"""How a command names the journal it reads, and how the journal's errors reach the person at the keyboard."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import click

from controller.journal import JournalError

_Command = TypeVar("_Command", bound=Callable[..., object])


def journal_options(command: _Command) -> _Command:
    """Give a command its two ways to name a journal: PATH, or the configuration that names it."""
    named = click.option("--config", "config", metavar="NAME", help="Configuration that names the journal.")
    return named(click.argument("path", required=False, type=click.Path(path_type=Path))(command))


def journal_path(path: Path | None, config: str | None) -> Path:
    """The journal meant; exactly one of the two must be given."""
    if (path is None) == (config is None):
        raise click.UsageError("name one journal: its PATH, or --config NAME of the table it belongs to")
    if path is not None:
        return path
    from controller.config import ConfigError, load  # noqa: PLC0415 - a PATH works without any configuration

    try:
        return load(str(config)).journal
    except ConfigError as error:
        raise click.ClickException(str(error)) from error


@contextmanager
def told() -> Iterator[None]:
    """Journal errors go to the person at the keyboard, with exit code 1."""
    try:
        yield
    except JournalError as error:
        raise click.ClickException(str(error)) from error
