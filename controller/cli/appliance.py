"""`pozo appliance`: what the table's unit runs. It brings the technician's file in and plays, or shows why it cannot.

It ends with an error whenever another try is worth it; the service manager makes that try a second later.
"""

import os
import sys
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path

import click

from controller.appliance.agreeing import agreement_lines, done_lines, stored_lines
from controller.appliance.bring_in import bring_in
from controller.appliance.enrolment import Enrolment
from controller.appliance.entering import Pages
from controller.appliance.last_board import last_wiring
from controller.appliance.standby import Standby, Until
from controller.appliance.telling import Phrases, kept_lines, lines
from controller.assemble import commission_table
from controller.cli.errors import PLAIN
from controller.cli.hardware import hardware_of
from controller.cli.run import Ending, play_table, warned
from controller.clock import SystemClock
from controller.config import ConfigError, Settings, load
from controller.core.game import Role
from controller.core.state import Phase
from controller.errands import PLACE, Runners
from controller.journal import JournalError, NotCommissionedError, ends_of
from controller.own import prove_program
from controller.single import AlreadyRunningError, SingleInstance
from controller.users.first import add_first, known, roles_lacking
from controller.words import Words
from hal.interface import HalError, ScreenWiring, Wiring
from hal.screenonly import USUAL, ScreenOnly, i2c_screen

LANGUAGE = "es"
"""Of a table whose file, which would name another one, cannot be read."""

KEPT_NS = 15_000_000_000
"""How long a closed table shows that a new file was not taken, before it goes on with the old one."""

NOTED_NS = 600_000_000_000
"""How long the public key of a new table stands on its screen, if nobody says that it was noted."""


@click.command()
@click.option(
    "--from",
    "source",
    type=click.Path(path_type=Path),
    required=True,
    help="The technician's folder on the boot partition; it is only read.",
)
@click.option(
    "--config",
    "target",
    type=click.Path(path_type=Path),
    required=True,
    help="The table's file in force, on the data partition.",
)
@click.option(
    "--bench", type=click.Path(path_type=Path), help="Drive a simulated board from this serial port or pty."
)
def appliance(source: Path, target: Path, bench: Path | None) -> None:
    """Bring the technician's file in and run the table until SIGTERM; show on its screen why it does not start.

    A new table is commissioned here too: both keys, and GAME OVER held for three seconds. Then its first persons
    enter number and PIN.
    """
    ending = Ending()
    ending.listen()
    sys.exit(Unit(source, target, bench, ending).run())


class Unit:
    """One start of a table's unit. `run` gives the exit code."""

    def __init__(self, source: Path, target: Path, bench: Path | None, ending: Ending) -> None:
        self._source = source
        self._target = target
        self._bench = bench
        self._ending = ending
        self._clock = SystemClock()
        self._settings: Settings | None = None
        self._brought = _seen(source)
        """The technician's folder before it was read: what is repaired from here on is another try worth."""

    def run(self) -> int:
        """Play until told to stop, or show why not until that may have changed."""
        try:
            return self._start()
        except AlreadyRunningError as error:
            # The other one has the displays too.
            click.echo(f"Error: {error}", err=True)
            return 1

    def _start(self) -> int:
        try:
            kept = bring_in(self._source, self._target)
            self._settings = settings = warned(load(str(self._target)))
            if kept is not None:
                self._say_kept(kept, settings)
            ended = self._first_persons(settings)
            if ended is not None:
                return ended
            return 1 if play_table(settings, self._bench, self._ending, Runners(PLACE)) else 0
        except NotCommissionedError as error:
            if self._settings is None:
                raise
            click.echo(f"{error}; or at the table: both keys and GAME OVER for three seconds", err=True)
            return self._new_table(self._settings)
        except AlreadyRunningError:
            raise
        except PLAIN as error:
            click.echo(f"Error: {error}", err=True)
            return self._stand(error)
        except Exception as error:
            self._stand(error)
            raise

    def _say_kept(self, error: ConfigError, settings: Settings) -> None:
        click.echo(f"the new file was not taken, the old one stays in force: {error}", err=True)
        if _closed(settings) and _first_time(str(error)):
            phrases = Phrases(settings.language)
            self._shown(kept_lines(error, phrases), settings.wiring, Until(KEPT_NS, go_on=True))

    def _first_persons(self, settings: Settings) -> int | None:
        """Let a table without persons be given its first ones with both keys; the exit code, None where it plays on."""
        roles = _lacking(settings)
        if not roles:
            return None
        click.echo("nobody has a PIN yet: at the table with both keys, or `pozo users add`", err=True)
        phrases = Phrases(settings.language)
        pages = Pages(roles, known(settings), phrases, _words(settings))
        hal = hardware_of(settings.wiring, str(self._target), self._bench)
        asks = Enrolment(hal, settings, self._clock, pages, Until(None, self._watch()))
        self._run(asks)
        if asks.stopped:
            return 0
        if not asks.entered:
            return None if asks.declined else 1
        with SingleInstance(settings.journal):
            add_first(settings, self._clock, asks.entered)
        told = stored_lines([each.name for each in asks.entered], phrases)
        return 0 if self._shown(told, settings.wiring, Until(KEPT_NS, go_on=True)).stopped else None

    def _stand(self, error: Exception) -> int:
        settings = self._settings
        phrases = Phrases(LANGUAGE if settings is None else settings.language)
        wiring = last_wiring(self._target.with_name("journal.db")) if settings is None else settings.wiring
        told = lines(error, phrases, settings)
        try:
            stands = self._shown(told, wiring, Until(changed=self._watch()))
        except HalError as hal_error:
            # The board is what does not answer: the screen may.
            click.echo(f"no display on the table's board: {hal_error}", err=True)
            screen = None if wiring is None else i2c_screen(wiring)
            stands = self._shown(told, None, Until(changed=self._watch()), screen or USUAL)
        return 0 if stands.stopped else 1

    def _new_table(self, settings: Settings) -> int:
        """Offer to commission the table, by both keys."""
        phrases = Phrases(settings.language)
        told = agreement_lines(settings, phrases)
        try:
            stands = self._shown(told, settings.wiring, Until(None, self._watch(), agree=True))
            if not stands.agreed:
                return 0 if stands.stopped else 1
            settings.journal.parent.mkdir(parents=True, exist_ok=True)
            with SingleInstance(settings.journal):
                prove_program(settings)
                public = commission_table(settings, self._clock)
        except AlreadyRunningError:
            raise
        except PLAIN as error:
            click.echo(f"Error: {error}", err=True)
            return self._stand(error)
        click.echo(f"table {settings.table_id} is commissioned; its public key: {public}")
        self._shown(done_lines(public, phrases), settings.wiring, Until(NOTED_NS, go_on=True))
        return 1

    def _shown(
        self, told: tuple[str, ...], wiring: Wiring | None, until: Until, screen: ScreenWiring = USUAL
    ) -> Standby:
        """Show something until it is over, on `screen` alone where there is no wiring.

        Raises `HalError` where the board does not let itself be claimed.
        """
        if wiring is None:
            alone = ScreenOnly(screen)
            stands = Standby(alone, alone.wiring, self._clock, told, until)
        else:
            hal = hardware_of(wiring, str(self._target), self._bench)
            stands = Standby(hal, wiring, self._clock, told, until)
        self._run(stands)
        return stands

    def _run(self, stands: Standby) -> None:
        """Start it and turn it until it is over. Raises `HalError` as `_shown`."""
        with ExitStack() as stack:
            stack.callback(stands.close)
            self._hold(stack)
            stack.callback(self._ending.leave)
            self._ending.into(stands.inbox)
            stands.start()
            while not stands.over:
                stands.wait()
                stands.turn()

    def _hold(self, stack: ExitStack) -> None:
        """Hold the table's lock meanwhile, where there is a place for it. Raises `AlreadyRunningError`."""
        if self._settings is None or not self._settings.journal.parent.is_dir():
            return
        try:
            stack.enter_context(SingleInstance(self._settings.journal))
        except (JournalError, OSError) as error:
            click.echo(f"the table is not locked against other programs: {error}", err=True)

    def _watch(self) -> Callable[[], bool]:
        """Whether the technician's folder changed since it was read, or what is beside the table's file from now on."""
        before = (self._brought, _seen(self._target.parent))
        return lambda: (_seen(self._source), _seen(self._target.parent)) != before


def _seen(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """The files of a folder as they are now; what cannot be looked at must not keep a table from its start."""
    with suppress(OSError):
        return tuple(_stamped(path) for path in sorted(folder.glob("*.toml*")))
    return ()


def _stamped(path: Path) -> tuple[str, int, int]:
    try:
        state = path.stat()
    except OSError:
        return path.name, 0, 0
    return path.name, state.st_mtime_ns, state.st_size


def _lacking(settings: Settings) -> tuple[Role, ...]:
    """The roles to which this table's first persons are to be given; none where its start has something to say."""
    if not settings.journal.parent.is_dir():
        return ()
    try:
        with SingleInstance(settings.journal):
            return roles_lacking(settings)
    except AlreadyRunningError:
        raise
    except PLAIN:
        return ()  # the start meets the same, and says it with what to do


def _words(settings: Settings) -> Words:
    return Words(settings.language, settings.locale, settings.game.currency, settings.name)


def _closed(settings: Settings) -> bool:
    """Whether no round's lamps wait to be shown again."""
    try:
        return ends_of(settings.journal).last.state.phase is Phase.CLOSED
    except JournalError:
        return True  # there is nothing to be shown, and the start will say why


def _first_time(text: str) -> bool:
    """Whether this was not said yet since the machine came up, as far as the unit has a place to keep that."""
    place = os.environ.get("RUNTIME_DIRECTORY", "")
    if not place:
        return True
    said = Path(place) / "not-taken"
    if said.is_file() and said.read_text(encoding="utf-8") == text:
        return False
    said.write_text(text, encoding="utf-8")
    return True
