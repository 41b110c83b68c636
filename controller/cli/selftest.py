"""`pozo selftest`: a technician tries every part of a stopped table, and signs for what was found."""

import signal
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from types import FrameType

import click

from controller.cli.errors import told_plainly
from controller.cli.hardware import hardware
from controller.clock import SystemClock
from controller.config import Settings, load
from controller.core.events import Finding, SelfTested
from controller.selftest.keep import NotClosedError, keep, may_test
from controller.selftest.phrases import Phrases
from controller.selftest.plan import plan
from controller.selftest.session import Session
from controller.selftest.terminal import converse
from controller.selftest.texts import Say
from controller.selftest.walk import SECOND_NS
from controller.single import SingleInstance
from controller.words import LANGUAGES
from hal.interface import Factory

PERSON_MAX = 80
LIMIT_S = click.IntRange(1, 600)


@click.command()
@click.option("--config", "name", required=True, help="The table's file, or the name of a shipped one.")
@click.option("--person", required=True, help=f"Who tests and signs for it, {PERSON_MAX} characters at most.")
@click.option("--limit", type=LIMIT_S, default=60, show_default=True, help="Seconds for each part.")
@click.option("--lang", type=click.Choice(LANGUAGES), help="Language (default: the table's).")
@click.option("--bench", type=click.Path(path_type=Path), help="Drive a simulated board from this pty.")
def selftest(*, name: str, person: str, limit: int, lang: str | None, bench: Path | None) -> None:
    """Try lamps, sensors, buttons, keys, lock, release, bell, screen, sign and keypad in turn.

    The table must be closed and stopped. Exit code 1 if a part failed.
    """
    if not 0 < len(person.strip()) <= PERSON_MAX:
        raise click.UsageError(f"--person: give a name of 1 to {PERSON_MAX} characters")
    with told_plainly():
        settings = load(name)
        if settings.wiring.factory is Factory.SIMULATED and bench is None:
            raise click.UsageError(
                f"{settings.source} names a simulated board, which has nothing to press: drive it with --bench PTY"
            )
        settings.journal.parent.mkdir(parents=True, exist_ok=True)
        with SingleInstance(settings.journal):
            result = _tested(settings, person.strip(), limit, lang or settings.language, bench)
    sys.exit(1 if any(part.finding is Finding.FAILED for part in result.parts) else 0)


def _tested(settings: Settings, person: str, limit: int, language: str, bench: Path | None) -> SelfTested:
    try:
        may_test(settings)
    except NotClosedError as error:
        raise click.ClickException(str(error)) from error
    steps, board = plan(settings.wiring), f"{settings.board_title} ({settings.wiring.factory})"
    phrases = Phrases(language, steps)
    click.echo(phrases.tell(Say.TITLE, table=settings.table_id, board=board, person=person))
    click.echo(phrases.tell(Say.HELP, limit=limit))
    click.echo(phrases.tell(Say.BUTTONS_ANSWER))
    session = Session(
        hardware(settings, bench),
        steps,
        phrases,
        _tell,
        limit_ns=limit * SECOND_NS,
        release_ns=settings.game.release_ms * 1_000_000,
    )
    _run(session)
    clock = SystemClock()
    result = SelfTested(clock.monotonic_ns(), person, board, session.found)
    for line in session.summary():
        click.echo(line)
    file = keep(settings, clock, result)
    where = Say.STORED if file is None else Say.FILED
    click.echo(phrases.tell(where, path=settings.journal if file is None else file))
    return result


def _run(session: Session) -> None:
    """Test until it is done. Told to stop, it ends in order: outputs off, what was found is kept."""

    def ended(number: int, frame: FrameType | None) -> None:  # noqa: ARG001, the signal module's signature
        session.stop()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, ended)
    with ExitStack() as stack:
        stack.callback(session.close)
        session.start(time.monotonic_ns())
        converse(session, sys.stdin.fileno())


def _tell(line: str) -> None:
    click.echo(line)
    sys.stdout.flush()
