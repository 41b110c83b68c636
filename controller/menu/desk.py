"""Acts about the table itself: open and close it, its dealer, its faults, its pots; and what there is to look at."""

from controller.core import events as ev
from controller.core.money import AMOUNT_MAX
from controller.menu.ask import (
    GoneError,
    Option,
    Scene,
    Script,
    allowed,
    amount,
    confirm,
    entry,
    pick,
    say,
    seat_option,
    several,
)
from controller.menu.poker import Why, word
from controller.menu.verbs import Verb
from controller.meters import is_money, meters
from controller.texts import Line, Text

MOVED = (Why.RECONCILED, Why.TYPED_WRONG, Why.MACHINE_FAULT, Why.OTHER)


def opening(scene: Scene) -> Script[ev.AnyEvent]:
    """The dealer looks at every lamp: the dark ones are named, or done."""
    seats = range(1, len(scene.table.seats) + 1)

    def lit(dark: tuple[int, ...]) -> tuple[Option, ...]:
        return tuple(seat_option(seat) for seat in seats if seat not in dark)

    dead = yield from several(
        lambda dark: say(Text.DARK_LAMPS, seats=" ".join(str(seat) for seat in dark) or "-"),
        lit,
        least=0,
        most=len(seats),
    )
    return ev.TableOpened(0, tuple(sorted(dead)))


def closing(_: Scene) -> Script[ev.AnyEvent]:
    """Yes."""
    yield from confirm(say(Text.SURE, act=word(Verb.CLOSE)))
    return ev.TableClosed(0)


def late_lock(_: Scene) -> Script[ev.AnyEvent]:
    """Yes: COIN IN had been forgotten."""
    yield from confirm(say(Text.SURE, act=word(Verb.LATE_LOCK)))
    return ev.LateLocked(0)


def clear_fault(scene: Scene) -> Script[ev.AnyEvent]:
    """Which fault, among those that can be cleared by hand now."""
    codes = {
        fault.code: None for fault in scene.table.faults if allowed(scene, ev.FaultClearAsked(0, fault.code))
    }
    code = yield from pick(say(Text.WHICH_FAULT), [(code, entry("fault", code)) for code in codes])
    return ev.FaultClearAsked(0, code)


def correct(scene: Scene) -> Script[ev.AnyEvent]:
    """The level, the amount digit by digit, why; then old and new value are read back in words."""
    level = yield from _level(scene, say(Text.WHICH_LEVEL, act=word(Verb.CORRECT)), "")
    new = yield from amount(Text.NEW_AMOUNT, AMOUNT_MAX)
    why = yield from _moved(Verb.CORRECT)
    before = next(each.current for each in scene.table.pot.levels if each.name == level)
    facts = (say(Text.POT_BECOMES, level=level, before=before, amount=new), say(Text.SPELLED, spelled=new))
    yield from confirm(say(Text.SURE, act=word(Verb.CORRECT)), facts)
    return ev.PotCorrected(0, level, new, why.value)


def transfer(scene: Scene) -> Script[ev.AnyEvent]:
    """From which level, to which, how much, why; read back in words. A table with one level has nothing to move."""
    if len(_own(scene)) < 2:
        raise GoneError("there is no other level")
    source = yield from _level(scene, say(Text.WHICH_LEVEL, act=word(Verb.TRANSFER)), "")
    target = yield from _level(scene, say(Text.TO_LEVEL, level=source), source)
    moved = yield from amount(Text.MOVED_AMOUNT, AMOUNT_MAX)
    why = yield from _moved(Verb.TRANSFER)
    facts = (
        say(Text.FROM_TO, source=source, target=target, amount=moved),
        say(Text.SPELLED, spelled=moved),
    )
    yield from confirm(say(Text.SURE, act=word(Verb.TRANSFER)), facts)
    return ev.PotTransferred(0, source, target, moved, why.value)


def give_up_claim(scene: Scene) -> Script[ev.AnyEvent]:
    """Which claim that the floor does not answer, why, and yes. Nothing to give up: there is no such act."""
    rows = [
        (claim.number, say(Text.CLAIM_AT_LINK, number=claim.number, last=claim.last, level=claim.level))
        for claim in scene.table.link_claims
    ]
    number = yield from pick(say(Text.WHICH_CLAIM), rows)
    why = yield from _moved(Verb.GIVE_UP_CLAIM)
    yield from confirm(say(Text.SURE, act=word(Verb.GIVE_UP_CLAIM)))
    return ev.ClaimGivenUp(0, number, why.value)


def _level(scene: Scene, prompt: Line, but: str) -> Script[str]:
    names = [name for name in _own(scene) if name != but]
    return (yield from pick(prompt, [(name, say(Text.LEVEL, level=name)) for name in names]))


def _own(scene: Scene) -> list[str]:
    """The levels whose money is here, not at the floor."""
    return [rules.name for rules in scene.game.levels if rules.link is None]


def _moved(verb: Verb) -> Script[Why]:
    return (yield from pick(say(Text.WHY, act=word(verb)), [(why, entry("why", why)) for why in MOVED]))


def show_meters(scene: Scene) -> Script[None]:
    """Every meter, one a row; choosing one goes back."""
    rows = [(name, _meter(name, value)) for name, value in meters(scene.table).items()]
    yield from pick(say(Text.METERS), rows)


def _meter(name: str, value: int) -> Line:
    if is_money(name):
        return say(Text.METER_OF_MONEY, name=name, amount=value)
    return say(Text.METER, name=name, value=value)


def show_pulses(scene: Scene) -> Script[None]:
    """A line, then its last pulses, the newest first; choosing one goes back."""
    line = yield from pick(
        say(Text.WHICH_LINE), [(line, say(Text.LINE, line=line)) for line in sorted(scene.pulses)]
    )
    rows = [
        (place, say(Text.PULSE, width=_ms(pulse.width_ns), gap=_ms(pulse.gap_ns)))
        for place, pulse in enumerate(scene.pulses.get(line, ()))
    ]
    yield from pick(say(Text.PULSES, line=line), rows)


def _ms(ns: int) -> str:
    """Milliseconds with one decimal, without a float."""
    tenths = ns // 100_000
    return f"{tenths // 10}.{tenths % 10}"
