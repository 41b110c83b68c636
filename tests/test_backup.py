"""Backups and the spare machine that takes a table over: nothing lost, nothing begun anew, power cut anywhere."""

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import BinaryIO

import pytest

from controller.admit import StrandedError, admit
from controller.backup.listing import BackupError, check, read
from controller.backup.make import make, thin
from controller.backup.put_back import newest, put_back
from controller.clock import SystemClock, VirtualClock
from controller.config import Settings, load
from controller.core import events as ev
from controller.journal import Head, ends_of, marker, records
from controller.journal.errors import NotCommissionedError
from controller.signing.audit import prove
from controller.signing.device import key_in_force, path_of
from controller.single import SingleInstance
from controller.slips.register import path_of as slips_of
from controller.witness.verdict import JournalBehind, NoWitness
from tests.helpers_cli import pozo_run
from tests.helpers_cut import CutError, cut_after, full_medium
from tests.helpers_process import opened

PERSONS = ("--supervisor", "Ana", "--technician", "Luis", "--turn-keys")


class Table:
    """A table that has been commissioned and opened, on a machine of its own, and the backups made of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.config = opened(folder)
        self.settings = load(str(self.config))
        self.place = folder / "stick"
        self.key = key_in_force(self.settings.journal)

    def records(self) -> int:
        return ends_of(self.settings.journal).last.seq


@pytest.fixture
def table(tmp_path: Path) -> Table:
    home = tmp_path / "home"
    home.mkdir()
    return Table(home)


@pytest.fixture
def spare(tmp_path: Path, table: Table) -> Settings:
    """Another machine with the same table's file, and neither journal nor witness."""
    folder = tmp_path / "spare"
    folder.mkdir()
    text = table.config.read_text(encoding="utf-8")
    config = folder / "mesa.toml"
    config.write_text(text.replace(str(table.folder), str(folder)), encoding="utf-8")
    return load(str(config))


def backed_up(table: Table) -> Path:
    return make(table.settings, VirtualClock(), table.place).folder


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def journal_bytes(settings: Settings) -> dict[str, bytes]:
    folder = settings.journal.parent
    return {
        path.name: path.read_bytes()
        for path in folder.glob(f"{settings.journal.name}*")
        if not path.name.endswith(("-shm", "-wal", ".lock"))
    }


def cut(steps: int, monkeypatch: pytest.MonkeyPatch) -> AbstractContextManager[None]:
    """What is left on the medium after a cut is not cleared away by the process that died."""
    return cut_after(steps, monkeypatch, (shutil, "rmtree"))


def test_a_backup_holds_the_whole_journal_proven_and_no_secret(table: Table) -> None:
    before = journal_bytes(table.settings)
    made = make(table.settings, VirtualClock(), table.place)
    assert journal_bytes(table.settings) == before
    assert (made.listing.table, made.listing.seq, made.listing.key) == ("SIM-1", table.records(), table.key)
    assert set(made.listing.files) == {"journal.db", "table.toml"}
    assert prove(made.folder / "journal.db", keys=(table.key,)).bad is None
    secret = path_of(table.settings.journal).read_bytes().split()[2]
    assert all(secret not in data for data in files(made.folder).values())
    assert sorted(path.name for path in made.folder.iterdir()) == ["backup.json", "journal.db", "table.toml"]
    check(made.folder, read(made.folder), table.key)


def test_every_file_is_on_the_medium_before_the_backup_has_its_name(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    fsync, rename = os.fsync, Path.rename

    def flushed(descriptor: int) -> None:
        done.append(Path(f"/proc/self/fd/{descriptor}").readlink().name)
        fsync(descriptor)

    def named(path: Path, target: Path) -> Path:
        done.append(f"{path.name} is {target.name}")
        return rename(path, target)

    with monkeypatch.context() as watched:
        watched.setattr(os, "fsync", flushed)
        watched.setattr(Path, "rename", named)
        folder = backed_up(table)
    end = done.index(f"SIM-1.unfinished is {folder.name}")
    assert {"journal.db", "table.toml", "backup.json", "SIM-1.unfinished"} <= set(done[:end])
    assert done[end + 1] == table.place.name


def test_the_same_record_is_backed_up_once_and_a_spoilt_copy_of_it_is_made_anew(table: Table) -> None:
    folder = backed_up(table)
    assert make(table.settings, VirtualClock(), table.place).already
    data = (folder / "journal.db").read_bytes()
    (folder / "journal.db").write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    again = make(table.settings, VirtualClock(), table.place)
    assert (again.folder, again.already) == (folder, False)
    check(folder, read(folder), table.key)


def test_a_table_that_plays_is_backed_up_as_it_stood_at_one_moment(table: Table) -> None:
    """The journal has a log of its own while a writer has it open, and the copy has what stands there."""
    from controller.journal import Journal

    journal = Journal.open(table.settings.journal, "SIM-1")
    try:
        head = journal.head
        assert backed_up(table).name == f"SIM-1-{head.seq:010d}"
    finally:
        journal.close()


def test_a_spoilt_journal_makes_no_backup_and_the_older_ones_stay(table: Table) -> None:
    folder = backed_up(table)
    kept = files(folder)
    with sqlite3.connect(table.settings.journal) as spoiling:
        spoiling.execute("UPDATE journal SET event = replace(event, 'SIM-1', 'SIM-7') WHERE seq = 1")
    spoiling.close()
    with pytest.raises(BackupError, match="is not good at record 1"):
        backed_up(table)
    assert files(folder) == kept
    assert [path.name for path in table.place.iterdir()] == [folder.name]


def test_a_full_stick_is_said_before_anything_is_written_and_half_way_too(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = backed_up(table)
    (folder / "backup.json").rename(folder / "aside")
    kept = files(table.place)
    with monkeypatch.context() as small:
        state = os.statvfs(table.place)
        free = os.statvfs_result((state.f_bsize, 1 << 20, state.f_blocks, 3, 3, *tuple(state)[5:]))
        small.setattr(os, "statvfs", lambda _path: free)
        with pytest.raises(BackupError, match=r"has 3 MiB free and a backup of this table needs \d+ MiB"):
            backed_up(table)
    assert files(table.place) == kept

    with full_medium(monkeypatch), pytest.raises(BackupError, match="No space left on device"):
        backed_up(table)
    assert files(table.place) == kept


def test_power_cut_at_any_step_of_a_backup_loses_no_older_one_and_the_next_is_whole(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = backed_up(table)
    kept, source = files(first), journal_bytes(table.settings)
    done = pozo_run("backup", "--config", table.config, "--to", table.folder / "other", *PERSONS)
    assert done.exit_code == 0, done.output
    source = journal_bytes(table.settings)
    whole = 0
    for steps in range(40):
        with cut(steps, monkeypatch):
            try:
                backed_up(table)
            except CutError:
                ended = False
            else:
                ended = True
        assert files(first) == kept
        assert journal_bytes(table.settings) == source
        found = newest(table.place, "SIM-1")
        check(found, read(found), table.key)
        if found != first:
            whole += 1
            shutil.rmtree(found)
        if ended:
            break
    assert ended
    assert steps > 5
    again = backed_up(table)
    assert {path.name for path in table.place.iterdir()} == {first.name, again.name}


def test_only_the_newest_are_kept_beside_the_witness(table: Table) -> None:
    for _ in range(3):
        done = pozo_run("backup", "--config", table.config, "--keep")
        assert done.exit_code == 0, done.output
        assert pozo_run("backup", "--config", table.config, "--to", table.place, *PERSONS).exit_code == 0
    place = table.settings.witness / "backup"
    older, newer = sorted(path.name for path in place.iterdir())
    assert newest(place, "SIM-1").name == newer
    assert thin(place, "SIM-1", 1) == (older,)
    assert [path.name for path in place.iterdir()] == [newer]
    assert pozo_run("journal", "verify", "--config", table.config).exit_code == 0


def test_another_tables_backups_are_not_counted_where_its_name_begins_alike(tmp_path: Path) -> None:
    for name in ("SIM-1-000004", "SIM-1-000009", "SIM-1-2-000001", "SIM-1-2-000002"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "backup.json").touch()
    assert thin(tmp_path, "SIM-1", 2) == ()
    assert thin(tmp_path, "SIM-1", 1) == ("SIM-1-000004",)
    assert len(list(tmp_path.iterdir())) == 3


def test_a_stick_asks_for_both_persons_and_the_journal_keeps_them(table: Table) -> None:
    unnamed = pozo_run("backup", "--config", table.config, "--to", table.place, "--turn-keys")
    assert unnamed.exit_code == 2
    assert not table.place.exists()
    done = pozo_run("backup", "--config", table.config, "--to", table.place, *PERSONS)
    assert done.exit_code == 0, done.output
    ended = [row.event for row in records(table.settings.journal) if isinstance(row.event, ev.Stopped)][-1]
    assert ended.why == "administered: a backup onto a stick, Ana and Luis"
    (made,) = table.place.iterdir()
    assert read(made).seq == table.records()


def test_that_nothing_can_be_written_there_is_said_before_a_key_is_turned(
    table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stick's folder on the card's read-only root, where no stick is mounted; and a file in its place."""
    before = table.records()
    file = tmp_path / "file"
    file.touch()
    refused = [pozo_run("backup", "--config", table.config, "--to", file / "pozo", *PERSONS)]
    real = os.access

    def read_only(path: Path, mode: int, **more: bool) -> bool:
        return real(path, mode, **more) and not (mode & os.W_OK and path == tmp_path)

    monkeypatch.setattr(os, "access", read_only)
    refused += [pozo_run("backup", "--config", table.config, "--to", tmp_path / "stick", *PERSONS)]
    for done in refused:
        assert done.exit_code == 1
        assert "nothing can be written to" in done.output
    assert table.records() == before


def test_where_to_is_said_once() -> None:
    assert pozo_run("backup", "--config", "simulated").exit_code == 2
    assert pozo_run("backup", "--config", "simulated", "--keep", "--to", "x").exit_code == 2


def test_a_running_table_is_not_backed_up_onto_a_stick_but_beside_its_witness(table: Table) -> None:
    with SingleInstance(table.settings.journal):
        stick = pozo_run("backup", "--config", table.config, "--to", table.place, *PERSONS)
        beside = pozo_run("backup", "--config", table.config, "--keep")
    assert (stick.exit_code, beside.exit_code) == (1, 0), beside.output
    assert "already running" in stick.output


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda folder: (folder / "backup.json").unlink(), "has no backup.json"),
        (lambda folder: (folder / "journal.db").unlink(), "journal.db is missing"),
        (lambda folder: (folder / "table.toml").write_text("x"), "table.toml is damaged"),
        (lambda folder: (folder / "backup.json").write_text("{}"), "is damaged"),
        (lambda folder: _edit(folder, b'"seq":', b'"seq":1'), "was changed"),
        (lambda folder: _edit(folder, b"pozo backup 1", b"pozo backup 9"), "is of the format"),
        (lambda folder: _edit(folder, b'"journal.db":', b'"../journal.db":'), "is damaged"),
    ],
)
def test_a_spoilt_backup_is_refused_with_its_reason_and_nothing_is_put_there(
    table: Table, spare: Settings, spoil: Callable[[Path], object], told: str
) -> None:
    folder = backed_up(table)
    spoil(folder)
    with pytest.raises(BackupError, match=told):
        put_back(spare, folder, table.key)
    assert not spare.journal.exists()
    with pytest.raises(NotCommissionedError):
        admit(spare, VirtualClock())


def _edit(folder: Path, old: bytes, new: bytes) -> None:
    data = (folder / "backup.json").read_bytes()
    assert old in data
    (folder / "backup.json").write_bytes(data.replace(old, new, 1))


def test_another_device_s_backup_and_another_table_s_are_refused(table: Table, spare: Settings) -> None:
    folder = backed_up(table)
    with pytest.raises(BackupError, match="another device made it"):
        put_back(spare, folder, "0" * 64)
    other = spare.source.read_text(encoding="utf-8").replace('id = "SIM-1"', 'id = "SIM-2"')
    spare.source.write_text(other, encoding="utf-8")
    with pytest.raises(BackupError, match=r"is of table SIM-1, and .* is of table SIM-2"):
        put_back(load(str(spare.source)), folder, table.key)
    with pytest.raises(
        BackupError, match="has no backup of table SIM-2 that can be read: those there are of SIM-1"
    ):
        newest(table.place, "SIM-2")
    assert not spare.journal.exists()


def test_a_backup_older_than_a_slip_is_refused(table: Table, spare: Settings) -> None:
    folder = backed_up(table)
    later = Head(table.records() + 5, "ab" * 8)
    with pytest.raises(BackupError, match="truncated"):
        put_back(spare, folder, table.key, (later,))
    assert not spare.journal.exists()


def test_a_journal_that_is_there_is_never_replaced(table: Table, spare: Settings) -> None:
    folder = backed_up(table)
    before = journal_bytes(table.settings)
    done = pozo_run("backup", "--config", table.config, "--to", table.place, *PERSONS)
    assert done.exit_code == 0, done.output
    before = journal_bytes(table.settings)
    with pytest.raises(BackupError, match="it is not replaced by a copy"):
        put_back(table.settings, folder, table.key)
    assert journal_bytes(table.settings) == before
    spare.journal.with_name(spare.journal.name + "-wal").write_bytes(b"a log")
    with pytest.raises(BackupError, match="there without its journal"):
        put_back(spare, folder, table.key)


def test_a_spare_takes_over_with_both_keys_and_a_key_of_its_own(table: Table, spare: Settings) -> None:
    assert pozo_run("backup", "--config", table.config, "--to", table.place, *PERSONS).exit_code == 0
    last = ends_of(table.settings.journal).last
    done = pozo_run(
        "restore",
        "--config",
        spare.source,
        "--from",
        table.place,
        "--key",
        table.key,
        "--head",
        f"{last.seq}:{last.digest[:16]}",
    )
    assert done.exit_code == 0, done.output
    assert f"as it was at record {last.seq}" in done.output
    with pytest.raises(StrandedError) as stranded:
        admit(spare, VirtualClock())
    assert isinstance(stranded.value.verdict, NoWitness), "a copy alone does not play"
    back = pozo_run("recover", "--config", spare.source, "--reason", "spare", *PERSONS)
    assert back.exit_code == 0, back.output
    after = ends_of(spare.journal).last
    assert after.state.pot == last.state.pot
    assert after.state.round == last.state.round
    assert key_in_force(spare.journal) not in {"", table.key}
    assert prove(spare.journal, keys=(table.key, key_in_force(spare.journal))).bad is None
    admit(spare, SystemClock())


def test_the_register_of_papers_comes_with_the_journal(table: Table, spare: Settings) -> None:
    with closing(sqlite3.connect(slips_of(table.settings.journal))) as papers, papers:
        papers.execute("CREATE TABLE paper (number INTEGER)")
        papers.execute("INSERT INTO paper VALUES (7)")
    folder = backed_up(table)
    assert "journal.db.slips" in read(folder).files
    put_back(spare, folder, table.key)
    assert slips_of(spare.journal).read_bytes() == (folder / "journal.db.slips").read_bytes()
    with closing(sqlite3.connect(slips_of(spare.journal))) as papers:
        assert papers.execute("SELECT number FROM paper").fetchall() == [(7,)]
    assert not list(spare.journal.parent.glob("*.put-back"))


@pytest.mark.parametrize("spoilt", ["journal.db", "journal.db.slips"])
def test_a_copy_that_is_not_what_was_signed_gets_no_name(
    table: Table, spare: Settings, monkeypatch: pytest.MonkeyPatch, spoilt: str
) -> None:
    """A bad medium: one bit is another on its way from the backup, after the backup itself was found good."""
    with closing(sqlite3.connect(slips_of(table.settings.journal))) as papers, papers:
        papers.execute("CREATE TABLE paper (number INTEGER)")
    folder = backed_up(table)
    copy = shutil.copyfileobj

    def one_bit_off(source: BinaryIO, target: BinaryIO) -> None:
        copy(source, target)
        if Path(source.name).name == spoilt:
            target.seek(-1, os.SEEK_END)
            target.write(b"\x80")

    with monkeypatch.context() as bad:
        bad.setattr(shutil, "copyfileobj", one_bit_off)
        with pytest.raises(BackupError, match=r"is not what .* holds by its signed list"):
            put_back(spare, folder, table.key)
    there = {path.name for path in spare.journal.parent.glob(f"{spare.journal.name}*")}
    assert not there & {spoilt.replace("journal.db", spare.journal.name), f"{spare.journal.name}.put-back"}
    put_back(spare, folder, table.key)
    assert ends_of(spare.journal).last.seq == table.records()
    assert slips_of(spare.journal).read_bytes() == (folder / "journal.db.slips").read_bytes()


def test_an_older_copy_beside_a_newer_witness_goes_on_from_the_witness(table: Table, spare: Settings) -> None:
    """The card died and the second medium lives: what was stored after the backup is not lost."""
    folder = backed_up(table)
    done = pozo_run("backup", "--config", table.config, "--to", table.folder / "other", *PERSONS)
    assert done.exit_code == 0, done.output
    newest_state = ends_of(table.settings.journal).last
    shutil.copytree(table.settings.witness, spare.witness)
    put_back(spare, folder, table.key)
    with pytest.raises(StrandedError) as stranded:
        admit(spare, VirtualClock())
    assert isinstance(stranded.value.verdict, JournalBehind)
    assert stranded.value.verdict.slot.head.seq >= newest_state.seq - 1


def test_power_cut_at_any_step_of_putting_back_is_gone_on_with_and_plays_nothing_meanwhile(
    table: Table, spare: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = backed_up(table)
    for steps in range(40):
        with cut(steps, monkeypatch):
            try:
                put_back(spare, folder, table.key)
            except CutError:
                ended = False
            else:
                ended = True
        with pytest.raises((StrandedError, NotCommissionedError)) as kept:
            admit(spare, VirtualClock())
        assert not spare.journal.exists() or marker.expected(spare.journal) == "SIM-1"
        put_back(spare, folder, table.key)
        assert ends_of(spare.journal).last.seq == table.records()
        for left in spare.journal.parent.glob("mesa.db*"):
            left.unlink()
        if ended:
            assert isinstance(kept.value, StrandedError)
            break
    assert ended
    assert steps > 3
