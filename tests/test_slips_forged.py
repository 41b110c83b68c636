"""No paper and no proof comes from a record that the device did not sign: digests alone anybody can work out again."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from controller.journal.record import Row
from controller.signing.device import path_of
from controller.signing.key import PrivateKey, write_private
from tests.helpers_cli import pozo_run
from tests.helpers_signing import FORGER, PUBLIC, SEED, public_of, rechained, rows_of
from tests.helpers_slips import TWO_AWARDS, played

PAPERS = (
    ("slip", "1"),
    ("report", "shift", "--from", "1990-01-01T00:00", "--to", "2100-01-01T00:00"),
    ("journal", "proof", "1"),
)


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return played(tmp_path, TWO_AWARDS)


def rewritten(journal: Path, change: Callable[[str], str], seed: bytes | None = None) -> None:
    """Change the text of every record and work all digests out again, all signatures too where there is a key."""
    rows: list[Row] = [
        (*row[:6], change(row[6]), change(row[7]), change(row[8]), row[9]) for row in rows_of(journal)
    ]
    with closing(sqlite3.connect(journal)) as connection, connection:
        connection.execute("DELETE FROM journal")
        made = rechained(rows, seed)
        connection.executemany(f"INSERT INTO journal VALUES ({', '.join('?' * len(made[0]))})", made)


def tenfold(text: str) -> str:
    """The straight flush's ten thousand and some, tenfold, wherever it stands."""
    return text.replace('"amount":1000250', '"amount":10002500')


def asked(journal: Path, paper: tuple[str, ...]) -> tuple[int, str]:
    done = pozo_run(*paper, journal)
    return done.exit_code, done.output


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper[0])
def test_what_is_true_is_put_on_paper(journal: Path, paper: tuple[str, ...]) -> None:
    write_private(path_of(journal), PrivateKey.from_seed(SEED))
    code, output = asked(journal, paper)
    assert code == 0, output


@pytest.mark.parametrize("seed", [None, FORGER], ids=["digests", "another key"])
@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper[0])
def test_a_rewritten_amount_is_put_on_no_paper(
    journal: Path, paper: tuple[str, ...], seed: bytes | None
) -> None:
    if seed is not None and paper[0] != "journal":
        write_private(
            path_of(journal), PrivateKey.from_seed(SEED)
        )  # a paper of the table asks the table's own key
    rewritten(journal, tenfold, seed)
    code, output = asked(journal, paper)
    assert code == 1, output
    assert "is not proven" in output
    assert "nothing is put on paper from it" in output


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper[0])
def test_a_history_under_a_forgers_key_is_betrayed_by_the_key_beside_it(
    journal: Path, paper: tuple[str, ...]
) -> None:
    write_private(path_of(journal), PrivateKey.from_seed(SEED))
    rewritten(journal, lambda text: tenfold(text).replace(PUBLIC, public_of(FORGER)), FORGER)
    code, output = asked(journal, paper)
    assert code == 1, output
    assert "the key beside it is another" in output
