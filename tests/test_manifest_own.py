"""The program proves itself: before it plays and before any session writes, whatever Python was told to load."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from controller.config import ConfigError, load
from tests.helpers_cli import own_table, pozo_run

REPOSITORY = Path(__file__).parent.parent


def test_a_real_table_must_be_proven(tmp_path: Path) -> None:
    text = load("table").source.read_text(encoding="utf-8")
    begin = text.index("[software]")
    (tmp_path / "table.toml").write_text(text[:begin])
    with pytest.raises(ConfigError, match="software: is missing: a real table proves its program"):
        load(str(tmp_path / "table.toml"))


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of this very program with its list, signed."""
    place = tmp_path_factory.mktemp("release")
    for name in ("hal", "controller", "config"):
        shutil.copytree(REPOSITORY / name, place / name, ignore=shutil.ignore_patterns("__pycache__"))
    assert pozo_run("manifest", "key", "--out", place / "keys").exit_code == 0
    made = pozo_run(
        "manifest",
        "make",
        "--key",
        place / "keys" / "release.key",
        "--out",
        place / "m.json",
        "--root",
        place,
    )
    assert made.exit_code == 0, made.output
    return place


def proven_table(release: Path, folder: Path) -> Path:
    """A commissioned simulated table whose file asks for the proof."""
    file = own_table(folder)
    section = f'\n[software]\nmanifest = "{release / "m.json"}"\nkey = "{release / "keys" / "release.pub"}"\n'
    head, mark, rest = file.read_text().partition("[journal]")
    file.write_text(head + section.lstrip() + "\n" + mark + rest)
    done = pozo_run("commission", "--config", file, "--turn-keys")
    assert done.exit_code == 0, done.output
    return file


def start(release: Path, file: Path) -> tuple[int, str]:
    """Run the copy's `pozo run` until it plays or refuses."""
    process = subprocess.Popen(
        [sys.executable, "-B", "-m", "controller", "run", "--config", str(file)],
        cwd=release,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    with process:
        assert process.stdout is not None
        first = process.stdout.readline()
        while first.startswith("warning:"):
            first = process.stdout.readline()
        if "plays" in first:
            process.terminate()
        rest = process.stdout.read()
        return process.wait(), first + rest


def test_a_table_plays_with_its_files_as_signed_and_refuses_before_any_pin_otherwise(
    release: Path, tmp_path: Path
) -> None:
    file = proven_table(release, tmp_path)
    code, said = start(release, file)
    assert (code, "plays: closed" in said) == (0, True), said
    extra = release / "controller" / "sitting.py"
    extra.write_text("")
    before = (tmp_path / "mesa.db").read_bytes()
    code, said = start(release, file)
    extra.unlink()
    assert code == 1, said
    assert "not of the release: controller/sitting.py" in said
    assert "plays" not in said
    assert (tmp_path / "mesa.db").read_bytes() == before


def test_a_module_from_elsewhere_is_refused(release: Path, tmp_path: Path) -> None:
    """`hal` of another folder, which Python was made to look into first, while the signed one lies untouched."""
    file = proven_table(release, tmp_path)
    shutil.copytree(release / "hal", tmp_path / "hal")
    code = (
        f"import sys; sys.path[:0] = [{str(tmp_path)!r}]; import hal.interface; sys.path[:1] = [{str(release)!r}]; "
        f"from controller.__main__ import main; sys.argv = ['pozo', 'run', '--config', {str(file)!r}]; main()"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "were loaded from outside" in done.stderr
    assert "hal.interface" in done.stderr


def test_compiled_files_from_another_place_are_refused(release: Path, tmp_path: Path) -> None:
    file = proven_table(release, tmp_path)
    for how in (("-X", f"pycache_prefix={tmp_path / 'cache'}"), ()):
        done = subprocess.run(
            [sys.executable, *how, "-m", "controller", "run", "--config", str(file)],
            cwd=release,
            env=os.environ | ({} if how else {"PYTHONPYCACHEPREFIX": str(tmp_path / "cache")}),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 1
        assert f"Python takes compiled files from {tmp_path / 'cache'}" in done.stderr


def test_a_module_whose_compiled_file_lies_elsewhere_is_refused(release: Path, tmp_path: Path) -> None:
    """`__file__` stays right, `__cached__` does not."""
    file = proven_table(release, tmp_path)
    code = (
        f"import hal.interface; hal.interface.__cached__ = {str(tmp_path / 'x.pyc')!r}; "
        f"from controller.__main__ import main; import sys; sys.argv = ['pozo', 'run', '--config', {str(file)!r}]; "
        "main()"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-c", code], cwd=release, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert f"hal.interface ({tmp_path / 'x.pyc'})" in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("transfer", "within", "main", "mini", "1.00", "--reason", "x", "--turn-keys"),
        ("recover", "--trust", "journal"),
    ],
)
def test_no_session_writes_with_another_program(
    release: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    file = proven_table(release, tmp_path)
    extra = release / "controller" / "sitting.py"
    extra.write_text("")
    before = (tmp_path / "mesa.db").read_bytes()
    done = subprocess.run(
        [sys.executable, "-B", "-m", "controller", *words, "--config", str(file)],
        cwd=release,
        capture_output=True,
        text=True,
        check=False,
    )
    extra.unlink()
    assert done.returncode == 1
    assert "not of the release: controller/sitting.py" in done.stderr
    assert (tmp_path / "mesa.db").read_bytes() == before
