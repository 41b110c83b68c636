"""Updates: only a signed, newer bundle goes into the other slot of a closed table, is tried once, and must hold."""

import hashlib
import json
import lzma
import os
import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from controller.core import events as ev
from controller.core.state import Phase
from controller.journal import JournalError, ends_of
from controller.signing.key import PrivateKey, write_private
from controller.updating.bundle import UpdateError
from controller.updating.confirm import confirm
from controller.updating.slots import Slot
from controller.updating.trial import remembered
from tests.helpers_cli import pozo_run
from tests.helpers_signing import FORGER, SEED, signature_of
from tests.helpers_updating import BOOT, BUILT, ON_A, ON_B, ROOT, Machine, a_bundle


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    made = Machine(tmp_path)
    made.commission()
    made.play(technician=True)
    return made


def refused(machine: Machine, bundle: bytes, *words: str) -> None:
    """Nothing is written, stopped or started; the error says so, and these words."""
    devices = {name: machine.device(name) for name in ("boot-a", "boot-b", "root-a", "root-b")}
    with pytest.raises(UpdateError) as error:
        machine.install(bundle)
    assert all(word in str(error.value) for word in (*words, "nothing was written")), error.value
    assert {name: machine.device(name) for name in devices} == devices
    assert (machine.manager.asked, machine.autoboot()) == ([], ON_A)


def test_an_update_goes_into_the_other_slot_and_is_tried_once(machine: Machine, tmp_path: Path) -> None:
    machine.install(a_bundle(tmp_path))
    assert machine.device("root-b")[: len(ROOT)] == ROOT
    assert machine.device("boot-b")[: len(BOOT)] == BOOT.replace(b"pozo.slot=a", b"pozo.slot=b")
    assert (machine.device("root-a"), machine.device("boot-a")) == (b"old" * 5000, b"old" * 5000)
    assert machine.manager.asked == ["stop", "try"]
    assert machine.autoboot() == ON_A, "the old slot is what a cut would start"
    trial = remembered(machine.place)
    assert trial is not None
    assert (trial.version, trial.slot, trial.held) == ("2.0", Slot.B, False)


def test_a_table_with_bets_open_is_not_updated(machine: Machine, tmp_path: Path) -> None:
    now = machine.clock.monotonic_ns()
    machine.play(ev.LampTestStarted(now), ev.TableOpened(now), technician=True, supervisor=True)
    refused(machine, a_bundle(tmp_path), "is open", "close it first")


def test_without_the_technicians_key_nothing_is_written(machine: Machine, tmp_path: Path) -> None:
    machine.play()
    refused(machine, a_bundle(tmp_path), "technician", "key")


def test_the_technicians_key_alone_makes_test_and_the_update_is_taken_and_held_so(
    machine: Machine, tmp_path: Path
) -> None:
    """Rules: turning the technician's key in CLOSED enters TEST; that is how a technician finds the table."""
    machine.play()
    machine.play(turns=("technician",))
    assert ends_of(machine.settings.journal).last.state.phase is Phase.TEST
    machine.install(a_bundle(tmp_path))
    assert machine.manager.asked == ["stop", "try"]
    machine.started_from("b")
    machine.play(technician=True)
    assert ends_of(machine.settings.journal).last.state.phase is Phase.TEST
    assert waited(machine) == "version 2.0 holds: slot b is started from now on"


def test_a_table_opened_while_the_slot_was_written_plays_on(machine: Machine, tmp_path: Path) -> None:
    def opens() -> None:
        now = machine.clock.monotonic_ns()
        machine.play(ev.LampTestStarted(now), ev.TableOpened(now), technician=True, supervisor=True)

    machine.manager.meanwhile = opens
    with pytest.raises(
        UpdateError, match=r"is open: close it first\. Now: slot b holds the update and is not started"
    ):
        machine.install(a_bundle(tmp_path))
    assert machine.device("root-b")[: len(ROOT)] == ROOT
    assert machine.manager.asked == ["stop", "start"]
    assert remembered(machine.place) is None


def test_another_ones_signature_is_refused(machine: Machine, tmp_path: Path) -> None:
    refused(machine, a_bundle(tmp_path, seed=FORGER), "not signed with this table's release key")


@pytest.mark.parametrize("built", [BUILT - 1, BUILT])
def test_an_older_release_is_refused(machine: Machine, tmp_path: Path, built: int) -> None:
    refused(machine, a_bundle(tmp_path, built=built), "not newer")


@pytest.mark.parametrize(("writes", "taken"), [(0, False), (1, True), (2, True)])
def test_a_program_that_knows_only_older_journals_is_refused(
    machine: Machine, writes: int, taken: bool
) -> None:
    """The table's journal is of format 1."""
    bundle = by_hand(journal=writes)
    if taken:
        machine.install(bundle)
        assert machine.manager.asked == ["stop", "try"]
    else:
        refused(machine, bundle, "writes journals of format 0 and this table's has 1")


def test_a_journal_of_a_newer_program_is_left_alone(machine: Machine, tmp_path: Path) -> None:
    with closing(sqlite3.connect(machine.settings.journal)) as connection:
        connection.execute("PRAGMA user_version=2")
    with pytest.raises(
        JournalError, match="format 2, this program knows 1: install the program that wrote it"
    ):
        machine.install(a_bundle(tmp_path))
    assert machine.manager.asked == []


def test_every_damage_of_a_bundle_is_found_or_changes_nothing(machine: Machine, tmp_path: Path) -> None:
    """A bit that xz itself does not need may flip; then what stands in the slot is what was signed."""
    good = a_bundle(tmp_path)
    chance = random.Random(7)
    harmless = 0
    for _ in range(100):
        at = chance.randrange(len(good))
        bad = good[:at] + bytes((good[at] ^ (1 << chance.randrange(8)),)) + good[at + 1 :]
        try:
            machine.install(bad, again=True)
        except UpdateError:
            continue
        harmless += 1
        assert machine.device("root-b")[: len(ROOT)] == ROOT
        assert machine.device("boot-b")[: len(BOOT)] == BOOT.replace(b"pozo.slot=a", b"pozo.slot=b")
    assert machine.manager.asked == ["stop", "try"] * harmless
    assert harmless < 10
    machine.manager.asked.clear()
    for length in (0, 1, 100, len(good) // 2, len(good) - 1):
        with pytest.raises(UpdateError) as error:
            machine.install(good[:length], again=True)
        begun = length > good.index(b"\n")
        assert ("slot b holds only a part of the update" in str(error.value)) is begun
        assert ("nothing was written" in str(error.value)) is not begun
    assert machine.manager.asked == []


def test_a_card_that_fails_while_it_is_written_is_said_with_what_it_holds(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def worn(_descriptor: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", worn)
    with pytest.raises(
        UpdateError,
        match=r"Input/output error\. Now: slot b holds only a part of the update and is not started",
    ):
        machine.install(a_bundle(tmp_path))
    assert machine.manager.asked == []


def by_hand(journal: int = 1) -> bytes:
    """A bundle put together without our code, by the formula that `controller/updating/bundle.py` gives."""

    def part(content: bytes) -> tuple[dict[str, object], bytes]:
        packed = lzma.compress(content)
        return {
            "bytes": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
            "packed": len(packed),
        }, packed

    boot, packed_boot = part(BOOT)
    root, packed_root = part(ROOT)
    facts = {
        "format": "pozo update 1",
        "version": "3",
        "built": BUILT + 5,
        "journal": journal,
        "slot_at": 3010,
    }
    text = json.dumps({**facts, "boot": boot, "root": root}, separators=(",", ":"))
    signature = signature_of(bytes(32), "pozo update 1", text)
    return f'{{"update":{text},"signature":"{signature}"}}\n'.encode() + packed_boot + packed_root


def test_the_line_is_signed_by_the_documented_formula(machine: Machine) -> None:
    machine.install(by_hand())
    assert machine.device("root-b")[: len(ROOT)] == ROOT
    assert machine.manager.asked == ["stop", "try"]


def test_a_bundle_longer_than_the_slot_needs_a_new_card(machine: Machine, tmp_path: Path) -> None:
    (machine.folder / "devices" / "root-b").write_bytes(b"small")
    refused(machine, a_bundle(tmp_path), "holds 5 bytes and the update needs 10240")


def waited(machine: Machine) -> str:
    def sleep(seconds: float) -> None:
        machine.pass_ms(round(seconds * 1000))

    return confirm(machine.settings, machine.appliance, machine.clock, machine.writable, sleep)


def test_a_table_that_plays_for_a_minute_keeps_the_new_slot(machine: Machine, tmp_path: Path) -> None:
    machine.install(a_bundle(tmp_path))
    machine.started_from("b")
    machine.play()
    began = machine.clock.monotonic_ns()
    assert waited(machine) == "version 2.0 holds: slot b is started from now on"
    assert 59 <= (machine.clock.monotonic_ns() - began) / 1e9 <= 63
    assert machine.autoboot() == ON_B
    assert machine.manager.asked == ["stop", "try", "writable front"]
    trial = remembered(machine.place)
    assert trial is not None
    assert trial.held


def test_a_program_that_never_starts_on_the_table_goes_back(machine: Machine, tmp_path: Path) -> None:
    machine.install(a_bundle(tmp_path))
    machine.started_from("b")
    assert waited(machine) == "slot b did not hold: slot a is started again"
    assert (machine.autoboot(), machine.manager.asked) == (ON_A, ["stop", "try", "restart"])


def test_a_program_that_starts_over_and_over_goes_back(machine: Machine, tmp_path: Path) -> None:
    machine.install(a_bundle(tmp_path))
    machine.started_from("b")

    def sleep(seconds: float) -> None:
        machine.pass_ms(round(seconds * 1000))
        if machine.clock.monotonic_ns() // 10**9 % 30 < 2:
            machine.play()

    machine.play()
    told = confirm(machine.settings, machine.appliance, machine.clock, machine.writable, sleep)
    assert told == "slot b did not hold: slot a is started again"
    assert machine.autoboot() == ON_A


def test_the_front_partition_is_not_written_in_a_round(machine: Machine, tmp_path: Path) -> None:
    machine.install(a_bundle(tmp_path))
    machine.started_from("b")
    now = machine.clock.monotonic_ns()
    machine.play(
        ev.LampTestStarted(now), ev.TableOpened(now), ev.ChipDropped(now, 3), technician=True, supervisor=True
    )
    assert waited(machine) == "slot b did not hold: slot a is started again"
    assert "writable front" not in machine.manager.asked


def test_what_did_not_hold_is_not_tried_again_by_itself(machine: Machine, tmp_path: Path) -> None:
    bundle = a_bundle(tmp_path)
    machine.install(bundle)
    with pytest.raises(UpdateError, match="did not hold"):
        machine.install(bundle)
    machine.install(bundle, again=True)
    machine.install(a_bundle(tmp_path, "2.1", BUILT + 2))
    assert machine.manager.asked == ["stop", "try"] * 3


def test_a_slot_that_runs_only_on_trial_takes_no_update(machine: Machine, tmp_path: Path) -> None:
    machine.started_from("b")
    refused(machine, a_bundle(tmp_path), "itself on trial")


def test_without_a_trial_there_is_nothing_to_confirm(machine: Machine) -> None:
    assert waited(machine) == "slot a is the one that is started: nothing is on trial"
    assert machine.manager.asked == []


def test_a_table_that_was_never_commissioned_is_updated_too(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.install(a_bundle(tmp_path))
    machine.started_from("b")
    assert waited(machine) == "version 2.0 holds: slot b is started from now on"


def test_F160_an_edited_autoboot_is_refused_not_repaired(machine: Machine, tmp_path: Path) -> None:
    (machine.folder / "front" / "autoboot.txt").write_text(ON_A.replace("\n", "\r\n"), encoding="ascii")
    with pytest.raises(UpdateError, match=r"autoboot\.txt is not as it was made"):
        machine.install(a_bundle(tmp_path))


def test_both_texts_of_autoboot_have_one_length_and_fit_a_sector() -> None:
    assert len(ON_A) == len(ON_B) <= 512
    assert Path("image/boot/autoboot.txt").read_text(encoding="ascii") == ON_A


def test_the_commands_make_and_show(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    bundle, key = tmp_path / "new.update", tmp_path / "release.key"
    (tmp_path / "boot.fat").write_bytes(BOOT)
    (tmp_path / "root.ext4").write_bytes(ROOT)
    parts = ("--boot", tmp_path / "boot.fat", "--root", tmp_path / "root.ext4", "--out", bundle)
    asked = ("update", "make", *parts, "--version", "2.0", "--built", BUILT + 1, "--key", key)
    unsigned = pozo_run(*asked)
    assert (unsigned.exit_code, bundle.exists()) == (1, False), unsigned.output
    write_private(key, PrivateKey.from_seed(SEED))
    made = pozo_run(*asked)
    assert made.exit_code == 0, made.output
    assert "version 2.0, journal format 1, signed with" in made.output
    shown = pozo_run("update", "show", bundle, "--config", machine.config)
    assert shown.exit_code == 0, shown.output
    assert "good: version 2.0 of 2025-10-09 08:53:21 UTC, journal format 1" in shown.output
    machine.install(bundle.read_bytes())
    assert machine.device("root-b")[: len(ROOT)] == ROOT
    assert machine.device("boot-b")[: len(BOOT)] == BOOT.replace(b"pozo.slot=a", b"pozo.slot=b")
    bundle.write_bytes(bundle.read_bytes()[:-1])
    assert pozo_run("update", "show", bundle, "--config", machine.config).exit_code == 1
