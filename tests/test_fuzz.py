"""Every parser takes anything: it returns a value or raises its room's own error, in a time its input's size bounds."""

import importlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.__main__ import NAMES
from tests.fuzz.hostile import JSON, TEXT, any_bytes
from tests.fuzz.target import Target


def targets() -> dict[str, Target]:
    return {
        f"{name}.{target}": found
        for name in NAMES
        for target, found in importlib.import_module(f"tests.fuzz.{name}").TARGETS.items()
    }


ALL = targets()
"""By name; each has its own expectations beside it."""


@pytest.mark.parametrize("name", ALL)
def test_a_parser_takes_good_bytes(name: str) -> None:
    for seed in ALL[name].seeds:
        ALL[name].feed(seed)


@pytest.mark.parametrize("name", ALL)
def test_a_parser_takes_hostile_pieces_by_themselves(name: str) -> None:
    for piece in (*TEXT, *JSON):
        ALL[name].feed(piece[: ALL[name].most])


@pytest.mark.parametrize("name", ALL)
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(data=st.data())
def test_a_parser_takes_damaged_and_hostile_bytes(name: str, data: st.DataObject) -> None:
    found = ALL[name]
    found.feed(data.draw(any_bytes(found.seeds))[: found.most])
