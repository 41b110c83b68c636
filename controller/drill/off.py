"""What is done to a drilled table while its power is off: sessions of an administrator, other files, damaged files.

Every start here is the program's own; what it may not come up with is told to whoever watches.
"""

from collections.abc import Callable
from pathlib import Path

import msgspec
from msgspec.structs import replace

from controller.administer import RefusedError, Session, administer, parameters_changed
from controller.admit import StrandedError
from controller.agreed import agreed, changes_of
from controller.assemble import ParametersChangedError
from controller.config import Settings, board_digest, game_digest, terms_digest
from controller.core import events as ev
from controller.core.game import Role
from controller.core.table.presence import ROLE_OF, WAIT_MOST_NS, pin_locked
from controller.drill.seam_world import SeamWorld
from controller.drill.world import WorldError
from controller.journal import JournalError, ends_of
from controller.journal.store import Sealer
from controller.signing.device import Change
from controller.signing.key import KeyProblemError

PERSON = "Technician"
OTHER_PERSON = "Supervisor"


def accepted(world: SeamWorld, settings: Settings) -> None:
    """Both key holders accept what the files say now; what they may not is refused, and kept in the journal."""
    path = world.medium.journal
    _needs_power_off(world, "parameters are accepted")
    changes = changes_of(replace(settings, journal=path), ends_of(path).last.state)
    act = parameters_changed(settings, world.clock, changes, supervisor=OTHER_PERSON, technician=PERSON)
    administered(world, settings, act, both_keys=True)


def _needs_power_off(world: SeamWorld, what: str) -> None:
    if world.powered or world.medium.empty:
        raise WorldError(f"{what} with the power off, at a table that was commissioned")


def in_force(world: SeamWorld, settings: Settings) -> bool:
    """Whether the journal's rules and board are those of these settings."""
    return agreed(settings, ends_of(world.medium.journal).last.state)


def edited(world: SeamWorld, settings: Settings) -> None:
    """Start once on a file that was edited; it is put right again, whatever came of it."""
    _needs_power_off(world, "a file is edited")
    true, world.settings = world.settings, settings
    try:
        world.power_on(open_table=False)
    except ParametersChangedError:
        world.seams.happened["edited_file"] += 1
        return
    finally:
        world.settings = true
    if _digests(true) != _digests(settings):
        world.seams.watcher.edited(f"{settings.game.profile} plays by values nobody has accepted")
    world.power_off()


def _digests(settings: Settings) -> tuple[str, str, str]:
    return game_digest(settings.game), board_digest(settings), terms_digest(settings)


def administered(
    world: SeamWorld,
    settings: Settings,
    act: ev.AnyEvent,
    *,
    both_keys: bool,
    sealer: Sealer | None = None,
    session: Session = Session(),  # noqa: B008, a tuple of nothing that nobody can change
) -> bool:
    """Whether it was done; a refusal is in the journal."""
    _needs_power_off(world, "the table is administered")
    seams = world.seams
    seams.fresh_process()
    seams.watcher.waking(world.medium.journal)
    placed = replace(settings, journal=world.medium.journal, witness=world.medium.witness)
    try:
        administer(
            placed,
            world.clock,
            act,
            both_keys=both_keys,
            session=session,
            sealer=sealer,
            connect=world.connect,
            files=world.files,
        )
    except RefusedError:
        return False
    except StrandedError as error:
        seams.watcher.stranded(str(error))
        return False
    return True


def unlocked(world: SeamWorld, name: str, role: Role) -> None:
    """Both key holders free a PIN entry: the one it is not enters his PIN, if his own entry is free."""
    _needs_power_off(world, "a PIN entry is unlocked")
    now = world.clock.monotonic_ns()
    helper, who = (
        (ev.Key.SUPERVISOR, OTHER_PERSON) if role is Role.TECHNICIAN else (ev.Key.TECHNICIAN, PERSON)
    )
    table = ends_of(world.medium.journal).last.state
    alone = pin_locked(table, ROLE_OF[helper])
    # Whoever had entered a wrong one before has waited.
    came = ev.PersonIdentified(now + WAIT_MOST_NS, helper, who, 1)
    act = ev.UserChanged(now, name, 0, role, ev.UserChange.UNLOCKED, OTHER_PERSON, PERSON, alone=alone)
    session = Session(identified=() if alone else (came,))
    administered(world, world.settings, act, both_keys=True, session=session)


def rekeyed(world: SeamWorld, reason: str) -> None:
    """Both key holders give the journal another signing key; a refusal stores nothing and leaves the old one."""
    _needs_power_off(world, "a key is changed")
    change = Change(world.medium.journal, world.settings.table_id)
    now = world.clock.monotonic_ns()
    act = change.event(now, supervisor=OTHER_PERSON, technician=PERSON, reason=reason)
    change.prepare()
    try:
        done = administered(world, world.settings, act, both_keys=True, sealer=change.seal)
    except KeyProblemError:
        return  # refused: nothing was stored, and the old key stays in force
    if done:
        change.finish()


def start_on_other_files(world: SeamWorld, name: str, damage: Callable[[Path], None]) -> None:
    """A start on other files is refused, or the table that comes up is the true one.

    Not where both slots are spoiled already: then the table warns, and people compare it with paper (docs/evidence.md).
    """
    watcher = world.seams.watcher
    alone = world.second_copy_spoilt()

    def start() -> None:
        try:
            world.power_on(open_table=False)
        except (
            JournalError,
            ParametersChangedError,
        ):  # an older copy may be from before the files were agreed to
            world.seams.happened[f"{name}_refused"] += 1
            return
        if world.loop is None:
            world.seams.happened[f"{name}_refused"] += 1
            return
        world.seams.happened[f"{name}_harmless"] += 1
        if alone:
            return
        watcher.rotten(msgspec.json.decode(msgspec.json.encode(world.loop.table)))

    world.on_other_files(damage, start)
