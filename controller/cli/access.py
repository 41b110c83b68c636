"""`pozo access`: who may look at a console that is not on loopback."""

import os
from pathlib import Path

import click

from controller.console.access import AccessError, password_line, token_line


@click.group()
def access() -> None:
    """Make the file that `pozo console --access` reads. It keeps hashes only."""


@access.command()
@click.argument("path", type=click.Path(path_type=Path))
def password(path: Path) -> None:
    """Set the password; one that was set before in this file is valid no more."""
    secret = click.prompt("Password", hide_input=True, confirmation_prompt=True)
    try:
        line = password_line(secret)
    except AccessError as error:
        raise click.ClickException(str(error)) from error
    _write(path, [*(old for old in _lines(path) if not old.startswith("password ")), line])


@access.command()
@click.argument("path", type=click.Path(path_type=Path))
def token(path: Path) -> None:
    """Add a token for a program or a television; it is printed once and cannot be read back."""
    secret, line = token_line()
    _write(path, [*_lines(path), line])
    click.echo(secret)


def _lines(path: Path) -> list[str]:
    try:
        return [f"{line}\n" for line in path.read_text(encoding="ascii").splitlines()]
    except FileNotFoundError:
        return []
    except (OSError, UnicodeError) as error:
        raise click.ClickException(
            f"{path} is no access file: {error}. Name another one, or a new one"
        ) from error


def _write(path: Path, lines: list[str]) -> None:
    """Put a whole new file in the old one's place; nobody but its owner could ever read it."""
    fresh = path.with_name(path.name + ".new")
    try:
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.writelines(lines)
        fresh.replace(path)
    except OSError as error:
        raise click.ClickException(f"{path} cannot be written: {error.strerror}") from error
