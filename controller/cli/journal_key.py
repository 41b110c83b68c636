"""`pozo journal key` and `rekey`: the public half that proves a table's journal, and its change with both keys."""

from pathlib import Path

import click

from controller.administer import administer
from controller.cli.counted_pin import wrong_before
from controller.cli.errors import told_plainly
from controller.cli.journal_path import journal_options, journal_path
from controller.cli.keys import both_keys
from controller.cli.persons import Reception, refuse_unnamed
from controller.clock import SystemClock
from controller.config import load
from controller.core.table.parameters import REASON_MAX
from controller.signing.device import Change, held, key_in_force, path_of
from controller.signing.key import public_line, short_key
from controller.single import SingleInstance
from controller.users import tries


@click.command(name="key")
@journal_options
@click.option("--line", is_flag=True, help="Only the line of a key file, for `verify --key FILE`.")
def key_command(path: Path | None, config: str | None, line: bool) -> None:
    """Print the public half of the key that signs this table's heads now."""
    with told_plainly():
        journal = journal_path(path, config)
        public = key_in_force(journal)
        if not public:
            raise click.ClickException(f"{journal} names no key; `pozo journal rekey` gives the table one")
        if line:
            click.echo(public_line(public), nl=False)
            return
        private = held(journal, public)
    click.echo(to_file_away(public))
    if private is None:
        click.echo(f"its private half is not in {path_of(journal)}: this machine cannot sign with it")


@click.command(name="rekey")
@click.option("--config", "name", required=True, help="The table's file, or the name of a shipped one.")
@click.option(
    "--supervisor", default="", help="Who turns the supervisor's key; where a PIN is asked for, it names him."
)
@click.option("--technician", default="", help="Who turns the technician's key; the same.")
@click.option("--reason", required=True, help="Why; it is kept in the journal.")
@click.option("--bench", type=click.Path(path_type=Path), help="Turn a simulated board's keys from this pty.")
@click.option("--turn-keys", is_flag=True, help="Simulated boards only: turn both keys yourself.")
def rekey_command(
    *, name: str, supervisor: str, technician: str, reason: str, bench: Path | None, turn_keys: bool
) -> None:
    """Give the table another key to sign with, where the old one is lost or may be known. The table must be stopped.

    What the old key signed stays proven by it: keep both public halves.
    """
    if not reason.strip():
        raise click.UsageError("a new key needs a reason: it is kept in the journal")
    with told_plainly():
        settings = load(name)
        with SingleInstance(settings.journal):
            clock = SystemClock()
            reception = Reception(settings, clock, keyless=_keyless(settings.journal))
            refuse_unnamed(reception.asked, supervisor.strip(), technician.strip())
            change = Change(settings.journal, settings.table_id)
            both_keys(settings, bench, turn_keys=turn_keys)
            there = reception.both(supervisor, technician)
            act = change.event(
                clock.monotonic_ns(),
                supervisor=there.supervisor,
                technician=there.technician,
                reason=_with_wrong_pins(reason, settings.journal),
            )
            change.prepare()
            administer(settings, clock, act, both_keys=True, session=there, sealer=change.seal)
            change.finish()
            tries.forget(settings.journal)
    if not act.endorsed:
        click.echo("the old key was not at hand to sign the new one: only the paper vouches for it")
    click.echo(to_file_away(act.new))


def _keyless(journal: Path) -> bool:
    """Whether the private half of the key in force is lost, which is what a new one is made for."""
    return held(journal, key_in_force(journal)) is None


def _with_wrong_pins(reason: str, journal: Path) -> str:
    """The reason, and how many PINs were wrong before: nothing else keeps them. Raises `click.UsageError`."""
    before = wrong_before(journal)
    whole = f"{reason} (wrong PINs before, {'; '.join(before)})" if before else reason
    if before and len(whole) > REASON_MAX:
        raise click.UsageError(
            f"the reason is {len(whole) - REASON_MAX} characters too long: {REASON_MAX} at most, with the wrong PINs "
            "that are kept in it"
        )
    return whole


def to_file_away(public: str) -> str:
    """A public key and what to do with it."""
    return (
        f"key {public}\n"
        f"in short {short_key(public)}\n"
        "File it away from this machine, with the date and both signatures. With it, and with nothing else, a copy of "
        "this journal is proven anywhere: `pozo journal verify COPY --key KEY`; and `pozo recover` may ask for it"
    )
