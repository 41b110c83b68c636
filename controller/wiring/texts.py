"""The words of the wiring's picture by their English wording; `{…}` are values. Catalogues word them."""

import gettext
from enum import StrEnum

from controller.words import CATALOGUES


class Say(StrEnum):
    """Everything the picture says."""

    TITLE = "Wiring: {board}"
    VIEW = "Seen from above, the memory card's end upwards. GPIO is the BCM number; in the circle is the pin."
    SEAT = "seat {seat}"
    LAMP = "lamp {seat}"
    COIN_IN = "COIN IN button"
    GAME_OVER = "GAME OVER button"
    SUPERVISOR = "supervisor's key"
    TECHNICIAN = "technician's key"
    SLOTS = "slot lock"
    RELEASE = "chip release"
    BELL = "bell"
    SCREEN = "screen, {signal}"
    SIGN = "sign, {signal}"
    SUPPLY_3V3 = "3.3 V supply"
    SUPPLY_5V = "5 V supply"
    GROUND = "ground"
    EEPROM = "reserved: ID EEPROM"
    FREE = "free"
    IN_LOW = "in, closes to ground"
    IN_HIGH = "in, closes to 3.3 V"
    OUT_HIGH = "out, on at 3.3 V"
    OUT_LOW = "out, on at 0 V"
    PULL_UP = "pull-up"
    PULL_DOWN = "pull-down"
    PULL_NONE = "no pull"
    DEVICES = "Devices"
    ON_I2C = "{device}: {kind}, I2C {bus}, address {address}"
    ON_SPI = "{device}: {kind}, SPI {bus}.{chip}"
    ON_PORT = "{device}: {kind}, {port}, {baud} {format}"
    ON_USB = "{device}: {kind}, {port}"
    SCREEN_NAME = "screen"
    SIGN_NAME = "sign"
    KEYPAD_NAME = "keypad"


class Tell:
    """The catalogue `wiring` of one language."""

    def __init__(self, language: str) -> None:
        self._catalogue = gettext.translation("wiring", CATALOGUES, [language])

    def __call__(self, text: Say, **values: object) -> str:
        """A sentence with its values as they are given."""
        return self._catalogue.gettext(text).format(**values)
