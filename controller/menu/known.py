"""Whom the menu may offer when it asks who is there, and what it asks to have looked at: never a hash, a PIN once.

The list of persons and the looking are outside (`controller.users`); the menu only knows names, numbers and roles.
"""

import msgspec

from controller.core.game import Role

PIN_LEAST = 4
PIN_MOST = 8
"""Digits of a PIN."""


class Known(msgspec.Struct, frozen=True):
    """A person of the table who may act now. `has_pin`: he can be asked for it."""

    number: int
    name: str
    role: Role
    has_pin: bool


class People(msgspec.Struct, frozen=True):
    """The persons who may act. `readable`: their list could be read; if not, nobody is known."""

    known: tuple[Known, ...] = ()
    readable: bool = True

    def of(self, role: Role) -> tuple[Known, ...]:
        """Those of a role who have a PIN."""
        return tuple(each for each in self.known if each.role is role and each.has_pin)

    def dealer(self, number: int) -> str:
        """The name of the dealer of this number, empty where nobody is known by it."""
        return next(
            (each.name for each in self.known if each.role is Role.DEALER and each.number == number), ""
        )


NOBODY = People()


class Identify(msgspec.Struct, frozen=True):
    """A PIN that was entered and is to be looked at, by whoever knows the list. It says its PIN to nobody by accident.

    `name`: whom the number belongs to, empty for a number nobody has. `typed`: the number as it was entered.
    """

    at_ns: int
    role: Role
    number: int
    name: str
    typed: str
    pin: str

    def __repr__(self) -> str:
        return f"Identify(at_ns={self.at_ns}, role={self.role!r}, number={self.number}, pin=****)"
