"""Which journal a paper is made from, and how its house writes: the options that all paper commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click
import msgspec

from controller.cli.errors import told_plainly
from controller.cli.journal_path import journal_options
from controller.config import load
from controller.slips.house import House, house_of, house_unknown
from controller.slips.source import currency_of

_Command = TypeVar("_Command", bound=Callable[..., object])


class Desk(msgspec.Struct, frozen=True):
    """The journal, and how its house writes."""

    journal: Path
    house: House


def house_options(command: _Command) -> _Command:
    """PATH or --config as every reader of a journal has, and the language of the paper."""
    lang = click.option("--lang", type=click.Choice(["es", "en"]), help="Language of the paper.")
    return journal_options(lang(command))


def desk(path: Path | None, config: str | None, lang: str | None) -> Desk:
    """The journal meant. With PATH alone times are UTC, and nothing is known of the house."""
    if (path is None) == (config is None):
        raise click.UsageError("name one journal: its PATH, or --config NAME of the table it belongs to")
    with told_plainly():
        if path is not None:
            return Desk(path, house_unknown(currency_of(path), lang))
        settings = load(str(config))
        return Desk(settings.journal, house_of(settings, lang))
