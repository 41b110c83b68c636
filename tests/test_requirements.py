"""What is installed is pinned: each release with its files' hashes, every dependency covered, no registry named."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "image" / "requirements"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
BOARD_EXTRAS = ("console", "printer", "spi")
EXTRAS: dict[str, tuple[str, ...]] = {
    "table": (),
    "console": ("console",),
    "dev": ("dev",),
    "pi": ("pi", *BOARD_EXTRAS),
    "pi5": ("pi5", *BOARD_EXTRAS),
}
"""By file, the extras of pyproject.toml that it covers."""
HASH = re.compile(r"    --hash=sha256:[0-9a-f]{64}")
ALL = (*EXTRAS, "build")


def releases(name: str) -> dict[str, tuple[Requirement, int]]:
    """What a file pins, by name, and how many hashes stand under it."""
    found: dict[str, tuple[Requirement, int]] = {}
    for pinned, hashes in entries((FOLDER / f"{name}.txt").read_text(encoding="utf-8")):
        assert canonicalize_name(pinned.name) not in found, f"{pinned.name} stands twice"
        found[canonicalize_name(pinned.name)] = (pinned, hashes)
    return found


def entries(text: str) -> Iterator[tuple[Requirement, int]]:
    lines = text.replace(" \\\n", "\n").splitlines()
    starts = [at for at, line in enumerate(lines) if not line.startswith(" ")]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        assert all(HASH.fullmatch(line) for line in lines[start + 1 : end]), lines[start:end]
        yield Requirement(lines[start]), end - start - 1


def asked(extras: tuple[str, ...]) -> Iterator[Requirement]:
    optional = PROJECT["project"]["optional-dependencies"]
    for text in (
        *PROJECT["project"]["dependencies"],
        *(each for extra in extras for each in optional[extra]),
    ):
        yield Requirement(text)


@pytest.mark.parametrize("name", ALL)
def test_each_release_is_exact_and_has_its_hashes(name: str) -> None:
    found = releases(name)
    assert found
    for pinned, hashes in found.values():
        assert [part.operator for part in pinned.specifier] == ["=="], pinned
        assert hashes > 0, pinned


@pytest.mark.parametrize("name", EXTRAS)
def test_each_dependency_is_covered_by_a_release_it_accepts(name: str) -> None:
    found = releases(name)
    for wanted in asked(EXTRAS[name]):
        pinned, _ = found[canonicalize_name(wanted.name)]
        (part,) = pinned.specifier
        assert wanted.specifier.contains(part.version), f"{pinned} is not {wanted}: run .ci/lock"


def test_what_builds_the_project_is_covered() -> None:
    assert {canonicalize_name(Requirement(text).name) for text in PROJECT["build-system"]["requires"]} <= set(
        releases("build")
    )


def test_a_release_is_the_same_wherever_it_is_pinned() -> None:
    pins: dict[str, set[str]] = {}
    for name in ALL:
        for key, (pinned, _) in releases(name).items():
            pins.setdefault(key, set()).add(str(pinned.specifier))
    assert {key: found for key, found in pins.items() if len(found) > 1} == {}


@pytest.mark.parametrize("name", ALL)
def test_no_registry_is_named(name: str) -> None:
    text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    assert "://" not in text
    assert "--index" not in text


def test_the_set_up_installs_nothing_without_its_hash() -> None:
    script = (ROOT / ".ci" / "setup").read_text(encoding="utf-8")
    calls = [line.split() for line in script.splitlines() if line.startswith("pip ")]
    assert len(calls) == 3
    for call in calls[:-1]:
        assert "--require-hashes" in call
    assert {"--no-index", "--no-deps"} <= set(calls[-1])
