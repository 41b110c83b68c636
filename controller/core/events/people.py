"""Events about who stands at the table. None of them ever carries a PIN or anything made from one."""

from enum import StrEnum

from controller.core.events.base import Event
from controller.core.events.words import Key, Refusal
from controller.core.game import Role


class UserChange(StrEnum):
    """What became of a person in the table's list."""

    ADDED = "added"
    PIN_SET = "pin_set"
    DISABLED = "disabled"
    ENABLED = "enabled"
    UNLOCKED = "unlocked"
    RESTORED = "restored"
    """Taken from the journal into a new list, because the old one was lost; the PIN has to be set anew."""


class PersonIdentified(Event, frozen=True):
    """The PIN of `person`, known as `number`, was right: he stands behind this key until it is turned back."""

    key: Key
    person: str
    number: int


class PinRefused(Event, frozen=True, omit_defaults=True):
    """A wrong PIN was entered for `number`.

    `known`: somebody of this role has this number and a PIN, so that it is counted against him too; records from
    before that was counted do not have it.
    """

    role: Role
    number: int
    known: bool = False


class PinNotTried(Event, frozen=True):
    """A PIN was to be entered for `number` (0: for nobody yet) and was not looked at; `why` says the reason."""

    role: Role
    number: int
    why: Refusal


class UserChanged(Event, frozen=True, omit_defaults=True):
    """Both keys changed the list of persons; `supervisor` and `technician` are who turned them, as far as known.

    `alone`: the keys alone did it. A PIN entry was unlocked because nobody else had a PIN that could be asked for, or
    the list was restored, when nobody has one.
    """

    name: str
    number: int
    role: Role
    change: UserChange
    supervisor: str
    technician: str
    alone: bool = False
