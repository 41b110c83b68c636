"""`pozo journal proof AWARD`: how an amount came about, contribution by contribution."""

from datetime import UTC, datetime
from pathlib import Path

import click

from controller.cli.journal_path import journal_options, journal_path, told
from controller.core import events as ev
from controller.core.money import Currency, plain
from controller.proof import Proof, ProofError, proof


@click.command(name="proof")
@click.argument("number", type=int)
@journal_options
def proof_command(number: int, path: Path | None, config: str | None) -> None:
    """Prove award NUMBER from the journal: every movement of its level, and the arithmetic of the award."""
    with told():
        journal = journal_path(path, config)
        try:
            found = proof(journal, number)
        except ProofError as error:
            raise click.ClickException(str(error)) from error
        currency = _currency(journal)
    click.echo("\n".join(_lines(found, currency)))
    if found.unexplained:
        raise click.ClickException("the pot moved in a way that no record explains")


def _currency(journal: Path) -> Currency:
    from controller.administer import rules_in_force  # noqa: PLC0415, only a proof needs the rules

    return Currency(str(rules_in_force(journal)["currency"]))


def _lines(found: Proof, currency: Currency) -> list[str]:
    award = found.award
    lines = [f"award {award.number}: seat {award.seat}, {award.hand}, level {award.level} ({award.source})"]
    for movement in found.movements:
        when = datetime.fromtimestamp(movement.wall_ns // 1_000_000_000, UTC).isoformat()
        amounts = f"{plain(movement.by, currency):>16s} {plain(movement.current, currency):>16s}"
        lines.append(f"  {movement.seq:8d} {when} {movement.kind:14s} {amounts}")
    if found.of_link:
        lines.append("  of a shared pot: its movements, wager by wager, are at the floor (docs/floor.md)")
    return [*lines, *_arithmetic(award, currency)]


def _arithmetic(award: ev.AwardApproved, currency: Currency) -> list[str]:
    def money(amount: int) -> str:
        return plain(amount, currency)

    share = f"{award.share_ppm} ppm of {money(award.pot_before)}"
    if award.parts > 1:
        share += f" in {award.parts} equal parts"
    if award.capped:
        share += ", held down to the cap"
    how = share if award.share_ppm else "fixed prize"
    paid = (
        f"pot {money(award.from_pot)}, reserve {money(award.from_reserve)}, house {money(award.from_house)}"
    )
    return [
        f"  {how} = {money(award.amount)}",
        f"  paid from {paid} (fund {award.fund}); pot after it {money(award.pot_after)}",
    ]
