"""Keeps `field_log.md` true: every row of the field log has its tests, or a reason why it has none."""

import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SHARED = HERE.parent.parent / "shared" / "field-log.md"
ROW = re.compile(r"^\| (F\d{3}) \| (.+) \|$", re.MULTILINE)


def listed() -> dict[str, str]:
    rows = ROW.findall((HERE / "field_log.md").read_text(encoding="utf-8"))
    assert len(rows) == len(dict(rows)), "a row stands twice"
    return dict(rows)


def numbered() -> dict[str, set[str]]:
    """The files whose tests carry each row's number; a test may carry several."""
    found: dict[str, set[str]] = {}
    for path in HERE.rglob("*.py"):
        for name in re.findall(r"^ *def (test_F\d{3}_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE):
            for row in re.findall(r"F\d{3}(?=_)", name):
                found.setdefault(row, set()).add(path.relative_to(HERE).as_posix())
    return found


def test_every_row_names_exactly_the_files_that_test_it_or_a_reason() -> None:
    tests = numbered()
    for row, words in listed().items():
        if words.startswith("none: "):
            assert row not in tests, f"{row} has tests now: {tests.get(row)}"
            assert len(words) > len("none: ") + 15, f"{row} needs a reason"
        else:
            assert set(re.findall(r"`([^`]+)`", words)) == tests.get(row, set()), row
    assert set(tests) <= set(listed())


@pytest.mark.skipif(not SHARED.exists(), reason="the shared field log is not beside this clone")
def test_no_row_of_the_field_log_is_forgotten() -> None:
    rows = re.findall(r"^\| (F\d{3}) \|", SHARED.read_text(encoding="utf-8"), re.MULTILINE)
    assert list(listed()) == rows
