"""Every deliberately broken build is caught by the soak, by the checker whose business it is, within a small budget."""

import pytest

from controller.soak.table import Table
from tests.broken import BUILDS, MONTEVIDEO, Build, built


def caught(build: Build) -> str:
    """The first checker that finds something; empty if the whole budget finds nothing."""
    for seed in build.seeds:
        found = Table(seed, MONTEVIDEO).play(build.rounds).failure
        if found is not None:
            return f"{found.checker}: {found.text}"
    return ""


@pytest.mark.parametrize("broken", BUILDS, ids=lambda broken: broken.name)
def test_a_broken_build_is_caught(broken: Build) -> None:
    with built(broken):
        found = caught(broken)
    assert found.partition(":")[0] in broken.found_by, found or "nothing was found"


def test_there_are_enough_of_them() -> None:
    assert len({each.name for each in BUILDS}) == len(BUILDS) >= 12
