"""What every request must pass and every answer carries: host, origin, headers; password, token, session."""

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from controller.cli import pozo
from controller.console.access import (
    SESSION_S,
    SESSIONS_MAX,
    TRIES,
    TRIES_S,
    Access,
    AccessError,
    Sessions,
    password_line,
    read,
    token_line,
)
from controller.console.guard import HEADERS
from controller.console.sim_app import ACT_BYTES_MAX
from controller.console.table_app import ConsolePages
from controller.console.view import View
from controller.sim.mirror import Mirror
from tests.helpers_console import OWN, TWO_AWARDS, client, played, simulated_pages

SECRET = "correcto caballo"


class HandClock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def browser() -> Iterator[TestClient]:
    with simulated_pages() as opened:
        yield opened


def access_file(folder: Path, text: str) -> Path:
    file = folder / "access"
    file.write_text(text, encoding="ascii")
    file.chmod(0o600)
    return file


def console(folder: Path, access: Access | None = None, clock: HandClock | None = None) -> TestClient:
    settings = played(folder, TWO_AWARDS)
    view = View()
    sessions = None if access is None else Sessions(access, clock or HandClock())
    pages = ConsolePages(settings, view, Mirror(settings, lambda: 0, view.set), sessions)
    return client(pages.app())


@pytest.mark.parametrize("path", ["/", "/sign", "/static/live.js", "/nothing", "/static/../pages.py"])
def test_every_answer_carries_every_header(browser: TestClient, path: str) -> None:
    answer = browser.get(path)
    assert {name: answer.headers[name] for name in HEADERS} == HEADERS


def test_the_policy_allows_nothing_from_elsewhere_and_nothing_inline() -> None:
    policy = HEADERS["Content-Security-Policy"]
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    assert "http" not in policy


@pytest.mark.parametrize("path", ["/", "/sign"])
def test_no_page_has_inline_code_or_style_or_anything_from_elsewhere(browser: TestClient, path: str) -> None:
    page = browser.get(path).text
    for script in re.findall(r"<script[^>]*>", page):
        assert 'src="/static/' in script or 'type="application/json"' in script
    tags = "".join(re.findall(r"<[^>]*>", page))
    assert not re.search(r"\s(on\w+|style)=|<style", tags)
    assert not re.search(r"(src|href|action)=\"(?!/|\?|#)", tags)


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example:8777", "192.168.1.20:8777", "", "[::1", "localhost.evil"]
)
def test_a_renamed_host_is_refused(browser: TestClient, host: str) -> None:
    answer = browser.get("/", headers={"Host": host})
    assert answer.status_code == 400
    assert "--host" in answer.text


@pytest.mark.parametrize("host", ["127.0.0.1:8777", "localhost:8777", "[::1]:8777", "127.0.0.1"])
def test_loopback_hosts_are_answered(browser: TestClient, host: str) -> None:
    assert browser.get("/", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "origin", [None, "null", "http://evil.example", "https://127.0.0.1:8777", "http://127.0.0.1:1"]
)
def test_only_own_pages_may_send(browser: TestClient, origin: str | None) -> None:
    del browser.headers["Origin"]
    headers = {} if origin is None else {"Origin": origin}
    answer = browser.post("/act", content=b'{"do":"cut"}', headers=headers)
    assert answer.status_code == 403


def test_an_act_is_short_and_known(browser: TestClient) -> None:
    assert browser.post("/act", content=b"x" * (ACT_BYTES_MAX + 1)).status_code == 413
    for body in (b"", b"{}", b'{"do":"erase"}', b'{"do":"chip","seat":"1"}', b'{"do":"cut","now":1}'):
        answer = browser.post("/act", content=body)
        assert (answer.status_code, answer.json()) == (400, {"error": "unreadable"})
    assert browser.get("/act").status_code == 405


def test_a_console_takes_no_inputs(tmp_path: Path) -> None:
    browser = console(tmp_path)
    assert browser.post("/act", content=b'{"do":"cut"}').status_code == 404
    for path in ("/", "/meters", "/events", "/journal.csv"):
        assert browser.post(path).status_code == 405


def test_an_access_file_keeps_hashes_only_and_for_its_owner(tmp_path: Path) -> None:
    token, line = token_line()
    file = access_file(tmp_path, password_line(SECRET) + line)
    assert SECRET not in file.read_text()
    assert token not in file.read_text()
    access = read(file)
    assert access.lets_in(SECRET)
    assert access.lets_in(token)
    assert not access.lets_in("otra cosa")
    assert not access.knows_token(SECRET)
    file.chmod(0o640)
    with pytest.raises(AccessError, match="chmod 600"):
        read(file)


@pytest.mark.parametrize(
    "text", ["", "\n", "password scrypt 00", "token sha256 xyz", "password plain a b", "token sha256 abc"]
)
def test_an_access_file_that_says_nothing_right_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(AccessError, match="access"):
        read(access_file(tmp_path, text))


def test_a_short_password_is_refused() -> None:
    with pytest.raises(AccessError, match="10 letters"):
        password_line("123456789")


@pytest.mark.parametrize("name", ["", "binary"])
def test_the_command_adds_to_an_access_file_only(tmp_path: Path, name: str) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\x00")
    done = CliRunner().invoke(pozo, ["access", "token", str(tmp_path / name)])
    assert done.exit_code == 1
    assert "is no access file" in done.stderr
    assert (tmp_path / "binary").read_bytes() == b"\xff\x00"


def test_the_command_adds_a_line_to_a_file_that_somebody_left_without_its_last_line_end(
    tmp_path: Path,
) -> None:
    file = access_file(tmp_path, password_line(SECRET).rstrip())
    token = CliRunner().invoke(pozo, ["access", "token", str(file)]).stdout.strip()
    assert read(file).lets_in(token)
    assert read(file).lets_in(SECRET)


def test_the_command_makes_the_file(tmp_path: Path) -> None:
    file = tmp_path / "access"
    done = CliRunner().invoke(pozo, ["access", "password", str(file)], input=f"{SECRET}\n{SECRET}\n")
    assert done.exit_code == 0, done.output
    token = CliRunner().invoke(pozo, ["access", "token", str(file)]).output.strip()
    again = CliRunner().invoke(
        pozo, ["access", "password", str(file)], input="otra clave larga\notra clave larga\n"
    )
    assert again.exit_code == 0
    access = read(file)
    assert access.lets_in("otra clave larga")
    assert access.lets_in(token)
    assert not access.lets_in(SECRET)


def with_password() -> Access:
    salt, digest = password_line(SECRET).split()[2:]
    return Access(bytes.fromhex(salt), bytes.fromhex(digest), ())


def test_nobody_passes_without_the_password(tmp_path: Path) -> None:
    browser = console(tmp_path, with_password())
    for path in ("/", "/sign", "/events", "/meters", "/awards/1", "/journal.csv", "/nothing"):
        assert browser.get(path).status_code == 401, path
    sent = browser.get("/", headers={"Accept": "text/html"})
    assert (sent.status_code, sent.headers["location"]) == (303, "/login")
    assert browser.get("/login").status_code == 200
    assert browser.get("/static/base.css").status_code == 200


def test_a_session_begins_with_the_password_and_ends_with_the_shift(tmp_path: Path) -> None:
    clock = HandClock()
    browser = console(tmp_path, with_password(), clock)
    wrong = browser.post("/login", data={"secret": "no es esa"})
    assert (wrong.status_code, "No es esa" in wrong.text) == (403, True)
    entered = browser.post("/login", data={"secret": SECRET})
    assert entered.status_code == 303
    cookie = entered.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert browser.get("/meters").status_code == 200
    clock.now += SESSION_S
    assert browser.get("/meters").status_code == 401


def test_leaving_ends_the_session_for_good(tmp_path: Path) -> None:
    browser = console(tmp_path, with_password())
    browser.post("/login", data={"secret": SECRET})
    session = browser.cookies["pozo_session"]
    assert browser.post("/logout").status_code == 303
    assert browser.get("/meters", headers={"Cookie": f"pozo_session={session}"}).status_code == 401


def test_tries_sent_at_once_are_no_more_than_tries_one_after_the_other(tmp_path: Path) -> None:
    browser = console(tmp_path, with_password(), HandClock())

    async def all_at_once() -> list[int]:
        # httpx on the application itself: each of these is under way before the first has been judged.
        transport = httpx2.ASGITransport(app=browser.app)
        async with httpx2.AsyncClient(transport=transport, base_url=OWN, headers={"Origin": OWN}) as many:
            tries = [many.post("/login", data={"secret": f"no {number}"}) for number in range(3 * TRIES)]
            return [answer.status_code for answer in await asyncio.gather(*tries)]

    answers = asyncio.run(all_at_once())
    assert sorted(answers) == [403] * TRIES + [429] * 2 * TRIES


def test_wrong_tries_bar_the_door_for_a_minute(tmp_path: Path) -> None:
    clock = HandClock()
    browser = console(tmp_path, with_password(), clock)
    for _ in range(TRIES):
        assert browser.post("/login", data={"secret": "no"}).status_code == 403
    assert browser.post("/login", data={"secret": SECRET}).status_code == 429
    clock.now += TRIES_S
    assert browser.post("/login", data={"secret": SECRET}).status_code == 303


def test_a_program_shows_its_token_with_each_request(tmp_path: Path) -> None:
    token, line = token_line()
    browser = console(tmp_path, Access(b"", b"", (bytes.fromhex(line.split()[2]),)))
    assert browser.get("/meters", headers={"Authorization": f"Bearer {token}"}).status_code == 200
    assert browser.get("/meters", headers={"Authorization": f"Basic {token}"}).status_code == 401
    for _ in range(TRIES):
        assert browser.get("/meters", headers={"Authorization": "Bearer no"}).status_code == 401
    assert browser.get("/meters", headers={"Authorization": f"Bearer {token}"}).status_code == 401


def test_sessions_are_bounded() -> None:
    token, line = token_line()
    sessions = Sessions(Access(b"", b"", (bytes.fromhex(line.split()[2]),)), HandClock())
    begun = [sessions.begin(token) for _ in range(SESSIONS_MAX + 1)]
    assert None not in begun
    assert [sessions.knows(str(session)) for session in begun] == [False, *[True] * SESSIONS_MAX]


def test_beyond_loopback_a_console_asks_who_is_there() -> None:
    done = CliRunner().invoke(pozo, ["console", "--config", "simulated", "--bind", "0.0.0.0"])
    assert done.exit_code == 2
    assert "--access FILE" in done.output


def test_a_console_beyond_loopback_answers_to_addresses_and_named_hosts_only(tmp_path: Path) -> None:
    settings = played(tmp_path, TWO_AWARDS)
    view = View()
    pages = ConsolePages(settings, view, Mirror(settings, lambda: 0, view.set), None)
    browser = client(pages.app(names=["mesa1.sala"], addresses=True))
    for host in ("192.168.1.20:8778", "mesa1.sala:8778", "[fe80::1]:8778"):
        assert browser.get("/meters", headers={"Host": host}).status_code == 200
    assert browser.get("/meters", headers={"Host": "otra.sala"}).status_code == 400
    assert OWN.startswith("http://127.")


def test_a_certificate_that_cannot_be_used_is_said_before_anything_is_served(tmp_path: Path) -> None:
    """It ended in a traceback of the server's thread, and with exit code 0."""
    config = played(tmp_path, TWO_AWARDS).source
    words = ["console", "--config", str(config), "--port", "0", "--tls-key", str(config)]
    gone = CliRunner().invoke(pozo, [*words, "--tls-cert", str(tmp_path / "gone.pem")])
    assert (gone.exit_code, "cannot be used: No such file" in gone.output) == (1, True), gone.output
    other = CliRunner().invoke(pozo, [*words, "--tls-cert", str(config)])
    assert (other.exit_code, "Both are PEM files" in other.output) == (1, True), other.output
