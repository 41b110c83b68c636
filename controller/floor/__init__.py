"""The floor: the casino's PostgreSQL, where tables' records arrive once and where linked pots live.

It may know the core's types, the journal's rows, psycopg and SQL; no hardware, no loop, no screen. The database
decides: `sql/` holds its schema as forward-only migrations and its functions, which alone the tables' logins may call.
`Floor` is a table's connection to them, `Office` its owner's. Needs the extra `floor` (psycopg).
"""

from controller.floor.client import Answer, Claim, Floor, Greeting, LinkLevel, Moved
from controller.floor.errors import (
    BrokenChainError,
    BusyError,
    ClaimRefusedError,
    DoubtedError,
    FloorDownError,
    FloorError,
    FloorVersionError,
    ForkedError,
    GapError,
    MismatchError,
    NotYoursError,
    ReportFirstError,
    UnsoundError,
)
from controller.floor.rules import LinkRules, link_rules

__all__ = [
    "Answer",
    "BrokenChainError",
    "BusyError",
    "Claim",
    "ClaimRefusedError",
    "DoubtedError",
    "Floor",
    "FloorDownError",
    "FloorError",
    "FloorVersionError",
    "ForkedError",
    "GapError",
    "Greeting",
    "LinkLevel",
    "LinkRules",
    "MismatchError",
    "Moved",
    "NotYoursError",
    "ReportFirstError",
    "UnsoundError",
    "link_rules",
]
