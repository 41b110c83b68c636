"""Field log, topic 10: what editors and file systems make of a table's file, each row by its number."""

import hashlib
import re
from pathlib import Path

import pytest

from controller.config import load
from tests.helpers_config import CONFIG, TABLE, changed, line_of, refusal, table, written

BOM = b"\xef\xbb\xbf"


def test_F150_a_byte_order_mark_in_front_is_left_out_with_a_notice(tmp_path: Path) -> None:
    data = BOM + TABLE.encode()
    settings = load(str(written(tmp_path / "mesa.toml", data)))
    assert settings.name == "Mesa 1"
    assert settings.digest == hashlib.sha256(data).hexdigest()
    (notice,) = settings.warnings
    assert "begins with U+FEFF" in notice


def test_F150_a_byte_order_mark_twice_or_in_the_middle_is_refused_with_its_line(tmp_path: Path) -> None:
    twice = refusal(written(tmp_path / "mesa.toml", BOM + BOM + TABLE.encode()))
    assert "line 1, column 1: invisible character U+FEFF (ZERO WIDTH NO-BREAK SPACE): remove it" in twice
    for where in ("[wager]", "Quien paga", 'Mesa 1" '):
        middle = refusal(table(tmp_path, (where, "\ufeff" + where)))
        assert re.search(rf"line {line_of(TABLE, where)}, column \d+: invisible character U\+FEFF", middle)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le"])
@pytest.mark.parametrize("mark", ["\ufeff", ""])
def test_F151_utf_16_is_refused_with_what_to_do(tmp_path: Path, encoding: str, mark: str) -> None:
    message = refusal(written(tmp_path / "mesa.toml", (mark + TABLE).encode(encoding)))
    assert 'is UTF-16 or UTF-32 ("Unicode" in Notepad): save as UTF-8' in message


@pytest.mark.parametrize(
    ("encoding", "byte"),
    [("cp1252", "0xF1 (LATIN SMALL LETTER N WITH TILDE in Windows-1252)"), ("cp437", "0xA4")],
)
def test_F151_an_eight_bit_code_page_is_refused_with_byte_and_line(
    tmp_path: Path, encoding: str, byte: str
) -> None:
    text = changed(TABLE, ('"Mesa 1" ', '"Mesa ñ" '))
    message = refusal(written(tmp_path / "mesa.toml", text.encode(encoding)))
    line = line_of(TABLE, '"Mesa 1"')
    assert f"mesa.toml, line {line}: byte {byte} in column 14 is not UTF-8: save as UTF-8" in message


@pytest.mark.parametrize(
    ("change", "column", "told"),
    [
        (
            ('name = "Mesa 1" ', "name = \u201cMesa 4\u201d "),
            8,
            'U+201C (LEFT DOUBLE QUOTATION MARK): write " instead',
        ),
        (
            ('name = "Mesa 1" ', "name = \u2018Mesa 4\u2019 "),
            8,
            "U+2018 (LEFT SINGLE QUOTATION MARK): write ' instead",
        ),
        (
            ("increment_rate_ppm = 500_000 ", "increment_rate_ppm = 0\u202425 "),
            23,
            "U+2024 (ONE DOT LEADER): write . instead",
        ),
        (
            ("increment_rate_ppm = 500_000 ", "increment_rate_ppm = \u22125 "),
            22,
            "U+2212 (MINUS SIGN): write - instead",
        ),
        (
            ("increment_rate_ppm = 500_000 ", "increment_rate_ppm\u00a0= 5 "),
            19,
            "U+00A0 (NO-BREAK SPACE): write a plain space instead",
        ),
        (
            ("increment_rate_ppm = 500_000 ", "increment_rate_ppm \uff1d 5 "),
            20,
            "U+FF1D (FULLWIDTH EQUALS SIGN): write = instead",
        ),
        (
            ("increment_rate_ppm = 500_000 ", "increment_rate_ppm = \uff15 "),
            22,
            "U+FF15 (FULLWIDTH DIGIT FIVE): write 5 instead",
        ),
        (
            ("increment_rate_ppm = 500_000 ", "increment_rate_ppm = 5\u2026 "),
            23,
            "U+2026 (HORIZONTAL ELLIPSIS): write ... instead",
        ),
        (("increment_rate_ppm = 500_000 ", "\u00b5 = 5 "), 1, "U+00B5 (MICRO SIGN): write u instead"),
        (
            ("increment_rate_ppm = 500_000 ", "tasa_\u00f1 = 5 "),
            6,
            "U+00F1 (LATIN SMALL LETTER N WITH TILDE): remove it",
        ),
    ],
)
def test_F152_a_character_that_only_looks_right_is_named_with_line_and_column(
    tmp_path: Path, change: tuple[str, str], column: int, told: str
) -> None:
    message = refusal(table(tmp_path, change))
    assert f"mesa.toml, line {line_of(TABLE, change[0])}, column {column}: " in message
    assert told in message


def test_F152_a_look_alike_inside_an_amount_is_no_amount(tmp_path: Path) -> None:
    message = refusal(table(tmp_path, ('amount = "10.00" ', 'amount = "10\u202400" ')))
    assert 'wager.amount = "10\\u202400"' in message
    assert "write it like" in message


def test_F153_crlf_mixed_and_no_end_mean_the_same_as_lf(tmp_path: Path) -> None:
    lines = TABLE.splitlines()
    mixed = "".join(line + ("\r\n" if number % 2 else "\n") for number, line in enumerate(lines))
    plain = load(str(written(tmp_path / "mesa.toml", TABLE)))
    for text in (
        TABLE.replace("\n", "\r\n"),
        mixed,
        TABLE.rstrip("\n"),
        TABLE.replace("\n", "\r\n").rstrip(),
    ):
        settings = load(str(written(tmp_path / "mesa.toml", text)))
        assert settings.game == plain.game
        assert settings.warnings == ()
        assert "\\r" not in repr(settings)


def test_F153_cr_alone_is_refused_with_what_to_do(tmp_path: Path) -> None:
    message = refusal(written(tmp_path / "mesa.toml", TABLE.replace("\n", "\r")))
    assert "line 1: ends with CR alone (old Mac line end): save with LF or CRLF line ends" in message
    one = refusal(written(tmp_path / "mesa.toml", TABLE.replace("\n[wager]", "\r[wager]")))
    assert f"line {line_of(TABLE, '[wager]') - 1}: ends with CR alone" in one


@pytest.mark.parametrize(
    "name",
    [
        "table.toml.txt",
        "TABLE.TOML",
        "table (1).toml",
        "Table.toml",
        "table - copia.toml",
        "table.txt",
        "table.toml.toml",
        "~$table.toml",
        "._table.toml",
    ],
)
def test_F154_a_near_miss_is_named_when_the_file_is_not_there(tmp_path: Path, name: str) -> None:
    written(tmp_path / name, TABLE)
    message = refusal(tmp_path / "table.toml")
    assert f"there is no such file; found {name}, expected table.toml: rename it" in message


@pytest.mark.parametrize("name", ["table.toml.txt", "TABLE.TOML", "table (1).toml"])
def test_F154_two_candidates_are_refused(tmp_path: Path, name: str) -> None:
    path = table(tmp_path).rename(tmp_path / "table.toml")
    written(tmp_path / name, TABLE)
    assert f"{name} lies beside it and could be the one meant: keep only table.toml" in refusal(path)


@pytest.mark.parametrize("name", ["~$table.toml", "._table.toml", ".table.toml.swp"])
def test_F154_marks_of_other_programs_are_ignored_with_a_notice(tmp_path: Path, name: str) -> None:
    path = table(tmp_path).rename(tmp_path / "table.toml")
    written(tmp_path / name, b"\0\1")
    (notice,) = load(str(path)).warnings
    assert f"{name} was left behind by another program; it is not read" in notice


def test_F154_other_files_of_the_folder_are_none_of_its_business(tmp_path: Path) -> None:
    path = table(tmp_path).rename(tmp_path / "table.toml")
    for name in ("tables.toml", "table2.toml", "mytable.toml", "table.md", "table"):
        written(tmp_path / name, TABLE)
    assert load(str(path)).warnings == ()


def test_F155_the_shipped_table_has_crlf_and_ascii_and_loads_unchanged() -> None:
    data = (CONFIG / "table.toml").read_bytes()
    assert data.isascii()
    assert data.count(b"\r\n") == data.count(b"\n") == data.count(b"\r") > 40
    settings = load(str(CONFIG / "table.toml"))
    assert settings.warnings == ()
    attributes = (CONFIG.parent / ".gitattributes").read_text(encoding="ascii")
    assert "config/table.toml -text" in attributes


@pytest.mark.parametrize("end", [".save", ".bak", ".BAK", "~", ".save.1", ".old"])
def test_F161_a_copy_left_behind_is_ignored_with_a_notice(tmp_path: Path, end: str) -> None:
    path = table(tmp_path)
    written(tmp_path / f"mesa.toml{end}", "not even TOML")
    assert load(str(path)).warnings == (f"{path}{end} was left behind by another program; it is not read",)


def test_F161_the_file_really_used_is_told_with_path_time_and_digest(tmp_path: Path) -> None:
    path = table(tmp_path)
    used = load(str(path)).files[0]
    assert used.path == path
    assert used.changed.timestamp() == pytest.approx(path.stat().st_mtime)
    assert re.fullmatch("[0-9a-f]{64}", used.digest)
