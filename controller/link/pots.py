"""A table's linked pots, as its link keeps them with the floor: it joins, asks what they are, and claims wins.

It knows the journal and the floor's answers, and decides nothing: what is claimed stands in the table's newest state,
and what differs between rules is said by their values. A claim is asked for when its own record is at the floor and
nothing after it, so that the pot it is served from never holds later wagers of this table.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from controller.administer import flat_differences
from controller.core import events as ev
from controller.core.game import Game
from controller.core.state import LinkClaim, Table
from controller.floor import (
    BusyError,
    Claim,
    ClaimRefusedError,
    DoubtedError,
    LinkRules,
    MismatchError,
    Moved,
    NotYoursError,
    ReportFirstError,
    link_rules,
)
from controller.journal import ends_of
from controller.journal.chain import Head
from controller.journal.errors import damaged
from controller.journal.read import newest_first
from controller.journal.record import Row
from controller.link.beat import ANSWERS_MAX
from controller.link.reach import Reached
from controller.link.said import WHY_MAX, AnswerSaid, LinkSaid

FOLD_MS: Final = 1_000
"""The floor folds a link's contributions this often at most, whoever asks."""

AGAIN_NS: Final = 10_000_000_000
"""A link that would not have this table, or its claim, is asked again after this: each refusal is an alarm there."""

ID_DIGITS: Final = 16
"""Of the digest of the record that holds a claim: a number given again after a recovery is another claim."""

BUSY_NS: Final = 1_000_000_000
BUSY_DOUBLED: Final = 3
"""A link in use is asked again after a second, then two, four and always eight; the floor waits three each time."""

NOT_YET: Final = "the floor was not asked yet about the linked pots"
"""Why a table does not play though its floor is heard: its records are still on their way."""


class Member(NamedTuple):
    """A link this table plays for: by which rules, and in which record of the journal these are."""

    link: str
    rules: LinkRules
    from_seq: int


class Waiting(NamedTuple):
    """A claim without an answer, and the record of the journal that holds it, by number and digest."""

    claim: LinkClaim
    seq: int
    digest: str


class LinkedPots:
    """The linked pots of table `table_id`, whose journal is at `journal`."""

    def __init__(self, table_id: str, journal: Path) -> None:
        self._table_id = table_id
        self._journal = journal
        self._agreed: tuple[str, ...] = ()
        """What was agreed to, and in which journal: the digests of its first record, of rules, board and terms. Another
        one of these is in another record, by which the table is a member then."""
        self._members: tuple[Member, ...] = ()
        self._joined: set[str] = set()
        self._again_ns: dict[str | int, int] = {}
        """When a link, or a claim by its number, may be asked about again."""
        self._said: dict[str, LinkSaid] = {}
        self._waiting: dict[int, Waiting] = {}
        self._busy: dict[int, int] = {}
        """Claims that found their link in use, and how often."""
        self._answers: dict[int, AnswerSaid] = {}

    @property
    def links(self) -> tuple[LinkSaid, ...]:
        """What the floor said last of each link; nothing of one that it was not asked about yet."""
        return tuple(self._said[member.link] for member in self._members if member.link in self._said)

    @property
    def why(self) -> str:
        """Why the table cannot play for its links yet; empty once each was asked about."""
        return NOT_YET if len(self.links) < len(self._members) else ""

    @property
    def answers(self) -> tuple[AnswerSaid, ...]:
        """Answers that the table has not taken yet, the oldest claims first."""
        found = (self._answers[number] for number in self._waiting if number in self._answers)
        return tuple(found)[:ANSWERS_MAX]

    def join_again(self) -> None:
        """Something went wrong: two persons may have let the table go on with another journal, which is no member."""
        self._joined.clear()

    def forget(self) -> None:
        """The connection is gone: nothing said is known to be so any more."""
        self._joined.clear()
        self._said.clear()
        self._again_ns.clear()
        self._busy.clear()

    def look(self) -> None:
        """Read what the table plays by, and which claims wait. Raises `JournalError`."""
        found = ends_of(self._journal)
        state = found.last.state
        agreed = (found.first.digest, state.game, state.board, state.house)
        if agreed != self._agreed:
            self._members = _members(self._journal, state)
            self._agreed = agreed
            self.forget()
        known = self._waiting
        self._waiting = {
            claim.number: known.get(claim.number) or self._found(claim) for claim in state.link_claims
        }
        self._answers = {number: each for number, each in self._answers.items() if number in self._waiting}
        self._busy = {number: tries for number, tries in self._busy.items() if number in self._waiting}

    def upto_claim(self, rows: Sequence[Row]) -> Sequence[Row]:
        """The rows up to the first that holds a claim without an answer; none while one waits for a link in use."""
        if self._busy.keys() - self._answers.keys():
            return ()
        stops = {each.seq for number, each in self._waiting.items() if number not in self._answers}
        for place, row in enumerate(rows, start=1):
            if row[0] in stops:
                return rows[:place]
        return rows

    def is_news(self, said: Sequence[Moved]) -> bool:
        """Whether a link of this table was won or corrected; that a pot grew can wait until it is asked for."""
        return any(
            each.claims != known.wins or each.current < known.amount
            for each in said
            if each.link in self._joined and (known := self._said.get(each.link)) is not None
        )

    @property
    def listens(self) -> bool:
        """Whether anything is heard on this connection."""
        return bool(self._joined)

    def settle(self, floor: Reached, head: Head, now_ns: int) -> None:
        """Join what is not joined, and claim what the floor has the record of.

        Raises `FloorError`s that are not about this table's right to play or win.
        """
        for member in self._members:
            if member.link not in self._joined and now_ns >= self._again_ns.get(member.link, 0):
                self._join(floor, member, now_ns)
        for number, each in self._waiting.items():
            due = now_ns >= self._again_ns.get(number, 0)
            if each.seq <= head.seq and due and (number not in self._answers or self._answers[number].why):
                self._claim(floor, each, now_ns)

    def ask(self, floor: Reached) -> None:
        """Ask what the pots are, once all is reported. Raises `FloorError`s."""
        for member in self._members:
            if member.link in self._joined:
                self._ask(floor, member)

    def _join(self, floor: Reached, member: Member, now_ns: int) -> None:
        try:
            floor.join(member.link, member.rules.digest, member.from_seq)
        except ReportFirstError:
            return
        except MismatchError as error:
            self._refused(member, _differing(member.rules, floor.rules_of(member.link)) or str(error), now_ns)
        except NotYoursError as error:
            self._refused(member, str(error), now_ns)
        else:
            floor.listen()
            self._joined.add(member.link)

    def _refused(self, member: Member, why: str, now_ns: int) -> None:
        self._said[member.link] = LinkSaid(member.link, why=why[:WHY_MAX])
        self._again_ns[member.link] = now_ns + AGAIN_NS

    def _ask(self, floor: Reached, member: Member) -> None:
        floor.tick(member.link, FOLD_MS)
        level = floor.level(member.link)
        why = ""
        if level.rules != member.rules.digest:
            why = _differing(member.rules, floor.rules_of(member.link)) or f"rules {level.rules[:8]} there"
        self._said[member.link] = LinkSaid(member.link, level.current, level.claims, why[:WHY_MAX])

    def _claim(self, floor: Reached, waiting: Waiting, now_ns: int) -> None:
        claim = waiting.claim
        member = next((each for each in self._members if each.rules.level.name == claim.level), None)
        if member is None or member.link not in self._joined:
            return
        asked = Claim(
            claim=f"{self._table_id}/{claim.number}/{waiting.digest[:ID_DIGITS]}",
            link=member.link,
            rules=member.rules.digest,
            round=claim.round,
            seq=waiting.seq,
            made=claim.number - 1,
            hands=tuple((each.seat, each.hand) for each in claim.claims),
        )
        try:
            answer = floor.claim(asked)
        except BusyError:
            tries = self._busy.get(claim.number, 0)
            self._busy[claim.number] = min(tries + 1, BUSY_DOUBLED)
            self._again_ns[claim.number] = now_ns + (BUSY_NS << tries)
            return
        except (ReportFirstError, DoubtedError):
            pass  # asked again: when the records are there, or two persons have settled the doubt
        except (ClaimRefusedError, MismatchError) as error:
            self._answers[claim.number] = AnswerSaid(claim.number, why=str(error)[:WHY_MAX])
            self._again_ns[claim.number] = now_ns + AGAIN_NS
        else:
            self._answers[claim.number] = AnswerSaid(claim.number, answer.number, answer.told)
        self._busy.pop(claim.number, None)

    def _found(self, claim: LinkClaim) -> Waiting:
        """A claim with the record that holds it: its own, or the recovery that brought it back without it."""
        number, brought_back = claim.number, None
        for record in newest_first(self._journal, ("awards_approved", "journal_recovered")):
            if any(isinstance(each, ev.LinkClaimed) and each.claim == number for each in record.results):
                return Waiting(claim, record.seq, record.digest)
            if (
                brought_back is None
                and record.kind == "journal_recovered"
                and any(each.number == number for each in record.state.link_claims)
            ):
                brought_back = Waiting(claim, record.seq, record.digest)
        if brought_back is None:
            raise damaged(self._journal, f"claim {number} waits in its newest state, and no record says why")
        return brought_back


def _members(journal: Path, state: Table) -> tuple[Member, ...]:
    """The links of the rules in force, with the record that put these in force."""
    for record in newest_first(journal, ("parameters_changed", "journal_recovered", "commissioned")):
        event = record.event
        if isinstance(event, ev.JournalRecovered) and record.seq > 1:
            continue  # within a journal it puts no rules in force
        if not isinstance(event, ev.Commissioned | ev.ParametersChanged | ev.JournalRecovered):
            continue
        if event.game == state.game and not record.refused:
            game = msgspec.json.decode(event.rules, type=Game)
            return tuple(
                Member(level.link, link_rules(game, level.name), record.seq)
                for level in game.levels
                if level.link is not None
            )
    return ()


def _differing(ours: LinkRules, theirs: str) -> str:
    """What differs, value by value: the link's first; empty if nothing can be told."""
    if not theirs:
        return ""
    found = flat_differences(msgspec.json.decode(theirs), msgspec.to_builtins(ours))
    return "; ".join(f"{each.key}: {each.old} at the link, {each.new} at the table" for each in found)
