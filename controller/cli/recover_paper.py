"""What two persons read from paper, as `pozo recover` takes it from the command line."""

from pathlib import Path
from typing import Final

import click
import msgspec

from controller.config import Settings
from controller.core.game import Fund, Hand
from controller.core.money import AmountError, parse
from controller.core.state import Award
from controller.journal import JournalError
from controller.recovery import Paper
from controller.recovery.plan import NOT_AT_HAND
from controller.signing.key import PUBLIC_DIGITS, SHORT_DIGITS, is_filed, read_public

NONE: Final = "none"
"""What is entered where there is no transfer, or no unpaid award: nothing is taken for granted."""

_PARTS: Final = ("NUMBER", "ROUND", "SEAT", "HAND", "LEVEL", "AMOUNT")


def _is_file(path: Path) -> bool:
    """False too where it cannot be looked at: a name too long for any file."""
    try:
        return path.is_file()
    except OSError:
        return False


class FiledKeyType(click.ParamType[str]):
    """The filed public half of the table's key: all its digits, its short form, its file, or `none`."""

    name = "KEY|FILE|none"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Take the digits without dashes and blanks, or read the file."""
        if str(value) == NONE:
            return NOT_AT_HAND
        digits = "".join(str(value).lower().replace("-", " ").split())
        if is_filed(digits):
            return digits
        if not _is_file(Path(str(value))):
            self.fail(
                f"{value!r} is no key: give its {PUBLIC_DIGITS} digits, its short form of {SHORT_DIGITS}, the file of "
                f"its public half, or `{NONE}`",
                param,
                ctx,
            )
        try:
            return read_public(Path(str(value)))
        except JournalError as error:
            self.fail(str(error), param, ctx)


class Entered(msgspec.Struct, frozen=True):
    """The words of the options, as they were typed."""

    levels: tuple[str, ...]
    round: int | None
    last_slip: int | None
    received: tuple[str, ...]
    unpaid: tuple[str, ...]


def paper_of(settings: Settings, entered: Entered) -> Paper | None:
    """What was read from paper; None where nothing was given. Raises `click.UsageError` for what is wrong."""
    if not any((entered.levels, entered.received, entered.unpaid)) and (
        entered.round is None and entered.last_slip is None
    ):
        return None
    if entered.round is None or entered.last_slip is None:
        raise click.UsageError("from paper: one --level NAME=AMOUNT for each level, --round and --last-slip")
    amounts: dict[str, int] = {}
    for text in entered.levels:
        level, equals, amount = text.partition("=")
        if not equals or level in amounts:
            raise click.UsageError(f"--level {text!r}: write each level once, like main=100003.50")
        amounts[level] = _money(settings, f"--level {text!r}", amount)
    received = _given("--received", entered.received)
    unpaid = _given("--unpaid", entered.unpaid)
    awards = None if unpaid is None else tuple(_award(settings, each) for each in unpaid)
    return Paper(amounts, entered.round, entered.last_slip, received, awards)


def _given(option: str, words: tuple[str, ...]) -> tuple[str, ...] | None:
    if words == (NONE,):
        return ()
    if NONE in words:
        raise click.UsageError(f"{option}: say `{NONE}` alone, or name each")
    return words or None


def _award(settings: Settings, text: str) -> Award:
    where = f"--unpaid {text!r}"
    parts = text.split(":")
    if len(parts) != len(_PARTS) or not all(part.isdecimal() and len(part) < 10 for part in parts[:3]):
        raise click.UsageError(
            f"{where}: write {':'.join(_PARTS)} as the slip has them, LEVEL `-` for a bonus"
        )
    number, round_number, seat = (int(part) for part in parts[:3])
    try:
        hand = Hand(parts[3])
    except ValueError:
        raise click.UsageError(f"{where}: the hand is one of {', '.join(Hand)}") from None
    level = None if parts[4] == "-" else parts[4]
    fund = Fund.HOUSE if level is None else Fund.POT
    return Award(number, round_number, seat, hand, level, _money(settings, where, parts[5]), fund)


def _money(settings: Settings, where: str, text: str) -> int:
    try:
        return parse(text, settings.game.currency)
    except AmountError as error:
        raise click.UsageError(f"{where}: {error}") from error
