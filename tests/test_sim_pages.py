"""The simulated table's pages without a browser: each act reaches the table, and a page that goes lets go."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from controller.console.felt import felt
from controller.console.sim_app import PAD_KEYS, Hands, SimPages, simulated
from controller.drill.medium import Medium
from controller.sim.acts import Chip, Hold, perform
from controller.sim.table import SimulatedTable
from tests.helpers_console import client, settings


class Opened:
    """A table without power, whose lines can be read, and a browser on its pages."""

    def __init__(self, table: SimulatedTable, browser: TestClient) -> None:
        self.table = table
        self.browser = browser

    def act(self, body: str) -> int:
        return self.browser.post("/act", content=body, headers={"X-Pozo-Page": "p1"}).status_code


@pytest.fixture
def opened() -> Iterator[Opened]:
    medium = Medium()
    table, view, follower = simulated(settings(), medium)
    yield Opened(table, client(SimPages(table, view, follower).app()))
    medium.close()


def test_keys_stay_as_they_are_turned(opened: Opened) -> None:
    assert opened.act('{"do":"set","line":"supervisor","active":true}') == 204
    assert opened.table.active("supervisor")
    assert opened.act('{"do":"set","line":"supervisor","active":false}') == 204
    assert not opened.table.active("supervisor")


@pytest.mark.parametrize("line", ["lamp_1", "seat_8", "", "slots"])
def test_what_is_no_input_is_not_driven(opened: Opened, line: str) -> None:
    assert opened.act(f'{{"do":"hold","line":"{line}","active":true}}') == 404


def test_a_chip_covers_its_sensor_and_is_gone() -> None:
    medium = Medium()
    table, view, _ = simulated(settings(), medium)
    seen: list[object] = []

    async def drop() -> None:
        dropping = asyncio.create_task(perform(table, Chip(5)))
        await asyncio.sleep(0)
        seen.append(view.get("level.seat_5"))
        await dropping
        seen.append(view.get("level.seat_5"))

    asyncio.run(drop())
    medium.close()
    assert seen == [True, False]


def test_no_chip_falls_through_a_covered_slot(opened: Opened) -> None:
    opened.act('{"do":"set","line":"seat_2","active":true}')
    answer = opened.browser.post("/act", content=b'{"do":"chip","seat":2}')
    assert (answer.status_code, answer.json()) == (409, {"error": "slot_covered"})


def test_only_one_plug_and_only_what_the_medium_can(opened: Opened) -> None:
    answer = opened.browser.post("/act", content=b'{"do":"cut"}')
    assert (answer.status_code, answer.json()) == (409, {"error": "power_off"})
    assert opened.act('{"do":"spoil","part":"sign"}') == 409
    assert opened.act('{"do":"spoil","part":"disk_full"}') == 204
    assert opened.act('{"do":"break","device":"sign","broken":true}') == 204
    assert opened.act('{"do":"break","device":"printer","broken":true}') == 400
    assert opened.act(f'{{"do":"pad","key":"{"9" * 33}"}}') == 400


def test_a_page_that_goes_lets_go_of_what_it_held() -> None:
    medium = Medium()
    table, _, _ = simulated(settings(), medium)
    hands = Hands(table)
    for page, line in (("p1", "coin_in"), ("p1", "seat_3"), ("p2", "game_over")):
        table.drive(line, active=True)
        hands.holds(page, Hold(line, active=True))
    hands.holds("p1", Hold("seat_3", active=False))
    hands.let_go("p1")
    hands.let_go("nobody")
    assert [table.active(line) for line in ("coin_in", "seat_3", "game_over")] == [False, True, True]
    medium.close()


def test_the_page_has_everything_a_hand_needs(opened: Opened) -> None:
    page = opened.browser.get("/").text
    for number in range(1, 8):
        assert f'id="seat-{number}"' in page
    for line in ("coin_in", "game_over"):
        assert f'data-hold="{line}"' in page
    for key in PAD_KEYS:
        assert f'data-pad="{key}"' in page
    assert 'lang="es"' in page
    assert "no bets" not in page
    assert 'lang="en"' in opened.browser.get("/?lang=en").text
    assert 'lang="es"' in opened.browser.get("/?lang=fr").text


@pytest.mark.parametrize("seats", [1, 6, 7, 10])
def test_seats_stand_left_to_right_as_the_croupier_counts_them(seats: int) -> None:
    drawing = felt(seats, "x", playable=True)
    places = [
        float(part.split("translate(")[1].split(" ")[0]) for part in drawing.split('class="seat-name" ')[1:]
    ]
    assert len(places) == seats
    assert places == sorted(places)


def test_the_tables_own_process_imports_no_web_server() -> None:
    loaded = "import sys, controller.cli.run, controller.assemble; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    modules = done.stdout.split()
    assert "controller.loop" in modules
    assert not [name for name in modules if name.startswith(("starlette", "uvicorn", "controller.console"))]
