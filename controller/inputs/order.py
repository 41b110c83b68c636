"""Which decided events may leave: none before everything with an older stamp is decided.

It may know every line's oldest undecided stamp and the lows that are held back; it decides nothing else.
"""

from collections.abc import Collection, Sequence

from controller.core.events import AnyEvent, CoinInPressed, GameOverPressed
from controller.inputs.common import CommonMode
from controller.inputs.line import Line, Noise, Setup
from controller.inputs.outbox import RANK_BUTTON, Entry, Press
from controller.inputs.timings import MS, NEVER


class Order:
    """Lets events leave in the order of their stamps.

    Nothing but the two buttons waits for a low that is held back: such a chip leaves when it is proven, with its
    own, older stamp. COIN IN waits for it `held_wait_ms` at most, GAME OVER until it rises or jams.
    """

    def __init__(
        self,
        setup: Setup,
        common: CommonMode,
        *,
        seats: Sequence[Line],
        switches: Sequence[Line],
        doubtful: Collection[Line],
    ) -> None:
        self.due_ns = NEVER
        self.left: list[AnyEvent] = []
        """Events that have left and wait to be fetched."""
        self._held_wait_ns = setup.timings.held_wait_ms * MS
        self._outbox = setup.outbox
        self._common = common
        self._seats = seats
        self._switches = switches
        self._doubtful = doubtful
        self._noise: dict[type[AnyEvent], Noise] = {
            CoinInPressed: switches[0].noise,
            GameOverPressed: switches[1].noise,
        }

    def expire(self) -> None:
        """COIN IN has waited for long enough: `release` lets it go."""
        self.due_ns = NEVER

    def release(self, at_ns: int) -> None:
        """Let everything leave that may at `at_ns`."""
        self.due_ns = NEVER
        entries = self._outbox.entries
        while entries and self._decided_before(entries[0]):
            entry = entries[0]
            if entry.press is not None and self._held_up(entry, entry.press, at_ns):
                return
            self._outbox.pop()
            if entry.press is not None and self._common.took(entry.press):
                self._noise[type(entry.event)].add(entry.press.fall_ns, at_ns)
            else:
                self.left.append(entry.event)

    def fetch(self) -> list[AnyEvent]:
        """Take the events that have left."""
        left, self.left = self.left, []
        return left

    def _decided_before(self, entry: Entry) -> bool:
        at_ns = entry.at_ns
        button_before_ns = at_ns if entry.rank == RANK_BUTTON else at_ns + 1
        for seat in self._seats:
            if seat.undecided_ns < at_ns:
                return False
        for switch in self._switches:
            if switch.undecided_ns < button_before_ns:
                return False
        return not self._doubtful or all(line.last_ns > at_ns for line in self._doubtful)

    def _held_up(self, entry: Entry, press: Press, at_ns: int) -> bool:
        match entry.event:
            case GameOverPressed():
                return self._common.undecided(entry.at_ns)
            case CoinInPressed():
                return self._coin_in_held_up(entry.at_ns, press, at_ns)
            case _:
                raise AssertionError(f"{entry.event!r} comes from no button that can be held up")

    def _coin_in_held_up(self, fall_ns: int, press: Press, at_ns: int) -> bool:
        last_ns = fall_ns + self._held_wait_ns
        if self._common.undecided_near(fall_ns):
            self.due_ns = last_ns
        else:
            self.due_ns = min(last_ns, self._common.unclear_until_ns(press))
        if at_ns >= self.due_ns:
            self.due_ns = NEVER
            return False
        self._outbox.wake(self.due_ns)
        return True
