"""The persons of a table: who they are, their PINs as salted hashes, and the file that keeps them.

It may know the core's roles and the menu's `Known`; the table's loop sees it only through `Desk`. No PIN leaves it,
and none enters a log, an event or an error.

    person  one person, and the rules of a list   secret  PINs, their hashes, the pepper
    store   the file                              desk    what the table asks at run time
    tries   wrong PINs where nothing can be stored
"""

from controller.users.desk import Desk
from controller.users.person import User, UsersError, added, by_name, changed
from controller.users.secret import PinError, check_pin, pepper, weak
from controller.users.store import Store, UsersDamagedError, UsersMissingError, path_of

__all__ = [
    "Desk",
    "PinError",
    "Store",
    "User",
    "UsersDamagedError",
    "UsersError",
    "UsersMissingError",
    "added",
    "by_name",
    "changed",
    "check_pin",
    "path_of",
    "pepper",
    "weak",
]
