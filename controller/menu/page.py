"""What the open menu shows: its lines on the croupier's screen, and the seat whose lamp blinks."""

from collections.abc import Mapping

from controller.core.game import Game
from controller.core.state import Table
from controller.inputs.pulses import Pulse
from controller.menu.ask import Scene
from controller.menu.known import NOBODY, People
from controller.menu.state import Menu
from controller.menu.walk import NO_PULSES, marked, question
from controller.pages import urgent
from controller.texts import Line, Text

WINDOW = 3
"""Options shown at once, the marked one and the next: a small screen holds few rows without turning pages."""


def menu_lines(
    game: Game,
    table: Table,
    menu: Menu,
    pulses: Mapping[str, tuple[Pulse, ...]] = NO_PULSES,
    *,
    people: People = NOBODY,
) -> tuple[Line, ...]:
    """The question, what is urgent, the marked option and the next ones; on the first page what the buttons do."""
    asked = question(Scene(game, table, pulses, people), menu)
    options = asked.options
    place = options.index(marked(asked, menu))
    shown = [options[(place + step) % len(options)] for step in range(min(WINDOW, len(options)))]
    return (
        asked.prompt,
        *([Line(Text.TYPED, {"number": menu.typed})] if asked.numbers and menu.typed else []),
        *urgent(game, table),
        *asked.facts,
        Line(Text.MENU_MARKED, {"entry": shown[0].label}),
        *(Line(Text.MENU_OTHER, {"entry": option.label}) for option in shown[1:]),
        *(() if menu.path else (Line(Text.MENU_HELP),)),
    )


def chosen_seat(
    game: Game,
    table: Table,
    menu: Menu,
    pulses: Mapping[str, tuple[Pulse, ...]] = NO_PULSES,
    *,
    people: People = NOBODY,
) -> int:
    """The seat the menu stands on, 0 for none."""
    if not menu.open:
        return 0
    asked = question(Scene(game, table, pulses, people), menu)
    return marked(asked, menu).seat or asked.seat
