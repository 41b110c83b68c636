"""`pozo journal`: prove, show or export a journal, also while the table writes it.

Nothing of it is ever changed but by `rekey`, which adds to it.
"""

import difflib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

import click
import msgspec

from controller.cli.journal_key import key_command, rekey_command
from controller.cli.journal_path import journal_options, journal_path, told
from controller.cli.journal_verify import verify_command
from controller.cli.proof import proof_command
from controller.journal import JournalError, Record, reader, recent
from controller.journal.export import Format, lines
from controller.journal.read import rows
from controller.journal.record import EVENT_KINDS, RESULT_KINDS

KINDS = tuple(sorted({*EVENT_KINDS.values(), *RESULT_KINDS.values()}))
"""Every kind a record can be found under."""


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


for each in (verify_command, proof_command, key_command, rekey_command):
    journal.add_command(each)


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


@contextmanager
def _sink(output: Path | None) -> Iterator[Callable[[str], object]]:
    if output is None:
        yield _printed
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


def _printed(text: str) -> None:
    try:
        click.echo(text, nl=False)
    except BrokenPipeError:
        raise  # whoever reads has enough
    except OSError as error:
        raise click.ClickException(
            f"standard output could not be written: {error.strerror}. What it took is no whole copy"
        ) from error


def _new_file(path: Path) -> TextIO:
    try:
        return path.open("x", encoding="utf-8", newline="")
    except FileExistsError as error:
        raise click.UsageError(f"{path} is there already: name a new file") from error
    except OSError as error:
        raise click.UsageError(f"{path} cannot be made: {error.strerror}") from error
