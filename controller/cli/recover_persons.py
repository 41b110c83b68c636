"""Who recovers a table: the two persons named, by PIN where the table's policy asks and its list of users can be read.

A table that is out of service writes no record of a wrong PIN; each try costs its time and both keys instead.
"""

from typing import Final

import click
import msgspec
from msgspec.structs import replace

from controller.cli.persons import Pause, sleep
from controller.config import Settings
from controller.core.game import Role
from controller.core.state import Table
from controller.names import same_person
from controller.recovery import Request
from controller.recovery.known import Known
from controller.users import Desk

NOTHING: Final = Known()

TRY_NS = 5_000_000_000
"""What a PIN costs before it is looked at, right or wrong: who ends the command meanwhile has learnt nothing."""


def persons(
    settings: Settings,
    state: Table | None,
    request: Request,
    pause: Pause = sleep,
    said: Known = NOTHING,
) -> Request:
    """The request with the persons' names as the list of users has them.

    `state`: the one that is trusted, None for paper: then the policy is that of the last rules that a copy knows,
    beside the files' own; and where `said` knows none, whoever has a PIN in the list is asked.

    A list that cannot be read, or is of another moment than the trusted state, cannot hold a recovery up: then the
    names are taken as they were given. Raises `click.ClickException` for a person or a PIN that is wrong.
    """
    known_users = None if said.record is None else said.users
    desk = Desk(settings.journal, known_users if state is None else state.users)
    policy = _policy(settings, state, said)
    asked = [
        role
        for role in (Role.SUPERVISOR, Role.TECHNICIAN)
        if role in policy or (state is None and said.rules is None and desk.people.of(role))
    ]
    names = {Role.SUPERVISOR: request.supervisor, Role.TECHNICIAN: request.technician}
    for role in asked:
        if desk.people.readable and desk.people.of(role):
            names[role] = _identified(desk, role, names[role], pause)
        else:
            click.echo(f"no list of users to ask for the {role}'s PIN: {names[role]!r} is taken as given")
    return replace(request, supervisor=names[Role.SUPERVISOR], technician=names[Role.TECHNICIAN])


def _policy(settings: Settings, state: Table | None, said: Known) -> tuple[Role, ...]:
    """The roles that are asked for a PIN: the trusted state's rules are those of the files."""
    in_force = () if state is not None or said.rules is None else said.rules.get("pin", ())
    return (*settings.game.pin, *msgspec.convert(in_force, tuple[Role, ...]))


def _identified(desk: Desk, role: Role, name: str, pause: Pause) -> str:
    people = desk.people.of(role)
    found = [each for each in people if same_person(each.name, name) or str(each.number) == name.strip()]
    if not found:
        known = ", ".join(f"{each.number} {each.name}" for each in people)
        raise click.ClickException(f"{name!r} is no {role} with a PIN; there are: {known}")
    pin = click.prompt(f"PIN of {found[0].name}", hide_input=True)
    click.echo(f"it is looked at in {TRY_NS // 1_000_000_000} s")
    pause(TRY_NS)
    if not desk.right(found[0].number, role, pin):
        raise click.ClickException(f"that is not the PIN of {found[0].name}; nothing was changed")
    return found[0].name
