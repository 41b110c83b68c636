"""The threat model names tests and drills as proof: each of them is there."""

import ast
import re
from pathlib import Path

TESTS = Path(__file__).parent
PAGE = (TESTS.parent / "docs" / "security.md").read_text(encoding="utf-8")
NAMED = re.compile(r"`(test_\w+)`")
DRILLS = re.compile(r"`([a-z0-9-]+\.drill)`")


def known() -> set[str]:
    return {
        node.name
        for path in TESTS.glob("test_*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


def test_every_test_the_page_names_exists() -> None:
    named = set(NAMED.findall(PAGE))
    assert len(named) > 40
    assert named - known() == set()


def test_every_drill_the_page_names_exists() -> None:
    named = set(DRILLS.findall(PAGE))
    assert len(named) > 20
    assert named - {path.name for path in (TESTS / "drills").iterdir()} == set()
