"""What a player sees of the table: the newest stored state, where the keys stand, what is broken.

Plain JSON and names of lines; it decides nothing.
"""

from controller.drill.seam_world import SeamWorld
from controller.soak.checks.auditor import Auditor
from controller.soak.checks.words import Json
from hal.interface import Device

LOCKING = frozenset(
    {
        *("sign_lost", "host_lost", "storage_failed", "button_overflow", "witness_lost", "floor_disagrees"),
        *("link_unknown", "link_disagrees", "claim_refused"),
    }
)
"""Faults with which no round begins."""


class Seen:
    """A look at a table."""

    def __init__(self, world: SeamWorld, auditor: Auditor) -> None:
        self._world = world
        self._auditor = auditor

    @property
    def state(self) -> Json:
        """The newest state on the medium; before there is one, a closed table without anything."""
        return self._auditor.state or {"phase": "closed", "seats": [], "pot": {"levels": []}}

    @property
    def powered(self) -> bool:
        """Whether there is power."""
        return self._world.powered

    @property
    def broken(self) -> str:
        """How the medium is broken; empty if it is not."""
        return str(self._world.medium.broken or "")

    @property
    def slow(self) -> bool:
        """Whether the medium is slow."""
        return self._world.seams.slow_ns > 0

    @property
    def empty(self) -> bool:
        """Whether the table was never commissioned."""
        return self._world.medium.empty

    @property
    def rules(self) -> Json:
        """The rules in force, from the journal."""
        return self._auditor.account.rules

    @property
    def pins(self) -> list[str]:
        """The roles whose PIN is asked for."""
        return list(self.rules.get("pin", ()))

    @property
    def shares(self) -> bool:
        """Whether a pot of the table is linked."""
        return any("link" in level for level in self.rules.get("levels", ()))

    @property
    def has_slots(self) -> bool:
        """Whether both slots of the second copy were made."""
        return all((self._world.medium.witness / name).exists() for name in ("slot-a", "slot-b"))

    @property
    def phase(self) -> str:
        """The phase."""
        return str(self.state["phase"])

    @property
    def seats(self) -> int:
        """How many seats the table has."""
        return len(self.state["seats"])

    @property
    def slots(self) -> range:
        """The seats that have a slot."""
        lines = self._world.hal.physical
        return range(1, 1 + sum(line.startswith("seat_") for line in lines))

    def active(self, line: str) -> bool:
        """Whether an input is active, as the world holds it."""
        return bool(self._world.hal.physical[line])

    @property
    def lines_down(self) -> list[str]:
        """Sensors and buttons that are active."""
        keys = {"supervisor", "technician"}
        return [line for line, active in self._world.hal.physical.items() if active and line not in keys]

    def lost(self, device: Device) -> bool:
        """Whether a device does not answer."""
        return device in self._world.hal.failed

    @property
    def lost_devices(self) -> list[str]:
        """Devices that do not answer."""
        return sorted(self._world.hal.failed)

    @property
    def stuck(self) -> bool:
        """Whether no round can be played before something is put right."""
        wrong = bool(LOCKING & set(self.faults))
        return wrong or bool(self.lines_down) or len(self.closed_seats) > 4

    @property
    def faults(self) -> list[str]:
        """Codes of the faults that stand."""
        return [fault["code"] for fault in self.state.get("faults", ())]

    def wagers(self, *kinds: str) -> list[int]:
        """Seats whose wager is one of these."""
        return [number for number, seat in enumerate(self.state["seats"], 1) if seat.get("wager") in kinds]

    @property
    def may_win(self) -> list[int]:
        """Seats that may claim."""
        return [
            number
            for number, seat in enumerate(self.state["seats"], 1)
            if (seat.get("wager") == "accepted" or seat.get("claimable")) and not seat.get("awarded")
        ]

    @property
    def closed_seats(self) -> list[int]:
        """Seats that do not play."""
        return [number for number, seat in enumerate(self.state["seats"], 1) if seat.get("closed")]

    @property
    def claims(self) -> list[int]:
        """Seats whose claims wait."""
        return [claim["seat"] for claim in self.state.get("claims", ())]

    @property
    def unpaid(self) -> list[int]:
        """Seats with an award that is not paid."""
        return [award["seat"] for award in self.state.get("awards", ()) if not award.get("paid")]

    @property
    def hands(self) -> list[str]:
        """Hands that win."""
        return [prize["hand"] for prize in self.rules.get("prizes", ())]

    @property
    def levels(self) -> list[str]:
        """The pot's levels."""
        return [level["name"] for level in self.state["pot"]["levels"]]
