"""Who recovers a table: the two persons named, by PIN where the table's policy asks and its list of users can be read.

A table that is out of service writes no record of a wrong PIN; each try costs its time and both keys instead.
"""

import click
from msgspec.structs import replace

from controller.cli.persons import Pause, sleep
from controller.config import Settings
from controller.core.game import Role
from controller.core.state import Table
from controller.recovery import Request
from controller.users import Desk

WRONG_NS = 5_000_000_000
"""What a wrong PIN costs; the command then ends."""


def persons(settings: Settings, state: Table | None, request: Request, pause: Pause = sleep) -> Request:
    """The request with the persons' names as the list of users has them. `state`: the one that is trusted.

    A list that cannot be read, or is of another moment than the trusted state, cannot hold a recovery up: then the
    names are taken as they were given. Raises `click.ClickException` for a person or a PIN that is wrong.
    """
    asked = [role for role in (Role.SUPERVISOR, Role.TECHNICIAN) if role in settings.game.pin]
    desk = Desk(settings.journal, 0 if state is None else state.users)
    names = {Role.SUPERVISOR: request.supervisor, Role.TECHNICIAN: request.technician}
    for role in asked:
        if desk.people.readable and desk.people.of(role):
            names[role] = _identified(desk, role, names[role], pause)
        else:
            click.echo(f"no list of users to ask for the {role}'s PIN: {names[role]!r} is taken as given")
    return replace(request, supervisor=names[Role.SUPERVISOR], technician=names[Role.TECHNICIAN])


def _identified(desk: Desk, role: Role, name: str, pause: Pause) -> str:
    people = desk.people.of(role)
    wanted = name.strip().casefold()
    found = [each for each in people if wanted in {each.name.casefold(), str(each.number)}]
    if not found:
        known = ", ".join(f"{each.number} {each.name}" for each in people)
        raise click.ClickException(f"{name!r} is no {role} with a PIN; there are: {known}")
    pin = click.prompt(f"PIN of {found[0].name}", hide_input=True)
    if not desk.right(found[0].number, role, pin):
        pause(WRONG_NS)
        raise click.ClickException(f"that is not the PIN of {found[0].name}; nothing was changed")
    return found[0].name
