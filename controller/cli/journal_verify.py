"""`pozo journal verify`: prove a journal, or a copy of one on any machine, and say what money a flaw puts in doubt."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import msgspec

from controller.cli.journal_path import journal_options, journal_path, told
from controller.core.money import Currency, plain
from controller.journal import Finding, Flaw, Head, JournalError
from controller.journal.chain import PAPER_DIGITS, short_digest
from controller.signing.audit import Proof, prove
from controller.signing.doubt import Doubt, DoubtfulAward, Figure
from controller.signing.key import is_key, read_public

DIGEST_DIGITS = 64
_SEQ = re.compile(r"0{0,9}[1-9][0-9]{0,17}")
_DIGEST = re.compile(rf"[0-9a-f]{{{PAPER_DIGITS},{DIGEST_DIGITS}}}")


class HeadType(click.ParamType[Head]):
    """`SEQ:DIGEST`, as `verify` prints it whole and paper has its first digits."""

    name = "SEQ:DIGEST"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Head:
        """Read a head, or say what one looks like."""
        seq, colon, digest = "".join(str(value).lower().split()).partition(":")
        if not (colon and _SEQ.fullmatch(seq) and _DIGEST.fullmatch(digest)):
            what = f"a number, and all {DIGEST_DIGITS} hexadecimal digits or at least the {PAPER_DIGITS} that paper has"
            self.fail(f"{value!r} is no head: write SEQ:DIGEST, {what}", param, ctx)
        return Head(int(seq), digest)


class KeyType(click.ParamType[str]):
    """A public key: its digits, or the file they are in."""

    name = "HEX|FILE"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Take the digits as they are, or read the file."""
        if is_key(str(value)):
            return str(value).lower()
        try:
            return read_public(Path(str(value)))
        except JournalError as error:
            self.fail(str(error), param, ctx)


@click.command(name="verify")
@journal_options
@click.option(
    "--head", "heads", type=HeadType(), multiple=True, help="A record as noted elsewhere; may be repeated."
)
@click.option("--key", "keys", type=KeyType(), multiple=True, help="A public key as filed; may be repeated.")
@click.option(
    "--no-replay",
    is_flag=True,
    help="Do not work each record out anew: for a journal whose older program decided otherwise.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object for programs.")
def verify_command(
    *,
    path: Path | None,
    config: str | None,
    heads: tuple[Head, ...],
    keys: tuple[str, ...],
    no_replay: bool,
    as_json: bool,
) -> None:
    """Check every record, the chain and every signature of a journal, or of a copy that `export` wrote.

    --key is the public half filed at commissioning: with it nobody without the device's private half can have
    rewritten what is signed. --head is a record's number and digest from a slip, a report or an earlier check: with
    it nobody can have cut the end off. Each record is worked out anew from the one before it. Exit code 1 names
    the first record that is not right and the money in doubt.
    """
    with told():
        found = prove(journal_path(path, config), heads, keys, replay=not no_replay)
    click.echo(_as_json(found) if as_json else "\n".join(_as_text(found, heads)))
    if found.bad is not None:
        sys.exit(1)


def _as_json(found: Proof) -> str:
    answer = {"good": found.bad is None, **msgspec.structs.asdict(found)}
    answer |= {"head": str(found.head), "signed": None if found.signed is None else str(found.signed)}
    return msgspec.json.encode(answer).decode()


def _as_text(found: Proof, heads: tuple[Head, ...]) -> Iterator[str]:
    if found.bad is not None:
        yield from _flaw(found, found.bad)
        return
    end = "it has every record of the heads given" if heads else "give --head to prove its end too"
    yield f"good: {found.records} records, {end}"
    yield f"head {found.head}"
    if found.begins is not None:
        yield (
            f"this history begins with a recovery from the {found.begins}: what was before it is not in this file, and "
            "its amounts at the beginning are what two persons trusted; ask for the journal set aside and the paper"
        )
    yield from _signatures(found)
    yield from _replayed(found)


def _replayed(found: Proof) -> Iterator[str]:
    if not found.replayed:
        yield (
            "not worked out anew (--no-replay): what no signature covers may be made up, and what one covers is as its "
            "program decided"
        )
        return
    yield "each record is what the rules in force make of the one before it"
    for seq in found.recoveries:
        yield f"record {seq} is a recovery: its amounts are what two persons trusted; compare them with paper"


def _signatures(found: Proof) -> Iterator[str]:
    for each in found.keys:
        if not each.key:
            yield "it names no key: its heads are not signed"
        elif each.vouched:
            yield f"key {each.key}, from record {each.since} on: as filed, or signed by the key before it"
        else:
            yield f"key {each.key}, from record {each.since} on: the journal's own word; give --key with the one filed"
    if found.signed is not None:
        yield f"{found.signatures} signatures, all good"
        yield f"signed up to record {_short(found.signed)}; {found.unsigned} records after it are not"


def _short(head: Head) -> str:
    return f"{head.seq} ({short_digest(head.digest)})"


def _flaw(found: Proof, bad: Finding) -> Iterator[str]:
    place = f"record {bad.seq}" if bad.seq else "the file"
    yield f"NOT GOOD at {place} ({bad.flaw}): {bad.detail}"
    if bad.flaw is Flaw.REPLAY:
        yield "if a program older than this one wrote it and decided otherwise, --no-replay asks for all the rest"
    yield f"good up to {found.head}"
    if found.signed is not None:
        yield f"signed up to record {_short(found.signed)}"
    if found.doubt is not None:
        yield from _doubt(found.doubt)
    elif bad.flaw is Flaw.FORMAT:
        yield "nothing that it says of money is proven"
    yield "keep the file and its -wal as they are, copy both away and call the technician"


def _doubt(doubt: Doubt) -> Iterator[str]:
    def money(amount: int | None) -> str:
        return "not known" if amount is None else _plain(amount, doubt.currency)

    says = (
        "nothing after it can be read" if doubt.until is None else f"record {doubt.until} is the last it says"
    )
    yield f"IN DOUBT: what is after record {doubt.since}; {says}"
    yield f"  {'':28s} {f'at record {doubt.since}':>20s} {'as the file says':>20s}"
    for figure in doubt.figures:
        mark = "  <- differs" if _differs(figure) else ""
        yield f"  {figure.meter:28s} {money(figure.stands):>20s} {money(figure.says):>20s}{mark}"
    for award in doubt.awards:
        yield _award(award, money(award.amount))
    if doubt.more:
        yield f"  and {doubt.more} more awards in doubt"
    for number in doubt.settled:
        yield f"  award {number}: approved before, paid only by a record in doubt"


def _award(award: DoubtfulAward, amount: str) -> str:
    paid = "paid" if award.paid else "not paid"
    return (
        f"  award {award.number} (record {award.record}): seat {award.seat}, {award.hand}, {amount}, {paid}"
    )


def _differs(figure: Figure) -> bool:
    return None not in {figure.stands, figure.says} and figure.stands != figure.says


def _plain(amount: int, currency: Currency | None) -> str:
    return f"{amount} minor units" if currency is None else plain(amount, currency)
