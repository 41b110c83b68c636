"""Acts about persons: a key's holder enters his PIN, a dealer takes over with his number or his PIN."""

from collections.abc import Callable

from controller.core import events as ev
from controller.core.game import Role
from controller.core.table.presence import ROLE_OF, asked, person_locked, pin_locked, waits_ns
from controller.menu.ask import (
    Asking,
    GoneError,
    Nav,
    Option,
    Question,
    Scene,
    Script,
    confirm,
    digits,
    say,
)
from controller.menu.known import PIN_LEAST, PIN_MOST, Identify, Known
from controller.menu.poker import word
from controller.menu.verbs import Verb
from controller.texts import Line, Text

DEALER_MAX = 999_999
"""Persons are known by a number of six digits at most."""

PIN_VERB = {ev.Key.SUPERVISOR: Verb.SUPERVISOR_PIN, ev.Key.TECHNICIAN: Verb.TECHNICIAN_PIN}


def enter_pin(key: ev.Key) -> Asking:
    """The script by which the holder of this key says who he is."""

    def script(scene: Scene) -> Script[ev.AnyEvent | Identify]:
        if not asked(scene.game, scene.table, key):
            raise GoneError("this key waits for nobody")
        role = ROLE_OF[key]
        why = _unasked(scene, role)
        if why is not None:
            return ev.PinNotTried(0, role, 0, why)
        who = yield from _who(scene, PIN_VERB[key], role)
        if person_locked(scene.table, who.number):
            return ev.PinNotTried(0, role, who.number, ev.Refusal.PIN_LOCKED)
        pin = yield from _pin(scene, role, who.number, who.name)
        return Identify(0, role, who.number, who.name, str(who.number), pin)

    return script


def dealer(scene: Scene) -> Script[ev.AnyEvent | Identify]:
    """The number of the dealer who takes over; then his PIN where the policy asks, else his name is read back."""
    typed = yield from digits(lambda text: say(Text.DEALER_NUMBER, number=text or "-"), DEALER_MAX)
    number = int(typed)
    name = scene.people.dealer(number)
    if Role.DEALER not in scene.game.pin:
        if name:
            yield from confirm(say(Text.DEALER_IS, number=typed, person=name), guarded=False)
        return ev.DealerChanged(0, typed, name)
    why = _unasked(scene, Role.DEALER)
    if why is None and person_locked(scene.table, number):
        why = ev.Refusal.PIN_LOCKED
    if why is not None:
        return ev.PinNotTried(0, Role.DEALER, number, why)
    pin = yield from _pin(scene, Role.DEALER, number, name or typed)
    return Identify(0, Role.DEALER, number, name, typed, pin)


def _unasked(scene: Scene, role: Role) -> ev.Refusal | None:
    """Why it is no use to ask anybody of this role for a PIN, or None."""
    if pin_locked(scene.table, role):
        return ev.Refusal.PIN_LOCKED
    if not scene.people.readable:
        return ev.Refusal.USERS_UNREADABLE
    return None if scene.people.of(role) else ev.Refusal.NO_USERS


def _who(scene: Scene, verb: Verb, role: Role) -> Script[Known]:
    people = scene.people.of(role)
    options = tuple(
        Option(each.number, say(Text.PERSON, number=str(each.number), person=each.name), key=str(each.number))
        for each in people
    )
    answer = yield Question(say(Text.WHO, act=word(verb)), options, _waits(scene, role), numbers=True)
    for each in people:
        if each.number == answer:
            return each
    raise GoneError("this person is not offered any more")


def _pin(scene: Scene, role: Role, number: int, name: str) -> Script[str]:
    waits = _waits(scene, role, number)
    found = yield from pin_digits(lambda stars: say(Text.PIN, person=name, stars=stars), waits)
    return found


def pin_digits(prompt: Callable[[str], Line], facts: tuple[Line, ...] = ()) -> Script[str]:
    """A PIN digit by digit; `prompt` is given a star for each, and no error ever quotes a digit."""
    text = ""
    while True:
        fitting = range(10) if len(text) < PIN_MOST else ()
        options = [Option(digit, Line(Text.DIGIT, {"digit": digit}), key=str(digit)) for digit in fitting]
        if len(text) >= PIN_LEAST:
            options.append(Option(Nav.DONE, Line(Text.MENU_DONE)))
        answer = yield Question(
            prompt("*" * len(text) or "-"), tuple(options), facts, entry=True, secret=True
        )
        if answer == Nav.DONE and len(text) >= PIN_LEAST:
            return text
        if answer not in fitting:
            raise GoneError("what was entered is no further digit of a PIN")
        text += str(answer)


def _waits(scene: Scene, role: Role, number: int = 0) -> tuple[Line, ...]:
    """That there was a wrong PIN, and how long none is looked at after it; of one person, once he is chosen."""
    seconds = waits_ns(scene.table, role, number) // 1_000_000_000
    return (say(Text.PIN_WAITS, seconds=seconds),) if seconds else ()
