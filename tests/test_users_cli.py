"""`pozo users` as two key holders type it, and what a whole drill's journal and screens give away of a PIN: nothing."""

import fcntl
import json
from pathlib import Path

import pytest
from click.testing import Result
from msgspec.structs import replace

from controller.administer import RefusedError, Session, administer
from controller.cli.persons import Reception
from controller.clock import VirtualClock
from controller.config import load
from controller.core import events as ev
from controller.core.game import Role
from controller.drill.parse import parse
from controller.drill.play import Drill, Played
from controller.journal import ends_of, records
from controller.users import Store
from tests.helpers_cli import own_table, pozo_run

ANA, LUIS = "2580", "9731"
SECOND = 1_000_000_000


def run(*args: object, typed: str = "") -> Result:
    return pozo_run(*args, typed=typed)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A commissioned table that asks both for PINs, and knows nobody yet."""
    path = own_table(tmp_path)
    path.write_text(path.read_text().replace("pin = []", 'pin = ["supervisor", "technician"]'))
    assert pozo_run("commission", "--config", path, "--turn-keys").exit_code == 0
    return path


def users(file: Path, *args: object, typed: str = "") -> Result:
    return run("users", *args, "--config", file, "--turn-keys", typed=typed)


def two(file: Path) -> None:
    """Ana with both keys alone; then Luis, under Ana's PIN."""
    first = users(file, "add", "Ana", "--role", "supervisor", "--number", 7, typed=f"{ANA}\n{ANA}\n")
    assert first.exit_code == 0, first.output
    typed = f"Ana\n{ANA}\n{LUIS}\n{LUIS}\n"
    second = users(file, "add", "Luis", "--role", "technician", "--number", 12, typed=typed)
    assert second.exit_code == 0, second.output


def changes(file: Path) -> list[ev.UserChanged]:
    found = [record.event for record in records(file.with_suffix(".db"))]
    return [event for event in found if isinstance(event, ev.UserChanged)]


BOTH = f"7\n{ANA}\n12\n{LUIS}\n"


def test_every_change_of_the_list_names_who_it_is_about_and_who_did_it(file: Path) -> None:
    two(file)
    added = users(file, "add", "Rosa  Paz", "--role", "dealer", "--number", 41, typed=BOTH)
    assert added.exit_code == 0, added.output
    assert users(file, "disable", "41", typed=BOTH).exit_code == 0
    assert users(file, "enable", "rosa paz", typed=BOTH).exit_code == 0
    assert users(file, "pin", "Luis", typed=BOTH + "4681\n4681\n").exit_code == 0
    told = [
        (each.name, each.number, each.role, each.change, each.supervisor, each.technician)
        for each in changes(file)
    ]
    assert told == [
        ("Ana", 7, Role.SUPERVISOR, ev.UserChange.ADDED, "", ""),
        ("Luis", 12, Role.TECHNICIAN, ev.UserChange.ADDED, "Ana", ""),
        ("Rosa Paz", 41, Role.DEALER, ev.UserChange.ADDED, "Ana", "Luis"),
        ("Rosa Paz", 41, Role.DEALER, ev.UserChange.DISABLED, "Ana", "Luis"),
        ("Rosa Paz", 41, Role.DEALER, ev.UserChange.ENABLED, "Ana", "Luis"),
        ("Luis", 12, Role.TECHNICIAN, ev.UserChange.PIN_SET, "Ana", "Luis"),
    ]
    assert users(file, "disable", "41", typed=BOTH).exit_code == 1, "the old PIN of Luis is gone"


def test_the_list_is_shown_without_any_secret(file: Path) -> None:
    two(file)
    plain = run("users", "list", "--config", file)
    assert "     7 Ana: supervisor, PIN\n    12 Luis: technician, PIN\n" in plain.output
    shown = json.loads(run("users", "list", "--config", file, "--json").stdout)
    ana = {"number": 7, "name": "Ana", "role": "supervisor", "active": True, "pin": True, "locked": False}
    assert shown[0] == ana


def test_numbers_and_names_are_never_given_twice(file: Path) -> None:
    two(file)
    taken = users(file, "add", "Eva", "--role", "dealer", "--number", 7, typed=BOTH)
    assert (taken.exit_code, "never anybody else's" in taken.output) == (1, True)
    named = users(file, "add", "ANA", "--role", "dealer", "--number", 9, typed=BOTH)
    assert (named.exit_code, "add a second name" in named.output) == (1, True)
    assert len(changes(file)) == 2


def test_an_easy_pin_is_refused_and_nothing_is_stored(file: Path) -> None:
    done = users(file, "add", "Ana", "--role", "supervisor", "--number", 7, typed="1234\n1234\n")
    assert (done.exit_code, changes(file)) == (1, [])
    assert "1234" not in done.output


def test_the_last_person_with_a_pin_stays(file: Path) -> None:
    two(file)
    done = users(file, "disable", "Ana", typed=BOTH)
    assert (done.exit_code, "add another one first" in done.output) == (1, True)


def test_a_wrong_pin_is_journaled_and_nothing_is_done(file: Path) -> None:
    two(file)
    done = users(file, "disable", "Luis", typed="Ana\n1112\n")
    assert done.exit_code == 1
    assert "pin_wrong" in done.output
    assert ends_of(file.with_suffix(".db")).last.state.tries[0].wrong == 1
    log = run("users", "log", "--config", file)
    assert "wrong PIN for supervisor 7, refused: pin_wrong" in log.output
    last = json.loads(run("users", "log", file.with_suffix(".db"), "--last", 1, "--json").stdout)
    assert [each["event"]["kind"] for each in last] == ["stopped"]


def test_the_terminal_waits_after_a_wrong_pin_and_locks_after_five(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    two(file)
    settings, clock = load(str(file)), VirtualClock()
    waited: list[int] = []

    def pause(ns: int) -> None:
        waited.append(ns)
        clock.move_to(clock.monotonic_ns() + ns)

    answers = iter(["Ana", "1112"] * 5)
    monkeypatch.setattr("click.prompt", lambda *_args, **_options: next(answers))
    for _ in range(5):
        with pytest.raises(RefusedError):
            Reception(settings, clock, pause).both()
    assert waited == [2 * SECOND, 4 * SECOND, 8 * SECOND, 16 * SECOND]
    table = ends_of(settings.journal).last.state
    assert [fault.code for fault in table.faults] == ["pin_locked"]
    monkeypatch.undo()
    done = users(file, "disable", "Luis", typed=BOTH)
    assert (done.exit_code, "is locked" in done.output) == (1, True)
    freed = users(file, "unlock", "Ana", typed=f"12\n{LUIS}\n")
    assert freed.exit_code == 0, freed.output
    assert ends_of(settings.journal).last.state.tries == ()
    assert changes(file)[-1].technician == "Luis"


def test_a_technician_with_both_keys_does_not_unlock_himself_at_the_terminal(tmp_path: Path) -> None:
    """The policy asks for his PIN only: a supervisor's is asked for all the same, as soon as one has one."""
    file = own_table(tmp_path)
    file.write_text(file.read_text().replace("pin = []", 'pin = ["technician"]'))
    assert pozo_run("commission", "--config", file, "--turn-keys").exit_code == 0
    typed = f"{LUIS}\n{LUIS}\n"
    assert users(file, "add", "Luis", "--role", "technician", "--number", 12, typed=typed).exit_code == 0
    _lock(file, "12")
    alone = users(file, "unlock", "Luis")
    assert alone.exit_code == 0, alone.output
    assert changes(file)[-1].alone
    assert "nobody else had a PIN" in run("users", "log", file.with_suffix(".db")).output

    by_luis = f"12\n{LUIS}\n"
    assert users(file, "add", "Ana", "--role", "supervisor", "--number", 7, typed=by_luis).exit_code == 0
    assert users(file, "pin", "Ana", typed=f"{by_luis}{ANA}\n{ANA}\n").exit_code == 0
    _lock(file, "12")
    before = len(changes(file))
    refused = users(file, "unlock", "Luis", typed="7\n1112\n")
    assert (refused.exit_code, len(changes(file))) == (1, before)
    freed = users(file, "unlock", "Luis", typed=f"7\n{ANA}\n")
    assert freed.exit_code == 0, freed.output
    last = changes(file)[-1]
    assert (last.supervisor, last.alone) == ("Ana", False)
    assert ends_of(file.with_suffix(".db")).last.state.tries == ()


def test_a_person_is_locked_and_freed_at_the_terminal_though_the_entry_of_his_role_is_free(
    file: Path,
) -> None:
    """Eva's right PIN after each wrong one for Ana; then nobody asks for Ana's any more, and Luis frees her."""
    two(file)
    eva = ("add", "Eva", "--role", "supervisor", "--number", 71)
    assert users(file, *eva, typed=f"{BOTH}90210\n90210\n").exit_code == 0
    settings, clock = load(str(file)), VirtualClock()
    rights = ev.PersonIdentified(0, ev.Key.SUPERVISOR, "Eva", 71)
    for _ in range(5):
        clock.move_to(clock.monotonic_ns() + 100 * SECOND)
        now = clock.monotonic_ns()
        wrong = ev.PinRefused(now, Role.SUPERVISOR, 7, known=True)
        session = Session(now - 90 * SECOND, identified=(replace(rights, at_ns=now),))
        with pytest.raises(RefusedError):
            administer(settings, clock, wrong, both_keys=True, session=session)
    assert [fault.code for fault in ends_of(settings.journal).last.state.faults] == ["pin_locked"]
    done = users(file, "disable", "Luis", typed=BOTH)
    assert (done.exit_code, "Ana's PIN is locked" in done.output) == (1, True)
    assert "7 Ana: supervisor, PIN, locked" in run("users", "list", "--config", file).output
    freed = users(file, "unlock", "Ana", typed=f"71\n90210\n12\n{LUIS}\n")
    assert freed.exit_code == 0, freed.output
    assert ends_of(settings.journal).last.state.faults == ()
    assert not changes(file)[-1].alone
    assert users(file, "disable", "Eva", typed=BOTH).exit_code == 0, "Ana's right PIN is looked at again"
    assert ends_of(settings.journal).last.state.tried == ()


def _lock(file: Path, number: str) -> None:
    """Five wrong PINs of a technician."""
    settings, clock = load(str(file)), VirtualClock()
    five = [ev.PinRefused(clock.monotonic_ns(), Role.TECHNICIAN, int(number)) for _ in range(5)]
    with pytest.raises(RefusedError):
        administer(settings, clock, *five, both_keys=True)


AWAY = ("mesa.witness", "mesa.db.key")


@pytest.mark.parametrize("name", AWAY)
def test_no_pin_is_asked_where_a_wrong_one_could_not_be_kept(file: Path, name: str) -> None:
    """The witness's medium pulled, or the key renamed: no guess is answered, right or wrong."""
    two(file)
    before = ends_of(file.with_suffix(".db")).last
    file.with_name(name).rename(file.with_name(name + ".away"))
    for pin in ("1112", ANA):
        done = users(file, "disable", "Luis", typed=f"7\n{pin}\n")
        assert done.exit_code == 1
        assert "PIN of" not in done.output, done.output
    file.with_name(name + ".away").rename(file.with_name(name))
    assert ends_of(file.with_suffix(".db")).last == before


def test_no_pin_is_asked_while_somebody_else_holds_the_journal(file: Path) -> None:
    two(file)
    with file.with_name("mesa.db.id").open("rb") as marker:
        fcntl.flock(marker, fcntl.LOCK_EX)
        done = users(file, "disable", "Luis", typed="7\n1112\n")
    assert (done.exit_code, "PIN of" in done.output) == (1, False)
    assert "another pozo process" in done.output


def test_a_witness_pulled_while_a_pin_is_typed_saves_no_wrong_one(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    two(file)
    settings = load(str(file))

    def typed(*_args: object, **options: object) -> str:
        if not options:
            return "Ana"
        file.with_name("mesa.witness").rename(file.with_name("away"))
        return "1112"

    monkeypatch.setattr("click.prompt", typed)
    with pytest.raises(RefusedError):
        Reception(settings, VirtualClock()).both()
    assert ends_of(settings.journal).last.state.tries[0].wrong == 1


def test_rules_are_accepted_by_the_persons_the_old_rules_ask_for(file: Path) -> None:
    """Taking the policy out of the file is no way around it."""
    two(file)
    file.write_text(file.read_text().replace('pin = ["supervisor", "technician"]', "pin = []"))
    named = ("--supervisor", "Ana", "--technician", "Luis", "--turn-keys")
    refused = run("commission", "--config", file, *named, typed="1112\n")
    assert refused.exit_code == 1
    kept = [record.kind for record in records(file.with_suffix(".db"))]
    assert "parameters_changed" not in kept
    done = run("commission", "--config", file, "--turn-keys", typed=BOTH)
    assert done.exit_code == 0, done.output
    last = next(
        record.event for record in records(file.with_suffix(".db")) if record.kind == "parameters_changed"
    )
    assert isinstance(last, ev.ParametersChanged)
    assert (last.supervisor, last.technician) == ("Ana", "Luis")
    assert [change.key for change in last.changes] == ["pin.0", "pin.1"]
    assert "parameters changed, by Ana and Luis" in run("users", "log", "--config", file).output


def test_nobody_but_the_list_of_users_gets_by_with_keys_alone(file: Path) -> None:
    done = run("transfer", "within", "main", "main", "5.00", "--reason", "x", "--config", file, "--turn-keys")
    assert (done.exit_code, "pozo users add" in done.output) == (1, True)


def test_a_lost_list_is_restored_from_the_journal_without_pins(file: Path) -> None:
    two(file)
    store = Store(file.with_suffix(".db"))
    in_order = users(file, "restore")
    assert (in_order.exit_code, "is in order" in in_order.output) == (1, True)
    store.path.unlink()
    listed = run("users", "list", "--config", file)
    assert (listed.exit_code, "is gone" in listed.output) == (1, True)
    stuck = users(file, "disable", "Luis", typed=BOTH)
    assert (stuck.exit_code, "pozo users restore" in stuck.output) == (1, True)
    done = users(file, "restore")
    assert done.exit_code == 0, done.output
    shown = json.loads(run("users", "list", "--config", file, "--json").stdout)
    assert [(each["name"], each["number"], each["pin"]) for each in shown] == [
        ("Ana", 7, False),
        ("Luis", 12, False),
    ]
    assert changes(file)[-1].change is ev.UserChange.RESTORED
    assert changes(file)[-1].alone
    assert "by keys alone\n" in run("users", "log", "--config", file).output
    assert users(file, "pin", "Ana", typed=f"{ANA}\n{ANA}\n").exit_code == 0
    assert [fault.code for fault in ends_of(file.with_suffix(".db")).last.state.faults] == ["users_restored"]


def test_a_damaged_list_is_kept_aside_and_said_to_be(file: Path) -> None:
    two(file)
    store = Store(file.with_suffix(".db"))
    store.path.write_bytes(store.path.read_bytes().replace(b"Ana", b"Eva"))
    done = users(file, "restore")
    assert "is kept as" in done.output
    assert b"Eva" in store.path.with_name(store.path.name + ".bad-1").read_bytes()
    assert [each.name for each in store.load(ends_of(file.with_suffix(".db")).last.state.users)] == [
        "Ana",
        "Luis",
    ]


def test_before_the_commissioning_there_is_nobody_to_add(tmp_path: Path) -> None:
    path = own_table(tmp_path)
    done = users(path, "add", "Ana", "--role", "supervisor", "--number", 7, typed=f"{ANA}\n{ANA}\n")
    assert (done.exit_code, "pozo commission" in done.output) == (1, True)


SPILL = """
set access.pin supervisor technician
user 7 Ana supervisor 84620517
user 12 Luis technician 73951864
power on
chip 2
press coin_in
claim 2 flush
key supervisor on
pad 7 ENTER 8 4 6 2 0 5 1 6 ENTER
wait 3s
pad 7 ENTER 8 4 6 2 0 5 1 7 ENTER
approve
press game_over
close
key technician on
pad 1 2 ENTER 7 3 9 5 1 8 6 4 ENTER
correct main 90000.00 reconciled
power cut
power on
expect journal person_identified 3
"""


def test_no_pin_is_in_the_journal_on_the_screen_or_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    screens: list[str] = []

    def watch(played: Played) -> None:
        screens.extend(played.world.hal.screen)

    kept = tmp_path / "kept.db"
    Drill(watch=watch, keep=kept).play(parse(SPILL))
    held = "".join(path.read_bytes().decode("latin-1") for path in tmp_path.iterdir())
    for pin in ("84620517", "73951864", "84620516"):
        for text in (held, "\n".join(screens), caplog.text):
            assert pin not in text
            assert " ".join(pin) not in text
    assert "PIN DE" in "\n".join(screens)
    assert '"pin_refused"' in held
