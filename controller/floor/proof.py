"""The floor's own proof of what tables told it: every signed head with the filed key, and every record worked out anew.

It is done at the office, because PostgreSQL knows no Ed25519. It goes on from the newest record that was proven, and
keeps how far it got; the first record that is not right, and all behind it, is kept out of reports from then on.
"""

from typing import NamedTuple

from controller.core.game import Game
from controller.floor.errors import UnreadableError
from controller.floor.histories import doubts, rows_after
from controller.floor.office import Office
from controller.floor.reported import read
from controller.floor.whole import whole
from controller.journal import Finding, Flaw, Head, Record
from controller.journal.chain import GENESIS
from controller.journal.read import decodable
from controller.journal.verify import Walk
from controller.signing.replay import Replay
from controller.signing.signatures import Named, Signatures


class Proven(NamedTuple):
    """How far a table's journal is proven, by its own numbers, and the first record that is not right.

    `signed`: the newest record under a good signature; `last`: the newest that the rules make of those before it.
    `keyless`: the table never named a key, so that nothing of it is signed.
    """

    table_id: str
    signed: int
    last: int
    keyless: bool
    bad: Finding | None


class _Known(NamedTuple):
    """The newest proven record, by the journal's number, its digest, and the key in force there."""

    seq: int
    digest: str
    key: str


_NOTHING = _Known(0, GENESIS, "")


def prove_table(office: Office, table_id: str, *, whole_journal: bool = False) -> Proven:
    """Prove what came since the last time, or everything, and keep what was found. Raises `FloorError`."""
    with office.connection.transaction():
        known = _NOTHING if whole_journal else _known(office, table_id)
        asked = Signatures(office.keys(table_id))
        watch = _Watch(asked)
        found = _walked(office, table_id, known, watch)
        proven = _newest(asked, watch, known)
        _keep(office, table_id, proven, asked)
        _keep_doubt(office, table_id, found)
    last = found.seq - 1 if found is not None else max(watch.last, known.seq)
    return Proven(table_id, proven.seq if proven.key else 0, last, not (asked.key or known.key), found)


def _walked(office: Office, table_id: str, known: _Known, watch: "_Watch") -> Finding | None:
    """Go on from the newest proven record, which is read again as it stands: its digest must be the one proven."""
    if known.seq == 0:
        return _anew(office, table_id, watch)
    row = next(rows_after(office, table_id, known.seq - 1), None)
    record = None if row is None or row[-1] != known.digest else next(decodable(row), None)
    if record is None:
        return _anew(office, table_id, watch)  # a restored backup: what was proven is not here any more
    watch.begin(record, known.key, _game(office, table_id, record), table_id)
    after = Walk((), watch, after=Head(known.seq, known.digest))
    return after.through(rows_after(office, table_id, known.seq))


def _anew(office: Office, table_id: str, watch: "_Watch") -> Finding | None:
    # A signature that is still owed at the end is no flaw here: the record that carries it may be on its way.
    return Walk((), watch).through(rows_after(office, table_id, 0))


class _Watch:
    """Asks signatures and rules of each record; keeps the last good number."""

    def __init__(self, signatures: Signatures) -> None:
        self.signatures = signatures
        self.replay = Replay()
        self.last = 0
        self.last_digest = GENESIS

    def begin(self, record: Record, key: str, game: Game | None, table_id: str) -> None:
        """Go on behind a record that is proven, with the key and the rules in force there."""
        self.signatures.table = table_id
        if key:
            self.signatures.keys.append(Named(key, record.seq, vouched=True))
            self.signatures.good = 1
        self.signatures.last = record
        self.replay = Replay(game)
        self.replay(record)
        self.last, self.last_digest = record.seq, record.digest

    def __call__(self, record: Record) -> Finding | None:
        found = self.signatures(record) or self._replayed(record)
        if found is None:
            self.last, self.last_digest = record.seq, record.digest
        return found

    def _replayed(self, record: Record) -> Finding | None:
        try:
            return self.replay(record)
        except (ArithmeticError, LookupError, ValueError, TypeError, RecursionError) as error:
            # Of rules and states that somebody made up; the other tables are still to be proven.
            return Finding(record.seq, Flaw.REPLAY, f"its rules cannot be followed ({error!r})")


def _newest(asked: Signatures, watch: _Watch, known: _Known) -> _Known:
    """What to go on from next time: the newest signed record, or without any key the newest of all."""
    if asked.proven is not None:
        return _Known(asked.proven.seq, asked.proven.digest, asked.key)
    if not asked.key and watch.last:
        return _Known(watch.last, watch.last_digest, "")
    return known


def _known(office: Office, table_id: str) -> _Known:
    rows = office.rows(
        "SELECT p.seq, p.digest, p.key, h.base FROM pozo.proofs AS p JOIN pozo.heads AS h ON h.table_id = p.table_id"
        " WHERE p.table_id = %s AND p.seq > h.base",
        table_id,
    )
    if not rows:
        return _NOTHING
    seq, digest, key, base = rows[0]
    return _Known(whole(seq) - whole(base), str(digest), str(key))


def _game(office: Office, table_id: str, record: Record) -> Game | None:
    rows = office.rows(
        "SELECT rules FROM pozo.parameters WHERE table_id = %s AND game = %s ORDER BY seq DESC LIMIT 1",
        table_id,
        record.state.game,
    )
    try:
        return read(rows[0][0], Game, f"the rules of record {record.seq}") if rows else None
    except UnreadableError:
        return None  # the replay says of the next record that it has no rules


def _keep(office: Office, table_id: str, proven: _Known, asked: Signatures) -> None:
    for named in asked.keys:
        if named.key and named.vouched:
            office.rows(
                "INSERT INTO pozo.keys (table_id, key, how) VALUES (%s, %s, 'endorsed')"
                " ON CONFLICT DO NOTHING RETURNING 1",
                table_id,
                named.key,
            )
    if proven.seq:
        office.rows(
            "INSERT INTO pozo.proofs (table_id, seq, digest, key) VALUES (%s, pozo.stored(%s, %s), %s, %s)"
            " ON CONFLICT (table_id) DO UPDATE SET seq = excluded.seq, digest = excluded.digest, key = excluded.key,"
            " at = clock_timestamp(), login = session_user RETURNING 1",
            *(table_id, table_id, proven.seq, proven.digest, proven.key),
        )


def _keep_doubt(office: Office, table_id: str, found: Finding | None) -> None:
    """One open doubt a table: the newest finding takes the place of the one before, and none takes it away."""
    known = next((each for each in doubts(office, table_id) if each.upto is None), None)
    if found is None and known is None:
        return
    office.rows("DELETE FROM pozo.doubts WHERE table_id = %s AND upto IS NULL RETURNING 1", table_id)
    if found is None:
        office.rows(
            "INSERT INTO pozo.acts (what, detail) VALUES ('doubt_ended', jsonb_build_object('table', %s::text))"
            " RETURNING 1",
            table_id,
        )
        return
    office.rows(
        "INSERT INTO pozo.doubts (table_id, seq, flaw, detail) VALUES (%s, pozo.stored(%s, greatest(%s, 1)), %s, %s)"
        " ON CONFLICT (table_id, seq) DO NOTHING RETURNING 1",
        *(table_id, table_id, found.seq, found.flaw.value, found.detail),
    )
