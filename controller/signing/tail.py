"""The end of a journal as a start believes it: what the device signed last, and what the rules make of all behind it.

The signature covers everything up to the signed head; behind it stand only records that need none. So a start reads
these, a round's records as a rule, and works them out anew: a state somebody made up is never played on or signed over.
"""

import sqlite3
from collections.abc import Callable
from pathlib import Path

from controller.config import game_digest
from controller.core import events as ev
from controller.core.game import Game
from controller.journal import Finding, Flaw, Head, Record
from controller.journal.chain import GENESIS
from controller.journal.read import decoded, newest_first, row_at, rows_from
from controller.journal.verify import Walk
from controller.signing.device import NAMING, first_key, named_key
from controller.signing.heads import head_message
from controller.signing.key import genuine
from controller.signing.replay import Replay, rules_named
from controller.signing.when import reason


def tail_flaw(
    connection: sqlite3.Connection, path: Path, first: Record, known: Game | None, working: Callable[[], None]
) -> Finding | None:
    """The first thing that is not proven from the newest signed head on, or None.

    `first` is record 1. `known`: rules that may be those in force, so that they need not be looked for; only their
    digest, which the signed state holds, makes them so. `working` is called now and then. A journal that names no
    key is not asked: it does not start before two persons gave it one. Raises `DamagedError`.
    """
    naming = newest_first(path, NAMING)
    signed = next((record for record in naming if isinstance(record.event, ev.HeadSigned)), None)
    if signed is None:
        return _unsigned() if first_key(first) else None
    bad = _signature_flaw(signed, first, next(filter(None, map(named_key, naming)), first_key(first)))
    if bad is not None:
        return bad
    row = row_at(connection, signed.seq - 1)
    if row is None:
        return Finding(
            signed.seq - 1, Flaw.MISSING, "it is not there, and the signed head behind it says that it was"
        )
    before = row_at(connection, signed.seq - 2)
    head = Head(signed.seq - 2, GENESIS if before is None else before[-1])
    game = None if head.seq == 0 else _rules(path, decoded(row, path).state.game, first, known)
    return _walked(connection, head, Replay(game), working)


def _unsigned() -> Finding:
    return Finding(
        1,
        Flaw.SIGNATURE,
        "it names a key, as anybody can, and nothing in it is signed: a table signs record 1",
    )


def _signature_flaw(signed: Record, first: Record, key: str) -> Finding | None:
    """What is wrong with the newest signature; `key` is the one that was named before it."""
    event = signed.event
    if not isinstance(event, ev.HeadSigned):
        raise TypeError(f"record {signed.seq} is {event!r}, not a signed head")
    if event.seq != signed.seq - 1:
        return Finding(signed.seq, Flaw.SIGNATURE, f"it signs record {event.seq}, not the one before it")
    if event.key != key:
        return Finding(
            signed.seq, Flaw.SIGNATURE, f"it names the key {event.key}, but {key or 'none'} is in force"
        )
    if genuine(
        event.key,
        head_message(getattr(first.event, "table", ""), Head(event.seq, event.digest)),
        event.signature,
    ):
        return None
    return Finding(signed.seq, Flaw.SIGNATURE, f"the signature is not that of the key {event.key}")


def _rules(path: Path, digest: str, first: Record, known: Game | None) -> Game | None:
    """The rules with this digest, which a signed state names."""
    if known is not None and game_digest(known) == digest:
        return known
    if getattr(first.event, "game", None) == digest:
        return rules_named(first.event)
    named = newest_first(path, ("parameters_changed", "journal_recovered"))
    return next(
        (rules_named(each.event) for each in named if getattr(each.event, "game", None) == digest), None
    )


def _walked(
    connection: sqlite3.Connection, head: Head, again: Replay, working: Callable[[], None]
) -> Finding | None:
    """Go from the record after `head`, which is the signed one or the first of all, to the end.

    The signed one is read too, because its columns must give the digest that is signed.
    """
    start = head.seq + 1

    def watch(record: Record) -> Finding | None:
        why = reason(record.event, record.results) if record.seq > start else None
        if why is not None:
            return Finding(
                record.seq, Flaw.SIGNATURE, f"the signed head is missing that it is stored with ({why})"
            )
        if isinstance(record.event, ev.HeadSigned) and record.event.digest != walk.last.digest:
            return Finding(
                record.seq, Flaw.SIGNATURE, "it signs another digest than that of the record before it"
            )
        return again(record)

    walk = Walk((), watch, working, after=head)
    return walk.through(rows_from(connection, start))
