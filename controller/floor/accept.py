"""How two persons let a table go on at the floor with another journal than the one it has reported.

After a recovery a table's journal may begin anew, or go on from an older record. The floor refuses that by itself, and
must: a stolen login could say the same. What it has of the older journal it keeps.
"""

from pathlib import Path

import msgspec

from controller.core import events as ev
from controller.floor.errors import FloorError
from controller.floor.histories import head_of, rows_after
from controller.floor.office import Office, refuse_one_person
from controller.floor.proof import prove_table
from controller.floor.whole import whole
from controller.journal.read import PAGE_ROWS, decoded, page
from controller.journal.record import Row
from controller.signing.audit import prove


class AcceptError(FloorError, ValueError):
    """The journal shown cannot take the place of the one the floor has. The text says why; nothing was changed."""


class Persons(msgspec.Struct, frozen=True):
    """Who agrees, and why."""

    supervisor: str
    technician: str
    reason: str


class Accepted(msgspec.Struct, frozen=True):
    """What was accepted: which of the table's journals, and the last record that both have (0: none).

    `kept`: records of the older journal behind the common one; `set_aside`: they are not believed. `links`: what they
    had brought to each link, minor units, which stays in its pot until it is corrected.
    """

    history: int
    common: int
    kept: int
    set_aside: bool
    links: tuple[tuple[str, int], ...]


def accept(
    office: Office, table_id: str, journal: Path, persons: Persons, *, set_aside: bool = False
) -> Accepted:
    """Let the table go on with `journal`. `set_aside`: what the floor has behind the common record never happened.

    Raises `AcceptError`, `OnePersonError`, and the journal's errors where it cannot be read.
    """
    refuse_one_person(persons.supervisor, persons.technician)
    if not persons.reason.strip():
        raise AcceptError("a reason is needed: it stays in the records")
    prove_table(office, table_id)
    _demand_proven(office, table_id, journal)
    common, first = _parted(office, table_id, journal)
    kept = head_of(office, table_id) - common
    if not set_aside and not isinstance(decoded(first, journal).event, ev.JournalRecovered):
        raise AcceptError(
            f"record {first[0]} of {journal} is no recovery, and the floor has {kept} other records from there on: one "
            "of the two is false. If it is the floor's, say --set-aside: they stay, and no report counts them"
        )
    with office.connection.transaction():
        links = _brought(office, table_id, common) if set_aside else ()
        ((history,),) = office.rows(
            "SELECT pozo.accept_history(%s, %s, %s, %s, %s, %s, %s)",
            *(table_id, common, first[-1], set_aside, persons.reason, persons.supervisor, persons.technician),
        )
    return Accepted(whole(history), common, kept, set_aside, links)


def _demand_proven(office: Office, table_id: str, journal: Path) -> None:
    proof = prove(journal, keys=office.keys(table_id))
    if proof.table != table_id:
        raise AcceptError(f"{journal} is the journal of table {proof.table!r}, not of {table_id!r}")
    if proof.bad is not None:
        raise AcceptError(
            f"{journal} is not proven: record {proof.bad.seq} ({proof.bad.flaw}): {proof.bad.detail}. Where its key is "
            "another one than the floor knows, file it first as it is on paper: `pozo floor table key`"
        )


def _parted(office: Office, table_id: str, journal: Path) -> tuple[int, Row]:
    """The last record that both have, and the journal's next one."""
    theirs = rows_after(office, table_id, 0)
    after = 0
    while rows := page(journal, after, PAGE_ROWS):
        for row in rows:
            known = next(theirs, None)
            if known is None and _awaits_another(office, table_id, row[-1]):
                return row[0] - 1, row
            if known is None:
                raise AcceptError(
                    f"the floor has nothing of table {table_id} that {journal} has not: there is nothing to accept"
                )
            if known[-1] != row[-1]:
                return row[0] - 1, row
        after = rows[-1][0]
    raise AcceptError(
        f"{journal} ends at record {after}, and all of it is here: the journal is older than what was reported. Put"
        " the newer card in; where it is lost, `pozo recover` first"
    )


def _awaits_another(office: Office, table_id: str, digest: str) -> bool:
    """Whether a journal was accepted from which nothing came yet, and which goes on with another record."""
    ((expected,),) = office.rows("SELECT expected FROM pozo.heads WHERE table_id = %s", table_id)
    return expected is not None and expected != digest


def _brought(office: Office, table_id: str, common: int) -> tuple[tuple[str, int], ...]:
    rows = office.rows(
        "SELECT c.link, sum(c.staked) FROM pozo.contributions AS c WHERE c.table_id = %s AND c.seq > CASE %s"
        " WHEN 0 THEN (SELECT h.base FROM pozo.heads AS h WHERE h.table_id = c.table_id)"
        " ELSE pozo.stored(c.table_id, %s) END GROUP BY c.link ORDER BY c.link",
        *(table_id, common, common),
    )
    return tuple((str(link), whole(staked)) for link, staked in rows)
