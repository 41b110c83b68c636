"""The peers of `step.py`: the same table behaviour written with two state-machine libraries, as their manuals do.

Both keep their state in a mutable model, as their users would: no immutable state, nothing to store. Phases are
states, what changes no phase is an internal transition, what the table asks is a named condition; the likeliest
transition comes first. What they count and refuse is what `controller.core` counts and refuses for chips, COIN
IN, GAME OVER and the end of the release pulse in all five phases; `step.py` compares them before it measures.
"""

from typing import Any

from statemachine import State, StateMachine
from transitions import Machine

from controller.core.game import Game

PHASES = ("open", "locked", "closed", "award_pending", "test")
NO_PLAY = ("locked", "closed", "award_pending")


class PeerSeat:
    """A seat's wager and meters."""

    __slots__ = (
        "accepted",
        "claimable",
        "closed",
        "dropped",
        "excess",
        "give_back",
        "late",
        "placed_ns",
        "tested",
        "wager",
    )

    def __init__(self) -> None:
        self.wager = self.closed = "none"
        self.claimable = False
        self.dropped = self.accepted = self.excess = self.late = self.tested = 0
        self.give_back = self.placed_ns = 0


class Meters:
    """What both peers ask and do when a transition fires; the table's meters are in here."""

    def __init__(self, game: Game) -> None:
        level = game.levels[0]
        self.game = game
        self.seats = [PeerSeat() for _ in range(game.seats)]
        self.out_of_service = False
        self.current = level.base_amount
        self.carry = self.reserve_pool = self.reserve_carry = self.overflow = 0
        self.in_meter = self.in_count = self.house_share = 0
        self.round = 1
        self.release_until_ns: int | None = None
        self.refusal: str | None = None
        self.told: tuple[str, int] = ("", 0)

    def plays(self, seat: int, at_ns: int) -> bool:  # noqa: ARG002, conditions get what actions get
        """Whether the seat is not closed."""
        return self.seats[seat - 1].closed == "none"

    def is_faulty(self, seat: int, at_ns: int) -> bool:  # noqa: ARG002, the same
        """Whether a fault closed the seat."""
        return self.seats[seat - 1].closed == "fault"

    def is_free(self, seat: int, at_ns: int) -> bool:  # noqa: ARG002, the same
        """Whether the seat holds no chip."""
        return self.seats[seat - 1].wager == "none"

    def in_service(self, *_: int) -> bool:
        """Whether no fault locks the slots."""
        return not self.out_of_service

    def place(self, seat: int, at_ns: int) -> None:
        """The chip counts."""
        slot = self.seats[seat - 1]
        slot.wager = "placed"
        slot.placed_ns = at_ns
        slot.dropped += 1
        self.told = ("placed", seat)

    def count_excess(self, seat: int, at_ns: int) -> None:  # noqa: ARG002, the same
        """The seat has one already."""
        slot = self.seats[seat - 1]
        slot.dropped += 1
        slot.excess += 1
        slot.give_back += 1
        self.told = ("excess", seat)

    def count_late(self, seat: int, at_ns: int) -> None:  # noqa: ARG002, the same
        """No wager is taken now."""
        slot = self.seats[seat - 1]
        slot.dropped += 1
        slot.late += 1
        slot.give_back += 1
        self.told = ("late", seat)

    def count_tested(self, seat: int, at_ns: int) -> None:  # noqa: ARG002, the same
        """Test mode."""
        self.seats[seat - 1].tested += 1
        self.told = ("tested", seat)

    def ignore(self, seat: int, at_ns: int) -> None:  # noqa: ARG002, the same
        """A line closed by a fault moved."""
        self.told = ("ignored", seat)

    def take_in(self, at_ns: int) -> None:
        """COIN IN: every placed wager is accepted, the pot takes its part."""
        count = 0
        for slot in self.seats:
            slot.claimable = False
            slot.give_back = 0
            if slot.wager == "placed":
                slot.wager = "accepted"
                slot.placed_ns = 0
                slot.accepted += 1
                count += 1
        self.raise_pot(count)
        self.release_until_ns = at_ns + self.game.release_ms * 1_000_000
        self.refusal = None
        self.told = ("locked", count)

    def raise_pot(self, count: int) -> None:
        """The pot, the reserve and the house take their parts of `count` wagers."""
        level = self.game.levels[0]
        staked = count * self.game.wager
        units, self.carry = divmod(staked * level.increment_rate_ppm + self.carry, 1_000_000)
        reserve, self.reserve_carry = divmod(staked * level.reserve_rate_ppm + self.reserve_carry, 1_000_000)
        by = min(units, max(level.limit - self.current, 0))
        self.current += by
        self.overflow += units - by
        self.reserve_pool += reserve
        self.in_meter += staked
        self.in_count += count
        self.house_share += staked * (1_000_000 - level.increment_rate_ppm - level.reserve_rate_ppm)

    def end_round(self, at_ns: int) -> None:  # noqa: ARG002, the same
        """GAME OVER: lamps off, the next round is open."""
        for slot in self.seats:
            slot.claimable = slot.wager == "accepted" or (slot.claimable and slot.wager == "none")
            slot.wager = "none"
            slot.give_back = 0
        self.refusal = None
        self.told = ("ended", self.round)
        self.round += 1

    def clear_release(self, at_ns: int) -> None:  # noqa: ARG002, the same
        """The chip release pulse is over."""
        self.release_until_ns = None
        self.told = ("noted", 0)

    def test_button(self, at_ns: int) -> None:  # noqa: ARG002, the same
        """Test mode: the button works."""
        self.told = ("button_tested", 0)

    def refuse_fault(self, at_ns: int) -> None:  # noqa: ARG002, the same
        """Not while a fault stands."""
        self.refuse("table_fault")

    def refuse_award(self, at_ns: int) -> None:  # noqa: ARG002, the same
        """Not while an award is pending."""
        self.refuse("award_pending")

    def refuse_phase(self, at_ns: int) -> None:  # noqa: ARG002, the same
        """Not now."""
        self.refuse("wrong_phase")

    def refuse(self, reason: str) -> None:
        """Say why not."""
        self.refusal = reason
        self.told = ("refused", 0)


class TransitionsTable(Meters):
    """With `transitions`."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self.machine = Machine(self, states=[*PHASES], initial="open", auto_transitions=False)
        self._chips()
        self._buttons()

    def _chips(self) -> None:
        add = self.machine.add_transition
        add("chip_dropped", "open", None, conditions=["plays", "in_service", "is_free"], after="place")
        add("chip_dropped", "open", None, conditions=["plays", "in_service"], after="count_excess")
        add("chip_dropped", ["open", *NO_PLAY], None, unless="is_faulty", after="count_late")
        add("chip_dropped", ["open", *NO_PLAY], None, after="ignore")
        add("chip_dropped", "test", None, after="count_tested")

    def _buttons(self) -> None:
        add = self.machine.add_transition
        add("coin_in", "open", "locked", conditions="in_service", before="take_in")
        add("coin_in", "open", None, after="refuse_fault")
        add("coin_in", ["locked", "closed"], None, after="refuse_phase")
        add("game_over", "locked", "open", before="end_round")
        add("game_over", ["open", "closed"], None, after="refuse_phase")
        add("release_ended", [*PHASES], None, after="clear_release")
        for button in ("coin_in", "game_over"):
            add(button, "award_pending", None, after="refuse_award")
            add(button, "test", None, after="test_button")

    @property
    def triggers(self) -> Any:  # noqa: ANN401, the library adds its triggers to the model at run time
        """Where the triggers are."""
        return self

    def phase(self, name: str) -> None:
        """Put the machine into a phase."""
        self.machine.set_state(name)


class StateMachineTable(Meters):
    """With `python-statemachine`: the model beside a declared machine."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self.state: str | None = None
        """Where the library keeps the phase."""
        self.machine = _Declared(self)

    @property
    def triggers(self) -> Any:  # noqa: ANN401, the library makes them at run time
        """Where the triggers are."""
        return self.machine

    def phase(self, name: str) -> None:
        """Put the machine into a phase."""
        self.state = name


class _Declared(StateMachine):
    opened = State(value="open", initial=True)
    locked = State(value="locked")
    closed = State(value="closed")
    award_pending = State(value="award_pending")
    test = State(value="test")

    table_closed = opened.to(closed)
    award_claimed = locked.to(award_pending)
    technician_key = closed.to(test) | test.to(closed)

    chip_dropped = (
        opened.to(opened, internal=True, cond=["plays", "in_service", "is_free"], on="place")
        | opened.to(opened, internal=True, cond=["plays", "in_service"], on="count_excess")
        | opened.to(opened, internal=True, unless="is_faulty", on="count_late")
        | opened.to(opened, internal=True, on="ignore")
        | locked.to(locked, internal=True, unless="is_faulty", on="count_late")
        | locked.to(locked, internal=True, on="ignore")
        | closed.to(closed, internal=True, unless="is_faulty", on="count_late")
        | closed.to(closed, internal=True, on="ignore")
        | award_pending.to(award_pending, internal=True, unless="is_faulty", on="count_late")
        | award_pending.to(award_pending, internal=True, on="ignore")
        | test.to(test, internal=True, on="count_tested")
    )
    coin_in = (
        opened.to(locked, cond="in_service", on="take_in")
        | opened.to(opened, internal=True, on="refuse_fault")
        | locked.to(locked, internal=True, on="refuse_phase")
        | closed.to(closed, internal=True, on="refuse_phase")
        | award_pending.to(award_pending, internal=True, on="refuse_award")
        | test.to(test, internal=True, on="test_button")
    )
    game_over = (
        locked.to(opened, on="end_round")
        | opened.to(opened, internal=True, on="refuse_phase")
        | closed.to(closed, internal=True, on="refuse_phase")
        | award_pending.to(award_pending, internal=True, on="refuse_award")
        | test.to(test, internal=True, on="test_button")
    )
    release_ended = (
        opened.to(opened, internal=True, on="clear_release")
        | locked.to(locked, internal=True, on="clear_release")
        | closed.to(closed, internal=True, on="clear_release")
        | award_pending.to(award_pending, internal=True, on="clear_release")
        | test.to(test, internal=True, on="clear_release")
    )
