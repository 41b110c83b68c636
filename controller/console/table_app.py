"""The console of a real table: its journal, read-only, as pages, reports and downloads. It takes no inputs."""

import asyncio
from collections.abc import Callable, Collection, Iterator
from html import escape
from itertools import islice
from pathlib import Path
from typing import Final

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse
from starlette.routing import Route

from controller.config import Settings, game_digest
from controller.console.access import Sessions
from controller.console.door import Door, Login
from controller.console.follow import Follower
from controller.console.guard import Guard
from controller.console.markup import Markup, heading, joined, link, paragraph
from controller.console.pages import render
from controller.console.phrases import Phrases
from controller.console.reports import (
    access_report,
    awards_report,
    faults_report,
    inputs_report,
    meters_report,
    proof_report,
    rounds_report,
)
from controller.console.running import runs
from controller.console.site import Site, background
from controller.console.view import View
from controller.journal import JournalError, Record, page
from controller.journal.export import Format, lines
from controller.journal.read import PAGE_ROWS
from controller.journal.record import Row
from controller.proof import ProofError
from controller.sim.mirror import Mirror

MIRROR_S: Final = 0.05
"""How often the mirrored lamps move."""

RUNS_TURNS: Final = 20
"""Whether the table's program runs is looked up once in so many moves."""

REPORTS_AT_ONCE: Final = 1
"""A report may read a long journal: one at a time, so that the card and the table's processor have their rest."""

EXPORT_LINES: Final = 500

AWARD_DIGITS_MAX: Final = 18
"""A longer number is none of an award; awards begin with 1."""

Report = Callable[[Phrases, Request], Markup]


class ConsolePages:
    """The routes of one real table's console. `sessions` is None where everybody who can reach it may look."""

    def __init__(self, settings: Settings, view: View, mirror: Mirror, sessions: Sessions | None) -> None:
        self._settings = settings
        self._site = Site(settings, view)
        self._view = view
        self._mirror = mirror
        self._sessions = sessions
        self._digest = game_digest(settings.game)
        self._other_rules = False
        self._follower = Follower(settings, lambda: settings.journal, view, self._follow)
        self._one = asyncio.Semaphore(REPORTS_AT_ONCE)

    def app(self, *, names: Collection[str] = (), addresses: bool = False, secure: bool = False) -> Starlette:
        """The application: its guard, its door if it has one, and the routes. `names`, `addresses`: see `Guard`."""
        journal, slots = self._settings.journal, self._settings.slots
        reports: dict[str, Report] = {
            "meters": lambda phrases, _: meters_report(phrases, journal),
            "awards": lambda phrases, _: awards_report(phrases, journal),
            "rounds": lambda phrases, _: rounds_report(phrases, journal),
            "faults": lambda phrases, _: faults_report(phrases, journal),
            "access": lambda phrases, _: access_report(phrases, journal),
            "inputs": lambda phrases, _: inputs_report(phrases, journal, slots),
            "downloads": lambda phrases, _: _downloads(phrases),
        }
        routes = [Route("/", self._live), Route("/events", self._events), *self._site.routes()]
        routes += [Route(f"/{name}", self._report(name, report)) for name, report in reports.items()]
        routes += [
            Route("/awards/{number}", self._report("awards", self._proof)),
            *(Route(f"/journal.{form}", self._export(form)) for form in Format),
        ]
        middleware = [Middleware(Guard, names=names, addresses=addresses)]
        if self._sessions is not None:
            routes += Login(self._site, self._sessions, secure=secure).routes()
            middleware.append(Middleware(Door, sessions=self._sessions))
        living = background([self._follower.run, self._look])
        return Starlette(routes=routes, middleware=middleware, lifespan=living)

    def _follow(self, last: Record) -> None:
        self._other_rules = last.state.game != self._digest
        self._mirror.put(last.state)

    async def _look(self) -> None:
        """Let the mirror show what the table shows, until cancelled."""
        while True:
            running = runs(self._settings.journal)
            for _ in range(RUNS_TURNS):
                self._mirror.look(running=running)
                await asyncio.sleep(MIRROR_S)

    async def _live(self, request: Request) -> Response:
        phrases = self._site.spoken(request)
        body = render("live", phrases, {"felt": self._site.felt(phrases, playable=False)})
        script = '<script type="module" src="/static/console.js"></script>'
        return self._page(phrases, "", Markup(body), script=script)

    async def _events(self, request: Request) -> Response:
        return self._site.events(request)

    def _report(self, name: str, report: Report) -> Callable[[Request], object]:
        async def answer(request: Request) -> Response:
            phrases = self._site.spoken(request)
            try:
                async with self._one:
                    body = await run_in_threadpool(report, phrases, request)
                status = 200
            except ProofError:
                body, status = paragraph(phrases.say("ui.not_found"), "alarm"), 404
            except JournalError as error:
                body, status = paragraph(phrases.say("ui.unreadable", why=error), "alarm"), 503
            return self._page(phrases, name, Markup(f'<main class="report">{body}</main>'), status=status)

        return answer

    def _proof(self, phrases: Phrases, request: Request) -> Markup:
        asked = request.path_params["number"]
        # A number of thousands of digits is one that Python does not read.
        number = int(asked) if asked.isascii() and asked.isdigit() and len(asked) <= AWARD_DIGITS_MAX else 0
        return joined(
            [heading(phrases.say("ui.proof")), proof_report(phrases, self._settings.journal, number)]
        )

    def _export(self, form: Format) -> Callable[[Request], object]:
        async def answer(_request: Request) -> Response:
            name = f"{self._settings.table_id}.{form}"
            media = "text/csv" if form is Format.CSV else "application/x-ndjson"
            return StreamingResponse(
                exported(self._settings.journal, form),
                media_type=f"{media}; charset=utf-8",
                headers={"Content-Disposition": f'attachment; filename="{name}"'},
            )

        return answer

    def _page(
        self, phrases: Phrases, name: str, body: Markup, *, script: str = "", status: int = 200
    ) -> Response:
        parts = {
            "table": self._site.title,
            "tabs": _tabs(phrases, name),
            "leave": "" if self._sessions is None else _leave(phrases),
            "warning": paragraph(phrases.say("ui.other_rules"), "alarm") if self._other_rules else "",
            "script": script,
            "body": body,
        }
        return HTMLResponse(render("console", phrases, parts), status_code=status)


def exported(journal: Path, form: Format, rows: int = PAGE_ROWS) -> Iterator[str]:
    """The whole journal in pieces, read `rows` at a time, so that no read of it lasts. Raises `JournalError`."""
    written = lines(_rows(journal, rows), form)
    while piece := "".join(islice(written, EXPORT_LINES)):
        yield piece


def _rows(journal: Path, limit: int) -> Iterator[Row]:
    after = 0
    while found := page(journal, after, limit):
        yield from found
        after = found[-1][0]


def _tabs(phrases: Phrases, current: str) -> str:
    tabs = {"": "live", "meters": "meters", "awards": "awards", "rounds": "rounds"}
    tabs |= {"faults": "faults_head", "access": "access", "inputs": "inputs", "downloads": "downloads"}
    return "".join(
        f'<a href="/{name}?lang={phrases.language}"{" aria-current=page" if name == current else ""}>'
        f"{escape(phrases.say(f'ui.{key}'))}</a>"
        for name, key in tabs.items()
    )


def _leave(phrases: Phrases) -> str:
    words = escape(phrases.say("ui.log_out"))
    return f'<form class="leave" method="post" action="/logout"><button type="submit">{words}</button></form>'


def _downloads(phrases: Phrases) -> Markup:
    return joined(
        [
            paragraph(phrases.say("ui.export_note")),
            *(
                Markup(f"<p>{link(f'/journal.{form}', phrases.say(f'ui.export_{form}'))}</p>")
                for form in Format
            ),
        ]
    )
