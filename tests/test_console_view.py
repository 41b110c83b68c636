"""What a browser sees of a table: cells that only get newer, and a stream that tells everything once."""

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette

from controller.console.site import background
from controller.console.stream import messages
from controller.console.view import RECORDS_KEPT, View
from controller.journal import Record, records
from tests.helpers_console import TWO_AWARDS, phrases, played


def test_a_page_gets_everything_once_and_then_what_changed() -> None:
    view = View()
    view.set("a", 1)
    view.set("b", 2)
    first = view.since(0)
    assert first.cells == {"a": 1, "b": 2}
    view.set("a", 1)
    assert view.since(first.number).cells == {}
    view.set("b", 3)
    assert view.since(first.number).cells == {"b": 3}


def test_a_slow_page_misses_steps_and_never_the_end() -> None:
    view = View()
    for step in range(1000):
        view.set("lamp", step)
    assert view.since(0).cells == {"lamp": 999}


def some_records(folder: Path) -> tuple[Record, ...]:
    return tuple(records(played(folder, TWO_AWARDS).journal))


def test_records_are_bounded_and_told_in_order(tmp_path: Path) -> None:
    found = some_records(tmp_path)
    view = View()
    view.add(found[:2])
    number = view.since(0).number
    view.add(found[2:])
    assert view.since(number).records == found[2:]
    for _ in range(RECORDS_KEPT):
        view.add(found[:1])
    assert len(view.since(0).records) == RECORDS_KEPT


async def next_news(stream: AsyncIterator[bytes]) -> dict[str, Any]:
    async for message in stream:
        if message.startswith(b"data: "):
            news: dict[str, Any] = json.loads(message.removeprefix(b"data: "))
            return news
    raise AssertionError("the stream ended")


def test_the_stream_begins_whole_and_goes_on_with_changes(tmp_path: Path) -> None:
    found = some_records(tmp_path)

    async def read() -> tuple[dict[str, Any], dict[str, Any]]:
        view = View()
        view.set("power", "on")
        view.add(found[:1])
        stream = messages(view, phrases("en"))
        first = await next_news(stream)
        view.set("power", "off")
        second = await next_news(stream)
        view.close()
        assert [message async for message in stream] == []
        return first, second

    first, second = asyncio.run(read())
    assert first["whole"]
    assert first["cells"] == {"power": "on"}
    assert [record["what"] for record in first["records"]] == ["Table commissioned with both keys"]
    assert second == {"whole": False, "cells": {"power": "off"}, "records": []}


def test_a_part_of_the_pages_that_dies_ends_the_program(caplog: pytest.LogCaptureFixture) -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: heard.append(number))

    async def die() -> None:
        raise RuntimeError("no more")

    async def live() -> None:
        async with background([die])(Starlette()):
            for _ in range(10):
                await asyncio.sleep(0)

    try:
        with pytest.raises(RuntimeError, match="no more"):
            asyncio.run(asyncio.wait_for(live(), 10))
    finally:
        signal.signal(signal.SIGTERM, before)
    assert heard == [signal.SIGTERM]
    assert "a part of the pages died" in caplog.text


DYING = """
from starlette.applications import Starlette
from controller.console.serve import listen, serve, server
from controller.console.site import background

async def die():
    raise RuntimeError("no more")

serve(server(Starlette(lifespan=background([die])), lambda: None), listen("127.0.0.1", 0))
"""


def test_it_ends_a_console_too_whose_pages_are_served_by_another_thread() -> None:
    """The main thread waits for a signal then, and would serve what nobody brings up to date any more."""
    done = subprocess.run(
        [sys.executable, "-c", DYING], capture_output=True, text=True, check=False, timeout=30
    )
    assert "a part of the pages died" in done.stderr
    assert done.returncode == 0
