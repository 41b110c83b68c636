"""How a button, a key or time moves the menu: `menu_step`, pure and total."""

from collections.abc import Mapping
from typing import assert_never

from msgspec.structs import replace

from controller.core import events as ev
from controller.core.game import Game
from controller.core.state import Phase, Table
from controller.core.table.presence import asked, turned
from controller.inputs.pulses import Pulse
from controller.menu.acts import conversation, offered
from controller.menu.ask import GoneError, Nav, Option, Question, Scene, play, say
from controller.menu.known import NOBODY, Identify, People
from controller.menu.people import PIN_VERB
from controller.menu.state import SILENCE_NS, Given, Looked, Menu, Pushed, Turned, Typed
from controller.menu.verbs import Verb
from controller.texts import Text

Outcome = tuple[Menu, tuple[ev.AnyEvent | Identify, ...]]

NO_PULSES: Mapping[str, tuple[Pulse, ...]] = {}
NUMBER_DIGITS = 6
"""Digits of the longest number that a person has."""

_VERBS = {verb.value: verb for verb in Verb}


def menu_step(
    game: Game,
    table: Table,
    menu: Menu,
    given: Given,
    pulses: Mapping[str, tuple[Pulse, ...]] = NO_PULSES,
    *,
    people: People = NOBODY,
) -> Outcome:
    """The menu after this, and the events the table must decide, a button's own where it is not the menu's.

    COIN IN always passes while bets are open, and closes the menu; in any other phase it goes one step back, which
    changes nothing at the table. GAME OVER passes only while the menu is closed, and held down only in TEST. A button
    that went down before the page it meets, or before the menu closed, does nothing. A key that waits for its person
    opens the page that asks who he is, unless somebody is in the middle of an act; turned back, it takes that away.
    """
    scene = Scene(game, table, pulses, people)
    match given:
        case Looked(at_ns=at_ns):
            return _looked(scene, menu, at_ns), ()
        case Typed(key=key, at_ns=at_ns):
            return _typed(scene, _looked(scene, menu, at_ns), key, at_ns)
        case Pushed(event=event, fell_ns=fell_ns):
            menu = _looked(scene, menu, event.at_ns)
            if isinstance(event, ev.CoinInPressed):
                return _coin_in(scene, menu, event)
            return _game_over(scene, menu, event, fell_ns)
        case Turned():
            return _turned(scene, menu, given)
        case _:
            assert_never(given)


def question(scene: Scene, menu: Menu) -> Question:
    """What the open menu asks now, the way back among the options. Raises `GoneError` if the table has moved on."""
    found = play(conversation(scene), menu.path)
    if not isinstance(found, Question):
        raise GoneError("this act needs no more answers")
    back = Option(Nav.BACK, say(Text.MENU_BACK if menu.path else Text.MENU_LEAVE))
    options = (back, *found.options) if found.guarded else (*found.options, back)
    return replace(found, options=options)


def marked(asked: Question, menu: Menu) -> Option:
    """The option that stands marked."""
    found = (option for option in asked.options if option.value == menu.marked)
    return next(found, asked.options[0])


def _looked(scene: Scene, menu: Menu, at_ns: int) -> Menu:
    """Close after silence or with the phase, whose page says what comes next; leave a page that has lost its use."""
    if not menu.open:
        return menu
    if at_ns >= menu.closes_at_ns or scene.table.phase is not menu.phase:
        return _closed(at_ns)
    try:
        asked = question(scene, menu)
    except GoneError:
        if _left_alone(scene, menu):
            return _closed(at_ns)
        return replace(menu, path=(), marked=None, typed="", since_ns=at_ns)
    if menu.marked is None or marked(asked, menu).value == menu.marked:
        return menu
    return replace(menu, marked=None, typed="", since_ns=at_ns)


def _left_alone(scene: Scene, menu: Menu) -> bool:
    """Whether the menu asks who stands behind a key that has been turned back."""
    return any(menu.path[:1] == (verb,) and not turned(scene.table, key) for key, verb in PIN_VERB.items())


def _closed(at_ns: int) -> Menu:
    return Menu(since_ns=at_ns)


def _opened(scene: Scene, at_ns: int) -> Menu:
    return Menu(open=True, phase=scene.table.phase, since_ns=at_ns, closes_at_ns=at_ns + SILENCE_NS)


def _turned(scene: Scene, menu: Menu, given: Turned) -> Outcome:
    verb = PIN_VERB[given.key]
    menu = _looked(scene, menu, given.at_ns)
    if (
        not given.on
        or menu.path
        or scene.table.phase is Phase.TEST
        or not asked(scene.game, scene.table, given.key)
    ):
        return menu, ()
    return _choose(scene, _opened(scene, given.at_ns), verb, given.at_ns)


def _coin_in(scene: Scene, menu: Menu, event: ev.CoinInPressed) -> Outcome:
    if not menu.open:
        return menu, (event,)
    if scene.table.phase is Phase.OPEN:
        return _closed(event.at_ns), (event,)
    if event.at_ns < menu.since_ns:
        return menu, ()
    return _back(menu, event.at_ns), ()


def _game_over(
    scene: Scene, menu: Menu, event: ev.GameOverPressed | ev.GameOverHeld, fell_ns: int
) -> Outcome:
    if scene.table.phase is Phase.TEST:
        return menu, (event,)
    if fell_ns < menu.since_ns:
        return menu, ()
    held = isinstance(event, ev.GameOverHeld)
    if not menu.open:
        return (_opened(scene, event.at_ns), ()) if held else (menu, (event,))
    if held:
        return _choose(scene, menu, marked(question(scene, menu), menu).value, event.at_ns)
    return _next(scene, menu, event.at_ns), ()


def _next(scene: Scene, menu: Menu, at_ns: int) -> Menu:
    asked = question(scene, menu)
    values = [option.value for option in asked.options]
    place = values.index(marked(asked, menu).value)
    return _touched(replace(menu, marked=values[(place + 1) % len(values)], typed=""), at_ns)


def _choose(scene: Scene, menu: Menu, value: object, at_ns: int) -> Outcome:
    if value == Nav.BACK:
        return _back(menu, at_ns), ()
    path = (*menu.path, value)
    after = _page(menu, path, at_ns)
    found = play(conversation(scene), path)
    if isinstance(found, Question):
        return after, ()
    if isinstance(found, Identify):
        # A wrong PIN may be followed by a right one at once; a right one takes this page away.
        return _page(menu, path[:1], at_ns), (replace(found, at_ns=at_ns),)
    top = _page(menu, (), at_ns)
    if found is None:
        return top, ()
    return top, (replace(found, at_ns=at_ns),)


def _back(menu: Menu, at_ns: int) -> Menu:
    if not menu.path:
        return _closed(at_ns)
    *path, last = menu.path
    return replace(_page(menu, tuple(path), at_ns), marked=last)


def _page(menu: Menu, path: tuple[object, ...], at_ns: int) -> Menu:
    return _touched(replace(menu, path=path, marked=None, typed="", since_ns=at_ns), at_ns)


def _touched(menu: Menu, at_ns: int) -> Menu:
    return replace(menu, closes_at_ns=at_ns + SILENCE_NS)


def _typed(scene: Scene, menu: Menu, key: str, at_ns: int) -> Outcome:
    """A keypad's key; one that means nothing here changes nothing, as the screen shows."""
    if scene.table.phase is Phase.TEST:
        return menu, ()
    verb = _VERBS.get(key.lower())
    if not menu.open:
        if verb is None and key != "ENTER":
            return menu, ()
        menu = _opened(scene, at_ns)
        return (menu, ()) if verb is None else _called(scene, menu, verb, at_ns)
    if verb is not None:
        return _called(scene, menu, verb, at_ns)
    asked = question(scene, menu)
    if asked.numbers and menu.typed and (key == "CLEAR" or not _is_typed(asked, menu)):
        return _number(menu, asked, key, at_ns), ()
    if key == "CLEAR":
        return _back(menu, at_ns), ()
    if key == "ENTER":
        done = asked.entry and any(option.value == Nav.DONE for option in asked.options)
        if asked.secret and not done:
            return menu, ()
        return _choose(scene, menu, Nav.DONE if done else marked(asked, menu).value, at_ns)
    return _digit(scene, menu, asked, key, at_ns)


def _called(scene: Scene, menu: Menu, verb: Verb, at_ns: int) -> Outcome:
    """A function key begins its act, if the table would take it up; else the menu's first page shows what it would."""
    top = _page(menu, (), at_ns)
    return _choose(scene, top, verb, at_ns) if verb in offered(scene) else (top, ())


def _digit(scene: Scene, menu: Menu, asked: Question, key: str, at_ns: int) -> Outcome:
    by_key = {option.key: option.value for option in asked.options if option.key}
    if asked.numbers:
        return _number(menu, asked, key, at_ns), ()
    if asked.entry:
        return _choose(scene, menu, by_key[key], at_ns) if key in by_key else (menu, ())
    for typed in (menu.typed + key, key):
        if typed in by_key:
            return _touched(replace(menu, marked=by_key[typed], typed=typed), at_ns), ()
    return menu, ()


def _is_typed(asked: Question, menu: Menu) -> bool:
    """Whether the number typed so far is one of those offered."""
    return any(option.key == menu.typed for option in asked.options)


def _number(menu: Menu, asked: Question, key: str, at_ns: int) -> Menu:
    """A number typed whole: what it marks once it is one that is offered; CLEAR, or ENTER behind another, drops it."""
    typed = (menu.typed + key)[:NUMBER_DIGITS] if key.isdigit() else ""
    found = next((option.value for option in asked.options if option.key == typed), None)
    return _touched(replace(menu, marked=found, typed=typed), at_ns)
