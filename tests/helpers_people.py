"""Three persons of a table whose PINs are known, without a file behind them."""

from controller.core.game import Role
from controller.menu import Known, People

ANA = Known(7, "Ana", Role.SUPERVISOR, has_pin=True)
EVA = Known(71, "Eva", Role.SUPERVISOR, has_pin=True)
LUIS = Known(12, "Luis", Role.TECHNICIAN, has_pin=True)
ROSA = Known(41, "Rosa", Role.DEALER, has_pin=True)
PINS = {7: "2580", 71: "90210", 12: "9731", 41: "8042"}


class Persons:
    """A list in memory."""

    def __init__(self, *known: Known, readable: bool = True) -> None:
        self.people = People(known, readable)

    def right(self, number: int, role: Role, pin: str) -> bool:
        """Whether it is this person's PIN."""
        known = {(each.number, each.role) for each in self.people.known}
        return (number, role) in known and PINS[number] == pin


EVERYBODY = Persons(ANA, EVA, LUIS, ROSA)
