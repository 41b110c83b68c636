"""What can go wrong with the floor: one class per condition, each text for the person who must act.

Knows psycopg's errors and translates them here, at the edge; nobody above sees one.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from controller.journal import Head


class FloorError(Exception):
    """The floor room's errors. The text says what happened, where, and what to do next."""


class FloorDownError(FloorError, ConnectionError):
    """The floor cannot be reached, or went away: whether the last call was stored is unknown. Ask again."""


class FloorVersionError(FloorError, RuntimeError):
    """The floor's schema is not one this program works with."""


class NotYoursError(FloorError, PermissionError):
    """A login that may not speak for that table, or not do that."""


class GapError(FloorError, LookupError):
    """Records between the floor's head and these are missing: send them from `expected` on."""

    def __init__(self, head: Head, detail: str) -> None:
        super().__init__(f"{detail}: send the records from {head.seq + 1} on")
        self.head = head

    @property
    def expected(self) -> int:
        """The number of the record the floor waits for."""
        return self.head.seq + 1


class ForkedError(FloorError, ValueError):
    """The floor has another record under that number: this journal is not the one reported before."""


class BrokenChainError(FloorError, ValueError):
    """A record does not give its digest."""


class UnsoundError(FloorError, ValueError):
    """A record that cannot be true: stakes that are no wagers, rules that are others than their digest names."""


class UnreadableError(FloorError, ValueError):
    """What a table reported is not what it claims to be: rules, a state or a hand that this program cannot read."""


class DoubtedError(FloorError, LookupError):
    """Records of this table are not believed: ask again once two persons have settled it."""


class OnePersonError(FloorError, ValueError):
    """What two persons must agree to names one, or nobody."""


class MismatchError(FloorError, ValueError):
    """Table and link do not play by the same rules."""


class ReportFirstError(FloorError, LookupError):
    """The floor lacks the records that this rests on: report them, then ask again."""


class BusyError(FloorError, TimeoutError):
    """Others use a level for longer than a claim may wait: ask again a little later."""


class ClaimRefusedError(FloorError, ValueError):
    """The floor serves this claim under no circumstances; it is an alarm there."""


@contextmanager
def translated(where: str) -> Iterator[None]:
    """Turn psycopg's errors into this room's. `where` names the floor for the text."""
    try:
        yield
    except psycopg.errors.InsufficientPrivilege as error:
        raise NotYoursError(f"{where}: {_first_line(error)}; use a login that may") from error
    except (psycopg.errors.UndefinedFunction, psycopg.errors.UndefinedTable) as error:
        raise FloorVersionError(
            f"{where}: {_first_line(error)}; run `pozo floor check`: its schema is missing or of another version"
        ) from error
    except (psycopg.OperationalError, psycopg.InterfaceError) as error:
        raise FloorDownError(
            f"{where} does not answer: {_first_line(error)}; what it stored it keeps, ask again"
        ) from error
    except psycopg.Error as error:
        raise FloorError(f"{where} refused: {_first_line(error)}") from error


def _first_line(error: psycopg.Error) -> str:
    text = error.diag.message_primary or str(error)
    return text.strip().splitlines()[0] if text.strip() else type(error).__name__
