"""`pozo journal verify|show|export`: look at a journal, also while the table writes it. Nothing is ever changed."""

import difflib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

import click
import msgspec

from controller.cli.journal_path import journal_options, journal_path, told
from controller.cli.proof import proof_command
from controller.journal import Head, JournalError, Record, Verdict, reader, recent, verify
from controller.journal.export import Format, lines
from controller.journal.read import rows
from controller.journal.record import EVENT_KINDS, RESULT_KINDS

KINDS = tuple(sorted({*EVENT_KINDS.values(), *RESULT_KINDS.values()}))
"""Every kind a record can be found under."""


class HeadType(click.ParamType[Head]):
    """`SEQ:DIGEST`, as `verify` prints it."""

    name = "SEQ:DIGEST"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Head:
        """Read a head, or say what one looks like."""
        seq, colon, digest = str(value).partition(":")
        if not (colon and seq.isascii() and seq.isdigit() and int(seq) > 0 and _is_digest(digest)):
            self.fail(
                f"{value!r} is no head: write SEQ:DIGEST, a number and 64 hexadecimal digits", param, ctx
            )
        return Head(int(seq), digest.lower())


class KindType(click.ParamType[str]):
    """The kind of an event or a result."""

    name = "KIND"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Accept a known kind, or name those that look like it."""
        if value not in KINDS:
            near = difflib.get_close_matches(str(value), KINDS)
            hint = f"did you mean {' or '.join(near)}?" if near else f"known are: {', '.join(KINDS)}"
            self.fail(f"there is no kind {value!r}; {hint}", param, ctx)
        return str(value)


@click.group()
def journal() -> None:
    """Prove, show or export a table's journal; the table may be playing meanwhile."""


journal.add_command(proof_command)


@journal.command("verify")
@journal_options
@click.option("--head", type=HeadType(), help="Last record as noted elsewhere: finds a cut-off end too.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object for programs.")
def verify_command(path: Path | None, config: str | None, head: Head | None, as_json: bool) -> None:
    """Read every record and check the chain. Exit code 1 names the first record that is not right."""
    with told():
        verdict = verify(journal_path(path, config), head)
    click.echo(_as_json(verdict) if as_json else _as_text(verdict, head))
    if verdict.bad is not None:
        sys.exit(1)


@journal.command("show")
@journal_options
@click.option(
    "--last", type=click.IntRange(1, 100_000), default=20, show_default=True, help="How many records."
)
@click.option("--kind", type=KindType(), help="Only records whose event or result is of this kind.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def show_command(path: Path | None, config: str | None, last: int, kind: str | None, as_json: bool) -> None:
    """Print the last records, oldest first. `~` marks a time of a clock that nobody had set."""
    with told():
        found = recent(journal_path(path, config), last, kind)
    for record in found:
        click.echo(msgspec.json.encode(record).decode() if as_json else line(record))


@journal.command("export")
@journal_options
@click.option("--format", "form", type=click.Choice([form.value for form in Format]), required=True)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="A new file; standard output without it."
)
def export_command(path: Path | None, config: str | None, form: str, output: Path | None) -> None:
    """Write the whole journal out, record by record. A file that is there is never overwritten."""
    source = journal_path(path, config)
    with told(), reader(source) as connection, _sink(output) as write:
        for text in lines(rows(connection), Format(form)):
            write(text)


def line(record: Record) -> str:
    """A record in one line: number, time, what happened, and what became of it."""
    became = "; ".join(_words(result) for result in record.results) or "-"
    return f"#{record.seq}  {_time(record)}  {_words(record.event)}  →  {became}"


def _time(record: Record) -> str:
    seconds, rest = divmod(record.wall_ns, 1_000_000_000)
    moment = datetime.fromtimestamp(seconds, UTC)
    mark = "" if record.wall_trusted else "~"
    return f"{mark}{moment:%Y-%m-%d %H:%M:%S}.{rest // 1_000_000:03d}Z"


def _words(what: msgspec.Struct) -> str:
    fields = msgspec.to_builtins(what)
    kind = fields.pop("kind")
    fields.pop("at_ns", None)
    return " ".join([kind, *(f"{name}={_value(value)}" for name, value in fields.items())])


def _value(value: object) -> str:
    if isinstance(value, str) and value.isascii() and value.replace("_", "").isalnum():
        return value
    return msgspec.json.encode(value).decode()


def _as_text(verdict: Verdict, head: Head | None) -> str:
    if verdict.bad is not None:
        place = f"record {verdict.bad.seq}" if verdict.bad.seq else "the file"
        return (
            f"NOT GOOD at {place} ({verdict.bad.flaw}): {verdict.bad.detail}\n"
            f"good up to {verdict.head.seq}:{verdict.head.digest}\n"
            f"keep the file and its -wal as they are, copy both away and call the technician"
        )
    end = "it ends where the head says or later" if head else "give --head to prove its end too"
    return f"good: {verdict.records} records, {end}\nhead {verdict.head}"


def _as_json(verdict: Verdict) -> str:
    answer = {
        "good": verdict.bad is None,
        "records": verdict.records,
        "head": str(verdict.head),
        "bad": verdict.bad,
    }
    return msgspec.json.encode(answer).decode()


def _is_digest(text: str) -> bool:
    return len(text) == 64 and all(letter in "0123456789abcdefABCDEF" for letter in text)


@contextmanager
def _sink(output: Path | None) -> Iterator[Callable[[str], object]]:
    if output is None:
        yield lambda text: click.echo(text, nl=False)
        return
    file = _new_file(output)
    try:
        with file:
            yield file.write
    except BaseException as error:
        # Half an export must not pass for a whole one.
        output.unlink()
        if isinstance(error, OSError) and not isinstance(error, JournalError):
            raise click.ClickException(f"{output} could not be written: {error.strerror}") from error
        raise


def _new_file(path: Path) -> TextIO:
    try:
        return path.open("x", encoding="utf-8", newline="")
    except FileExistsError as error:
        raise click.UsageError(f"{path} is there already: name a new file") from error
    except OSError as error:
        raise click.UsageError(f"{path} cannot be made: {error.strerror}") from error
