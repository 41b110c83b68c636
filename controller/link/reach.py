"""The floor at the other end of a line that may be cut, silent, or somebody else's."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final, Protocol

from controller.floor import Answer, Claim, Floor, FloorError, Greeting, LinkLevel, Moved
from controller.floor.errors import translated
from controller.journal.chain import Head
from controller.journal.record import Row
from controller.link.patience import limited

LIMIT_S: Final = 15.0
"""A call that takes longer is a dead line; the floor itself ends a statement after five seconds."""


class InsecureError(FloorError, PermissionError):
    """The line to the floor proves nothing: whoever stands in between could be the floor."""


class Reached(Protocol):
    """A floor that answered; every call raises `FloorError`s."""

    def hello(self, program: str, wall_ns: int) -> Greeting:
        """Greet, and learn the floor's head."""

    def head(self) -> Head:
        """The floor's newest record of this table."""

    def report(self, rows: Sequence[Row]) -> Head:
        """Report rows; what is returned is durable there."""

    def join(self, link: str, rules: str, from_seq: int) -> None:
        """Join a link, or join again."""

    def rules_of(self, link: str) -> str:
        """A link's rules as JSON; empty where this table is not admitted."""

    def tick(self, link: str, every_ms: int) -> bool:
        """Fold a link."""

    def level(self, link: str) -> LinkLevel:
        """A linked pot now."""

    def claim(self, claim: Claim) -> Answer:
        """Claim a win, or ask again."""

    def listen(self) -> None:
        """Hear what moves links."""

    def heard(self, timeout_s: float) -> tuple[Moved, ...]:
        """What was said, waited for that long."""

    def close(self) -> None:
        """Hang up."""


class Line:
    """A connection to the floor with a limit on each call."""

    def __init__(self, floor: Floor) -> None:
        self._floor = floor

    def hello(self, program: str, wall_ns: int) -> Greeting:
        """Greet, and learn the floor's head."""
        with limited(self._descriptor(), LIMIT_S):
            return self._floor.hello(program, wall_ns)

    def head(self) -> Head:
        """The floor's newest record of this table."""
        with limited(self._descriptor(), LIMIT_S):
            return self._floor.head()

    def report(self, rows: Sequence[Row]) -> Head:
        """Report rows; what is returned is durable there."""
        with limited(self._descriptor(), LIMIT_S):
            return self._floor.report(rows)

    def join(self, link: str, rules: str, from_seq: int) -> None:
        """Join a link, or join again."""
        with limited(self._descriptor(), LIMIT_S):
            self._floor.join(link, rules, from_seq)

    def rules_of(self, link: str) -> str:
        """A link's rules as JSON; empty where this table is not admitted."""
        with limited(self._descriptor(), LIMIT_S):
            return self._floor.rules_of(link)

    def tick(self, link: str, every_ms: int) -> bool:
        """Fold a link."""
        with limited(self._descriptor(), LIMIT_S):
            return self._floor.tick(link, every_ms)

    def level(self, link: str) -> LinkLevel:
        """A linked pot now."""
        with limited(self._descriptor(), LIMIT_S):
            return self._floor.level(link)

    def claim(self, claim: Claim) -> Answer:
        """Claim a win, or ask again."""
        with limited(self._descriptor(), LIMIT_S):
            return self._floor.claim(claim)

    def listen(self) -> None:
        """Hear what moves links."""
        with limited(self._descriptor(), LIMIT_S):
            self._floor.listen()

    def heard(self, timeout_s: float) -> tuple[Moved, ...]:
        """What was said, waited for that long; it asks nothing, so that no silent line can hold it."""
        return self._floor.heard(timeout_s)

    def close(self) -> None:
        """Hang up."""
        self._floor.close()

    def _descriptor(self) -> int:
        with translated("the floor"):
            return self._floor.connection.fileno()


def reach(conninfo: str, table_id: str) -> Line:
    """Connect to the floor. Raises `FloorDownError`, and `InsecureError` for a network line without verified TLS."""
    floor = Floor.connect(conninfo, table_id)
    try:
        _demand_secure(floor)
    except BaseException:
        floor.close()
        raise
    return Line(floor)


def _demand_secure(floor: Floor) -> None:
    info = floor.connection.info
    host = info.host
    if not host or Path(host).is_absolute():
        return
    mode = info.get_parameters().get("sslmode", "prefer")
    if mode != "verify-full" or not floor.connection.pgconn.ssl_in_use:
        raise InsecureError(
            f"the line to the floor at {host} has sslmode={mode}: set sslmode=verify-full and sslrootcert in "
            "`link.floor` or in the service it names; nothing was sent"
        )
