"""Style as tests: linter, formatter, strict types, small functions, complete catalogues, nothing personal."""

import ast
import re
import subprocess
import sys
from enum import StrEnum
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from controller.config import Kind, names, rulebook
from controller.core.cards import Suit
from controller.core.events import Became, Payment, Reason, Refusal, Trusted
from controller.core.faults import SEVERITY, FaultCode
from controller.core.game import Hand
from controller.core.punto.draw import Mistake
from controller.core.punto.score import PuntoResult
from controller.menu import Verb
from controller.menu.poker import Why
from controller.sheet import rows
from controller.texts import Counting, Text
from controller.witness.verdict import Plight
from tests.helpers_sheet import sheet_keys

ROOT = Path(__file__).parent.parent
CODE = ("hal", "controller", "tests", "benchmarks", "press")
LINES_MAX = 400
FUNCTION_LINES_MAX = 60
MENU_WORDS: dict[str, type[StrEnum]] = {
    "verb": Verb,
    "reason": Reason,
    "why": Why,
    "payment": Payment,
    "suit": Suit,
    "became": Became,
}


def run(*command: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_ruff_finds_nothing() -> None:
    run("ruff", "check", *CODE)


def test_the_code_is_formatted() -> None:
    run("ruff", "format", "--check", *CODE)


def test_types_are_strict() -> None:
    run("mypy")


def tracked(*patterns: str) -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).exists()]


def test_product_files_and_functions_stay_small() -> None:
    for path in tracked("hal/*.py", "controller/*.py", "press/*.py"):
        text = path.read_text(encoding="utf-8")
        assert len(text.splitlines()) <= LINES_MAX, path
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                assert length <= FUNCTION_LINES_MAX, f"{path}:{node.lineno} {node.name}: {length} lines"


def test_every_room_and_file_says_what_it_is() -> None:
    for path in tracked("hal/*.py", "controller/*.py", "press/*.py"):
        assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), path


def test_nothing_personal_and_no_unfinished_marks_are_kept() -> None:
    forbidden = re.compile(r"/home/\w+|/Users/\w+|\bTODO\b|\bFIXME\b|\bXXX\b|<<<<<<<|>>>>>>>")
    for path in tracked():
        if path == Path(__file__):
            continue
        found = forbidden.search(path.read_text(encoding="utf-8", errors="replace"))
        assert found is None, f"{path}: {found}"


@pytest.mark.parametrize("language", ["es", "en"])
def test_every_word_is_in_both_catalogues(language: str) -> None:
    source = ROOT / "controller" / "words" / language / "LC_MESSAGES" / "pozo.po"
    with source.open("rb") as file:
        entries = {message.id: message.string for message in read_po(file) if message.id}
    wanted = {text.value for text in Text} | {counting.value for counting in Counting}
    wanted |= {f"refusal.{code}" for code in Refusal}
    wanted |= {f"fault.{code}" for code in FaultCode}
    wanted |= {f"hand.{code}" for code in Hand}
    wanted |= {f"plight.{code}" for code in Plight} | {f"trusted.{code}" for code in Trusted}
    wanted |= sheet_keys()
    wanted |= {f"result.{code}" for code in PuntoResult}
    wanted |= {f"mistake.{code}" for code in Mistake}
    wanted.add("became.under_way")
    for kind, codes in MENU_WORDS.items():
        wanted |= {f"{kind}.{code}" for code in codes}
    assert set(entries) == wanted
    for key, words in entries.items():
        assert all(words) if isinstance(words, tuple) else words, key
        assert set(re.findall(r"{\w+}", str(words))) == set(re.findall(r"{\w+}", str(key))), key


def test_the_rules_sheet_asks_the_catalogues_for_nothing_else() -> None:
    asked = {row.key for name in names(Kind.GAME) for row in rows(rulebook(name))}
    assert asked <= sheet_keys() | {f"hand.{code}" for code in Hand}


def test_every_fault_has_a_severity() -> None:
    assert set(SEVERITY) == set(FaultCode)
