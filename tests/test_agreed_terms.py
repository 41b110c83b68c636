"""What decides whom a table obeys, what is played beside the pot and what reports are bounded by needs both keys."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.agreed import agreed, changes_of, terms_in_force
from controller.assemble import ParametersChangedError, assemble, commission_table
from controller.clock import VirtualClock
from controller.config import Settings, game_digest, load, terms_digest
from controller.config.settings import Software
from controller.core import events as ev
from controller.hostline import NoHost
from controller.journal import ends_of, records
from controller.recovery import Paper, Request, recover
from controller.witness.errors import RecoveryRefusedError
from hal.simulated import SimulatedHal
from tests.helpers_cli import own_table, pozo_run
from tests.helpers_config import PROFILE, changed

PERSONS = ("--supervisor", "Ana", "--technician", "Luis", "--turn-keys")
GAME = '"./game.toml"'
WITNESS = "[witness]\n"
LINK = '[link]\nfloor = "service=pozo"\nsocket = "/tmp/pozo-link.sock"\n'
OFFLINE = "require_host = false\n"


def own_game(folder: Path, *changes: tuple[str, str], profile: tuple[tuple[str, str], ...] = ()) -> Path:
    """A simulated table on a copy of its game's file, with changes to the table's file, and to the game."""
    (folder / "game.toml").write_text(changed(PROFILE, *profile), encoding="utf-8")
    text = own_table(folder).read_text(encoding="utf-8")
    text = text.replace('game = "uy-montevideo-caribbean"', f"game = {GAME}")
    text = text.replace("[for.uy-montevideo-caribbean.", f"[for.{GAME}.")
    file = folder / "mesa.toml"
    file.write_text(changed(text, *changes), encoding="utf-8")
    return file


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A commissioned table as it is shipped."""
    config = own_game(tmp_path)
    commission_table(load(str(config)), VirtualClock())
    return config


def start(settings: Settings) -> None:
    """Bring the program up on these files, up to the moment it would play."""
    clock = VirtualClock()
    hal = SimulatedHal(settings.wiring, clock.monotonic_ns)
    loop, _ = assemble(settings, hal, clock, lambda _: None, host=NoHost())
    loop.abandon()


BY_HAND: tuple[tuple[str, tuple[tuple[str, str], ...], tuple[tuple[str, str], ...], tuple[str, ...]], ...] = (
    ("its name", (('"Mesa simulada"', '"Mesa 9"'),), (), ("table.name: Mesa simulada -> Mesa 9",)),
    (
        "the zone that bounds a gaming day",
        (('timezone = "America/Montevideo"', 'timezone = "America/Lima"'),),
        (),
        ("table.timezone: America/Montevideo -> America/Lima",),
    ),
    (
        "the hour that bounds it",
        (('day_starts_at = "06:00"', 'day_starts_at = "12:00"'),),
        (),
        ("table.day_starts_at: 06:00 -> 12:00",),
    ),
    (
        "the ante's limits",
        (('ante_max = "1000.00"', 'ante_max = "100000.00"'),),
        (),
        ("base.ante_max: 100000 -> 10000000",),
    ),
    (
        "the pay table of the game against the bank",
        (),
        (("royal_flush = 100", "royal_flush = 200"),),
        ("base.pays.to_one.royal_flush: 100 -> 200",),
    ),
    (
        "a floor",
        ((WITNESS, f'{LINK}offline = "continue"\n{WITNESS}'),),
        (),
        ("link.floor: absent -> service=pozo",),
    ),
)


@pytest.mark.parametrize(
    ("changes", "profile", "told"), [row[1:] for row in BY_HAND], ids=[row[0] for row in BY_HAND]
)
def test_terms_changed_by_hand_do_not_start_and_each_is_named(
    config: Path,
    changes: tuple[tuple[str, str], ...],
    profile: tuple[tuple[str, str], ...],
    told: tuple[str, ...],
) -> None:
    edited = load(str(own_game(config.parent, *changes, profile=profile)))
    before = ends_of(edited.journal).last.seq
    with pytest.raises(ParametersChangedError) as refused:
        start(edited)
    lines = str(refused.value).splitlines()
    assert lines[1:-1] == [f"  {each}" for each in told]
    assert ends_of(edited.journal).last.seq == before
    start(load(str(own_game(config.parent))))


def test_a_strict_floor_is_not_taken_out_of_the_file_by_writing_its_policy_instead(tmp_path: Path) -> None:
    """`require_host = true` on a board with a host device of its own is the same rules, and hears no floor."""
    strict = load(str(own_game(tmp_path, (OFFLINE, ""), (WITNESS, f"{LINK}{WITNESS}"))))
    commission_table(strict, VirtualClock())
    deaf = load(str(own_game(tmp_path, (OFFLINE, "require_host = true\n"))))
    assert game_digest(deaf.game) == game_digest(strict.game)
    with pytest.raises(ParametersChangedError, match=r"link\.floor: service=pozo -> absent"):
        start(deaf)
    start(strict)


def test_another_floor_is_another_one_to_obey_and_another_socket_is_not(tmp_path: Path) -> None:
    quiet = (OFFLINE, "")
    commission_table(load(str(own_game(tmp_path, quiet, (WITNESS, f"{LINK}{WITNESS}")))), VirtualClock())
    elsewhere = LINK.replace("service=pozo", "host=10.0.0.9 sslmode=verify-full")
    with pytest.raises(
        ParametersChangedError, match=r"link\.floor: service=pozo -> host=10\.0\.0\.9 sslmode=verify"
    ):
        start(load(str(own_game(tmp_path, quiet, (WITNESS, f"{elsewhere}{WITNESS}")))))
    moved = LINK.replace("pozo-link.sock", "pozo-other.sock")
    start(load(str(own_game(tmp_path, quiet, (WITNESS, f"{moved}{WITNESS}")))))


def test_that_the_program_is_checked_and_by_which_key_is_agreed_to(config: Path) -> None:
    settings = load(str(config))
    table = ends_of(settings.journal).last.state
    checked = replace(settings, software=Software(Path("/opt/pozo/manifest"), Path("/etc/pozo/release.pub")))
    assert not agreed(checked, table)
    assert changes_of(checked, table) == (
        ev.Change("software.key", "absent", "/etc/pozo/release.pub"),
        ev.Change("software.manifest", "absent", "/opt/pozo/manifest"),
    )


def test_what_the_house_takes_from_a_game_among_players_is_agreed_to() -> None:
    asked = {"game": "cl-seven-stud"}
    one = load("simulated", asked)
    other = load("simulated", {**asked, "circle.house_share_ppm": "60000"})
    assert game_digest(one.game) == game_digest(other.game)
    assert terms_digest(one) != terms_digest(other)


def test_media_may_be_moved_without_keys(config: Path) -> None:
    """A technician changes a card: journal and witness are elsewhere, and the same."""
    settings = load(str(config))
    folder = config.parent / "moved"
    folder.mkdir()
    for path in settings.journal.parent.glob("mesa.*"):
        if path != config:
            path.rename(folder / path.name)
    start(replace(settings, journal=folder / settings.journal.name, witness=folder / settings.witness.name))


def test_other_terms_are_accepted_with_both_keys_by_name_and_end_no_claim(config: Path) -> None:
    other = own_game(config.parent, ('day_starts_at = "06:00"', 'day_starts_at = "07:00"'))
    done = pozo_run("commission", "--config", other, *PERSONS)
    assert done.exit_code == 0, done.output
    assert "  table.day_starts_at: 06:00 -> 07:00" in done.output
    settings = load(str(other))
    record = next(each for each in records(settings.journal) if isinstance(each.event, ev.ParametersChanged))
    assert isinstance(record.event, ev.ParametersChanged)
    assert (record.event.supervisor, record.event.technician) == ("Ana", "Luis")
    assert record.event.changes == (ev.Change("table.day_starts_at", "06:00", "07:00"),)
    assert ends_of(settings.journal).last.state.house == terms_digest(settings)
    start(settings)
    with pytest.raises(ParametersChangedError, match="day_starts_at: 07:00 -> 06:00"):
        start(load(str(own_game(config.parent))))


def test_both_persons_see_the_terms_before_they_commission(tmp_path: Path) -> None:
    done = pozo_run("commission", "--config", own_game(tmp_path), "--turn-keys")
    assert done.exit_code == 0, done.output
    for line in ("table.day_starts_at: 06:00", "base.ante_max: 100000", "base.pays.to_one.royal_flush: 100"):
        assert f"  {line}\n" in done.output


def test_from_paper_other_terms_than_the_last_known_are_accepted_by_name_or_not_at_all(config: Path) -> None:
    """Both copies spoilt, and the hour of the gaming day edited: two persons with both keys are told."""
    settings = load(str(config))
    with closing(sqlite3.connect(settings.journal)) as connection, connection:
        connection.execute("UPDATE journal SET wall_ns = wall_ns + 1")
    for slot in settings.witness.iterdir():
        slot.write_bytes(b"spoilt" * 20)
    edited = load(str(own_game(config.parent, ('day_starts_at = "06:00"', 'day_starts_at = "12:00"'))))
    level = edited.game.levels[0]
    paper = Paper({level.name: level.base_amount}, round=1, last_award=0, received=(), unpaid=())
    request = Request(ev.Trusted.PAPER, "Ana", "Luis", "a dead card", paper)
    with pytest.raises(RecoveryRefusedError, match=r"table\.day_starts_at: 06:00 -> 12:00"):
        recover(edited, VirtualClock(), request)
    recover(edited, VirtualClock(), replace(request, accept_rules=True))
    first = ends_of(edited.journal).first.event
    assert isinstance(first, ev.JournalRecovered)
    assert first.changes == (ev.Change("table.day_starts_at", "06:00", "12:00"),)
    assert terms_in_force(edited.journal)["table"] == {
        "name": "Mesa simulada",
        "timezone": "America/Montevideo",
        "day_starts_at": "12:00",
    }
    start(edited)


def test_the_currency_of_a_table_never_changes(tmp_path: Path) -> None:
    """A pot of 100,000.00 pesos would become 10,000,000 pesos of another country."""
    config = own_table(tmp_path)
    commission_table(load(str(config)), VirtualClock())
    before = ends_of(load(str(config)).journal).last.seq
    other = own_table(
        tmp_path,
        {'"uy-montevideo-caribbean"': '"cl-caribbean-progressive"', '"es_UY"': '"es_CL"'},
    )
    done = pozo_run("commission", "--config", other, *PERSONS)
    assert done.exit_code == 1
    assert (
        "the files have CLP, and pots, meters and unpaid awards of this table are counted in UYU"
        in done.output
    )
    assert ends_of(load(str(other)).journal).last.seq == before


def test_meters_of_a_table_brought_back_are_in_the_currency_of_its_rules(config: Path) -> None:
    settings = load(str(config))
    settings.journal.rename(settings.journal.with_name("lost"))
    public = ends_of(config.parent / "lost").first.event
    assert isinstance(public, ev.Commissioned)
    recover(
        settings,
        VirtualClock(),
        Request(ev.Trusted.WITNESS, "Ana", "Luis", "a new card", filed=public.device_key),
    )
    assert isinstance(ends_of(settings.journal).first.event, ev.JournalRecovered)
    lines = [line.split() for line in pozo_run("meters", settings.journal).output.splitlines()]
    assert lines[0][-3:] == ["money", "in", "UYU"]
    assert ["main.current", "100000.00"] in lines
