"""The acts of two persons, each to who decides it."""

from typing import assert_never

from controller.core import events as ev
from controller.core.game import Game
from controller.core.state import Table
from controller.core.table import link, parameters, people
from controller.core.table.gate import Outcome

BothKeysEvent = (
    ev.PotCorrected
    | ev.PotTransferred
    | ev.TransferSent
    | ev.TransferReceived
    | ev.ParametersChanged
    | ev.DeviceKeyChanged
    | ev.UserChanged
    | ev.ClaimGivenUp
)


def both_keys(game: Game, table: Table, event: BothKeysEvent) -> Outcome:
    """Decide what only both keys may do; the gate has seen them."""
    match event:
        case ev.PotCorrected():
            return parameters.pot_corrected(game, table, event)
        case ev.PotTransferred():
            return parameters.transferred(game, table, event)
        case ev.TransferSent():
            return parameters.sent(game, table, event)
        case ev.TransferReceived():
            return parameters.received(game, table, event)
        case ev.ParametersChanged():
            return parameters.changed(game, table, event)
        case ev.DeviceKeyChanged():
            return parameters.key_changed(table, event)
        case ev.UserChanged():
            return people.user_changed(game, table, event)
        case ev.ClaimGivenUp():
            return link.given_up(table, event)
        case _:
            assert_never(event)
