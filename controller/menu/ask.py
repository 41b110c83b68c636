"""How the dealer's menu asks: questions, their options, and scripts that ask one after the other.

A script is a generator: it yields a question and is sent the value of the option that was chosen. It is played
again from its first question whenever the menu is looked at, so it may know the scene it was given and nothing
else; an answer that the table no longer offers ends it with `GoneError`.
"""

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple, TypeVar

import msgspec

from controller.core import events as ev
from controller.core.game import Game
from controller.core.state import Table
from controller.core.table import step
from controller.inputs.pulses import Pulse
from controller.menu.known import NOBODY, Identify, People
from controller.texts import Coded, Line, Text, Value

T = TypeVar("T")


class Nav(StrEnum):
    """Options that are no answer of their own."""

    DONE = "done"
    BACK = "back"
    YES = "yes"
    NO = "no"


class Option(msgspec.Struct, frozen=True):
    """One thing to choose. `seat`: whose lamp blinks while it is marked. `key`: the digits that mark it."""

    value: object
    label: Line
    seat: int = 0
    key: str = ""


class Question(msgspec.Struct, frozen=True):
    """What is asked. `facts` stand between prompt and options; `seat`: the seat it is about, whose lamp blinks.

    `entry`: digits are entered one by one, so a keypad's digit is chosen at once and ENTER means done; with `secret`
    ENTER means nothing before that. `numbers`: an option's key is a number that is typed whole and shown meanwhile.
    `guarded`: the way back stands first, so that whoever only goes on choosing what is marked never does the act.
    """

    prompt: Line
    options: tuple[Option, ...]
    facts: tuple[Line, ...] = ()
    seat: int = 0
    entry: bool = False
    secret: bool = False
    numbers: bool = False
    guarded: bool = False


class Scene(NamedTuple):
    """All that a script may know."""

    game: Game
    table: Table
    pulses: Mapping[str, tuple[Pulse, ...]]
    people: People = NOBODY


Script = Generator[Question, object, T]
Asking = Callable[[Scene], Script[ev.AnyEvent | Identify | None]]
"""Makes an act's script; it returns the act or a PIN to be looked at (the time is filled in later), or None if there
was only to look."""


class GoneError(LookupError):
    """The answer is not, or no longer, among the options."""


def play(script: Script[T], answers: Iterable[object]) -> Question | T:
    """The question that stands after these answers, or what the script returned. Raises `GoneError`."""
    try:
        question = next(script)
        for answer in answers:
            question = script.send(answer)
    except StopIteration as stop:
        returned: T = stop.value
        return returned
    return question


def refusal(scene: Scene, event: ev.AnyEvent) -> ev.Refusal | None:
    """Why the table would refuse this now, or None."""
    for result in step(scene.game, scene.table, event)[1]:
        if isinstance(result, ev.Refused):
            return result.reason
    return None


def allowed(scene: Scene, event: ev.AnyEvent) -> bool:
    """Whether the table would do this now."""
    return refusal(scene, event) is None


def say(text: Text, **values: Value) -> Line:
    """A line."""
    return Line(text, values)


def entry(kind: str, code: str) -> Line:
    """A line of one word of the catalogues."""
    return Line(Text.ENTRY, {"entry": Coded(kind, code)})


def pick(
    prompt: Line,
    choices: Sequence[tuple[T, Line]],
    *,
    facts: tuple[Line, ...] = (),
    seat: int = 0,
    guarded: bool = False,
) -> Script[T]:
    """Ask for one of several; a keypad marks them by their place, from 1."""
    options = tuple(
        Option(value, label, key=str(place)) for place, (value, label) in enumerate(choices, start=1)
    )
    answer = yield Question(prompt, options, facts, seat, guarded=guarded)
    for value, _ in choices:
        if value == answer:
            return value
    raise GoneError(f"{answer!r} is not offered any more")


def pick_seat(prompt: Line, seats: Iterable[int], *, guarded: bool = False) -> Script[int]:
    """Ask for a seat; a keypad marks it by its number."""
    answer = yield Question(prompt, tuple(seat_option(seat) for seat in seats), guarded=guarded)
    if isinstance(answer, int) and answer in seats:
        return answer
    raise GoneError(f"seat {answer!r} is not offered any more")


def seat_option(seat: int) -> Option:
    """A seat to choose: its lamp blinks."""
    return Option(seat, Line(Text.SEAT, {"seat": seat}), seat, str(seat))


def confirm(
    prompt: Line, facts: tuple[Line, ...] = (), *, seat: int = 0, guarded: bool = True
) -> Script[None]:
    """Ask once more before something that cannot be taken back; yes is marked only by somebody who means it."""
    yield from pick(prompt, [(Nav.YES, Line(Text.MENU_YES))], facts=facts, seat=seat, guarded=guarded)


def yes_or_no(prompt: Line) -> Script[bool]:
    """Ask whether something is so; no stands first."""
    answer = yield from pick(prompt, [(Nav.NO, Line(Text.NO)), (Nav.YES, Line(Text.YES))])
    return answer is Nav.YES


def digits(prompt: Callable[[str], Line], most: int) -> Script[str]:
    """Ask for a whole number from 0 to `most`, digit by digit; back takes the last digit away.

    `prompt` words what was entered so far.
    """
    text = ""
    while True:
        fitting = [
            digit for digit in range(10) if len(text) < len(str(most)) and int(f"{text}{digit}") <= most
        ]
        options = [Option(digit, Line(Text.DIGIT, {"digit": digit}), key=str(digit)) for digit in fitting]
        if text:
            options.append(Option(Nav.DONE, Line(Text.MENU_DONE)))
        answer = yield Question(prompt(text), tuple(options), entry=True)
        if answer == Nav.DONE and text:
            return text
        if answer not in fitting:
            raise GoneError(f"{answer!r} does not fit behind {text!r}")
        text += str(answer)


def amount(text: Text, most: int, **values: Value) -> Script[int]:
    """Ask for an amount in minor units; the prompt shows it as the table writes money, growing from the right."""
    found = yield from digits(lambda typed: Line(text, {**values, "amount": int(typed or "0")}), most)
    return int(found)


def number(text: Text, most: int) -> Script[int]:
    """Ask for a whole number from 0 to `most`."""
    found = yield from digits(lambda typed: Line(text, {"number": typed or "-"}), most)
    return int(found)


def several(
    prompt: Callable[[tuple[int, ...]], Line],
    choices: Callable[[tuple[int, ...]], tuple[Option, ...]],
    least: int,
    most: int,
) -> Script[tuple[int, ...]]:
    """Ask again and again, until done or `most` were chosen. Both callables are given what was chosen so far."""
    chosen: tuple[int, ...] = ()
    while len(chosen) < most:
        options = choices(chosen)
        done = (Option(Nav.DONE, Line(Text.MENU_DONE)),) if len(chosen) >= least else ()
        answer = yield Question(prompt(chosen), (*done, *options))
        if done and answer == Nav.DONE:
            break
        if not isinstance(answer, int) or answer not in [option.value for option in options]:
            raise GoneError(f"{answer!r} is not offered any more")
        chosen = (*chosen, answer)
    return chosen
