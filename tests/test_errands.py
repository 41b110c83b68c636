"""Errands with the stick: asked for at the menu with the keys, done by whoever finds the record, told on the screen."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.assemble import assemble
from controller.clock import VirtualClock
from controller.config import load
from controller.core import events as ev
from controller.core.events import Became, Errand, Refusal
from controller.core.game import Role
from controller.core.state import Doing, Phase, Table
from controller.errands import Runners
from controller.inbox import Act, Stop
from controller.journal import ends_of
from controller.menu import Verb
from controller.menu.acts import offered
from controller.menu.ask import Nav
from hal.simulated import SimulatedHal
from tests.helpers_cli import own_table, pozo_run
from tests.helpers_exact import NOTED, becomes, refuses, shown
from tests.helpers_game import GAME, key, new_table, play
from tests.helpers_menu import Thumb

SECOND = 1_000_000_000
BOTH = (key(on=True), key(on=True, which=ev.Key.TECHNICIAN))
"""The supervisor's first: the technician's alone would make TEST."""


@pytest.fixture
def closed() -> Table:
    return play(GAME, new_table(), BOTH)


def test_an_update_wants_the_technician_and_a_backup_both(closed: Table) -> None:
    for gone, update, backup in (
        (ev.Key.SUPERVISOR, None, Refusal.BOTH_KEYS),
        (ev.Key.TECHNICIAN, Refusal.TECHNICIAN_KEY, Refusal.BOTH_KEYS),
    ):
        one = play(GAME, closed, [key(on=False, which=gone)])
        for event, errand, reason in (
            (ev.UpdateAsked(70), Errand.UPDATE, update),
            (ev.BackupAsked(70), Errand.BACKUP, backup),
        ):
            if reason is None:
                becomes(shown(one), event, replace(one, doing=Doing(errand, 70), refusal=None), NOTED)
            else:
                refuses(one, event, reason)


def test_where_the_house_asks_for_pins_a_key_alone_asks_for_nothing(closed: Table) -> None:
    game = replace(GAME, pin=(Role.SUPERVISOR, Role.TECHNICIAN))
    refuses(closed, ev.UpdateAsked(70), Refusal.TECHNICIAN_PIN, game=game)
    technician = play(game, closed, [ev.PersonIdentified(60, ev.Key.TECHNICIAN, "Luis", 9)])
    refuses(technician, ev.BackupAsked(70), Refusal.SUPERVISOR_PIN, game=game)
    becomes(
        technician, ev.UpdateAsked(70), replace(technician, doing=Doing(Errand.UPDATE, 70)), NOTED, game=game
    )
    both = play(game, technician, [ev.PersonIdentified(61, ev.Key.SUPERVISOR, "Ana", 7)])
    becomes(both, ev.BackupAsked(70), replace(both, doing=Doing(Errand.BACKUP, 70)), NOTED, game=game)


def test_one_errand_at_a_time_and_only_the_last_one_s_end_is_shown(closed: Table) -> None:
    asked = play(GAME, closed, [ev.BackupAsked(70)])
    refuses(asked, ev.UpdateAsked(71), Refusal.ERRAND_UNDER_WAY)
    for other in (
        ev.ErrandEnded(80, Errand.BACKUP, 69, Became.DONE),
        ev.ErrandEnded(80, Errand.UPDATE, 70, Became.DONE),
    ):
        becomes(asked, other, asked, NOTED)
    failed = replace(asked, doing=Doing(Errand.BACKUP, 70, Became.FAILED))
    becomes(asked, ev.ErrandEnded(80, Errand.BACKUP, 70, Became.FAILED, "full"), failed, NOTED)
    again = replace(failed, doing=Doing(Errand.BACKUP, 90))
    becomes(failed, ev.BackupAsked(90), again, NOTED)


def test_it_is_forgotten_when_the_table_is_opened_or_starts_again(closed: Table) -> None:
    asked = play(GAME, closed, [ev.BackupAsked(70)])
    assert play(GAME, asked, [ev.LampTestStarted(80)]).doing == Doing(Errand.BACKUP, 70)
    assert play(GAME, asked, [ev.LampTestStarted(80), ev.TableOpened(81)]).doing is None
    assert play(GAME, asked, [ev.Started(1, supervisor=True, technician=True)]).doing is None


def test_the_menu_offers_it_to_whoever_may_and_asks_for_a_yes(closed: Table) -> None:
    thumb = Thumb(GAME, closed)
    assert {Verb.UPDATE, Verb.BACKUP} <= set(offered(thumb.scene))
    thumb.hold()
    thumb.choose(Verb.BACKUP)
    assert thumb.acts == []
    thumb.choose(Nav.YES)
    assert [type(act) for act in thumb.acts] == [ev.BackupAsked]
    assert not {Verb.UPDATE, Verb.BACKUP} & set(offered(thumb.scene)), (
        "while one is under way none is offered"
    )
    alone = Thumb(GAME, play(GAME, closed, [key(on=False)]))
    assert {Verb.UPDATE, Verb.BACKUP} & set(offered(alone.scene)) == {Verb.UPDATE}
    assert not {Verb.UPDATE, Verb.BACKUP} & set(offered(Thumb(GAME, new_table()).scene))


class Place:
    """Where a table asks, and whoever does it answers."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.runners = Runners(folder)
        for name in ("pozo", "pozo-backup", "pozo-update"):
            (folder / name).mkdir(parents=True)

    @property
    def asked(self) -> Path:
        return self.folder / "pozo" / "asked-backup"

    def answer(self, **said: object) -> None:
        (self.folder / "pozo-backup" / "answer.json").write_text(json.dumps(said), encoding="ascii")

    def told(self, now_ns: int) -> list[ev.AnyEvent]:
        return [act.event for act in self.runners.look(now_ns)]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path / "run")


def test_an_answer_to_another_asking_is_none_and_the_right_one_is_told_once(place: Place) -> None:
    place.answer(asked_ns=6, became="done")
    place.runners.ask(Errand.BACKUP, 7)
    assert place.asked.is_file()
    assert place.told(7) == []
    place.answer(asked_ns=7)
    assert place.told(2 * SECOND) == []
    place.answer(asked_ns=7, became="failed", note="the stick is full")
    assert place.told(2 * SECOND + 1) == [], "it looks once a second"
    ended = ev.ErrandEnded(3 * SECOND, Errand.BACKUP, 7, Became.FAILED, "the stick is full")
    assert place.told(3 * SECOND) == [ended]
    assert place.told(9 * SECOND) == []


@pytest.mark.parametrize(
    ("begun", "limit", "became"), [(False, 180, Became.NOBODY), (True, 10_800, Became.FAILED)]
)
def test_who_does_not_begin_is_nobody_and_who_does_not_end_has_failed(
    place: Place, begun: bool, limit: int, became: Became
) -> None:
    place.runners.ask(Errand.BACKUP, 0)
    if begun:
        place.answer(asked_ns=0)
    assert place.told(0) == []
    assert place.told((limit - 1) * SECOND) == []
    (ended,) = place.told(limit * SECOND)
    assert isinstance(ended, ev.ErrandEnded)
    assert ended.became is became


@pytest.mark.parametrize(
    "spoil",
    [
        lambda place: (place.folder / "pozo-backup" / "answer.json").write_bytes(b"\xff" * 5000),
        lambda place: place.answer(asked_ns=0, became="perhaps"),
        lambda place: place.answer(asked_ns=0, became="done", note="x" * 301),
        lambda place: (place.folder / "pozo-backup" / "answer.json").mkdir(),
    ],
)
def test_an_answer_that_is_none_is_told_as_a_failure(place: Place, spoil: Callable[[Place], object]) -> None:
    place.runners.ask(Errand.BACKUP, 0)
    spoil(place)
    (ended,) = place.told(0)
    assert isinstance(ended, ev.ErrandEnded)
    assert ended.became is Became.FAILED
    assert 0 < len(ended.note) <= 300


def test_what_cannot_be_asked_is_told_as_a_failure(place: Place) -> None:
    place.asked.mkdir()
    place.runners.ask(Errand.BACKUP, 5)
    (ended,) = place.told(5)
    assert isinstance(ended, ev.ErrandEnded)
    assert (ended.became, ended.asked_ns) == (Became.FAILED, 5)
    assert "asked-backup cannot be written" in ended.note


class Cabinet:
    """A commissioned table with both keys turned, closed, that somebody does errands for."""

    def __init__(self, folder: Path, place: Place) -> None:
        self.config = own_table(folder)
        done = pozo_run("commission", "--turn-keys", "--config", self.config)
        assert done.exit_code == 0, done.output
        self.settings = load(str(self.config))
        self.clock = VirtualClock()
        self.hal = SimulatedHal(self.settings.wiring, self.clock.monotonic_ns)
        for name in ("supervisor", "technician"):
            self.hal.drive(name, active=True)
        self.place = place
        self.stick = folder / "stick"
        self.stick.mkdir()
        self.loop, self.inbox = assemble(
            self.settings, self.hal, self.clock, lambda _: None, errands=place.runners
        )
        self.loop.start()

    def turn(self, *events: ev.AnyEvent, seconds: int = 2) -> None:
        for event in events:
            self.inbox.put(Act(event))
        for _ in range(seconds * 10):
            self.clock.move_to(self.clock.monotonic_ns() + SECOND // 10)
            self.loop.turn()

    def runs(self, errand: str) -> tuple[int, str]:
        done = pozo_run(
            *("errand", errand, "--config", self.config), "--stick", self.stick, "--place", self.place.folder
        )
        return done.exit_code, done.output

    def ended(self) -> ev.ErrandEnded:
        self.turn()
        event = ends_of(self.settings.journal).last.event
        assert isinstance(event, ev.ErrandEnded)
        return event

    def close(self) -> None:
        self.inbox.put(Stop("switched off"))
        self.loop.turn()
        self.inbox.close()


@pytest.fixture
def cabinet(tmp_path: Path, place: Place, monkeypatch: pytest.MonkeyPatch) -> Cabinet:
    made = Cabinet(tmp_path, place)
    monkeypatch.setattr(os.path, "ismount", lambda path: Path(path) == made.stick)
    return made


def test_a_backup_asked_for_at_the_table_stands_on_the_stick_and_its_end_in_the_journal(
    cabinet: Cabinet,
) -> None:
    assert cabinet.loop.table.phase is Phase.CLOSED
    cabinet.turn(ev.BackupAsked(cabinet.clock.monotonic_ns()))
    assert cabinet.place.asked.is_file()
    assert "COPIA EN EL PENDRIVE: EN CURSO, NO SAQUE EL PENDRIVE" in cabinet.hal.screen
    code, output = cabinet.runs("backup")
    assert code == 0, output
    (made,) = cabinet.stick.iterdir()
    assert (made / "backup.json").is_file()
    assert made.name in cabinet.ended().note
    assert "COPIA EN EL PENDRIVE: HECHO" in cabinet.hal.screen
    assert cabinet.runs("backup")[0] == 1, "one asking is one backup"
    cabinet.close()


def test_nothing_is_done_that_no_record_asks_for(cabinet: Cabinet) -> None:
    cabinet.hal.drive("technician", active=False)
    cabinet.turn()
    cabinet.turn(ev.BackupAsked(cabinet.clock.monotonic_ns()))
    assert not cabinet.place.asked.exists()
    for errand in Errand:
        code, output = cabinet.runs(errand)
        assert (code, "nobody at table SIM-1 asks for it now" in output) == (1, True)
    assert list(cabinet.stick.iterdir()) == []
    cabinet.close()


@pytest.mark.parametrize(
    ("files", "became", "words"),
    [
        (None, Became.NO_STICK, "no stick is mounted"),
        ((), Became.NO_FILE, "there are 0 files *.update"),
        (("a.update", "b.update"), Became.NO_FILE, "there are 2 files *.update"),
        (("a.update",), Became.REFUSED, "nothing was written"),
    ],
)
def test_an_update_that_is_not_taken_says_why(
    cabinet: Cabinet,
    monkeypatch: pytest.MonkeyPatch,
    files: tuple[str, ...] | None,
    became: Became,
    words: str,
) -> None:
    """`files`: what is on the stick, None where there is none."""
    for name in files or ():
        (cabinet.stick / name).write_bytes(b"no update")
    monkeypatch.setattr(os.path, "ismount", lambda _: files is not None)
    cabinet.turn(ev.UpdateAsked(cabinet.clock.monotonic_ns()))
    code, output = cabinet.runs("update")
    assert (code, words in output) == (1, True), output
    ended = cabinet.ended()
    assert (ended.errand, ended.became) == (Errand.UPDATE, became)
    assert words in ended.note
    cabinet.close()


def test_a_table_with_nobody_for_errands_says_so(tmp_path: Path) -> None:
    config = own_table(tmp_path)
    assert pozo_run("commission", "--turn-keys", "--config", config).exit_code == 0
    settings, clock = load(str(config)), VirtualClock()
    hal = SimulatedHal(settings.wiring, clock.monotonic_ns)
    for name in ("supervisor", "technician"):
        hal.drive(name, active=True)
    loop, inbox = assemble(settings, hal, clock, lambda _: None)
    loop.start()
    inbox.put(Act(ev.BackupAsked(clock.monotonic_ns())))
    loop.turn()
    loop.turn()
    assert loop.table.doing == Doing(Errand.BACKUP, clock.monotonic_ns(), Became.NOBODY)
    loop.abandon()
    inbox.close()
