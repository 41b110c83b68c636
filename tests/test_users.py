"""The list of persons: its rules, its PINs, its file; what is done to it at rest is noticed, and no PIN gets out."""

import json
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.core.game import Role
from controller.menu import Identify
from controller.users import (
    Desk,
    PinError,
    Store,
    User,
    UsersDamagedError,
    UsersError,
    UsersMissingError,
    added,
    by_name,
    changed,
    check_pin,
    pepper,
    weak,
)
from controller.users.person import NUMBER_MOST, USERS_MOST
from controller.users.secret import hashed, make_pepper, pepper_path, set_aside, write

ANA = User(7, "Ana", Role.SUPERVISOR)
LUIS = User(12, "Luis", Role.TECHNICIAN)


def kept(journal: Path, *users: User, changes: int = 1) -> Store:
    """A list on the medium."""
    store = Store(journal)
    store.prepare(users, changes)
    store.commit()
    return store


def loaded(store: Store) -> tuple[tuple[User, ...] | None, str]:
    """The list, or what is said instead."""
    try:
        return store.load(1), ""
    except UsersDamagedError as error:
        return None, str(error)


def with_pin(user: User, pin: str, journal: Path) -> User:
    return changed((user,), user.number, pin=hashed(pin, make_pepper(journal)))[0]


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """Where a table's journal would be."""
    return tmp_path / "journal.db"


@pytest.mark.parametrize(
    ("pin", "number", "ok"),
    [
        ("2580", 7, True),
        ("90210", 7, True),
        ("20250731", 7, True),
        ("258", 7, False),
        ("258014703", 7, False),
        ("25a0", 7, False),
        ("٢٥٨٠", 7, False),
        ("", 7, False),
        ("0000", 7, False),
        ("1234", 7, False),
        ("456789", 7, False),
        ("9876", 7, False),
        ("4711", 4711, False),
        ("004711", 4711, False),
        ("1212", 7, True),
    ],
)
def test_which_pins_are_too_easy(pin: str, number: int, ok: bool) -> None:
    assert (weak(pin, number) == "") is ok


def test_a_weak_pins_reason_quotes_none_of_its_digits() -> None:
    for pin in ("77777", "3456789", "83"):
        assert pin not in weak(pin, 7)


def test_names_and_numbers_are_unique_for_ever() -> None:
    users = added(added((), ANA), LUIS)
    gone = changed(users, 7, active=False)
    for number, name in ((7, "Rosa"), (9, "ANA"), (12, "Rosa")):
        with pytest.raises(UsersError, match=r"never anybody else's|already"):
            added(gone, User(number, name, Role.DEALER))
    assert [each.number for each in added(gone, User(3, "Rosa", Role.DEALER))] == [3, 7, 12]


@pytest.mark.parametrize("name", ["", " Ana", "Ana  Luz", "A\x1bna", "A\nB", "x" * 25])
def test_a_name_is_what_a_screen_can_show(name: str) -> None:
    with pytest.raises(UsersError):
        added((), User(7, name, Role.DEALER))


def test_the_list_has_a_limit() -> None:
    users: tuple[User, ...] = ()
    for number in range(1, USERS_MOST + 1):
        users = added(users, User(number, f"P{number}", Role.DEALER))
    with pytest.raises(UsersError, match="no more fit"):
        added(users, User(USERS_MOST + 1, "One more", Role.DEALER))
    with pytest.raises(UsersError, match="no user's number"):
        added((), User(NUMBER_MOST + 1, "Ana", Role.DEALER))


def test_a_person_is_found_by_name_and_by_number() -> None:
    users = (ANA, LUIS)
    assert by_name(users, "ana") is ANA
    assert by_name(users, "12") is LUIS
    with pytest.raises(UsersError, match="7 Ana, 12 Luis"):
        by_name(users, "Rosa")


def test_a_pin_is_right_only_with_its_own_salt_and_pepper(journal: Path) -> None:
    secret = hashed("2580", b"p" * 32)
    assert check_pin("2580", secret, b"p" * 32)
    assert not check_pin("2581", secret, b"p" * 32)
    assert not check_pin("2580", secret, b"q" * 32)
    assert hashed("2580", b"p" * 32) != secret, "each hash has a salt of its own"
    assert not check_pin("0000", None, b"p" * 32)
    assert make_pepper(journal) == make_pepper(journal) == pepper(journal)
    assert len(set(pepper(journal))) > 8


def test_the_files_are_their_owners_alone_and_hold_no_pin(journal: Path) -> None:
    os.umask(0)
    store = kept(journal, with_pin(ANA, "25802580", journal))
    os.umask(0o022)
    for path in (store.path, pepper_path(journal)):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert b"25802580" not in path.read_bytes()


def test_an_older_copy_of_the_list_is_noticed(journal: Path) -> None:
    """A dismissed person and an old PIN would be back with it."""
    store = kept(journal, ANA, changes=1)
    old = store.path.read_bytes()
    kept(journal, changed((ANA,), 7, active=False)[0], changes=2)
    assert store.load(2)[0].active is False
    write(store.path, old)
    with pytest.raises(UsersDamagedError, match="has seen 1 changes, the journal 2"):
        store.load(2)


def test_a_lost_list_is_no_empty_list(journal: Path) -> None:
    assert Store(journal).load(0) == ()
    with pytest.raises(UsersMissingError, match="is gone"):
        Store(journal).load(1)
    kept(journal, ANA)
    pepper_path(journal).unlink()
    with pytest.raises(PinError, match=r"journal\.db\.pepper cannot be read"):
        Store(journal).load(1)
    pepper_path(journal).write_bytes(b"short")
    with pytest.raises(PinError, match="5 bytes instead of 32"):
        Store(journal).load(1)


def test_power_lost_between_list_and_journal_changes_nothing_or_everything(journal: Path) -> None:
    store = kept(journal, ANA, changes=1)
    store.prepare((ANA, LUIS), 2)
    assert store.load(1) == (ANA,), "not journaled: as if nothing had been asked"
    assert store.load(2) == (ANA, LUIS), "journaled: done, though the file was never put in place"
    store.path.with_name(store.path.name + ".new").write_bytes(b'{"format":1')
    assert store.load(1) == (ANA,)


def test_a_hash_put_in_by_hand_does_not_fit_the_seal(journal: Path) -> None:
    store = kept(journal, with_pin(ANA, "2580", journal))
    mine = kept(journal.with_name("other.db"), with_pin(ANA, "4711", journal.with_name("other.db")))
    file = json.loads(store.path.read_bytes())
    file["users"][0]["pin"] = json.loads(mine.path.read_bytes())["users"][0]["pin"]
    write(store.path, json.dumps(file).encode())
    with pytest.raises(UsersDamagedError, match="does not fit its seal"):
        store.load(1)


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_no_flipped_bit_makes_another_list(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    journal = tmp_path_factory.mktemp("users") / "journal.db"
    store = kept(journal, ANA, LUIS)
    raw = bytearray(store.path.read_bytes())
    place = data.draw(st.integers(0, len(raw) - 1))
    raw[place] ^= 1 << data.draw(st.integers(0, 7))
    write(store.path, bytes(raw))
    found, said = loaded(store)
    assert found == (ANA, LUIS) or ("pozo users restore" in said and "Ana" not in said)


def test_a_file_too_large_or_of_another_format_is_none(journal: Path) -> None:
    store = kept(journal, ANA)
    write(store.path, b" " * 200_000)
    with pytest.raises(UsersDamagedError, match="more than any list"):
        store.load(1)
    kept(journal, ANA)
    write(store.path, store.path.read_bytes().replace(b'"format":1', b'"format":9'))
    with pytest.raises(UsersDamagedError, match="format 9, this program knows 1"):
        store.load(1)
    store.path.unlink()
    store.path.mkdir()
    with pytest.raises(UsersDamagedError, match="cannot be read"):
        store.load(1)


def test_what_is_set_aside_is_never_overwritten(journal: Path) -> None:
    for text in ("one", "two"):
        journal.write_text(text)
        set_aside(journal)
    assert [journal.with_name(f"journal.db.bad-{number}").read_text() for number in (1, 2)] == ["one", "two"]
    assert set_aside(journal) is None


def test_the_desk_knows_who_may_act_and_whose_pin_is_right(journal: Path) -> None:
    rosa = changed((with_pin(User(41, "Rosa", Role.DEALER), "8042", journal),), 41, active=False)[0]
    kept(journal, with_pin(ANA, "2580", journal), LUIS, rosa)
    desk = Desk(journal, 1)
    assert [(each.name, each.has_pin) for each in desk.people.known] == [("Ana", True), ("Luis", False)]
    assert desk.right(7, Role.SUPERVISOR, "2580")
    assert not desk.right(7, Role.TECHNICIAN, "2580"), "a PIN counts in its own role"
    assert not desk.right(7, Role.SUPERVISOR, "2581")
    assert not desk.right(12, Role.TECHNICIAN, ""), "no PIN is no empty PIN"
    assert not desk.right(41, Role.DEALER, "8042"), "a disabled person has none"
    assert not desk.right(99, Role.DEALER, "8042")


def test_a_damaged_list_leaves_a_desk_that_knows_nobody_and_says_why(
    journal: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = kept(journal, with_pin(ANA, "2580", journal))
    write(store.path, b"{}")
    desk = Desk(journal, 1)
    assert (desk.people.known, desk.people.readable) == ((), False)
    assert not desk.right(7, Role.SUPERVISOR, "2580")
    assert "pozo users restore" in caplog.text


def test_a_pin_that_is_to_be_looked_at_shows_itself_to_nobody() -> None:
    asked = Identify(0, Role.SUPERVISOR, 7, "Ana", "7", "2580")
    assert "2580" not in f"{asked} {asked!r} {(asked,)}"
