"""What an attacker would look for first is not there: code from data, a shell, an open port, an unpinned package."""

import ast
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from controller.cli.console import console
from controller.core import events as ev
from controller.journal import recent
from tests.helpers_cli import pozo_run
from tests.helpers_process import Bench, Running, commissioned, journal_of, opened

ROOT = Path(__file__).parents[1]
SHIPPED = sorted(path for room in ("hal", "controller") for path in (ROOT / room).rglob("*.py"))
CODE_FROM_DATA = {
    "pickle",
    "marshal",
    "shelve",
    "dill",
    "cloudpickle",
    "joblib",
    "yaml",
    "code",
    "codeop",
    "imp",
    "runpy",
}
"""Modules that turn bytes into code, or a text nobody should have to trust into objects."""
FORBIDDEN_CALLS = {
    "eval",
    "exec",
    "compile",
    "__import__",
    "input",
    "os.system",
    "os.popen",
    "os.spawnl",
    "os.spawnv",
    "os.execv",
    "os.execl",
    "pty.spawn",
    "tempfile.mktemp",
    "yaml.load",
    "subprocess.getoutput",
    "subprocess.getstatusoutput",
}
DEVELOPMENT = ("controller/soak/",)
"""Shipped, but run by developers only: its VFS calls C through ctypes."""
PATIENCE_S = 300


def named(node: ast.expr) -> str:
    return ast.unparse(node)


def calls(path: Path) -> Iterator[ast.Call]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    yield from (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def imported(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import(names=names):
                found |= {name.name for name in names}
            case ast.ImportFrom(module=str(module)):
                found.add(module)
            case _:
                pass
    return found


def test_no_code_is_made_from_data_and_no_shell_is_asked() -> None:
    for path in SHIPPED:
        assert not {name.split(".")[0] for name in imported(path)} & CODE_FROM_DATA, path
        for call in calls(path):
            said = f"{path}:{call.lineno} {ast.unparse(call)}"
            assert named(call.func) not in FORBIDDEN_CALLS, said
            assert "shell" not in {keyword.arg for keyword in call.keywords}, said


def test_no_check_is_an_assert_that_a_flag_turns_off() -> None:
    for path in SHIPPED:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            assert not isinstance(node, ast.Assert), (
                f"{path}:{node.lineno}: python -O leaves it out; raise an error"
            )


def test_a_module_named_at_run_time_is_one_of_ours_or_of_a_fixed_list() -> None:
    """Each place that imports by name, with why no input can choose the name."""
    reasons = {
        "controller/cli/__init__.py": "from COMMANDS, a constant, after a look-up by key",
        "controller/cli/floor.py": "a constant, where its database driver is installed",
        "controller/signing/key.py": "the library's own module, by a constant",
        "controller/slips/commands.py": "python-escpos's own modules, by constants",
        "controller/slips/printer.py": "a constant",
        "hal/header.py": "a table's factory, one of an enum",
    }
    found = {
        str(path.relative_to(ROOT))
        for path in SHIPPED
        if not str(path.relative_to(ROOT)).startswith(DEVELOPMENT)
        for call in calls(path)
        if named(call.func).split(".")[-1] == "import_module"
    }
    assert found == set(reasons)


def test_only_the_console_and_the_watchdogs_messages_know_sockets() -> None:
    reasons = {
        "controller/console/serve.py": "the pages, in a process of their own",
        "controller/hostline.py": "the ear of a table: a datagram socket on a path, for its own user",
        "controller/link/beat.py": "what is said to that ear, by a process of its own",
        "controller/link/patience.py": "cuts a line that its own process opened",
        "controller/notify.py": "a datagram to the service manager, on a path of this machine",
    }
    knowing = {str(path.relative_to(ROOT)) for path in SHIPPED if "socket" in imported(path)}
    assert {name for name in knowing if not name.startswith("controller/floor/")} == set(reasons)


def test_a_console_listens_on_this_machine_only_unless_it_is_told_otherwise() -> None:
    (bind,) = (option for option in console.params if option.name == "bind")
    assert bind.default == "127.0.0.1"


def open_to_the_network(pid: int) -> list[str]:
    """The lines of the kernel's tables of TCP and UDP sockets that belong to a process."""
    inodes = set()
    for descriptor in list(Path(f"/proc/{pid}/fd").iterdir()):
        with suppress(FileNotFoundError):  # the one that lists them is gone by now
            target = str(descriptor.readlink())
            if target.startswith("socket:["):
                inodes.add(target.removeprefix("socket:[").removesuffix("]"))
    found = []
    for kind in ("tcp", "tcp6", "udp", "udp6", "raw", "raw6"):
        table = Path(f"/proc/{pid}/net/{kind}")
        lines = table.read_text(encoding="ascii").splitlines()[1:] if table.exists() else []
        found += [f"{kind} {line}" for line in lines if line.split()[9] in inodes]
    return found


def test_the_kernel_shows_a_socket_of_ours_when_there_is_one() -> None:
    with socket.create_server(("127.0.0.1", 0)):
        assert open_to_the_network(os.getpid())


def test_a_running_table_has_no_socket_on_any_network(tmp_path: Path) -> None:
    config = commissioned(tmp_path)
    bench = Bench()
    try:
        with Running(config, bench) as running:
            running.ready()
            assert open_to_the_network(running.process.pid) == []
    finally:
        bench.close()


def test_the_fuzzers_run_for_a_moment(tmp_path: Path) -> None:
    pytest.importorskip("atheris", reason="atheris has no wheel for this Python")
    command = [sys.executable, "-m", "tests.fuzz", "stored", "row", "transfer", "--runs", "300"]
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "stored transfer: nothing found" in done.stdout


def test_every_session_says_on_what_board_it_ran(tmp_path: Path) -> None:
    """Whoever may edit the table's file can name a simulated board and turn its keys: the journal tells of it."""
    config = opened(tmp_path)
    sessions = [record.event for record in recent(journal_of(config), 99, "started")]
    said = [event.settings for event in sessions if isinstance(event, ev.Started)]
    assert said
    assert all(text.split()[0] == "board=simulated" for text in said)
    done = pozo_run(
        "transfer", "within", "main", "main", "1.00", "--config", config, "--reason", "x", "--turn-keys"
    )
    assert done.exit_code == 1, "the table is open, and nothing is moved to itself"
    last = recent(journal_of(config), 1, "started")[0].event
    assert isinstance(last, ev.Started)
    assert last.settings == "board=simulated"
