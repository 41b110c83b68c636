"""Pages for tests: a table played by a drill and kept on disk, its settings, and a client that a browser would be."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from msgspec.structs import replace
from starlette.testclient import TestClient
from starlette.types import ASGIApp

from controller.config import Settings
from controller.console.phrases import Phrases
from controller.console.sim_app import SimPages, simulated
from controller.drill.medium import Medium
from controller.drill.parse import parse
from controller.drill.play import Drill, settings_of

OWN = "http://127.0.0.1:8777"
"""Where the pages under test believe they are."""

TWO_AWARDS = """
power on
chip 2 5
press coin_in
claim 5 royal_flush
claim 2 straight_flush
key supervisor on
approve
key supervisor off
expect award 2 10001.00
paid 2
press game_over
"""
"""Pot 100,000.00 and half of two wagers of 10.00: the straight flush at 2 takes 10 % of 100,010.00 = 10,001.00, the
royal at 5 the 90,009.00 that are left, which are not paid yet; the pot begins again with 10,000.00."""


def settings(folder: Path | None = None, values: dict[str, str] | None = None) -> Settings:
    """A simulated table; its journal in `folder`."""
    made = settings_of("simulated", values or {})
    return (
        made if folder is None else replace(made, journal=folder / "journal.db", witness=folder / "witness")
    )


def played(folder: Path, script: str, values: dict[str, str] | None = None) -> Settings:
    """A table whose journal holds what `script` made of it."""
    given = "".join(f"set {key} {value}\n" for key, value in (values or {}).items())
    made = settings(folder, values)
    Drill(keep=made.journal).play(parse(given + script))
    return made


def phrases(language: str = "es") -> Phrases:
    """What the pages of the simulated table say."""
    return Phrases(language, settings())


def client(app: ASGIApp) -> TestClient:
    """A browser on this machine, on the pages' own address."""
    return TestClient(app, base_url=OWN, headers={"Origin": OWN}, follow_redirects=False)


@contextmanager
def simulated_pages() -> Iterator[TestClient]:
    """A browser on the pages of a simulated table that has no power yet."""
    with closing(Medium()) as medium:
        table, view, follower = simulated(settings(), medium)
        yield client(SimPages(table, view, follower).app())
