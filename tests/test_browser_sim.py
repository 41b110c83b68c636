"""The simulated table in a real browser: rounds, an award, a power cut, the keyboard, what a screen reader hears."""

import signal
import socket
from collections.abc import Iterator

import pytest
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.helpers_browser import HOLD_S, Visitor, chromium, pozo

COIN_IN = "[data-hold=coin_in]"
GAME_OVER = "[data-hold=game_over]"
SUPERVISOR = "[data-turn=supervisor]"


@pytest.fixture(scope="module")
def browser() -> Iterator[webdriver.Chrome]:
    with chromium() as opened:
        yield opened


@pytest.fixture
def at_table(browser: webdriver.Chrome) -> Iterator[Visitor]:
    """Somebody at a fresh table with its bets open; the browser may not complain."""
    with pozo("sim", "--port", "0") as (_, address):
        visitor = Visitor(browser)
        visitor.open(address)
        visitor.lamps(seat_1="attract", seat_7="attract")
        visitor.complaints()
        try:
            yield visitor
        finally:
            # The page goes before its program does: a connection that is refused then is no complaint.
            browser.get("about:blank")
        assert visitor.complaints() == []


def test_a_round_by_clicks(at_table: Visitor) -> None:
    for seat in (1, 3, 5):
        at_table.chip(seat)
        at_table.lamps(**{f"seat_{seat}": "placed"})
    at_table.click(COIN_IN)
    at_table.lamps(seat_1="accepted", seat_2="off", seat_3="accepted", seat_5="accepted")
    at_table.until(lambda: "lit" in str(at_table.part("#seat-3").get_dom_attribute("class")), "lamp 3 burns")
    at_table.says("NO VA MÁS - 3 APUESTAS - VERIFIQUE 3 FICHAS")
    # Half of three wagers of 10.00 on a pot of 100,000.00.
    at_table.until(lambda: at_table.text("#sign") == "$ 100.015,00", "the sign")
    assert at_table.text("[data-signal=slots] dd") == "trabadas"
    at_table.chip(2)
    at_table.says("DEVUELVA FICHA - ASIENTO 2")
    assert "devolver 1" in at_table.part("#seat-2").accessible_name
    at_table.click(GAME_OVER)
    at_table.lamps(seat_1="attract", seat_3="attract")
    newest = at_table.text("#timeline li:first-child")
    assert "GAME OVER" in newest
    assert "Terminó el pase 1" in newest


def test_the_screen_is_the_panels_own_pixels(at_table: Visitor) -> None:
    """The bundled font's first row of text is lit where the picture has its bits, and dark beside it."""
    script = """
      const canvas = document.getElementById("screen");
      const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
      let lit = 0;
      for (let at = 0; at < data.length; at += 4) if (data[at] > 100) lit += 1;
      return [canvas.width, canvas.height, lit];"""
    width, height, lit = at_table.browser.execute_script(script)
    assert (width, height) == (128, 64)
    assert 200 < lit < 128 * 64 // 2
    at_table.click("#plug")
    at_table.until(lambda: at_table.browser.execute_script(script)[2] == 0, "a dark screen")


def test_a_power_cut_in_a_locked_round(at_table: Visitor) -> None:
    at_table.chip(4)
    at_table.lamps(seat_4="placed")
    at_table.click(COIN_IN)
    at_table.lamps(seat_4="accepted")
    at_table.click("#plug")
    at_table.lamps(seat_4="off")
    assert at_table.text("#power") == "Sin corriente"
    assert "lit" not in str(at_table.part("#seat-4").get_dom_attribute("class")).split()
    at_table.click("#plug")
    at_table.lamps(seat_4="accepted", seat_1="off")
    at_table.until(lambda: at_table.text("#sign") == "$ 100.005,00", "the sign again")
    assert any(
        "Volvió después del corte: no va más, 1 apuestas" in str(item.get_property("textContent"))
        for item in at_table.browser.find_elements(By.CSS_SELECTOR, "#timeline li")
    )


@pytest.mark.slow
def test_an_award_with_two_buttons_and_a_key(at_table: Visitor) -> None:
    """10 % of 100,000.00 + half of 10.00 = 10,000.50 for a straight flush."""
    at_table.chip(4)
    at_table.lamps(seat_4="placed")
    at_table.click(COIN_IN)
    at_table.lamps(seat_4="accepted")
    at_table.hold(GAME_OVER, HOLD_S)
    at_table.says("> ")
    at_table.choose("RECLAMAR PREMIO")
    at_table.says("> ASIENTO 4")
    at_table.choose("ASIENTO 4")
    at_table.says("> ESCALERA REAL")
    at_table.choose("ESCALERA COLOR")
    at_table.lamps(seat_4="winner")
    assert at_table.text("[data-signal=bell] dd") == "suena"
    at_table.click(SUPERVISOR)
    at_table.until(lambda: at_table.part(SUPERVISOR).get_dom_attribute("aria-pressed") == "true", "the key")
    at_table.hold(GAME_OVER, HOLD_S)
    at_table.says("> ")
    at_table.choose("APROBAR")
    at_table.says("> VOLVER")
    at_table.choose("SÍ, HACERLO")
    at_table.says("PAGUE ASIENTO 4: $ 10.000,50")
    at_table.until(lambda: "ASIENTO 4 GANA $ 10.000,50" in at_table.text("#sign"), "the winner on the sign")
    television = at_table.browser.current_url.split("?")[0] + "sign"
    at_table.browser.get(television)
    at_table.until(
        lambda: at_table.text("#winners") == "Asiento 4 gana $ 10.000,50", "the winner on the television"
    )
    at_table.until(
        lambda: at_table.part("#jackpot").accessible_name == "$ 90.004,50", "the new pot beside it"
    )


def test_a_round_with_the_keyboard_alone(at_table: Visitor) -> None:
    at_table.part("body").send_keys("2")
    at_table.lamps(seat_2="placed")
    seat = at_table.part("#seat-6")
    at_table.browser.execute_script("arguments[0].focus()", seat)
    ActionChains(at_table.browser).send_keys(Keys.ENTER).perform()
    at_table.lamps(seat_6="placed")
    ActionChains(at_table.browser).send_keys("c").perform()
    at_table.lamps(seat_2="accepted", seat_6="accepted")
    ActionChains(at_table.browser).send_keys("s").perform()
    at_table.until(lambda: at_table.part(SUPERVISOR).get_dom_attribute("aria-pressed") == "true", "the key")
    ActionChains(at_table.browser).send_keys("g").perform()
    at_table.lamps(seat_2="attract", seat_6="attract")


def test_a_long_press_covers_the_sensor_until_it_is_released(at_table: Visitor) -> None:
    at_table.hold("#seat-5 .place", 1.6)
    # Jammed after a second: the seat is closed by a fault, the chip that fell is void.
    at_table.lamps(seat_5="problem")
    at_table.until(
        lambda: "covered" not in str(at_table.part("#seat-5").get_dom_attribute("class")), "free again"
    )


def test_devices_and_medium_can_be_broken_and_mended(at_table: Visitor) -> None:
    at_table.click("[data-device=sign]")
    at_table.until(
        lambda: at_table.text("[data-signal=slots] dd") == "trabadas", "slots locked without the sign"
    )
    assert at_table.part("[data-device=sign]").get_dom_attribute("aria-pressed") == "true"
    at_table.click("[data-device=sign]")
    at_table.until(lambda: at_table.text("[data-signal=slots] dd") == "abiertas", "slots open again")
    at_table.click("[data-part=journal]")
    at_table.chip(1)
    at_table.says("FALLA DEL REGISTRO")
    at_table.click("[data-part=journal]")
    at_table.until(lambda: "Hubo registros sin guardar" in at_table.text("#timeline"), "told afterwards")


def test_every_control_has_a_name_and_lamps_are_not_told_by_colour_alone(at_table: Visitor) -> None:
    controls = at_table.browser.find_elements(
        By.CSS_SELECTOR, "button, a, select, [role=button], summary, canvas"
    )
    assert len(controls) > 30
    assert [
        each.get_dom_attribute("class")
        for each in controls
        if each.is_displayed() and not each.accessible_name
    ] == []
    assert at_table.part("#seat-3").accessible_name == "Asiento 3: libre"
    assert at_table.part("html").get_dom_attribute("lang") == "es"
    at_table.chip(3)
    at_table.lamps(seat_3="placed")
    at_table.until(
        lambda: at_table.part("#seat-3").accessible_name == "Asiento 3: colocada",
        "placed, and the chip is past the sensor",
    )
    assert at_table.text("#seat-3 .seat-glyph") == "◐"
    assert at_table.text("#seat-1 .seat-glyph") == "○"


def test_english_by_a_switch(at_table: Visitor) -> None:
    at_table.click("a[hreflang=en]")
    at_table.until(lambda: at_table.part("html").get_dom_attribute("lang") == "en", "English")
    at_table.until(lambda: at_table.part("#seat-2").accessible_name == "Seat 2: free", "English lamps")
    at_table.until(lambda: "The supervisor opened the table" in at_table.text("#timeline"), "English records")


def test_the_page_connects_again_to_a_program_that_was_started_anew(browser: webdriver.Chrome) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
    visitor = Visitor(browser)
    with pozo("sim", "--port", port) as (_, address):
        visitor.open(address)
        visitor.chip(1)
        visitor.lamps(seat_1="placed")
    visitor.until(lambda: visitor.part("#trouble").is_displayed(), "no connection")
    with pozo("sim", "--port", port):
        visitor.until(lambda: not visitor.part("#trouble").is_displayed(), "connected again")
        visitor.lamps(seat_1="attract")
    browser.get("about:blank")


@pytest.mark.slow
def test_a_television_that_hears_nothing_promises_nothing(browser: webdriver.Chrome) -> None:
    """The program stands still with its connection open, as one that hangs does."""
    visitor = Visitor(browser)
    with pozo("sim", "--port", "0") as (process, address):
        browser.get(f"{address}sign")
        visitor.until(lambda: visitor.part("#jackpot").accessible_name == "$ 100.000,00", "the pot")
        process.send_signal(signal.SIGSTOP)
        visitor.until(lambda: visitor.part("#text").is_displayed(), "out of service")
        assert visitor.part("#text").text == "FUERA DE SERVICIO"
        process.send_signal(signal.SIGCONT)
        visitor.until(lambda: visitor.part("#jackpot").is_displayed(), "the pot again")
        browser.get("about:blank")


ODOMETER = """
  const done = arguments[arguments.length - 1];
  import("/static/odometer.js").then((made) => {
    let shown = 10000000, meter = 10000000, over = 0, back = 0, read = 0;
    for (let tick = 0; tick < 4000; tick += 1) {
      if (tick % 90 === 0) meter += 500 * (1 + tick % 7);
      const before = shown;
      shown = made.next(shown, meter, 16);
      if (shown > meter) over += 1;
      if (shown < before) back += 1;
      // What can be read is each drum's lower digit.
      const value = made.drums(shown, 9).reduce((sum, drum, place) => sum + Math.floor(drum) * 10 ** place, 0);
      if (value > meter) read += 1;
    }
    for (let tick = 0; tick < 600; tick += 1) shown = made.next(shown, meter, 16);
    done({over, back, read, arrived: shown === meter, fell: made.next(500, 200, 16), first: made.next(null, 7, 16),
      rolls: made.drums(199.5, 4), letters: made.letters(10000350, {point: ",", thousands: ".", decimals: 2}),
      pesos: made.letters(7000, {point: ",", thousands: ".", decimals: 0})});
  });
"""


def test_the_odometer_never_overtakes_the_meter(at_table: Visitor) -> None:
    found = at_table.browser.execute_async_script(ODOMETER)
    assert (found["over"], found["back"], found["read"]) == (0, 0, 0)
    assert found["arrived"]
    assert found["fell"] == 200
    assert found["first"] == 7
    # 199.5: the units have turned half-way from 9 to 0, and both drums that stand at 9 below the hundreds with them.
    assert found["rolls"] == [9.5, 9.5, 1.5, 0]
    assert "".join("0" if letter is None else letter for letter in found["letters"]) == "000.000,00"
    assert "".join("0" if letter is None else letter for letter in found["pesos"]) == "0.000"
