"""Who is who: one person is never two by another spelling of his name, wherever two persons are needed."""

import unicodedata
from pathlib import Path

import pytest

from controller.core.game import Role
from controller.floor.errors import OnePersonError
from controller.floor.office import refuse_one_person
from controller.journal import ends_of
from controller.names import folded, same_person, two_persons
from controller.users import User, UsersError, added, by_name
from tests.helpers_cli import own_table, pozo_run

ONE = (
    ("Ana", "ANA"),
    ("Ana", " ana "),
    ("Ana Paz", "Ana  Paz"),
    ("Ana", "\uff21\uff4e\uff41"),  # full-width letters
    ("Jos\u00e9", "Jose\u0301"),  # one sign, and two that look the same
    ("Wei\u00df", "WEISS"),
    ("Ana", "A\u200bna"),  # a blank of no width
    ("Ana Paz", "Ana\u00a0Paz"),  # a blank that breaks no line
    ("Ana", "Ana\ufe0f"),  # variation selectors
    ("Ana", "A\U000e0100na"),
    ("Ana", "An\u034fa"),  # the grapheme joiner
    ("Ana", "Ana\u3164"),  # fillers of Hangul, full and half as wide
    ("Ana", "Ana\uffa0"),
    ("Ana", "Ana\U000e0041"),  # a tag
    ("Ana", "Ana\u180b"),  # a selector of Mongolian
    ("Ana Paz", "Ana\u2800Paz"),  # Braille without a dot
    ("Ana", "\u0410na"),  # one Cyrillic letter, or all of them
    ("Ana", "\u0410\u0578\u0430"),
    ("Toro", "\u03a4\u03bfr\u03bf"),  # Greek
    ("Rosa", "R0sa"),
    ("Iris", "lris"),  # a capital i, a small L
    ("ANA", "\u0410N\u0391"),  # capitals of three scripts
    ("Ines", "in\u0435s"),  # a look-alike, and another capital
    ("Luis Ibarra", "luis lb\u0430rra"),
)


@pytest.mark.parametrize(("one", "other"), ONE)
def test_one_person_is_not_two_by_another_spelling(one: str, other: str) -> None:
    assert same_person(one, other)
    assert not two_persons(one, other)
    assert folded(unicodedata.normalize("NFD", one)) == folded(one)


@pytest.mark.parametrize("unseen", ["\ufe0f", "\U000e0100", "\u034f", "\u3164", "\u200b", "\u2800", "\x1b"])
def test_the_list_takes_no_name_with_a_sign_that_nobody_sees(unseen: str) -> None:
    for name in (f"Ana{unseen}", unseen):
        with pytest.raises(UsersError):
            added((), User(7, name, Role.SUPERVISOR))


@pytest.mark.parametrize("order", ["\x1b[8m", "\x00", "\r", "\n", "\x9b8m", "\u2028"])
def test_a_name_is_no_order_to_a_terminal(file: Path, order: str) -> None:
    """An escape hides what is written behind it: it is refused, and said without doing what it orders."""
    rekeyed = pozo_run(
        "journal", "rekey", "--reason", "x", "--config", file, *named("Ana", f"Ana{order}Beto")
    )
    assert (rekeyed.exit_code, "control character" in rekeyed.output) == (2, True), rekeyed.output
    assert order not in rekeyed.output.replace("\n", "") or order == "\n"
    assert not two_persons("Ana", f"Beto{order}")


def test_two_persons_are_two_and_nobody_is_none() -> None:
    assert two_persons("Ana", "Beto")
    assert two_persons("Ana", "Aña")
    assert two_persons("\u0410\u043d\u043d\u0430", "\u041e\u043b\u044f"), "other scripts are names too"
    assert two_persons("Lis", "Luis")
    assert not two_persons("Ana", " ")
    assert not two_persons("\u200b", "Ana")


@pytest.mark.parametrize(("one", "other"), ONE)
def test_the_list_takes_no_person_twice(one: str, other: str) -> None:
    users = added((), User(7, " ".join(one.split()), Role.SUPERVISOR))
    assert by_name(users, other).number == 7
    with pytest.raises(UsersError):
        added(users, User(8, other, Role.TECHNICIAN))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A commissioned table that asks nobody for a PIN, and knows no person."""
    path = own_table(tmp_path)
    assert pozo_run("commission", "--config", path, "--turn-keys").exit_code == 0
    return path


def named(supervisor: str, technician: str) -> tuple[str, ...]:
    return ("--supervisor", supervisor, "--technician", technician, "--turn-keys")


@pytest.mark.parametrize(("one", "other"), ONE)
def test_no_key_is_changed_and_no_rule_accepted_by_one_person_under_two_names(
    file: Path, one: str, other: str
) -> None:
    before = ends_of(file.with_suffix(".db")).last
    rekeyed = pozo_run("journal", "rekey", "--reason", "x", "--config", file, *named(one, other))
    file.write_text(file.read_text().replace("increment_rate_ppm = 500_000", "increment_rate_ppm = 600_000"))
    accepted = pozo_run("commission", "--config", file, *named(one, other))
    for done in (rekeyed, accepted):
        assert (done.exit_code, "two persons" in done.output) == (2, True), done.output
    assert ends_of(file.with_suffix(".db")).last == before


@pytest.mark.parametrize(("one", "other"), ONE)
def test_nothing_is_recovered_by_one_person_under_two_names(file: Path, one: str, other: str) -> None:
    file.with_suffix(".db").unlink()
    done = pozo_run("recover", "--config", file, "--reason", "x", *named(one, other))
    assert (done.exit_code, "two persons" in done.output) == (1, True), done.output


@pytest.mark.parametrize(("one", "other"), ONE)
def test_no_linked_pot_is_moved_by_one_person_under_two_names(one: str, other: str) -> None:
    with pytest.raises(OnePersonError, match="not two persons"):
        refuse_one_person(one, other)
    refuse_one_person(one, "Beto")


def test_where_a_list_says_who_is_supervisor_nobody_else_is_named_as_one(file: Path) -> None:
    added = ("users", "add", "Ana", "--role", "supervisor", "--number", 7, "--config", file, "--turn-keys")
    assert pozo_run(*added, typed="2580\n2580\n").exit_code == 0
    rekey = ("journal", "rekey", "--reason", "x", "--config", file)
    stranger = pozo_run(*rekey, *named("Nadie", "Luis"))
    assert (stranger.exit_code, "no supervisor of the table's list; there are: 7 Ana" in stranger.output) == (
        1,
        True,
    )
    # He is kept by the name of the list, by whichever he was called.
    assert pozo_run(*rekey, *named("7", "Luis")).exit_code == 0
    last = pozo_run("users", "log", "--config", file)
    assert "device key changed, by Ana and Luis" in last.output
    both = pozo_run(*rekey, *named("7", "ANA"))
    assert (both.exit_code, "this needs two persons" in both.output) == (1, True)
