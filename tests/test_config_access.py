"""Whom a table asks for a PIN: on a board with pins both key holders, on a simulated one whom it likes."""

from pathlib import Path

import pytest

from controller.config import load
from controller.core.game import Role
from tests.helpers_cli import own_table
from tests.helpers_config import TABLE, line_of, refusal, table

SHIPPED = 'pin = ["supervisor", "technician"]'


@pytest.mark.parametrize(
    ("given", "lacking"),
    [
        ("[]", "supervisor and technician"),
        ('["supervisor"]', "technician"),
        ('["dealer", "technician"]', "supervisor"),
    ],
)
def test_real_key_switches_without_a_named_person_are_refused(
    tmp_path: Path, given: str, lacking: str
) -> None:
    message = refusal(table(tmp_path, (SHIPPED, f"pin = {given}")))
    assert f"mesa.toml, line {line_of(TABLE, SHIPPED)}: access.pin" in message
    assert f"lacks {lacking}: " in message
    assert f"Write {SHIPPED}" in message


def test_a_real_table_without_a_policy_is_refused(tmp_path: Path) -> None:
    assert "access" in refusal(table(tmp_path, (f"[access]\n{SHIPPED}\n", "")))


def test_a_real_table_may_ask_the_dealer_too(tmp_path: Path) -> None:
    given = 'pin = ["technician", "dealer", "supervisor"]'
    assert set(load(str(table(tmp_path, (SHIPPED, given)))).game.pin) == set(Role)


@pytest.mark.parametrize("given", ["pin = []", 'pin = ["technician"]'])
def test_a_simulated_board_asks_whom_it_likes(tmp_path: Path, given: str) -> None:
    asked = load(str(own_table(tmp_path, {"pin = []": given}))).game.pin
    assert asked == tuple(role for role in Role if role in given)
