"""Journals outlive programs: what one has written, every later one must read under the same names and defaults."""

from tests.helpers_names import FILE, names


def test_no_name_or_default_that_was_ever_stored_has_changed() -> None:
    """New ones may come; `python -m tests.helpers_names` writes them down."""
    known = set(FILE.read_text(encoding="utf-8").splitlines())
    assert len(known) > 500
    assert known - set(names()) == set()
