"""An update from the bundle to the restart that tries it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, Protocol

import msgspec

from controller.config import Settings
from controller.signing.key import read_public
from controller.updating.admit import last_of, refuse_in_play, refuse_unfit
from controller.updating.bundle import Bundle, UpdateError, opened
from controller.updating.slots import Card, Slot
from controller.updating.trial import PLACE, Trial, remember, remembered
from controller.updating.write import refuse_small, write

RELEASE: Final = Path("/usr/lib/pozo/release.json")


class Release(msgspec.Struct, frozen=True):
    """What the running root says of itself."""

    version: str
    built: int


class Manager(Protocol):
    """The service manager, as far as an update needs it."""

    def stop_table(self) -> None:
        """End the table's unit in order; done on return."""

    def start_table(self) -> None:
        """Start it again."""

    def restart(self, *, trying: bool) -> None:
        """Start the board anew, with the other slot once if `trying`."""


class Appliance(msgspec.Struct, frozen=True):
    """A card with slots, and where things lie on it."""

    manager: Manager
    card: Card = Card()
    release: Path = RELEASE
    place: Path = PLACE

    def running(self) -> Release:
        """The release that runs. Raises `UpdateError`."""
        try:
            return msgspec.json.decode(self.release.read_bytes(), type=Release)
        except (OSError, msgspec.MsgspecError) as error:
            raise UpdateError(f"{self.release} does not say which release runs: {error}") from error


def proven(file: BinaryIO, settings: Settings) -> Bundle:
    """The bundle in `file`, signed with the release key that this table trusts. Raises `UpdateError`."""
    if settings.software is None:
        raise UpdateError(f"{settings.source} names no release key: give [software] as the shipped file does")
    return opened(file, read_public(settings.software.key))


def install(
    file: BinaryIO,
    settings: Settings,
    appliance: Appliance,
    say: Callable[[str], None],
    *,
    again: bool = False,
) -> None:
    """Prove, write, compare, then stop the closed table and try the other slot once. Raises `UpdateError`.

    `again`: also what was tried and did not hold. Until the restart the table stands as it was; one that was opened
    meanwhile plays on. Each refusal says what is on the card by then.
    """
    with _standing("nothing was written"):
        bundle, slot = _admitted(file, settings, appliance, again=again)
    say(f"version {bundle.update.version} goes into slot {slot}")
    with _standing(
        f"slot {slot} holds only a part of the update and is not started, and the table stands as it was"
    ):
        write(bundle, appliance.card, slot)
    say("written and compared")
    appliance.manager.stop_table()
    try:
        with _standing(f"slot {slot} holds the update and is not started: ask again, and it is written anew"):
            last = last_of(settings)
            refuse_in_play(settings, last, keys=False)
            seq = 0 if last is None else last.seq
            remember(appliance.place, Trial(bundle.digest, bundle.update.version, slot, seq))
    except BaseException:
        appliance.manager.start_table()
        raise
    say(f"slot {slot} is tried once")
    appliance.manager.restart(trying=True)


def _admitted(
    file: BinaryIO, settings: Settings, appliance: Appliance, *, again: bool
) -> tuple[Bundle, Slot]:
    """What may be written now, and where. Raises `UpdateError`, `OSError`."""
    card = appliance.card
    if card.on_trial:
        raise UpdateError("the running program is itself on trial: wait until it holds, a minute of play")
    bundle = proven(file, settings)
    refuse_in_play(settings, last_of(settings))
    tried = None if again else remembered(appliance.place)
    refuse_unfit(bundle, settings, appliance.running().built, tried)
    slot = card.running().other
    refuse_small(bundle.update, card, slot)
    return bundle, slot


@contextmanager
def _standing(card: str) -> Iterator[None]:
    """Add to what goes wrong here what the card holds then."""
    try:
        yield
    except (UpdateError, OSError) as error:
        raise UpdateError(f"{error}. Now: {card}") from error
