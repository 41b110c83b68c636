"""A real browser on the pages of a real `pozo sim`: Debian's Chromium without a window, driven as a hand would."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TypeVar

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

T = TypeVar("T")
PATIENCE_S = 20.0
HOLD_S = 1.15
"""A finger that opens the menu: GAME OVER held for a second, and a little more."""

ARGUMENTS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--window-size=1280,900",
    "--no-first-run",
    "--disable-background-networking",
)


def installed() -> tuple[str, str]:
    """Where Chromium and its driver are. Without them the test is skipped, on CI it fails."""
    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if browser is None or driver is None:
        missing = "needs a browser: apt-get install chromium chromium-driver"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(missing)
    return browser, driver


@contextmanager
def chromium() -> Iterator[webdriver.Chrome]:
    """A browser of its own."""
    browser, driver = installed()
    options = Options()
    options.binary_location = browser
    for argument in ARGUMENTS:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    opened = webdriver.Chrome(options=options, service=Service(driver))
    try:
        yield opened
    finally:
        opened.quit()


@contextmanager
def pozo(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A `pozo` process that serves pages, and its address; it must end in order."""
    command = [sys.executable, "-m", "controller", *arguments]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parent.parent
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        try:
            yield process, next(word for word in line.split() if word.startswith("http"))
        finally:
            process.terminate()
            assert process.wait(PATIENCE_S) == 0


class Visitor:
    """Somebody at the page: sees what is shown, clicks, presses and waits."""

    def __init__(self, browser: webdriver.Chrome) -> None:
        self.browser = browser

    def until(self, found: Callable[[], T], what: str) -> T:
        """Wait until it is so."""
        return WebDriverWait(self.browser, PATIENCE_S, 0.05).until(lambda _: found(), what)

    def part(self, selector: str) -> WebElement:
        """One part of the page."""
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def text(self, selector: str) -> str:
        """What a part says, seen or only read aloud."""
        said = self.part(selector).get_property("textContent")
        assert isinstance(said, str)
        return said

    def open(self, address: str) -> None:
        """Open a page and wait until it shows the table."""
        self.browser.get(address)
        self.until(lambda: self.text("#link") != "", "connected")

    def lamp(self, seat: int) -> str:
        """What a seat's lamp means."""
        return str(self.part(f"#seat-{seat}").get_dom_attribute("data-lamp"))

    def lamps(self, **wanted: str) -> None:
        """Wait for lamps: `lamps(seat_3="accepted")`."""
        for name, lamp in wanted.items():
            seat = int(name.removeprefix("seat_"))
            self.until(partial(self._shows, seat, lamp), f"{name} {lamp}")

    def _shows(self, seat: int, lamp: str) -> bool:
        return self.lamp(seat) == lamp

    def click(self, selector: str) -> None:
        """A short click."""
        self.part(selector).click()

    def hold(self, selector: str, seconds: float) -> None:
        """A long press."""
        hand = ActionChains(self.browser)
        hand.click_and_hold(self.part(selector)).pause(seconds).release().perform()

    def chip(self, seat: int) -> None:
        """A chip into a slot, by a click on it."""
        ActionChains(self.browser).move_to_element(self.part(f"#seat-{seat} .slot")).click().perform()

    def says(self, words: str) -> None:
        """Wait until the croupier's screen has these words."""
        self.until(lambda: words in self.text("#screen-lines"), f"screen {words!r}")

    def choose(self, entry: str) -> None:
        """Walk through the menu with GAME OVER to an entry, and choose it."""
        for _ in range(20):
            shown = self.text("#screen-lines")
            if f"> {entry}" in shown:
                self.hold("[data-hold=game_over]", HOLD_S)
                return
            self.click("[data-hold=game_over]")
            self.until(partial(self._says_other_than, shown), "the next entry")
        raise AssertionError(f"the menu has no {entry!r}: {self.text('#screen-lines')}")

    def _says_other_than(self, shown: str) -> bool:
        return self.text("#screen-lines") != shown

    def complaints(self) -> list[str]:
        """What went wrong in the browser: errors, refused resources, violated policies; asked once, they are gone."""
        entries: list[dict[str, str]] = self.browser.get_log("browser")  # type: ignore[no-untyped-call] # as shipped
        return [entry["message"] for entry in entries if entry["level"] == "SEVERE"]
