"""`pozo users`: the persons of a table, their PINs, and the log of who was there."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import click
import msgspec

from controller.administer import administer
from controller.cli.errors import told_plainly
from controller.cli.journal_path import journal_options, journal_path, told
from controller.cli.keys import both_keys
from controller.cli.persons import Reception
from controller.clock import SystemClock
from controller.config import Settings, load
from controller.core import events as ev
from controller.core.game import Role
from controller.core.table.presence import person_locked
from controller.journal import ends_of
from controller.single import SingleInstance
from controller.users import Store, User, UsersError, added, by_name, changed, weak
from controller.users.log import AccessRecord, access_log, sentence
from controller.users.person import NUMBER_MOST
from controller.users.restore import restored
from controller.users.secret import hashed, make_pepper

_Command = TypeVar("_Command", bound=Callable[..., object])


def _change_options(command: _Command) -> _Command:
    """What every change of the list is told: the table, and how its keys are turned."""
    for option in (
        click.option("--turn-keys", is_flag=True, help="Simulated boards only: turn both keys yourself."),
        click.option("--bench", type=click.Path(path_type=Path), help="Turn a simulated board's keys here."),
        click.option("--config", "config", required=True, help="The table's file, or a shipped name."),
    ):
        command = option(command)
    return command


class _Change:
    """One change of the list: the table stopped, both keys turned, its holders there, everything journaled."""

    def __init__(
        self, settings: Settings, bench: Path | None, *, turn_keys: bool, unlocks: bool = False
    ) -> None:
        both_keys(settings, bench, turn_keys=turn_keys)
        self._settings = settings
        self._clock = SystemClock()
        reception = Reception(settings, self._clock)
        self.asked = reception.asked
        self._before = reception.table.users
        self._store = Store(settings.journal)
        self.session = reception.for_users(unlocks=unlocks)
        self.users = self._store.load(self._before)

    def keep(self, users: Sequence[User], who: User, what: ev.UserChange) -> None:
        """Write the list, journal the change, put the list in place."""
        self._store.prepare(users, self._before + 1)
        self.journal(who, what)
        self._store.commit()

    def journal(self, who: User, what: ev.UserChange) -> None:
        """Journal what became of a person."""
        event = ev.UserChanged(
            self._clock.monotonic_ns(),
            who.name,
            who.number,
            who.role,
            what,
            self.session.supervisor,
            self.session.technician,
            alone=what is ev.UserChange.UNLOCKED and not self.session.identified,
        )
        administer(self._settings, self._clock, event, both_keys=True, session=self.session)

    def new_pin(self, who: User) -> User:
        """The person with a PIN that he enters twice. Raises `UsersError` for one that is too easy."""
        pin = click.prompt(f"New PIN of {who.name}", hide_input=True, confirmation_prompt=True)
        why = weak(pin, who.number)
        if why:
            raise UsersError(why)
        return msgspec.structs.replace(who, pin=hashed(pin, make_pepper(self._settings.journal)))


@click.group()
def users() -> None:
    """The persons of a table. Changes need the table stopped and both keys; with PINs, both holders' PINs."""


@users.command()
@click.argument("name")
@click.option("--role", type=click.Choice([role.value for role in Role]), required=True)
@click.option("--number", type=click.IntRange(1, NUMBER_MOST), required=True, help="Never given to another.")
@_change_options
def add(*, name: str, role: str, number: int, config: str, bench: Path | None, turn_keys: bool) -> None:
    """Add a person; the PIN is asked for where the table's policy wants one of that role."""
    with told_plainly():
        settings = load(config)
        with SingleInstance(settings.journal):
            change = _Change(settings, bench, turn_keys=turn_keys)
            who = User(number, " ".join(name.split()), Role(role))
            added(change.users, who)
            if who.role in change.asked:
                who = change.new_pin(who)
            change.keep(added(change.users, who), who, ev.UserChange.ADDED)
    click.echo(f"{who.number} {who.name} is a {who.role} of table {settings.table_id}")


@users.command()
@click.argument("name")
@_change_options
def pin(*, name: str, config: str, bench: Path | None, turn_keys: bool) -> None:
    """Give NAME (or a number) a new PIN."""
    with told_plainly():
        settings = load(config)
        with SingleInstance(settings.journal):
            change = _Change(settings, bench, turn_keys=turn_keys)
            who = change.new_pin(by_name(change.users, name))
            change.keep(changed(change.users, who.number, pin=who.pin), who, ev.UserChange.PIN_SET)
    click.echo(f"{who.number} {who.name} has a new PIN")


@users.command()
@click.argument("name")
@_change_options
def disable(*, name: str, config: str, bench: Path | None, turn_keys: bool) -> None:
    """Let NAME act no more; name and number stay his."""
    with told_plainly():
        settings = load(config)
        with SingleInstance(settings.journal):
            change = _Change(settings, bench, turn_keys=turn_keys)
            who = by_name(change.users, name)
            _refuse_last(change, who)
            change.keep(changed(change.users, who.number, active=False), who, ev.UserChange.DISABLED)
    click.echo(f"{who.number} {who.name} is disabled")


def _refuse_last(change: _Change, who: User) -> None:
    """With nobody left who has a PIN, the key alone would do again what the policy wants a person for."""
    others = [
        each
        for each in change.users
        if each.role is who.role and each.active and each.pin is not None and each.number != who.number
    ]
    if who.active and who.role in change.asked and who.pin is not None and not others:
        raise UsersError(f"{who.name} is the last {who.role} with a PIN: add another one first")


@users.command()
@click.argument("name")
@_change_options
def enable(*, name: str, config: str, bench: Path | None, turn_keys: bool) -> None:
    """Let NAME act again, with the PIN of before."""
    with told_plainly():
        settings = load(config)
        with SingleInstance(settings.journal):
            change = _Change(settings, bench, turn_keys=turn_keys)
            who = by_name(change.users, name)
            change.keep(changed(change.users, who.number, active=True), who, ev.UserChange.ENABLED)
    click.echo(f"{who.number} {who.name} is enabled")


@users.command()
@click.argument("name")
@_change_options
def unlock(*, name: str, config: str, bench: Path | None, turn_keys: bool) -> None:
    """Free the PIN entry of NAME's role and its persons after too many wrong ones: the other key's holder enters his.

    Where nobody else has one, or theirs are locked too, both keys do it alone, and the journal says so.
    """
    with told_plainly():
        settings = load(config)
        with SingleInstance(settings.journal):
            change = _Change(settings, bench, turn_keys=turn_keys, unlocks=True)
            who = by_name(change.users, name)
            change.journal(who, ev.UserChange.UNLOCKED)
    click.echo(f"the {who.role}'s PIN entry is free")


@users.command()
@_change_options
def restore(*, config: str, bench: Path | None, turn_keys: bool) -> None:
    """Make a lost or damaged list anew, without PINs; the bad file is kept under another name."""
    with told_plainly():
        settings = load(config)
        with SingleInstance(settings.journal):
            both_keys(settings, bench, turn_keys=turn_keys)
            people, aside = restored(settings, SystemClock())
    if aside is not None:
        click.echo(f"the file that could not be used is kept as {aside}")
    for each in people:
        click.echo(
            f"{each.number} {each.name} ({each.role}): set the PIN with `pozo users pin {each.number}`"
        )


@users.command("list")
@click.option("--config", "config", required=True, help="The table's file, or a shipped name.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON; never a PIN or its hash.")
def list_command(*, config: str, as_json: bool) -> None:
    """Show every person, disabled ones too."""
    with told_plainly():
        settings = load(config)
        table = ends_of(settings.journal).last.state
        found = Store(settings.journal).load(table.users)
    shown = [
        {
            "number": each.number,
            "name": each.name,
            "role": each.role,
            "active": each.active,
            "pin": each.pin is not None,
            "locked": person_locked(table, each.number),
        }
        for each in found
    ]
    if as_json:
        click.echo(msgspec.json.encode(shown).decode())
        return
    for each in found:
        state = (", locked" if person_locked(table, each.number) else "") + (
            "" if each.active else ", disabled"
        )
        click.echo(f"{each.number:6d} {each.name}: {each.role}, {'PIN' if each.pin else 'no PIN'}{state}")


@users.command()
@journal_options
@click.option(
    "--last", type=click.IntRange(1, 100_000), default=50, show_default=True, help="How many records."
)
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
def log(*, path: Path | None, config: str | None, last: int, as_json: bool) -> None:
    """Show who was there: key turns, PINs right and wrong, locks, changes of the list; the newest last."""
    with told():
        found = access_log(journal_path(path, config), last)
    if as_json:
        click.echo(msgspec.json.encode(found).decode())
        return
    for each in found:
        click.echo(_line(each))


def _line(record: AccessRecord) -> str:
    moment = datetime.fromtimestamp(record.wall_ns // 1_000_000_000, UTC)
    clock = "" if record.wall_trusted else "~"
    return f"{record.seq:8d} {clock}{moment:%Y-%m-%d %H:%M:%S} UTC  {sentence(record)}"
