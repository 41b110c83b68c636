"""The 40-pin header of a Raspberry Pi: which GPIO is on which pin, what it does at power-on, what else it serves.

Sources: the BCM2835 peripherals data sheet, table 6-31 (power-on pulls, the same on BCM2711 and RP1), and the
header as every Pi since the B+ has it. GPIO numbers are BCM numbers throughout; header pins are only shown.
"""

from hal.interface import Pull

HEADER = {
    0: 27, 1: 28, 2: 3, 3: 5, 4: 7, 5: 29, 6: 31, 7: 26, 8: 24, 9: 21, 10: 19, 11: 23, 12: 32, 13: 33,
    14: 8, 15: 10, 16: 36, 17: 11, 18: 12, 19: 35, 20: 38, 21: 40, 22: 15, 23: 16, 24: 18, 25: 22, 26: 37, 27: 13,
}  # fmt: skip
"""GPIO number to header pin."""

GPIO_AT = {pin: gpio for gpio, pin in HEADER.items()}
"""Header pin to GPIO number."""

ID_EEPROM = frozenset({0, 1})
I2C = frozenset({2, 3})
SPI = frozenset({7, 8, 9, 10, 11})
UART = frozenset({14, 15})

_PULLED_UP_MAX = 8


def power_on_pull(gpio: int) -> Pull:
    """What holds a GPIO from power-on until a program claims it: 0 to 8 are pulled up, 9 to 27 down."""
    return Pull.UP if gpio <= _PULLED_UP_MAX else Pull.DOWN
