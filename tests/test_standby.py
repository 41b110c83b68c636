"""A table that is not played, on a virtual clock: what ends it, what its lamps do, and what a small screen says."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.pofile import read_po
from msgspec.structs import replace

from controller.appliance.standby import HOLD_NS, STAND_NS, TURN_NS, Standby, Until
from controller.appliance.telling import Phrases, lines, parsed, problem_lines, why
from controller.appliance.texts import Mend, Say, Why
from controller.clock import VirtualClock
from controller.config import load
from controller.config.settings import Software
from controller.inbox import Stop
from controller.journal import DamagedError
from controller.signing.key import KeyProblemError, read_public
from controller.single import AlreadyRunningError
from controller.words import CATALOGUES, LANGUAGES
from hal.interface import ClaimError, Device, LineError, Picture, Screen, ScreenKind, ScreenWiring
from hal.oled import PanelDriver
from hal.screenonly import ScreenOnly, i2c_screen
from hal.simulated import SimulatedHal

TOLD = ("FUERA DE SERVICIO", "EL ARCHIVO DE LA MESA NO SIRVE")
SECOND = 1_000_000_000


class Table:
    """The simulated table's hardware with a standby on it."""

    def __init__(self, until: Until) -> None:
        wiring = load("simulated").wiring
        self.clock = VirtualClock()
        self.hal = SimulatedHal(wiring, self.clock.monotonic_ns)
        self.stands = Standby(self.hal, wiring, self.clock, TOLD, until)
        self.stands.start()

    def over(self) -> bool:
        return self.stands.over

    def pass_ns(self, ns: int) -> set[frozenset[str]]:
        """Let time pass, turn by turn, until then or until it is over; the sets of outputs that were on together."""
        end = self.clock.monotonic_ns() + ns
        seen: set[frozenset[str]] = set()
        while self.clock.monotonic_ns() < end and not self.stands.over:
            self.clock.move_to(min(self.clock.monotonic_ns() + TURN_NS, end))
            self.stands.turn()
            seen.add(frozenset(name for name, on in self.hal.outputs.items() if on))
        return seen


@pytest.fixture
def made() -> Iterator[list[Table]]:
    tables: list[Table] = []
    yield tables
    for table in tables:
        table.stands.close()


def stand(made: list[Table], until: Until) -> Table:
    made.append(Table(until))
    return made[-1]


def test_it_ends_by_itself_so_that_the_start_is_tried_again(made: list[Table]) -> None:
    table = stand(made, Until())
    table.pass_ns(STAND_NS - SECOND)
    assert not table.over()
    table.pass_ns(2 * SECOND)
    assert table.over()
    assert not table.stands.agreed


def test_slots_stay_locked_and_all_lamps_wink_together_as_no_wager_does(made: list[Table]) -> None:
    table = stand(made, Until())
    seen = table.pass_ns(10 * SECOND)
    lamps = frozenset(f"lamp_{seat}" for seat in range(1, 8))
    assert seen == {frozenset(), lamps}
    dark = sum(not any(Table.pass_ns(table, TURN_NS).pop()) for _ in range(80))
    assert dark >= 70, "mostly dark: an accepted wager burns steadily"


def test_nothing_but_both_keys_with_game_over_for_the_whole_time_agrees(made: list[Table]) -> None:
    lines_on = ("supervisor", "technician", "game_over")
    for missing in lines_on:
        table = stand(made, Until(None, agree=True))
        for line in lines_on:
            table.hal.drive(line, active=line != missing)
        table.pass_ns(2 * HOLD_NS)
        assert not table.stands.over, missing
    table = stand(made, Until(None, agree=True))
    for line in lines_on:
        table.hal.drive(line, active=True)
    table.pass_ns(HOLD_NS - SECOND // 2)
    table.hal.drive("technician", active=False)
    table.pass_ns(2 * TURN_NS)
    table.hal.drive("technician", active=True)
    table.pass_ns(HOLD_NS - SECOND // 2)
    assert not table.stands.agreed, "a key let go begins the time anew"
    table.pass_ns(SECOND)
    assert table.stands.agreed


def test_without_an_offer_keys_do_nothing(made: list[Table]) -> None:
    table = stand(made, Until(None))
    for line in ("supervisor", "technician", "game_over"):
        table.hal.drive(line, active=True)
    table.pass_ns(60 * SECOND)
    assert not table.stands.over


def test_a_repaired_file_ends_it_within_seconds(made: list[Table]) -> None:
    repaired = [False]
    table = stand(made, Until(changed=lambda: repaired[0]))
    table.pass_ns(5 * SECOND)
    repaired[0] = True
    table.pass_ns(4 * SECOND)
    assert table.stands.over


def test_game_over_goes_on_only_where_that_is_said(made: list[Table]) -> None:
    for go_on in (True, False):
        table = stand(made, Until(None, go_on=go_on))
        table.hal.drive("game_over", active=True)
        table.pass_ns(SECOND)
        assert table.stands.over is go_on


def test_a_stop_ends_it_in_order(made: list[Table]) -> None:
    table = stand(made, Until())
    table.stands.inbox.put(Stop("SIGTERM"))
    table.stands.turn()
    assert (table.stands.over, table.stands.stopped) == (True, True)


@pytest.mark.parametrize(
    ("problem", "shown"),
    [
        (
            '/data/table.toml, line 12: pot.main.limit = "1": must be an amount',
            ("table.toml - LÍNEA 12", 'pot.main.limit = "1"', "ESE VALOR NO SE ADMITE"),
        ),
        (
            "/data/table.toml, line 3: wager.amount: is missing; give it an amount",
            ("table.toml - LÍNEA 3", "wager.amount", "FALTA"),
        ),
        (
            '/data/table.toml, line 7: pot.main.contributon: there is no such key. Did you mean "x"?',
            ("table.toml - LÍNEA 7", "pot.main.contributon", "ESA CLAVE NO EXISTE"),
        ),
        (
            "/boot/table.toml: there is no such file; found table.toml.txt, expected table.toml: rename it",
            ("table.toml", "HAY: table.toml.txt - CÁMBIELE EL NOMBRE"),
        ),
        (
            "/boot/table.toml: table.toml.txt lies beside it and could be the one meant: keep only table.toml",
            ("table.toml", "DOS ARCHIVOS: table.toml.txt - DEJE UNO"),
        ),
        (
            '/boot/table.toml: is UTF-16 or UTF-32 ("Unicode" in Notepad): save as UTF-8',
            ("table.toml", "GUARDE EL ARCHIVO COMO UTF-8"),
        ),
        (
            "/boot/table.toml, line 9: this is not TOML: Invalid value: 'x = 0,25'. No decimal commas",
            ("table.toml - LÍNEA 9", "ESTA LÍNEA NO SE ENTIENDE"),
        ),
        (
            '/boot/table.toml, line 4, column 8: U+201C (LEFT DOUBLE QUOTATION MARK): write " instead',
            ("table.toml - LÍNEA 4", "CARÁCTER RARO EN LA COLUMNA 8"),
        ),
        (
            "/boot/table.toml: wager.amount is given 2 times, in lines 3, 9: keep one",
            ("table.toml", "ESTÁ DOS VECES - DEJE UNA"),
        ),
    ],
)
def test_a_problem_is_said_with_line_key_and_what_to_do(problem: str, shown: tuple[str, ...]) -> None:
    assert tuple(problem_lines((problem,), Phrases("es"))) == shown


def test_many_problems_are_counted() -> None:
    told = tuple(problem_lines(tuple(f"a.toml, line {n}: k: is missing" for n in range(1, 7)), Phrases("es")))
    assert told[-1] == "Y 3 MÁS: pozo check"
    assert [line for line in told if "LÍNEA" in line] == [f"a.toml - LÍNEA {n}" for n in (1, 2, 3)]


def test_a_text_without_a_place_is_still_said() -> None:
    assert parsed("nonsense").mend is Mend.VALUE


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (DamagedError("x"), "EL REGISTRO NO SE PUEDE USAR - NUNCA HABILITE DE NUEVO"),
        (AlreadyRunningError("x"), "OTRO PROGRAMA TIENE LA MESA"),
        (ClaimError("x"), "LOS PINES O LA PLACA NO RESPONDEN"),
        (OSError("x"), "UNA MEMORIA NO SE PUEDE LEER O ESCRIBIR"),
        (ValueError("x"), "EL PROGRAMA FALLÓ"),
    ],
)
def test_each_kind_of_trouble_has_its_words(error: Exception, told: str) -> None:
    shown = lines(error, Phrases("es"), None)
    assert shown[:2] == ("FUERA DE SERVICIO", told)
    assert shown[-2:] == ("LLAME AL TÉCNICO - NO SE JUEGA", "PRUEBA DE NUEVO SOLA")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_is_in_both_catalogues(language: str) -> None:
    with (CATALOGUES / language / "LC_MESSAGES" / "appliance.po").open("rb") as file:
        entries = {message.id: message.string for message in read_po(file) if message.id}
    assert set(entries) == {*Say, *Why, *Mend}
    for key, words in entries.items():
        assert words
        assert set(re.findall(r"{\w+}", str(words))) == set(re.findall(r"{\w+}", str(key))), key


def test_where_no_board_is_known_the_screen_alone_speaks() -> None:
    drawn: list[object] = []

    class Panel:
        def set_up(self) -> None:
            drawn.append("set up")

        def draw(self, picture: object, before: object) -> None:
            drawn.append((picture, before))

        def dim(self, on: bool) -> None:
            drawn.append(on)

        def close(self) -> None:
            drawn.append("closed")

    panel: PanelDriver = Panel()
    hal = ScreenOnly(open_panel=lambda _wiring: panel)
    clock = VirtualClock()
    stands = Standby(hal, hal.wiring, clock, TOLD, Until())
    stands.start()
    stands.turn()
    stands.close()
    assert drawn[0] == "set up"
    assert drawn[-1] == "closed"
    assert hal.levels() == {}
    assert hal.devices == {Device.SCREEN}
    with pytest.raises(LineError):
        hal.write("slots", on=True)
    with pytest.raises(LineError):
        hal.sign("x")
    assert hal.panel is not None
    blank = Screen(TOLD, Picture(hal.panel, bytes(1_024)))
    with pytest.raises(ClaimError):
        hal.show(blank)


def test_a_board_s_own_screen_is_used_where_it_needs_no_header() -> None:
    screen = ScreenWiring(ScreenKind.SH1106, bus=3, address=0x3D)
    wiring = replace(load("simulated").wiring, screen=screen)
    assert i2c_screen(wiring) == screen
    assert i2c_screen(replace(wiring, screen=ScreenWiring(ScreenKind.SSD1322, bus=0))) is None
    assert i2c_screen(replace(wiring, screen=None)) is None
    assert ScreenOnly(screen).wiring.screen == screen


def test_the_release_s_key_is_not_taken_for_the_table_s_own(tmp_path: Path) -> None:
    software = Software(tmp_path / "manifest.json", tmp_path / "release.pub")
    settings = replace(load("simulated"), software=software)
    with pytest.raises(KeyProblemError) as missing:
        read_public(software.key)
    assert why(missing.value, settings) is Why.PROGRAM
    assert why(KeyProblemError("the private half is gone"), settings) is Why.SIGNING_KEY
