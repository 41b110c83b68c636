"""The console in a real browser beside a real table's process: it follows, it dims when the program goes, it asks."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By

from controller.console.access import password_line
from tests.helpers_browser import Visitor, chromium, pozo
from tests.helpers_process import Bench, Running, chip, opened

SECRET = "correcto caballo"


@pytest.fixture(scope="module")
def browser() -> Iterator[webdriver.Chrome]:
    with chromium() as started:
        yield started


def test_a_console_follows_a_running_table_and_sees_it_go(tmp_path: Path, browser: webdriver.Chrome) -> None:
    config = opened(tmp_path)
    visitor = Visitor(browser)
    with pozo("console", "--config", str(config), "--port", "0") as (_, address):
        with closing(Bench()) as bench, Running(config, bench) as running:
            running.ready()
            visitor.open(address)
            visitor.lamps(seat_1="attract", seat_7="attract")
            visitor.until(lambda: browser.find_elements(By.CSS_SELECTOR, ".seat.lit"), "the chase")
            chip(bench, 3)
            visitor.lamps(seat_3="placed")
            assert "Ficha en el asiento 3" in visitor.text("#timeline")
            assert visitor.text("#power") == "Encendida"
        visitor.until(
            lambda: visitor.text("#power") == "El programa no está en marcha", "the program is gone"
        )
        visitor.lamps(seat_3="off")
        visitor.complaints()
        for tab in ("meters", "awards", "rounds", "faults", "access", "inputs", "downloads"):
            visitor.click(f'.tabs a[href^="/{tab}"]')
            assert visitor.part(".tabs [aria-current]").get_dom_attribute("href") == f"/{tab}?lang=es"
        assert visitor.complaints() == []
        browser.get("about:blank")


def test_a_console_with_a_password_asks_for_it(tmp_path: Path, browser: webdriver.Chrome) -> None:
    config = opened(tmp_path)
    access = tmp_path / "access"
    access.write_text(password_line(SECRET))
    access.chmod(0o600)
    visitor = Visitor(browser)
    with pozo("console", "--config", str(config), "--port", "0", "--access", str(access)) as (_, address):
        browser.get(address)
        assert visitor.part("#secret").accessible_name == "Contraseña o token"
        visitor.part("#secret").send_keys("no es esa")
        visitor.click("button[type=submit]")
        assert visitor.text("[role=alert]") == "No es esa. Intente otra vez."
        visitor.part("#secret").send_keys(SECRET)
        visitor.click("button[type=submit]")
        visitor.until(lambda: visitor.text("#link") != "", "inside")
        visitor.click(".leave button")
        visitor.until(lambda: browser.find_elements(By.ID, "secret"), "outside again")
        browser.get("about:blank")
