"""How a command ends when something is not right: one clear text on stderr, exit code 1, no traceback."""

from collections.abc import Iterator
from contextlib import contextmanager

import click

from controller.administer import RefusedError
from controller.assemble import ParametersChangedError
from controller.bound import OtherBoardError
from controller.config import ConfigError
from controller.journal import JournalError
from controller.signing.manifest import ManifestError
from controller.single import AlreadyRunningError
from controller.transfer import TransferError
from controller.users import PinError, UsersDamagedError, UsersError
from controller.witness import WitnessError
from hal.interface import HalError

PLAIN = (
    AlreadyRunningError,
    ConfigError,
    HalError,
    JournalError,
    ManifestError,
    OtherBoardError,
    ParametersChangedError,
    RefusedError,
    TransferError,
    PinError,
    UsersDamagedError,
    UsersError,
    WitnessError,
    OSError,
)
"""Errors whose text is written for the person who must act."""


@contextmanager
def told_plainly() -> Iterator[None]:
    """Turn the rooms' own errors into a message for the person who must act."""
    try:
        yield
    except PLAIN as error:
        raise click.ClickException(str(error)) from error
