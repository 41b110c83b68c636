"""Who comes to the terminal with both keys: where the policy asks, each is a person of the list and enters his PIN."""

import time
from collections.abc import Callable, Sequence

import click

from controller.administer import Ready, Session, administer_at, pins_asked, ready
from controller.cli.counted_pin import counted_pin
from controller.clock import Clock
from controller.config import Settings
from controller.core import events as ev
from controller.core.game import Role
from controller.core.state import Table
from controller.core.table.presence import ROLE_OF, person_locked, pin_locked, waits_ns, wrong_for
from controller.journal import ends_of
from controller.menu.known import Known
from controller.names import commands, folded, same_person
from controller.users import Desk

Pause = Callable[[int], None]
"""Waits for so many nanoseconds."""


def sleep(ns: int) -> None:
    """Wait on the machine's clock."""
    time.sleep(ns / 1_000_000_000)


class Reception:
    """Asks the persons of one session. `pause` waits after a wrong PIN as the table would have it waited.

    `keyless`: the device's key is lost, and no record of a wrong PIN can be sealed: it is counted beside the list, as a
    record without the signature that it asks for would make the journal not proven. Else the key must be there.
    """

    def __init__(
        self, settings: Settings, clock: Clock, pause: Pause = sleep, *, keyless: bool = False
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._pause = pause
        self._keyless = keyless
        self._began_ns = clock.monotonic_ns()
        self._table: Table = ends_of(settings.journal).last.state
        self._desk = Desk(settings.journal, self._table.users)
        self._asked = pins_asked(settings)

    @property
    def table(self) -> Table:
        """The table as the journal has it last."""
        return self._table

    @property
    def asked(self) -> tuple[Role, ...]:
        """The roles whose PIN is asked for."""
        return self._asked

    def both(self, supervisor: str = "", technician: str = "") -> Session:
        """Both key holders: by PIN where the policy asks, else by the names given.

        Raises `click.ClickException` where a person is missing or wrong, `RefusedError` after a wrong PIN.
        """
        return self._session({ev.Key.SUPERVISOR: supervisor, ev.Key.TECHNICIAN: technician}, may_lack=False)

    def for_users(self, *, unlocks: bool = False) -> Session:
        """Both key holders as for a change of the list: a role in which nobody has a PIN yet comes with its key alone.

        `unlocks`: a role whose PIN entry is locked does the same, to be unlocked, and whoever else has a PIN enters it,
        whatever the policy asks. Raises as `both` does.
        """
        return self._session(dict.fromkeys(ev.Key, ""), may_lack=True, unlocks=unlocks)

    def _session(self, names: dict[ev.Key, str], *, may_lack: bool, unlocks: bool = False) -> Session:
        told = {key: name.strip() for key, name in names.items()}
        identified: list[ev.PersonIdentified] = []
        for key, role in ROLE_OF.items():
            people = self._desk.people.of(role)
            locked = unlocks and self._locked(role, people)
            asked = unlocks or role in self._asked
            if not asked or locked or (may_lack and self._readable() and not people):
                told[key] = self._of_the_list(role, told[key])
                continue
            who = self._who(role, people, told[key])
            self._look_at_pin(role, who)
            told[key] = who.name
            identified.append(ev.PersonIdentified(self._clock.monotonic_ns(), key, who.name, who.number))
        supervisor, technician = told[ev.Key.SUPERVISOR], told[ev.Key.TECHNICIAN]
        if supervisor and same_person(supervisor, technician):
            raise click.ClickException(f"{supervisor!r} holds one key only: this needs two persons")
        return Session(self._began_ns, supervisor, technician, tuple(identified))

    def _locked(self, role: Role, people: Sequence[Known]) -> bool:
        """Whether nobody of this role can enter a PIN: its entry is locked, or that of each of its persons."""
        each_one = bool(people) and all(person_locked(self._table, each.number) for each in people)
        return pin_locked(self._table, role) or each_one

    def _of_the_list(self, role: Role, name: str) -> str:
        """The name of the list that is meant, where the table has one; a name nobody asks for stays empty."""
        people = [each for each in self._desk.people.known if each.role is role]
        if not name or not people:
            return name
        for each in people:
            if same_person(each.name, name) or str(each.number) == name:
                return each.name
        known = ", ".join(f"{each.number} {each.name}" for each in people)
        raise click.ClickException(f"{name!r} is no {role} of the table's list; there are: {known}")

    def _readable(self) -> bool:
        if not self._desk.people.readable:
            raise click.ClickException(
                f"the list of users of {self._settings.table_id} cannot be read (see above): put it back from the "
                "backup, or `pozo users restore`"
            )
        return True

    def _who(self, role: Role, people: Sequence[Known], name: str) -> Known:
        self._readable()
        if not people:
            raise click.ClickException(
                f"the policy asks for the {role}'s PIN and nobody has one: `pozo users add NAME --role {role}` first"
            )
        if pin_locked(self._table, role):
            raise click.ClickException(
                f"the {role}'s PIN entry is locked after too many wrong ones: the holder of the other key clears it at "
                "the table, or `pozo users unlock`"
            )
        wanted = name or click.prompt(f"{role.capitalize()} (name or number)")
        for each in people:
            if same_person(each.name, wanted) or str(each.number) == wanted.strip():
                return self._free(each)
        known = ", ".join(f"{each.number} {each.name}" for each in people)
        raise click.ClickException(f"{wanted!r} is no {role} with a PIN; there are: {known}")

    def _free(self, who: Known) -> Known:
        """The person, if a PIN is looked at for him. Raises `click.ClickException`."""
        if person_locked(self._table, who.number):
            raise click.ClickException(
                f"{who.name}'s PIN is locked after too many wrong ones for {who.number}: the holder of the other key "
                "clears it at the table, or `pozo users unlock`"
            )
        return who

    def _look_at_pin(self, role: Role, who: Known) -> None:
        """Ask for the PIN while the table is ready to keep that it was wrong; else nobody is asked."""
        if self._keyless:
            at_the_table = wrong_for(self._table, role, who.number)
            counted_pin(self._settings.journal, self._desk, who, at_the_table, self._pause)
            return
        with ready(self._settings, self._clock) as table:
            self._ask_pin(table, role, who)

    def _ask_pin(self, table: Ready, role: Role, who: Known) -> None:
        pin = click.prompt(f"PIN of {who.name}", hide_input=True)
        wait = waits_ns(self._table, role, who.number)
        left_ns = self._began_ns + wait - self._clock.monotonic_ns() if wait else 0
        if left_ns > 0:
            click.echo(
                f"a PIN was wrong before: {-(-left_ns // 1_000_000_000)} s until this one is looked at"
            )
            self._pause(left_ns)
        if not self._desk.right(who.number, role, pin):
            wrong = ev.PinRefused(self._clock.monotonic_ns(), role, who.number, known=True)
            session = Session(self._began_ns)
            administer_at(table, self._settings, self._clock, wrong, both_keys=True, session=session)


def refuse_unnamed(asked: tuple[Role, ...], supervisor: str, technician: str) -> None:
    """Who enters a PIN is named by it; the others name themselves, and nobody is both."""
    for name in (supervisor, technician):
        if commands(name):
            raise click.UsageError(f"{name!a} is no name: it holds a control character; type it anew")
    unnamed = (Role.SUPERVISOR not in asked and not folded(supervisor)) or (
        Role.TECHNICIAN not in asked and not folded(technician)
    )
    if unnamed or (folded(supervisor) and same_person(supervisor, technician)):
        raise click.UsageError("this needs two persons: name them with --supervisor and --technician")
