"""Events of the program, its devices, its medium and its clock."""

from controller.core.events.base import Event
from controller.core.events.words import Sealed
from controller.core.faults import FaultCode


class Commissioned(Event, frozen=True):
    """The table's first record, made with both keys. `game` is the digest of the rules it begins with."""

    table: str
    game: str
    rules: str
    """The rules themselves, as JSON: what was agreed to stays readable."""
    device_key: str = ""
    """The public half of the key that signs this table's heads, 64 hexadecimal digits."""
    simulated: bool | None = None
    """Whether the board has no hardware; None: a program wrote this that did not keep it."""
    board: str = ""
    """The digest of the board: every pin, voltage, resistor, device and time of its file."""
    wiring: str = ""
    """The board itself, as JSON."""


class Started(Event, frozen=True, omit_defaults=True):
    """The program came up on a journal; keys and lines as they stand, the board's kind and its filter's settings.

    `active`: the seats whose lines are active at this moment.
    """

    supervisor: bool
    technician: bool
    settings: str = ""
    active: tuple[int, ...] = ()


class Stopped(Event, frozen=True):
    """The program ended in order."""

    why: str


class LoopStalled(Event, frozen=True):
    """The deciding thread stood still for `ms` milliseconds longer than it meant to."""

    ms: int


class ClockStepped(Event, frozen=True, omit_defaults=True):
    """The wall clock moved against the monotonic one by `by_ns`. Nothing in play depends on it.

    `unexplained`: the clock had been set, and neither this run nor the time since the newest date explains where it
    stands now; `by_ns` is how far it stands from there.
    """

    by_ns: int
    unexplained: bool = False


class DeviceLost(Event, frozen=True):
    """A device stopped answering; its fault code says which."""

    code: FaultCode
    why: str


class DeviceFound(Event, frozen=True):
    """A lost device answers again."""

    code: FaultCode


class StorageFailed(Event, frozen=True):
    """Records could not be stored for a while. `chips`: seats whose chips were seen meanwhile, to be given back."""

    why: str
    chips: tuple[int, ...]


class JournalReopened(Event, frozen=True):
    """The journal said it was damaged, and is whole on the medium: the damage was in memory. `why` is what it said.

    `chips`: seats whose chips were seen meanwhile, to be given back.
    """

    why: str
    chips: tuple[int, ...]


class StorageLow(Event, frozen=True):
    """The medium is nearly full: `free_mb` megabytes are left."""

    free_mb: int


class JournalHeld(Event, frozen=True):
    """A reader holds the journal's write-ahead log back: `mb` megabytes wait in it."""

    mb: int


class HeadSigned(Event, frozen=True):
    """The device's signature under record `seq`, the one before this, whose digest is `digest`: nothing changes.

    `key` is the public half of the key it is made with; key and signature are in hexadecimal.
    """

    seq: int
    digest: str
    key: str
    signature: str
    why: Sealed


class ReleaseEnded(Event, frozen=True):
    """The chip release pulse has had its length."""
