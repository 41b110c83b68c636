"""How a command ends when something is not right: one clear text on stderr, exit code 1, no traceback."""

from collections.abc import Iterator
from contextlib import contextmanager

import click

from controller.administer import RefusedError
from controller.assemble import ParametersChangedError
from controller.backup.listing import BackupError
from controller.bound import OtherBoardError
from controller.config import ConfigError
from controller.core.events import Refusal
from controller.core.money import Currency
from controller.journal import JournalError
from controller.signing.device import KeyRefusedError
from controller.signing.manifest import ManifestError
from controller.single import AlreadyRunningError
from controller.transfer import TransferError
from controller.updating.bundle import UpdateError
from controller.users import PinError, UsersDamagedError, UsersError
from controller.witness import WitnessError
from hal.interface import HalError

PLAIN = (
    AlreadyRunningError,
    BackupError,
    ConfigError,
    HalError,
    JournalError,
    ManifestError,
    OtherBoardError,
    ParametersChangedError,
    TransferError,
    PinError,
    UpdateError,
    UsersDamagedError,
    UsersError,
    WitnessError,
    OSError,
)
"""Errors whose text is written for the person who must act."""


def _in_words(reason: Refusal) -> str:
    """A refusal as the table itself words it, and its code."""
    from controller.words import Words  # noqa: PLC0415, a command that is not refused needs no catalogue

    told = Words("en", "", Currency.UYU).tell_if_known(f"refusal.{reason}").capitalize()
    return f"the table refused: {told} ({reason})"


@contextmanager
def told_plainly() -> Iterator[None]:
    """Turn the rooms' own errors into a message for the person who must act."""
    try:
        yield
    except RefusedError as error:
        raise click.ClickException(
            f"{_in_words(error.reason)}. The journal keeps that it was asked; nothing else was changed"
        ) from error
    except KeyRefusedError as error:
        raise click.ClickException(
            f"{_in_words(error.reason)}. Nothing was stored: the old key stays in force"
        ) from error
    except PLAIN as error:
        raise click.ClickException(str(error)) from error
