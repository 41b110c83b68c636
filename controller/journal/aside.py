"""The journals that recoveries set aside: they stay beside the journal, and what they hold may still be asked for."""

from pathlib import Path


def with_those_aside(journal: Path) -> tuple[Path, ...]:
    """The journal, and those set aside beside it, the newest first; whether they can be read is not looked at."""
    mark = f"{journal.name}.aside-"
    numbers = [path.name.removeprefix(mark) for path in journal.parent.glob(f"{mark}*")]
    found = sorted((int(number) for number in numbers if number.isdecimal()), reverse=True)
    return (journal, *(journal.with_name(f"{mark}{number}") for number in found))
