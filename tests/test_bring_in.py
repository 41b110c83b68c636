"""The technician's folder on the boot partition: what is brought in, what is refused, and that it is only read."""

from pathlib import Path

import pytest

from controller.appliance.bring_in import bring_in
from controller.assemble import commission_table
from controller.clock import VirtualClock
from controller.config import ConfigError, load
from tests.helpers_cli import own_table
from tests.helpers_config import CONFIG, changed
from tests.helpers_cut import CutError, cut_after, full_medium

BOARD = (CONFIG / "boards" / "simulated-7seat.toml").read_text(encoding="utf-8")


class Card:
    """A boot partition's folder, and the data partition's file."""

    def __init__(self, folder: Path) -> None:
        self.boot = folder / "boot"
        self.boot.mkdir()
        self.data = folder / "data"
        self.data.mkdir()
        self.file = self.boot / "table.toml"
        self.target = self.data / "table.toml"
        made = own_table(self.data, name="table")
        made.rename(self.file)

    def edit(self, *changes: tuple[str, str]) -> None:
        self.file.write_text(changed(self.file.read_text(encoding="utf-8"), *changes), encoding="utf-8")

    def there(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self.boot.iterdir()}


@pytest.fixture
def card(tmp_path: Path) -> Card:
    return Card(tmp_path)


def kept(card: Card, *told: str) -> None:
    """The new file is refused with these words, the old one stays in force, and nothing is written on the card."""
    before, on_card = card.target.read_bytes(), card.there()
    error = bring_in(card.boot, card.target)
    assert error is not None
    for words in told:
        assert words in str(error)
    assert card.target.read_bytes() == before
    assert card.there() == on_card


def test_what_is_brought_in_is_what_was_checked_byte_for_byte(card: Card) -> None:
    on_card = card.there()
    assert bring_in(card.boot, card.target) is None
    assert card.target.read_bytes() == card.file.read_bytes()
    assert card.there() == on_card
    assert load(str(card.target)).table_id == "SIM-1"


def test_the_same_file_again_writes_nothing(card: Card) -> None:
    bring_in(card.boot, card.target)
    before = card.target.stat()
    assert bring_in(card.boot, card.target) is None
    assert (card.target.stat().st_ino, card.target.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_F160_a_cut_at_any_step_leaves_the_old_file_or_the_new_one(
    card: Card, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The power goes at each call that changes something on the data partition; the boot partition is never written."""
    bring_in(card.boot, card.target)
    old = card.target.read_bytes()
    card.edit(('"Mesa simulada"', '"Mesa nueva"'))
    new, on_card = card.file.read_bytes(), card.there()

    seen = set()
    for steps in range(10):
        with cut_after(steps, monkeypatch):
            try:
                bring_in(card.boot, card.target)
            except CutError:
                ended = False
            else:
                ended = True
        seen.add(card.target.read_bytes())
        assert card.target.read_bytes() in {old, new}
        assert card.there() == on_card
        if ended:
            break
        card.target.write_bytes(old)
    assert ended
    assert seen == {old, new}
    assert card.target.read_bytes() == new


def test_F160_a_file_that_changes_while_it_is_read_is_not_taken(
    card: Card, monkeypatch: pytest.MonkeyPatch
) -> None:
    bring_in(card.boot, card.target)
    card.edit(('"Mesa simulada"', '"Mesa nueva"'))
    read = Path.read_bytes

    def changed_meanwhile(path: Path) -> bytes:
        return read(path) + (b"# more\n" if path == card.file else b"")

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(Path, "read_bytes", changed_meanwhile)
        error = bring_in(card.boot, card.target)
    assert "changed while it was read" in str(error)
    assert b"Mesa simulada" in card.target.read_bytes()


@pytest.mark.parametrize("name", ["table.toml.txt", "Table.TOML", "table (1).toml"])
def test_F154_a_near_miss_is_named_and_the_old_file_stays(card: Card, name: str) -> None:
    bring_in(card.boot, card.target)
    card.file.rename(card.boot / name)
    kept(card, f"found {name}, expected table.toml")


@pytest.mark.parametrize("name", ["table.toml.txt", "Table.TOML", "table (1).toml"])
def test_F154_two_candidates_are_refused(card: Card, name: str) -> None:
    bring_in(card.boot, card.target)
    (card.boot / name).write_bytes(card.file.read_bytes())
    kept(card, f"{name} lies beside it")


def test_F151_utf_16_is_not_taken(card: Card) -> None:
    bring_in(card.boot, card.target)
    card.file.write_text(card.file.read_text(encoding="utf-8"), encoding="utf-16")
    kept(card, "save as UTF-8")


def test_F150_F153_a_mark_in_front_and_windows_line_ends_are_taken_as_they_are(card: Card) -> None:
    data = b"\xef\xbb\xbf" + card.file.read_bytes().replace(b"\n", b"\r\n")
    card.file.write_bytes(data)
    assert bring_in(card.boot, card.target) is None
    assert card.target.read_bytes() == data
    assert load(str(card.target)).name == "Mesa simulada"


def test_F156_a_mistake_leaves_the_last_good_file_in_force(card: Card) -> None:
    bring_in(card.boot, card.target)
    card.edit(("pulse_ms = 500", 'pulse_ms = "500"'))
    kept(card, "release.pulse_ms")


def test_a_new_card_with_a_mistake_has_nothing_to_go_on_with(card: Card) -> None:
    card.edit(("pulse_ms = 500", 'pulse_ms = "500"'))
    with pytest.raises(ConfigError, match=r"release\.pulse_ms"):
        bring_in(card.boot, card.target)
    assert not card.target.exists()


def test_no_folder_and_an_empty_one_bring_nothing(card: Card) -> None:
    bring_in(card.boot, card.target)
    card.file.unlink()
    assert bring_in(card.boot, card.target) is None
    assert bring_in(card.boot / "nowhere", card.target) is None
    card.target.unlink()
    with pytest.raises(ConfigError, match="there is no such file"):
        bring_in(card.boot, card.target)


def test_a_boot_partition_that_cannot_be_looked_at_leaves_the_old_file_in_force(card: Card) -> None:
    """As a spoilt sector of its FAT: a name that no folder can hold is an error of the system too."""
    bring_in(card.boot, card.target)
    before = card.target.read_bytes()
    error = bring_in(card.boot / ("x" * 300), card.target)
    assert error is not None
    assert "cannot be read (File name too long)" in str(error)
    assert card.target.read_bytes() == before
    card.target.unlink()
    with pytest.raises(ConfigError, match="cannot be read"):
        bring_in(card.boot / ("x" * 300), card.target)


def test_a_board_beside_the_file_is_brought_with_it_and_one_from_elsewhere_is_not(card: Card) -> None:
    (card.boot / "boards").mkdir()
    (card.boot / "boards" / "mine.toml").write_text(BOARD, encoding="utf-8")
    card.edit(('board = "simulated-7seat"', 'board = "./boards/mine.toml"'))
    assert bring_in(card.boot, card.target) is None
    assert (card.data / "boards" / "mine.toml").read_text(encoding="utf-8") == BOARD
    assert load(str(card.target)).files[2].path == card.data / "boards" / "mine.toml"
    (card.boot.parent / "mine.toml").write_text(BOARD, encoding="utf-8")
    card.edit(('"./boards/mine.toml"', '"../mine.toml"'))
    before = card.target.read_bytes()
    error = bring_in(card.boot, card.target)
    assert "lies outside of" in str(error)
    assert card.target.read_bytes() == before


def test_a_file_of_another_table_is_refused_with_both_names(card: Card) -> None:
    bring_in(card.boot, card.target)
    commission_table(load(str(card.target)), VirtualClock())
    card.edit(('id = "SIM-1"', 'id = "SIM-2"'))
    kept(card, 'table.id = "SIM-2"', "is of table SIM-1: this file belongs into another table")


def test_a_full_data_partition_is_said_and_the_old_file_stays(
    card: Card, monkeypatch: pytest.MonkeyPatch
) -> None:
    bring_in(card.boot, card.target)
    card.edit(('"Mesa simulada"', '"Mesa nueva"'))
    with full_medium(monkeypatch):
        kept(card, "cannot be written (No space left on device)")
