"""An exported copy gives back every row to the letter, and names the line that is none."""

import csv
import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.journal import FormatError, JournalIOError
from controller.journal.copies import copied_rows, format_of
from controller.journal.export import Format, lines
from controller.journal.record import COLUMNS, LineError, Row
from tests.helpers_signing import played, rows_of

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
NUMBER = st.integers(-(2**63), 2**63 - 1)
ODD = st.sampled_from(
    ["", '{"a":1} ', '{"a":\n1}', '{"a":1', '"{}"', "[]", "{}", "[NaN]", " {}", '"', ",", "\r", "\x00"]
)
COLUMN = st.one_of(TEXT, ODD, TEXT.map(lambda text: json.dumps({"name": text}, ensure_ascii=False)))
ROW = st.tuples(NUMBER, NUMBER, NUMBER, NUMBER, st.integers(0, 1), TEXT, COLUMN, COLUMN, COLUMN, TEXT)


def copy_of(rows: list[Row], form: Format, folder: Path) -> Path:
    file = folder / f"copy.{form}"
    file.write_bytes("".join(lines(rows, form)).encode())
    return file


@pytest.mark.parametrize("form", Format)
@given(rows=st.lists(ROW, min_size=1, max_size=4))
def test_any_text_comes_back_to_the_letter(
    tmp_path_factory: pytest.TempPathFactory, form: Format, rows: list[Row]
) -> None:
    file = copy_of(rows, form, tmp_path_factory.getbasetemp())
    assert format_of(file) is form
    assert list(copied_rows(file, form)) == rows


@given(rows=st.lists(ROW, min_size=1, max_size=3))
def test_other_programs_read_the_same_rows(rows: list[Row]) -> None:
    """Python's own CSV and JSON readers, where the three columns are JSON of one line or a string of it."""
    text = "".join(lines(rows, Format.CSV))
    found = list(csv.reader(io.StringIO(text, newline="")))
    assert found == [list(COLUMNS), *([str(value) for value in row] for row in rows)]
    for line, row in zip("".join(lines(rows, Format.JSONL)).encode().split(b"\n"), rows, strict=False):
        record = json.loads(line)
        for name, value in zip(COLUMNS, row, strict=True):
            told = record[name] if isinstance(record[name], str | int) else json.dumps(record[name])
            assert told == value or json.loads(told) == json.loads(str(value))


@pytest.mark.parametrize("form", Format)
def test_a_real_journal_comes_back_to_the_letter(tmp_path: Path, form: Format) -> None:
    journal = played(tmp_path)
    rows = rows_of(journal)
    assert len(rows) > 10
    assert list(copied_rows(copy_of(rows, form, tmp_path), form)) == rows


def test_a_journal_is_no_copy(tmp_path: Path) -> None:
    assert format_of(played(tmp_path)) is None


@pytest.mark.parametrize(
    "content", [b"", b"seq,boot\r\n", b"\xef\xbb\xbf" + ",".join(COLUMNS).encode() + b"\r\n", b"{}"]
)
def test_what_is_neither_says_what_to_give(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(FormatError, match="as `pozo journal export` wrote it"):
        format_of(tmp_path / "x")


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n"])
def test_the_end_of_a_line_inside_a_column_of_csv_stays_what_it_is(tmp_path: Path, end: str) -> None:
    row: Row = (1, 1, 2, 3, 1, f"chip{end}dropped", "{}", "[]", "{}", "d")
    assert list(copied_rows(copy_of([row], Format.CSV, tmp_path), Format.CSV)) == [row]


def test_a_copy_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    path = tmp_path / "copy"
    said = f"^{path}: No such file or directory; check the path and the medium$"
    with pytest.raises(JournalIOError, match=said):
        format_of(path)
    for form in Format:
        with pytest.raises(JournalIOError, match=said):
            list(copied_rows(path, form))


GOOD = (1, 1, 2, 3, 1, "chip_dropped", "{}", "[]", "{}", "d")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (b"1,1,2,", b"1,1,", "line 2 has 9 fields, not 10"),
        (b"1,1,2,", b"1,1,2.0,", "line 2: at_ns is '2.0', not a whole number"),
        (b"1,1,2,", b"1,1, 2,", "at_ns is ' 2'"),
        (b"1,1,2,", b"1,1,+2,", "at_ns is '+2'"),
        (b"1,1,2,", b"1,1,02,", "at_ns is '02'"),
        (b"1,1,2,", "1,1,٢,".encode(), "at_ns is '٢'"),
        (b"1,1,2,", b"1,1,9223372036854775808,", "not a whole number of 64 bits"),
        (b"chip_dropped", b"chip\xffdropped", "line 2 holds bytes that are no UTF-8"),
        (b"chip_dropped", b'"chip"x"', "line 2 is no line of CSV"),
    ],
)
def test_a_line_of_csv_that_is_no_row_is_named_and_the_next_is_read(
    tmp_path: Path, old: bytes, new: bytes, said: str
) -> None:
    file = copy_of([GOOD, (2, *GOOD[1:])], Format.CSV, tmp_path)
    file.write_bytes(file.read_bytes().replace(old, new, 1))
    bad, good = copied_rows(file, Format.CSV)
    assert isinstance(bad, LineError)
    assert said in str(bad)
    assert good == (2, *GOOD[1:])


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (b'"boot":1,', b"", "line 1 is no JSON object of a record"),
        (b'"boot":1,', b'"boot":1,"boot":1,', "line 1 is not as `pozo journal export` writes it"),
        (b'"boot":1,', b'"boot": 1,', "line 1 is not as"),
        (b'"boot":1,', b'"boot":1.0,', "line 1"),
        (b'"boot":1,', b'"boot":true,', "line 1"),
        (b'"boot":1,', b'"boot":9223372036854775808,', "line 1"),
        (b'"boot":1,', b'"boot":1,"more":2,', "line 1"),
        (b'"event":{}', b'"event":' + b"[" * 5000 + b"]" * 5000, "line 1"),
        (b'"event":{}', b'"event":"\xff"', "line 1"),
        (b'"event":{}', b'"event":"{}"', "line 1 is not as"),
    ],
)
def test_a_line_of_json_that_is_no_row_is_named_and_the_next_is_read(
    tmp_path: Path, old: bytes, new: bytes, said: str
) -> None:
    file = copy_of([GOOD, (2, *GOOD[1:])], Format.JSONL, tmp_path)
    file.write_bytes(file.read_bytes().replace(old, new, 1))
    bad, good = copied_rows(file, Format.JSONL)
    assert isinstance(bad, LineError)
    assert said in str(bad)
    assert good == (2, *GOOD[1:])


def test_a_copy_that_is_cut_off_in_a_line_says_so(tmp_path: Path) -> None:
    file = copy_of([GOOD], Format.JSONL, tmp_path)
    file.write_bytes(file.read_bytes()[:-1])
    (bad,) = copied_rows(file, Format.JSONL)
    assert "has no end" in str(bad)
