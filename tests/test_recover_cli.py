"""`pozo recover` as two persons type it; what `pozo run` and `pozo commission` do at a table that is out of service."""

import errno
import os
import shutil
import signal
from contextlib import suppress
from pathlib import Path

import pytest
from click import ClickException
from click.testing import CliRunner
from msgspec.structs import replace

from controller.admit import look
from controller.cli.recover_persons import persons
from controller.config import load
from controller.core import events as ev
from controller.core.game import Fund, Hand, Role
from controller.core.state import Award, Table, Tries
from controller.journal import ends_of, records
from controller.recovery import Request
from controller.signing.device import path_of, public_in
from controller.signing.key import public_line, short_key
from controller.users import tries
from controller.witness.verdict import JournalLost
from tests.helpers_cli import own_table, pozo_run
from tests.helpers_process import Bench, Running, commissioned, journal_of, opened
from tests.helpers_world import SECOND

BY = ("--supervisor", "Ana", "--technician", "Luis", "--reason", "the card died", "--turn-keys")


def lose_journal(config: Path) -> None:
    for tail in ("", "-wal", "-shm", ".id"):
        journal_of(config).with_name(journal_of(config).name + tail).unlink(missing_ok=True)


def files_of(config: Path) -> dict[Path, bytes]:
    folder = config.parent
    return {
        path: path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith(("-shm", ".lock"))
        if path.stat().st_size or not path.name.endswith("-wal")
    }


def test_a_table_that_agrees_with_itself_has_nothing_to_recover(tmp_path: Path) -> None:
    config = commissioned(tmp_path)
    done = pozo_run("recover", "--config", config)
    assert done.exit_code == 1
    assert "there is nothing to recover; start with `pozo run`" in done.output


def test_without_names_it_shows_both_copies_and_the_way_on_and_changes_nothing(tmp_path: Path) -> None:
    config = opened(tmp_path)
    lose_journal(config)
    before = files_of(config)
    done = pozo_run("recover", "--config", config)
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    assert lines[0] == "table SIM-1"
    assert "There is no journal at" in lines[1]
    assert "pozo commission" not in done.output
    assert "table SIM-1, record" in lines[2]
    assert "round 1, open, main $ 100.000,00, wagers taken in so far $ 0,00" in lines[2]
    assert "The witness is good and is trusted" in done.output
    assert "proposed: witness." in done.output
    assert f"pozo recover --config {config} --supervisor NAME" in done.output
    assert files_of(config) == before


def test_two_persons_bring_it_back_and_it_plays(tmp_path: Path) -> None:
    config = opened(tmp_path)
    lose_journal(config)
    done = pozo_run("recover", "--config", config, *BY)
    assert done.exit_code == 0, done.output
    assert "table SIM-1 goes on from the witness: round 1, open, main $ 100.000,00" in done.output
    assert "set aside, to be kept: slot-a.aside-1, slot-b.aside-1" in done.output
    assert "Start the table with `pozo run`" in done.output
    verified = pozo_run("journal", "verify", journal_of(config))
    assert verified.exit_code == 0, verified.output
    (first, *_) = records(journal_of(config))
    assert isinstance(first.event, ev.JournalRecovered)
    assert first.event.reason == "the card died"


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("--supervisor", "Ana"), 1, "this needs two persons"),
        (("--supervisor", "Ana", "--technician", "ana", "--reason", "x"), 1, "this needs two persons"),
        (("--supervisor", "Ana", "--technician", "Luis"), 1, "a reason is needed"),
        ((*BY, "--trust", "journal"), 1, "journal cannot be trusted here; there is: witness"),
        ((*BY, "--trust", "moon"), 2, "moon"),
        ((*BY, "--trust", "paper"), 1, "paper cannot be trusted here; there is: witness"),
        ((*BY, "--level", "main=1.00"), 2, "one --level NAME=AMOUNT for each level, --round and --last-slip"),
        (
            (*BY, "--level", "main", "--round", "1", "--last-slip", "0"),
            2,
            "write each level once, like main=",
        ),
        ((*BY, "--level", "main=1,00", "--round", "1", "--last-slip", "0"), 2, "--level 'main=1,00'"),
        ((*BY, "--level", "main=1.00", "--round", "0", "--last-slip", "0"), 2, "--round"),
    ],
)
def test_what_is_wrong_is_told_before_a_key_is_turned_and_changes_nothing(
    tmp_path: Path, words: tuple[str, ...], code: int, told: str
) -> None:
    config = commissioned(tmp_path)
    lose_journal(config)
    before = files_of(config)
    done = pozo_run("recover", "--config", config, *words)
    assert done.exit_code == code, done.output
    assert told in done.output
    assert files_of(config) == before


def test_from_paper(tmp_path: Path) -> None:
    config = commissioned(tmp_path)
    lose_journal(config)
    shutil.rmtree(tmp_path / "mesa.witness")
    journal_of(config).write_bytes(b"junk" * 1_000)
    amounts = ("--trust", "paper", "--level", "main=83412.50", "--round", "17", "--last-slip", "5")
    short = pozo_run("recover", "--config", config, *BY, *amounts)
    assert short.exit_code == 1
    assert "no copy can be read, so these are to be entered too: --received" in short.output
    owed = ("--received", "0123abcd", "--unpaid", "5:16:2:flush:main:12.50")
    done = pozo_run("recover", "--config", config, *BY, *amounts, *owed)
    assert done.exit_code == 0, done.output
    assert "goes on from the paper: round 17, closed, main $ 83.412,50" in done.output
    assert (tmp_path / "mesa.db.aside-1").read_bytes() == b"junk" * 1_000
    state = ends_of(journal_of(config)).last.state
    assert (state.pot.levels[0].current, state.awards_made, state.round) == (8_341_250, 5, 17)
    assert state.received == ("0123abcd",)
    assert state.awards == (Award(5, 16, 2, Hand.FLUSH, "main", 1_250, Fund.POT),)
    first = next(iter(records(journal_of(config)))).event
    assert isinstance(first, ev.JournalRecovered)
    assert first.copies[0].startswith("journal: ")
    assert first.copies[1:] == ("slot-a: it is not there", "slot-b: it is not there")


def test_F128_a_new_card_at_a_table_with_a_history_is_not_commissioned(tmp_path: Path) -> None:
    config = opened(tmp_path)
    lose_journal(config)
    done = pozo_run("commission", "--turn-keys", "--config", config)
    assert done.exit_code == 1
    assert "is there already: it holds record" in done.output
    assert "brought back, not commissioned: `pozo recover`" in done.output
    assert not journal_of(config).exists()


@pytest.fixture
def new_card(tmp_path: Path) -> tuple[Path, str]:
    """A table whose card is new: only its witness is left; and the key that was filed."""
    config = commissioned(tmp_path)
    filed = public_in(path_of(journal_of(config)))
    assert filed is not None
    lose_journal(config)
    path_of(journal_of(config)).unlink()
    return config, filed


def test_after_a_new_card_the_witness_key_is_shown_to_be_compared_with_the_filed_one(
    new_card: tuple[Path, str],
) -> None:
    config, filed = new_card
    before = files_of(config)
    done = pozo_run("recover", "--config", config)
    assert done.exit_code == 0, done.output
    assert f"is signed with the key {filed}, in short {short_key(filed)}" in done.output
    assert "say what is on paper: --filed-key KEY" in done.output
    assert "The witness is good" not in done.output
    assert pozo_run("recover", "--config", config, *BY).exit_code == 1
    other = pozo_run("recover", "--config", config, *BY, "--filed-key", "ab" * 32)
    assert other.exit_code == 1
    assert f"no key that was found here; there is: {short_key(filed)}" in other.output
    assert files_of(config) == before


@pytest.mark.parametrize("form", ["whole", "short", "capitals", "file"])
def test_the_filed_key_is_taken_as_paper_has_it(new_card: tuple[Path, str], form: str) -> None:
    config, filed = new_card
    file = config.parent / "filed"
    file.write_text(public_line(filed))
    given = {
        "whole": filed,
        "short": short_key(filed),
        "capitals": short_key(filed).upper().replace("-", " "),
        "file": file,
    }[form]
    done = pozo_run("recover", "--config", config, *BY, "--filed-key", given)
    assert done.exit_code == 0, done.output
    assert "table SIM-1 goes on from the witness" in done.output
    assert "The table signs with ANOTHER key from here on" in done.output


@pytest.mark.parametrize("given", ["", "3b6a", "moon", "g" * 64, "0" * 19, "0" * 21, "0" * 300])
def test_what_is_no_filed_key_is_refused_and_says_what_one_is(tmp_path: Path, given: str) -> None:
    done = pozo_run("recover", "--config", commissioned(tmp_path), "--filed-key", given)
    assert done.exit_code == 2
    assert "give its 64 digits, its short form of 20" in " ".join(done.output.split())


def test_a_recovery_that_keeps_the_key_speaks_of_no_other_one(tmp_path: Path) -> None:
    config = commissioned(tmp_path)
    lose_journal(config)
    done = pozo_run("recover", "--config", config, *BY)
    assert done.exit_code == 0, done.output
    assert "ANOTHER" not in done.output


ANA, LUIS = "2580", "9731"


@pytest.fixture
def guarded(tmp_path: Path) -> Path:
    """A table that asks both key holders for PINs, Ana and Luis, and has lost its journal."""
    config = own_table(tmp_path, {"pin = []": 'pin = ["supervisor", "technician"]'})
    assert pozo_run("commission", "--config", config, "--turn-keys").exit_code == 0
    for words, typed in (
        (("Ana", "--role", "supervisor", "--number", "7"), f"{ANA}\n{ANA}\n"),
        (("Luis", "--role", "technician", "--number", "12"), f"Ana\n{ANA}\n{LUIS}\n{LUIS}\n"),
    ):
        done = pozo_run("users", "add", *words, "--config", config, "--turn-keys", typed=typed)
        assert done.exit_code == 0, done.output
    lose_journal(config)
    return config


def test_a_policy_that_asks_for_pins_is_kept_in_a_recovery_too(
    guarded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.sleep", lambda _seconds: None)
    done = pozo_run("recover", "--config", guarded, *BY, typed=f"{ANA}\n{LUIS}\n")
    assert done.exit_code == 0, done.output
    assert ANA not in done.output
    (first, *_) = records(journal_of(guarded))
    assert isinstance(first.event, ev.JournalRecovered)
    assert (first.event.supervisor, first.event.technician) == ("Ana", "Luis")
    assert first.state.users == 2


def asked(config: Path, supervisor: str, technician: str, typed: str) -> tuple[Request, list[int]]:
    settings, waited = load(str(config)), list[int]()
    verdict = look(settings).verdict
    assert isinstance(verdict, JournalLost)
    request = Request(None, supervisor, technician, "why")
    with CliRunner().isolation(input=typed):
        return persons(settings, verdict.slot.record.state, request, waited.append), waited


def test_a_number_names_a_person_too(guarded: Path) -> None:
    found, waited = asked(guarded, "7", "12", f"{ANA}\n{LUIS}\n")
    assert (found.supervisor, found.technician, waited) == ("Ana", "Luis", [5 * SECOND] * 2)


@pytest.mark.parametrize(
    ("names", "typed", "told"),
    [
        (("Ana", "Luis"), f"{LUIS}\n{LUIS}\n", "that is not the PIN of Ana; nothing was changed"),
        (("Ana", "Luis"), f"{ANA}\n{ANA}\n", "that is not the PIN of Luis; nothing was changed"),
        (("Rosa", "Luis"), "", "'Rosa' is no supervisor with a PIN; there are: 7 Ana"),
        (("Luis", "Ana"), "", "'Luis' is no supervisor with a PIN; there are: 7 Ana"),
    ],
)
def test_a_wrong_person_or_pin_recovers_nothing(
    guarded: Path, names: tuple[str, str], typed: str, told: str
) -> None:
    before = files_of(guarded)
    with pytest.raises(ClickException, match=told):
        asked(guarded, *names, typed)
    after = files_of(guarded)
    after.pop(tries.path_of(journal_of(guarded)), None)
    assert after == before


@pytest.mark.parametrize("typed", ["0000\n", f"{ANA}\n0000\n"], ids=["wrong", "right, then wrong"])
def test_a_pin_costs_its_time_before_it_is_looked_at_so_that_silence_tells_nothing(
    guarded: Path, typed: str
) -> None:
    waited: list[int] = []
    settings = load(str(guarded))
    verdict = look(settings).verdict
    assert isinstance(verdict, JournalLost)
    with CliRunner().isolation(input=typed), pytest.raises(ClickException):
        persons(settings, verdict.slot.record.state, Request(None, "Ana", "Luis", "x"), waited.append)
    assert waited == [5 * SECOND] * typed.count("\n")


def a_try(config: Path, typed: str, state: Table | None = None) -> list[int]:
    """Ana's try with this PIN, and Luis' right one; what it waited."""
    waited: list[int] = []
    settings = load(str(config))
    verdict = look(settings).verdict
    assert isinstance(verdict, JournalLost)
    request = Request(None, "Ana", "Luis", "x")
    with CliRunner().isolation(input=f"{typed}\n{LUIS}\n"), suppress(ClickException):
        persons(settings, state or verdict.slot.record.state, request, waited.append)
    return waited


def test_wrong_pins_at_a_table_out_of_service_are_counted_over_commands_and_wait_longer_each_time(
    guarded: Path,
) -> None:
    waits = [a_try(guarded, "0000") for _ in range(12)]
    # 5 s, doubled with each wrong one before, an hour at most: 5 s * 2^10 is more.
    assert waits == [[5 * SECOND << n] for n in range(10)] + [[3_600 * SECOND]] * 2
    assert a_try(guarded, ANA) == [3_600 * SECOND, 5 * SECOND], "each role has its own count"
    assert a_try(guarded, "0000") == [3_600 * SECOND], "a right one alone forgets nothing: the recovery does"


def test_a_try_whose_command_is_ended_while_it_waits_is_counted(guarded: Path) -> None:
    def killed(_ns: int) -> None:
        raise KeyboardInterrupt

    settings = load(str(guarded))
    verdict = look(settings).verdict
    assert isinstance(verdict, JournalLost)
    request = Request(None, "Ana", "Luis", "x")
    with CliRunner().isolation(input=f"{ANA}\n"), pytest.raises(KeyboardInterrupt):
        persons(settings, verdict.slot.record.state, request, killed)
    assert tries.wrong(settings.journal, Role.SUPERVISOR) == 1


def test_who_is_locked_at_the_table_does_not_begin_anew_at_the_recovery(guarded: Path) -> None:
    verdict = look(load(str(guarded))).verdict
    assert isinstance(verdict, JournalLost)
    locked = replace(verdict.slot.record.state, tries=(Tries(Role.SUPERVISOR, 5, 0),))
    assert a_try(guarded, ANA, locked) == [5 * SECOND << 5, 5 * SECOND]


def test_the_recovery_says_how_many_wrong_pins_there_were_and_ends_their_count(
    guarded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.sleep", lambda _seconds: None)
    for _ in range(3):
        done = pozo_run("recover", "--config", guarded, *BY, typed="0000\n")
        assert done.exit_code == 1
    assert "nothing was changed. The next one is looked at after 40 s" in done.output
    assert pozo_run("recover", "--config", guarded, *BY, typed=f"{ANA}\n{LUIS}\n").exit_code == 0
    first = next(iter(records(journal_of(guarded)))).event
    assert isinstance(first, ev.JournalRecovered)
    assert first.copies[-1] == "wrong PINs before, supervisor: 3"
    assert not tries.path_of(journal_of(guarded)).exists()


@pytest.mark.parametrize("junk", [b"", b"{", b'{"moon":1}', b'{"supervisor":"x"}', b"[" * 5_000])
def test_a_count_that_cannot_be_read_is_the_most(guarded: Path, junk: bytes) -> None:
    tries.path_of(journal_of(guarded)).write_bytes(junk)
    assert a_try(guarded, ANA)[0] == 3_600 * SECOND


def test_no_pin_is_looked_at_that_could_not_be_counted(
    guarded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        a_try(guarded, ANA)


def test_a_list_of_users_that_is_gone_with_the_card_holds_no_recovery_up(guarded: Path) -> None:
    guarded.with_name("mesa.db.users").unlink()
    found, _ = asked(guarded, "Ana", "Luis", "")
    assert (found.supervisor, found.technician) == ("Ana", "Luis")


def test_after_a_new_card_the_persons_are_entered_anew_with_both_keys(guarded: Path) -> None:
    filed = public_in(path_of(journal_of(guarded)))
    for tail in (".users", ".key", ".pepper"):
        guarded.with_name(f"mesa.db{tail}").unlink(missing_ok=True)
    assert pozo_run("recover", "--config", guarded, *BY, "--filed-key", filed).exit_code == 0
    missing = pozo_run("users", "list", "--config", guarded)
    assert missing.exit_code == 1
    assert "`pozo users restore`" in missing.output
    assert pozo_run("users", "restore", "--config", guarded, "--turn-keys").exit_code == 0
    words = ("Ana", "--role", "supervisor", "--number", "7", "--config", guarded, "--turn-keys")
    added = pozo_run("users", "add", *words, typed=f"{ANA}\n{ANA}\n")
    assert added.exit_code == 0, added.output
    assert "7 Ana is a supervisor" in added.output


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_F088_the_process_stays_and_shows_what_is_trusted_until_it_is_stopped(
    tmp_path: Path, bench: Bench
) -> None:
    config = opened(tmp_path)
    journal = journal_of(config)
    journal.with_name(f"{journal.name}-wal").unlink(missing_ok=True)
    journal.write_bytes(journal.read_bytes()[:4_096] + b"\xa5" * 4_096)
    before = files_of(config)
    with Running(config, bench) as running:
        bench.until(lambda: bench.heard("sign FUERA DE SERVICIO"), "the sign")
        bench.until(lambda: any("POZO PRINCIPAL $ 100.000,00" in line for _, line in bench.seen), "the pot")
        assert not bench.on, "slots locked, lamps dark"
        bench.say("on seat_1", "off seat_1")
        bench.read(0.5)
        assert running.process.poll() is None
        running.process.send_signal(signal.SIGTERM)
        code, _, err = running.ended()
    assert code == 1
    assert "is out of service" in err
    assert "The witness is good and is trusted: record" in err
    assert "`pozo recover --config" in err
    assert files_of(config) == before
    bench.close()
