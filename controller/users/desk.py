"""What a running table asks about its persons: whom it knows, and whether a PIN is right."""

import logging
from pathlib import Path

from controller.core.game import Role
from controller.menu.known import Known, People
from controller.users.person import User
from controller.users.secret import PinError, check_pin, pepper
from controller.users.store import Store, UsersDamagedError

LOG = logging.getLogger(__name__)


class Desk:
    """The persons of one table, read once: a list is changed on a stopped table only.

    `changes`: of the last record; None where no record can be read: then the list is taken as it stands.

    A list that cannot be read leaves a table that plays on, and refuses what needs a PIN; it is told once, in the log.
    """

    def __init__(self, journal: Path, changes: int | None) -> None:
        self._secret = b""
        try:
            users = _as_it_stands(journal) if changes is None else Store(journal).load(changes)
            self._secret = pepper(journal) if users else b""
        except (UsersDamagedError, PinError) as error:
            LOG.warning("%s", error)
            users, readable = (), False
        else:
            readable = True
        self._pins = {user.number: user for user in users if user.active}
        self.people = People(
            tuple(
                Known(user.number, user.name, user.role, user.pin is not None) for user in self._pins.values()
            ),
            readable,
        )

    def right(self, number: int, role: Role, pin: str) -> bool:
        """Whether this is the PIN of the active person known by this number in this role.

        It takes as long for a number nobody has.
        """
        user = self._pins.get(number)
        secret = user.pin if user is not None and user.role is role else None
        return check_pin(pin, secret, self._secret)


def _as_it_stands(journal: Path) -> tuple[User, ...]:
    try:
        return Store(journal).sealed()
    except FileNotFoundError:
        return ()
