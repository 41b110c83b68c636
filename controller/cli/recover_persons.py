"""Who recovers a table: the two persons named, by PIN where the table's policy asks and its list of users can be read.

A table that is out of service writes no record of a wrong PIN: it is counted beside the list, the wait grows with each,
and the recovery's record says how many there were.
"""

from typing import Final

import click
import msgspec
from msgspec.structs import replace

from controller.cli.counted_pin import counted_pin, wrong_before
from controller.cli.persons import Pause, sleep
from controller.config import Settings
from controller.core.game import Role
from controller.core.state import Table
from controller.core.table import presence
from controller.menu.known import Known as Person
from controller.names import same_person
from controller.recovery import Request
from controller.recovery.known import Known
from controller.users import Desk

NOTHING: Final = Known()


def persons(
    settings: Settings,
    state: Table | None,
    request: Request,
    pause: Pause = sleep,
    said: Known = NOTHING,
) -> Request:
    """The request with the persons' names as the list of users has them.

    `state`: the one that is trusted, None for paper: then the policy is that of the rules that a signed copy
    names, beside the files' own; and where `said` knows none, whoever has a PIN in the list is asked.

    A list that cannot be read, or is of another moment than the trusted state, cannot hold a recovery up: then the
    names are taken as they were given. Raises `click.ClickException` for a person or a PIN that is wrong.
    """
    known_users = None if said.record is None else said.users
    desk = Desk(settings.journal, known_users if state is None else state.users)
    policy = _policy(settings, state, said)
    asked = [
        role
        for role in (Role.SUPERVISOR, Role.TECHNICIAN)
        if role in policy or (state is None and not said.vouched and desk.people.of(role))
    ]
    names = {Role.SUPERVISOR: request.supervisor, Role.TECHNICIAN: request.technician}
    for role in asked:
        if desk.people.readable and desk.people.of(role):
            who = _person(desk, role, names[role])
            counted_pin(settings.journal, desk, who, _at_the_table(state, role, who.number), pause)
            names[role] = who.name
        else:
            click.echo(f"no list of users to ask for the {role}'s PIN: {names[role]!r} is taken as given")
    before = wrong_before(settings.journal)
    return replace(
        request, supervisor=names[Role.SUPERVISOR], technician=names[Role.TECHNICIAN], wrong_pins=before
    )


def _policy(settings: Settings, state: Table | None, said: Known) -> tuple[Role, ...]:
    """The roles that are asked for a PIN: the trusted state's rules are those of the files."""
    in_force = (
        () if state is not None or not said.vouched or said.rules is None else said.rules.get("pin", ())
    )
    return (*settings.game.pin, *msgspec.convert(in_force, tuple[Role, ...]))


def _at_the_table(state: Table | None, role: Role, number: int) -> int:
    """Wrong PINs that the trusted state knows of: whoever is locked there does not begin anew here."""
    return 0 if state is None else presence.wrong_for(state, role, number)


def _person(desk: Desk, role: Role, name: str) -> Person:
    people = desk.people.of(role)
    for each in people:
        if same_person(each.name, name) or str(each.number) == name.strip():
            return each
    known = ", ".join(f"{each.number} {each.name}" for each in people)
    raise click.ClickException(f"{name!r} is no {role} with a PIN; there are: {known}")
