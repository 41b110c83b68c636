"""No privileged act ever succeeds without its keys and, where the policy asks, their persons: whatever else happens."""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from msgspec.structs import replace

from controller.core import events as ev
from controller.core.events import Key, Refusal
from controller.core.faults import FaultCode
from controller.core.game import Role
from controller.core.invariants import check
from controller.core.state import Phase
from controller.core.table import step
from controller.core.table.gate import KEYS_NEEDED
from tests.helpers_game import GAME, new_table, opened
from tests.helpers_punto import PUNTO_GAME, opened_punto
from tests.test_phases import MATRIX
from tests.test_punto_phases import MATRIX as PUNTO_MATRIX

SECOND = 1_000_000_000
SUP, TEC = Key.SUPERVISOR, Key.TECHNICIAN
BOTH = (Role.SUPERVISOR, Role.TECHNICIAN)
ROLE = {SUP: Role.SUPERVISOR, TEC: Role.TECHNICIAN}
NUMBER_OF = {"Ana": 7, "Rosa": 8, "Luis": 12}
KEY_OF = {7: SUP, 8: SUP, 12: TEC}
NUMBERS = tuple(KEY_OF)


class Keys(RuleBasedStateMachine):
    """Anything that may happen happens; no privileged act ever succeeds without its keys and their persons.

    What stands behind a key is kept here independently, from the events alone.
    """

    def __init__(self) -> None:
        super().__init__()
        self.turned = {SUP: False, TEC: False}
        self.person = {SUP: "", TEC: ""}
        self.wrong = {SUP: 0, TEC: 0}
        self.until = {SUP: 0, TEC: 0}
        self.his = dict.fromkeys(NUMBERS, 0)
        self.freed = dict.fromkeys(NUMBERS, 0)
        self.his_until = dict.fromkeys(NUMBERS, 0)
        self.now = 100

    @initialize(
        punto=st.booleans(), pins=st.sets(st.sampled_from(BOTH)), begun=st.sampled_from(["new", "open"])
    )
    def begin(self, punto: bool, pins: set[Role], begun: str) -> None:
        base = PUNTO_GAME if punto else GAME
        self.game = replace(base, pin=tuple(role for role in Role if role in pins))
        free = opened_punto(base) if punto else opened(base)
        self.table = free if begun == "open" else new_table(base)
        self.turned = {SUP: self.table.supervisor, TEC: self.table.technician}
        self.matrix = [event for event, *_ in (PUNTO_MATRIX if punto else MATRIX)]

    def decide(self, event: ev.AnyEvent) -> tuple[ev.AnyResult, ...]:
        after, results = step(self.game, self.table, event)
        check(self.game, self.table, after, results)
        self.table = after
        return results

    def there(self, which: Key) -> bool:
        needed = Role.SUPERVISOR if which is SUP else Role.TECHNICIAN
        return self.turned[which] and (needed not in self.game.pin or bool(self.person[which]))

    @rule(which=st.sampled_from(Key), on=st.booleans())
    def turn(self, which: Key, on: bool) -> None:
        self.decide(ev.KeyTurned(self.now, which, on))
        self.turned[which], self.person[which] = on, ""

    @rule(which=st.sampled_from(Key), who=st.sampled_from(["Ana", "Luis", "Rosa"]))
    def identify(self, which: Key, who: str) -> None:
        other = TEC if which is SUP else SUP
        number = NUMBER_OF[who]
        results = self.decide(ev.PersonIdentified(self.now, which, who, number))
        may = (
            self.turned[which]
            and self.wrong[which] < 5
            and self.now >= self.until[which]
            and not self.shut(number)
            and self.now >= self.his_until[number]
            and self.person[other] != who
        )
        assert isinstance(results[0], ev.Refused) is not may
        if may:
            self.person[which], self.wrong[which], self.until[which] = who, 0, 0
            self.his[number], self.freed[number], self.his_until[number] = 0, 0, 0

    def shut(self, number: int) -> bool:
        return self.his[number] - self.freed[number] >= 5

    @rule(which=st.sampled_from(Key))
    def mistype(self, which: Key) -> None:
        """Nobody has this number; it counts for the key alone."""
        self.decide(ev.PinRefused(self.now, ROLE[which], 9))
        if self.wrong[which] < 5:
            self.wrong[which] += 1
            self.until[which] = self.now + 2 ** self.wrong[which] * SECOND

    @rule(number=st.sampled_from(NUMBERS))
    def guess(self, number: int) -> None:
        """A wrong PIN for one of the persons, who each have one key."""
        which = KEY_OF[number]
        self.decide(ev.PinRefused(self.now, ROLE[which], number, known=True))
        if self.wrong[which] < 5 and not self.shut(number):
            self.wrong[which] += 1
            self.his[number] += 1
            self.until[which] = self.now + 2 ** self.wrong[which] * SECOND
            self.his_until[number] = self.now + min(2 ** self.his[number], 3600) * SECOND

    @rule()
    def clear(self) -> None:
        helped = [(SUP, TEC), (TEC, SUP)]
        may = [
            one
            for one, other in helped
            if (self.wrong[one] >= 5 or any(self.shut(each) for each in NUMBERS if KEY_OF[each] is one))
            and self.turned[other]
            and (not self.game.pin or self.person[other])
            and self.wrong[other] < 5
        ]
        if self.table.phase is Phase.TEST:
            may = []
        self.decide(ev.FaultClearAsked(self.now, FaultCode.PIN_LOCKED))
        for which in may:
            self.wrong[which], self.until[which] = 0, 0
        for number in NUMBERS:
            if KEY_OF[number] in may and self.shut(number):
                self.freed[number], self.his_until[number] = self.his[number], 0

    @rule(seconds=st.integers(1, 90))
    def wait(self, seconds: int) -> None:
        self.now += seconds * SECOND

    @rule(on=st.tuples(st.booleans(), st.booleans()))
    def restart(self, on: tuple[bool, bool]) -> None:
        self.decide(ev.Started(self.now, supervisor=on[0], technician=on[1]))
        self.turned, self.person = {SUP: on[0], TEC: on[1]}, {SUP: "", TEC: ""}
        for which in Key:
            self.until[which] = self.now + 2 ** self.wrong[which] * SECOND if self.wrong[which] else 0
        for number in NUMBERS:
            if self.his_until[number]:
                self.his_until[number] = self.now + min(2 ** self.his[number], 3600) * SECOND

    @rule(data=st.data())
    def act(self, data: st.DataObject) -> None:
        kept = (ev.KeyTurned, ev.PersonIdentified, ev.PinRefused, ev.Started, ev.UserChanged)
        event = data.draw(st.sampled_from([each for each in self.matrix if not isinstance(each, kept)]))
        before = self.table
        results = self.decide(event)
        if isinstance(results[0], ev.Refused):
            return
        match KEYS_NEEDED.get(type(event)):
            case Refusal.SUPERVISOR_KEY:
                assert self.there(SUP), event
            case Refusal.BOTH_KEYS:
                assert self.there(SUP), event
                assert self.there(TEC), event
            case _:
                pass
        if isinstance(event, ev.AwardsApproved):
            assert self.there(SUP), event
        if isinstance(event, ev.SeatVoided) and before.phase is Phase.LOCKED:
            assert self.there(SUP), event
        if isinstance(event, ev.FaultClearAsked) and event.code is FaultCode.STORAGE_FAILED:
            assert self.there(TEC), event

    @invariant()
    def the_table_knows_who_is_there(self) -> None:
        if not hasattr(self, "table"):
            return
        assert (self.table.supervisor_person, self.table.technician_person) == (
            self.person[SUP],
            self.person[TEC],
        )
        assert (FaultCode.PIN_LOCKED in {each.code for each in self.table.faults}) is (
            max(self.wrong.values()) >= 5 or any(self.shut(number) for number in NUMBERS)
        )
        if self.table.phase is Phase.TEST:
            assert self.there(TEC)


TestKeys = Keys.TestCase
TestKeys.settings = settings(max_examples=100, stateful_step_count=60, deadline=None)
