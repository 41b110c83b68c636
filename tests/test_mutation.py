"""The mutants' own tools: what is changed, what is left alone, how a result is kept, and that a gap is found."""

import importlib.util
import signal
from pathlib import Path

import pytest

from tests.mutation import kept, report, rooms
from tests.mutation.forked import JobError, LostError, forked
from tests.mutation.imported import Finder
from tests.mutation.kept import Kept
from tests.mutation.mutants import Mutant, mutants
from tests.mutation.runner import Runner
from tests.mutation.typed import Types

CODE = '''"""What it is."""

LIMIT = 7


def most(amount: int, *, least: int = 0) -> int:
    """Its docstring."""
    if amount < 0:
        raise ValueError(f"{amount} is below zero")
    return max(amount + least, LIMIT)
'''


def of(folder: Path, code: str = CODE) -> list[Mutant]:
    path = folder / "sample.py"
    path.write_text(code, encoding="utf-8")
    return list(mutants(path, "sample.py"))


def test_each_thing_that_can_be_wrong_is_changed_once(tmp_path: Path) -> None:
    assert [(it.function, it.line, it.before, it.after) for it in of(tmp_path)] == [
        ("", 3, "LIMIT = 7", "LIMIT = None"),
        ("", 3, "7", "8"),
        ("", 6, "0", "1"),
        ("most", 8, "< 0", "<= 0"),
        ("most", 8, "0", "1"),
        ("most", 10, "max(amount + least, LIMIT)", "max(None, LIMIT)"),
        ("most", 10, "max(amount + least, LIMIT)", "max(amount + least, None)"),
        ("most", 10, "amount + least", "amount - least"),
    ]


def test_sentences_annotations_and_the_unreachable_are_left_alone(tmp_path: Path) -> None:
    code = (
        "Any = int | str\n\n\ndef f(x: Any = None) -> str:\n    match x:\n        case int():\n"
        '            return "two words"\n        case _:\n            assert_never(x)\n'
    )
    (left_out,) = of(tmp_path, code)
    (no_type,) = of(tmp_path, 'Seat = NewType("Seat", int)\n')
    assert no_type.after == "Seat = None"
    assert "case int" in left_out.before
    assert "case int" not in left_out.after


def test_a_mutants_source_is_the_file_with_that_one_change(tmp_path: Path) -> None:
    limit = of(tmp_path)[1]
    assert limit.source == CODE.replace("LIMIT = 7", "LIMIT = 8")


def test_an_id_lasts_as_long_as_its_function_is_written_so(tmp_path: Path) -> None:
    before = {it.id for it in of(tmp_path) if it.function}
    moved = {it.id for it in of(tmp_path, CODE.replace("LIMIT = 7", "OTHER = 1\nLIMIT = 9")) if it.function}
    edited = {it.id for it in of(tmp_path, CODE.replace("is below", "lies below")) if it.function}
    assert len(before) == 5
    assert moved == before
    assert edited & before == set()


def test_the_changed_file_is_imported_in_place_of_the_real_one(tmp_path: Path) -> None:
    finder = Finder(of(tmp_path)[1], tmp_path)
    assert finder.find_spec("another", None) is None
    spec = finder.find_spec("sample", None)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert (8, (tmp_path / "sample.py").read_text(encoding="utf-8")) == (module.LIMIT, CODE)


def test_a_mutant_is_put_in_by_its_functions_code(tmp_path: Path) -> None:
    changed = of(tmp_path)[-1]
    spec = importlib.util.spec_from_file_location("sample", changed.path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    runner = Runner([], [], lambda _mutant, _caught: None, 0.0)
    runner.functions = {changed.path: [module.most]}
    assert module.most(9, least=2) == 11
    runner._put_in(changed)
    assert module.most(9, least=2) == 7


def test_a_forked_job_answers_raises_or_is_lost() -> None:
    assert forked(lambda: {"a": 1}) == {"a": 1}
    with pytest.raises(JobError, match="ZeroDivisionError"):
        forked(lambda: 1 // 0)
    with pytest.raises(LostError):
        forked(_forever, seconds=1)


def test_a_job_that_only_waits_is_lost_and_one_that_works_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.mutation.forked.IDLE_S", 0.2)
    with pytest.raises(LostError, match="did nothing"):
        forked(signal.pause, seconds=60)
    assert forked(lambda: sum(range(20_000_000)), seconds=60) == 199_999_990_000_000


def _forever() -> int:
    while True:
        pass


def test_results_are_kept_by_file_and_come_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "FOLDER", tmp_path / "kept")
    assert kept.load("money") == {}
    known = {"core/a.py": Kept({"1", "2"}, {"4"}, {"3"}), "core/b.py": Kept()}
    kept.save("money", known)
    assert kept.load("money") == known


def test_what_the_type_checker_refuses_is_told_from_what_it_accepts(tmp_path: Path) -> None:
    room = tmp_path / "room"
    room.mkdir()
    types = Types(tmp_path, room)
    by_change = {it.after: it for it in of(tmp_path)}
    assert types.refuse(by_change["LIMIT = None"])
    for _ in range(
        2
    ):  # "amount - least" and "max(None, LIMIT)" are of other sizes, "8" is of the same as the file
        assert not types.refuse(by_change["8"])
        assert not types.refuse(by_change["amount - least"])
        assert types.refuse(by_change["max(None, LIMIT)"])
    (always,) = (
        it
        for it in of(tmp_path, "def f(x: int) -> int:\n    return 1 if x else 2\n")
        if "or True" in it.after
    )
    assert not types.refuse(always)
    by_change = {
        it.after: it for it in of(tmp_path, "def f(name: str) -> str:\n    return str.strip(name)\n")
    }
    assert Types(tmp_path, room).refuse(by_change["str.strip(None)"]), "of the same size"
    with pytest.raises(AssertionError, match=r"refuses .*sample.py as it is"):
        Types(tmp_path, room).refuse(of(tmp_path, CODE.replace("7", '"7"'))[0])


def test_every_file_of_the_four_rooms_is_mutated_once() -> None:
    wanted = {
        path
        for room in ("core", "inputs", "journal", "witness")
        for path in (rooms.ROOT / "controller" / room).rglob("*.py")
        if path.read_text(encoding="utf-8").count("\n") > 5
    }
    found = [path for room in rooms.SOURCES for path in rooms.sources(room)]
    assert len(found) == len(set(found))
    assert wanted - set(found) == set()


def test_every_rooms_tests_are_there() -> None:
    for room in rooms.SOURCES:
        for name in rooms.TESTS[room]:
            assert list((rooms.ROOT / "tests").glob(f"test_{name}.py")), name


def test_every_reason_belongs_to_a_room_and_says_something() -> None:
    for room, given in report.reasons().items():
        assert room in rooms.SOURCES
        for key, why in given.items():
            assert len(key) == 10
            assert len(why) > 10
