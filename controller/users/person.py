"""One person, and the rules of a list of persons: unique names and numbers, and a number for ever the same person's."""

from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec.structs import replace

from controller.core.game import Role
from controller.names import hides, same_person
from controller.users.secret import Secret

NUMBER_MOST = 999_999
NAME_MOST = 24
USERS_MOST = 200

Number = Annotated[int, msgspec.Meta(ge=1, le=NUMBER_MOST)]


class UsersError(ValueError):
    """A change that the list of persons does not allow; the message says what is."""


class User(msgspec.Struct, frozen=True):
    """A person. He is never removed: a disabled one keeps his name and number, so that old records stay his.

    `pin` is None until one was set; where the policy asks for PINs he can do nothing before.
    """

    number: Number
    name: str
    role: Role
    active: bool = True
    pin: Secret | None = None


def added(users: Sequence[User], user: User) -> tuple[User, ...]:
    """The list with one more. Raises `UsersError`."""
    if len(users) >= USERS_MOST:
        raise UsersError(f"there are {USERS_MOST} users, disabled ones among them; no more fit")
    if not 1 <= user.number <= NUMBER_MOST:
        raise UsersError(f"{user.number} is no user's number: 1 to {NUMBER_MOST}")
    if not user.name.isprintable() or user.name != " ".join(user.name.split()) or not user.name:
        raise UsersError("a name is letters with single spaces between its parts")
    if hides(user.name):
        raise UsersError(f"{user.name!a} has a sign that nobody can see: type the name anew")
    if len(user.name) > NAME_MOST:
        raise UsersError(f"{user.name!r} is longer than {NAME_MOST} characters")
    for each in users:
        if each.number == user.number:
            raise UsersError(f"number {user.number} is {each.name}'s and never anybody else's")
        if same_person(each.name, user.name):
            raise UsersError(f"there is a {each.name} already (number {each.number}): add a second name")
    return tuple(sorted((*users, user), key=lambda each: each.number))


def by_name(users: Sequence[User], name: str) -> User:
    """The person of this name or number. Raises `UsersError`."""
    for each in users:
        if same_person(each.name, name) or str(each.number) == name.strip():
            return each
    known = ", ".join(f"{each.number} {each.name}" for each in users) or "nobody"
    raise UsersError(f"there is no user {name!r}; there are: {known}")


def changed(
    users: Sequence[User], number: int, *, active: bool | None = None, pin: Secret | None = None
) -> tuple[User, ...]:
    """The list with this person switched on or off, or with another PIN."""
    return tuple(
        replace(
            each,
            active=each.active if active is None else active,
            pin=each.pin if pin is None else pin,
        )
        if each.number == number
        else each
        for each in users
    )
