"""The board that a table was last agreed to play on, for the displays of one whose files cannot be read."""

from pathlib import Path

import msgspec

from controller.agreed import board_in_force
from controller.journal import JournalError
from hal.interface import Device, Factory, Input, Output, ScreenWiring, Wiring


class _Board(msgspec.Struct, frozen=True):
    """What of a board as written is needed to show that nothing is played."""

    factory: Factory
    chip_labels: tuple[str, ...]
    inputs: dict[str, Input]
    outputs: dict[str, Output]
    devices: tuple[Device, ...]
    screen: ScreenWiring | None


def last_wiring(journal: Path) -> Wiring | None:
    """Lines and screen of the board in force; None where no journal tells one that this program knows."""
    try:
        known = board_in_force(journal)
        board = msgspec.convert(known, _Board) if known else None
    except (JournalError, msgspec.ValidationError):
        return None  # the screen alone is left, and the reason that is shown there is another one
    if board is None:
        return None
    screen = (Device.SCREEN,) if Device.SCREEN in board.devices else ()
    lines = tuple(board.inputs.values()), tuple(board.outputs.values())
    return Wiring(board.factory, board.chip_labels, *lines, screen, board.screen)
