"""The doors between the rooms, checked by reading imports (design.md section 1)."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CORE_MAY = {"typing", "enum", "msgspec", "controller"}
PURE_MAY = CORE_MAY | {"abc", "bisect", "collections", "heapq", "hal", "operator"}
CONCRETE = {"hal.raspberry", "hal.simulated", "hal.bench", "hal.pins", "hal.chips", "hal.header", "hal.lines"}
SHIPS_A_WORLD = ("controller/cli/", "controller/drill/", "controller/sim/", "controller/console/")
"""Rooms that may name a concrete Hal: the command line, the drills' simulated world, and the simulator's."""


def sources(room: str) -> list[Path]:
    """The Python files of a room, a folder or a single file."""
    path = ROOT / room
    return [path] if path.is_file() else sorted(path.rglob("*.py"))


def imports(path: Path) -> Iterator[str]:
    """Every module a file imports, by its full name."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively: rooms are named in full"
            yield str(node.module)


@pytest.mark.parametrize("path", sources("hal"), ids=str)
def test_hal_never_imports_the_controller(path: Path) -> None:
    assert not [name for name in imports(path) if name.split(".")[0] == "controller"]


@pytest.mark.parametrize("path", sources("controller/core"), ids=str)
def test_the_core_imports_types_and_itself(path: Path) -> None:
    names = list(imports(path))
    assert {name.split(".")[0] for name in names} <= CORE_MAY
    assert all(name.startswith("controller.core") for name in names if name.startswith("controller"))


PURE = (
    "controller/inputs",
    "controller/outputs.py",
    "controller/pages.py",
    "controller/texts.py",
    "controller/menu",
)


@pytest.mark.parametrize("room", PURE)
def test_inputs_outputs_and_the_menu_are_pure(room: str) -> None:
    for path in sources(room):
        names = list(imports(path))
        assert {name.split(".")[0] for name in names} <= PURE_MAY, path
        assert not [name for name in names if name.startswith("hal") and name != "hal.interface"], path


@pytest.mark.parametrize("path", sources("controller"), ids=str)
def test_the_controller_sees_hardware_only_through_its_door(path: Path) -> None:
    relative = path.relative_to(ROOT).as_posix()
    if not relative.startswith(SHIPS_A_WORLD):
        assert not CONCRETE & set(imports(path))


def test_money_flows_one_way() -> None:
    """money <- pot <- awards <- table; nothing below `table` knows a phase."""
    below = ("money", "game", "pot", "awards")
    for name in below:
        path = ROOT / "controller" / "core" / f"{name}.py"
        assert not [module for module in imports(path) if module.startswith("controller.core.table")]
        assert "Phase" not in {
            node.id for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Name)
        }


@pytest.mark.parametrize(
    "path", [*sources("controller/core"), *(path for room in PURE[1:] for path in sources(room))], ids=str
)
def test_F144_no_float_comes_near_money(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        assert not _makes_a_float(node), f"{path}: {ast.unparse(node)}"


def _makes_a_float(node: ast.AST) -> bool:
    match node:
        case ast.Constant(value=float()) | ast.BinOp(op=ast.Div()) | ast.AugAssign(op=ast.Div()):
            return True
        case ast.Name(id="float" | "Decimal") | ast.Call(func=ast.Name(id="round")):
            return True
        case _:
            return False
