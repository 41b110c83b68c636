"""Key switches, the way into and out of TEST, and coming back after a stop or a power cut."""

from msgspec.structs import replace

from controller.core import events as ev
from controller.core.faults import OUTLIVE, SELF_CLEARING
from controller.core.game import Game, Role
from controller.core.state import Closure, Phase, Seat, Table
from controller.core.table.gate import Outcome, bets, cleared
from controller.core.table.people import gone, test_begun, waits_again
from controller.core.table.presence import present


def turned(game: Game, table: Table, event: ev.KeyTurned) -> Outcome:
    """Turn a key: whoever stood behind it is gone, and a lamp test with its supervisor.

    Technician's alone in CLOSED enters TEST, once its holder is there; turned back, it leaves it. A key that is heard
    to be turned twice has been turned back in between.
    """
    if event.key is ev.Key.SUPERVISOR:
        lamp_test = table.lamp_test and event.on
        return replace(gone(table, event.key), supervisor=event.on, lamp_test=lamp_test), (ev.Noted(),)
    table = replace(gone(table, event.key), technician=event.on)
    if present(game, table, event.key) and table.phase is Phase.CLOSED and not table.supervisor:
        return test_begun(table)
    if table.phase is Phase.TEST and not present(game, table, event.key):
        return replace(table, phase=Phase.CLOSED, recovered=False), (ev.PhaseChanged(Phase.CLOSED),)
    return table, (ev.Noted(),)


def started(game: Game, table: Table, event: ev.Started) -> Outcome:
    """Come back exactly where the last record stands.

    Only what belongs to the boot that ended is dropped: its stamps, device faults that will be reported anew,
    a lamp test, the persons behind the keys, and TEST itself if its key is no longer turned or wants its person. A
    release pulse whose end was not recorded is made again.
    """
    tested_on = event.technician and Role.TECHNICIAN not in game.pin
    phase = Phase.CLOSED if table.phase is Phase.TEST and not tested_on else table.phase
    faults, told = cleared(table.faults, SELF_CLEARING - OUTLIVE)
    pulse = None if table.release_until_ns is None else event.at_ns + game.release_ms * 1_000_000
    after = replace(
        waits_again(table, event.at_ns),
        phase=phase,
        seats=tuple(
            _new_boot(seat, number in event.active) for number, seat in enumerate(table.seats, start=1)
        ),
        faults=faults,
        supervisor=event.supervisor,
        technician=event.technician,
        supervisor_person="",
        technician_person="",
        release_until_ns=pulse,
        lamp_test=False,
        doing=None,
        recovered=phase is not Phase.CLOSED,
    )
    return after, (ev.Recovered(phase, bets(after)), *told)


def _new_boot(seat: Seat, active: bool) -> Seat:
    covered = active and seat.closed is Closure.FAULT
    if seat.placed_ns or seat.line_active is not covered:
        return replace(seat, placed_ns=0, line_active=covered)
    return seat
