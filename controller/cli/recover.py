"""`pozo recover`: two persons bring a table back whose journal and witness do not agree, with both keys.

Without `--supervisor`, `--technician` and `--reason` it only shows both copies, what is trusted, and what to say next.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import click

from controller import recovery
from controller.administer import differences
from controller.admit import look, money_of
from controller.cli.errors import told_plainly
from controller.cli.journal_key import to_file_away
from controller.cli.keys import both_keys
from controller.cli.recover_paper import Entered, FiledKeyType, paper_of
from controller.cli.recover_persons import persons
from controller.clock import SystemClock
from controller.config import Settings, game_digest, load
from controller.core.events import Trusted
from controller.journal import ends_of
from controller.recovery.known import Hearsay, Known, copies_said, known
from controller.recovery.paper import award_said, joined
from controller.recovery.plan import Request, choices, misnamed, plan, proposal
from controller.recovery.steps import rule_changes, stranded
from controller.signing.device import key_in_force
from controller.signing.key import short_key
from controller.single import SingleInstance
from controller.users import tries
from controller.witness.examine import Examined
from controller.witness.leftover import leftover
from controller.witness.leftover import said as said_by
from controller.witness.slot import Slot
from controller.witness.store import SLOT_NAMES, Absent, Damaged
from controller.witness.told import at, standing, told
from controller.witness.verdict import BadJournal, Stranded

SHOWN_MOST: Final = 10
"""Transfers that are listed of what nobody signed, the last."""


@click.command()
@click.option("--config", "name", required=True, help="The table's file, or the name of a shipped one.")
@click.option("--trust", type=click.Choice([each.value for each in Trusted]), help="What is trusted.")
@click.option("--level", "levels", multiple=True, metavar="NAME=AMOUNT", help="With paper: a level's amount.")
@click.option(
    "--round", "round_number", type=click.IntRange(1), help="With paper: the round that is open now."
)
@click.option("--last-slip", type=click.IntRange(0), help="With paper: number of the last award slip, or 0.")
@click.option(
    "--received", multiple=True, metavar="NUMBER", help="With paper: a transfer that was taken in, or `none`."
)
@click.option(
    "--unpaid",
    multiple=True,
    metavar="NUMBER:ROUND:SEAT:HAND:LEVEL:AMOUNT",
    help="With paper: an award that is not paid, or `none`.",
)
@click.option(
    "--accept-rules",
    is_flag=True,
    help="With paper: take the files' rules where they are not the last known.",
)
@click.option(
    "--filed-key",
    "filed",
    type=FiledKeyType(),
    help="The table's key as filed, where nothing here proves the witness; or `none`.",
)
@click.option("--supervisor", default="", help="Who turns the supervisor's key.")
@click.option("--technician", default="", help="Who turns the technician's key.")
@click.option("--reason", default="", help="Why; it is kept in the journal.")
@click.option("--bench", type=click.Path(path_type=Path), help="Turn a simulated board's keys from this pty.")
@click.option("--turn-keys", is_flag=True, help="Simulated boards only: turn both keys yourself.")
def recover(
    *,
    name: str,
    trust: str | None,
    levels: tuple[str, ...],
    round_number: int | None,
    last_slip: int | None,
    received: tuple[str, ...],
    unpaid: tuple[str, ...],
    accept_rules: bool,
    filed: str | None,
    supervisor: str,
    technician: str,
    reason: str,
    bench: Path | None,
    turn_keys: bool,
) -> None:
    """Bring a stopped table back whose journal and witness do not agree, by what two persons trust.

    Nothing is removed: what is not trusted is set aside under another name. Without names and a reason it shows
    both copies and changes nothing.
    """
    with told_plainly():
        settings = load(name)
        paper = paper_of(settings, Entered(levels, round_number, last_slip, received, unpaid))
        choice = Trusted(trust) if trust else None
        request = Request(choice, supervisor, technician, reason, paper, accept_rules, filed)
        settings.journal.parent.mkdir(parents=True, exist_ok=True)
        with SingleInstance(settings.journal):
            found = look(settings, filed=filed or "")
            verdict = stranded(found)
            said = known(settings.journal, settings.table_id, filed or "")
            click.echo("\n".join(_shown(settings, found, verdict, said)))
            if not (supervisor or technician or reason):
                return
            chosen = plan(found, verdict, request, game_digest(settings.game))
            for change in rule_changes(settings, request, said):
                click.echo(f"accepted: {change.key}: {change.old} -> {change.new}")
            if paper is not None:
                joined(paper, said, money_of(settings))
            both_keys(settings, bench, turn_keys=turn_keys)
            there = persons(settings, chosen.state, request, said=said)
            done = recovery.recover(settings, SystemClock(), there)
            tries.forget(settings.journal)
    _tell(settings, done, found.keys)


def _tell(settings: Settings, done: recovery.Done, known_before: frozenset[str]) -> None:
    state = ends_of(settings.journal).last.state
    click.echo(
        f"table {settings.table_id} goes on from the {done.trusted}: {standing(state, money_of(settings))}"
    )
    if done.aside:
        click.echo(f"set aside, to be kept: {', '.join(done.aside)}")
    click.echo(f"record {done.seq} of {settings.journal} says who and why. Start the table with `pozo run`.")
    public = key_in_force(settings.journal)
    if public not in known_before:
        click.echo("The table signs with ANOTHER key from here on: the old private half is not at hand")
    click.echo(to_file_away(public))


def _remembered(said: Known, copies: tuple[str, ...], settings: Settings) -> Iterator[str]:
    """What is signed binds whoever enters amounts from paper; what nobody signed is only shown to them."""
    money = money_of(settings)
    if said.record is not None:
        yield from (
            f"  still readable: {line}" for line in copies if line.startswith(f"{said.source}, signed")
        )
        yield (
            f"So far the device signed it, and it is kept: {len(said.received)} transfers taken in, {len(said.unpaid)} "
            f"unpaid awards, last slip {said.last_award}, round {said.round}; paper adds to it and changes none of it."
        )
        yield from (f"  owed: {award_said(award, money)}" for award in said.unpaid)
    for each in said.hearsay:
        yield from _hearsay(each, said, money)
    if said.hearsay or said.record is None:
        none = "" if said.hearsay else "No copy can be read: "
        yield (
            f"{none}enter the transfers taken in (--received NUMBER … or none) and the unpaid awards "
            "(--unpaid NUMBER:ROUND:SEAT:HAND:LEVEL:AMOUNT … or none) too."
        )
    if said.rules is not None:
        for change in differences(said.rules, settings.game):
            yield f"  rule that differs from the last known: {change.key}: {change.old} -> {change.new}"


def _hearsay(each: Hearsay, said: Known, money: Callable[[int], str]) -> Iterator[str]:
    """What one copy says that nobody signed, so that both persons hold it against the paper."""
    yield f"  NOT SIGNED, anybody may have written it: {each.source}: {at(each.record, money)}"
    for award in each.unpaid:
        if award not in said.unpaid:
            yield f"    it says owed: {award_said(award, money)}"
    more = [name for name in each.record.state.received if name not in said.received]
    if more:
        rest = f" and {len(more) - SHOWN_MOST} more" if len(more) > SHOWN_MOST else ""
        yield f"    it says taken in: {', '.join(more[-SHOWN_MOST:])}{rest}"


def _proposed(first: Trusted | None, found: Examined) -> str:
    if found.unproven and first is not Trusted.WITNESS:
        return f"to compare the key first (--filed-key); with another or none on paper: {first or 'choose'}"
    return "nothing: choose" if first is None else first


def _to_compare(found: Examined) -> Iterator[str]:
    """The keys under slots that nothing here proves, and what to do about them."""
    for key in dict.fromkeys(slot.key for slot in found.unproven):
        whose = f"with the key {key}, in short {short_key(key)}" if key else "by nobody"
        yield f"What is not proven in the witness is signed {whose}"
    if found.unproven:
        yield (
            "Nothing here proves whose key that is. Both persons compare it with the one filed at commissioning, or "
            "at its last change, and say what is on paper: --filed-key KEY. If it is another one, somebody else wrote "
            "this witness. --filed-key none says that the paper is not at hand: then the witness is not trusted."
        )


def _newest_good(found: Examined) -> int:
    """The number of the newest record in any good copy; 0 for none."""
    journal = () if isinstance(found.journal, BadJournal) else (found.journal.last.seq,)
    slots = (slot.head.seq for slot in found.slots if isinstance(slot, Slot))
    return max((*journal, *slots), default=0)


def _shown(settings: Settings, found: Examined, verdict: Stranded, said: Known) -> Iterator[str]:
    """Both copies, what is trusted, and the way on."""
    money = money_of(settings)
    yield f"table {settings.table_id}"
    journal = found.journal
    what = journal.why if isinstance(journal, BadJournal) else at(journal.last, money)
    yield f"  journal {settings.journal}: {what}"
    for name, slot in zip(SLOT_NAMES, found.slots, strict=True):
        match slot:
            case Slot(table=table, record=record) if slot in found.unproven:
                what = f"not proven: table {table}, {at(record, money)}"
            case Slot(table=table, record=record):
                what = f"table {table}, {at(record, money)}"
            case Absent():
                what = "it is not there"
            case damaged:
                what = f"damaged: {damaged.why}"
        yield f"  witness {settings.witness / name}: {what}"
        if isinstance(slot, Damaged) and (rest := leftover(settings.witness / name)) is not None:
            yield f"    {said_by(rest, _newest_good(found), money)}"
    other = misnamed(found)
    if other is not None:
        yield other
        return
    yield told(verdict, money)
    yield from _to_compare(found)
    if Trusted.PAPER in choices(verdict):
        yield from _remembered(said, copies_said(found, said, money), settings)
    first = proposal(verdict)
    way = f"--trust {' | '.join(choices(verdict))}" if first is None or len(choices(verdict)) > 1 else ""
    proposed = _proposed(first, found)
    yield f"proposed: {proposed}. To do it, with both keys at hand:"
    paper = " [--level NAME=AMOUNT … --round N --last-slip N]" if Trusted.PAPER in choices(verdict) else ""
    yield (
        f"  pozo recover --config {settings.source} {way and f'[{way}] '}--supervisor NAME --technician NAME "
        f"--reason TEXT{paper}"
    )
