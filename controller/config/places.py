"""Where a table keeps its journal, its witness and the proof of its program: paths, and what they must not be.

It looks at the directories that are there already and makes none.
"""

from pathlib import Path

from controller.config.conform import Review
from controller.config.schema import TableFile
from controller.config.settings import Software


def places(table: TableFile, review: Review, *, simulated: bool) -> tuple[Path, Path]:
    """The journal's file and the witness's directory, with `~` spelled out.

    A witness in the journal's own directory is refused: whatever takes the one takes the other. On one file system
    with it the table plays, with a warning; a simulated table has no second medium, so there nothing is said.
    """
    journal = spelled("journal.path", table.journal.path, review)
    witness = spelled("witness.path", table.witness.path, review)
    if _same(witness, journal.parent):
        what = "is the journal's own directory: name another one, on a second medium or partition"
        review.refuse("witness.path", what, table.witness.path)
    elif not simulated and _one_file_system(witness, journal.parent):
        what = f"lies on the same file system as the journal ({journal}): what spoils it spoils both copies"
        review.warn("witness.path", f"{what}; mount a second partition or medium there")
    return journal, witness


def software(table: TableFile, review: Review, *, simulated: bool) -> Software | None:
    """Where the proof of the program is. A real table must have one; a simulated one may."""
    given = table.software
    if given is not None:
        return Software(
            spelled("software.manifest", given.manifest, review), spelled("software.key", given.key, review)
        )
    if not simulated:
        review.refuse(
            "software", "is missing: a real table proves its program before it plays (manifest, key)"
        )
    return None


def spelled(key: str, path: str, review: Review) -> Path:
    """A path with `~` spelled out; one that cannot be is refused."""
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        review.refuse(key, f"{error}; write the path in full", path)
        return Path(path)


def _same(one: Path, other: Path) -> bool:
    return one.resolve() == other.resolve()


def _one_file_system(one: Path, other: Path) -> bool:
    """Whether two directories share a file system; not known, so not said, while one of them is not there."""
    try:
        return one.stat().st_dev == other.stat().st_dev
    except OSError:
        return False
