"""The reference board's lines, for tests that need a whole table."""

from hal.interface import PANELS, Device, Factory, Input, Output, Picture, Pull, Screen, ScreenKind, Wiring

SEATS = 7
SEAT_PINS = (5, 6, 13, 19, 26, 16, 20)
LAMP_PINS = (4, 17, 27, 22, 10, 9, 11)
BUTTON_PINS = {"coin_in": 21, "game_over": 12, "supervisor": 23, "technician": 24}
OUTPUT_PINS = {"slots": 25, "release": 8, "bell": 7}


def reference_wiring(
    factory: Factory = Factory.SIMULATED,
    devices: tuple[Device, ...] = (Device.SCREEN, Device.SIGN),
    chip_labels: tuple[str, ...] = ("pinctrl-bcm2711", "pinctrl-rp1"),
) -> Wiring:
    """Seven seats, two buttons and two keys, active low with a pull-up; seven lamps, slots, release, bell."""
    seats = {f"seat_{n}": pin for n, pin in enumerate(SEAT_PINS, 1)}
    lamps = {f"lamp_{n}": pin for n, pin in enumerate(LAMP_PINS, 1)}
    return Wiring(
        factory=factory,
        chip_labels=chip_labels,
        inputs=tuple(Input(name, pin, True, Pull.UP) for name, pin in (seats | BUTTON_PINS).items()),
        outputs=tuple(Output(name, pin, False) for name, pin in (lamps | OUTPUT_PINS).items()),
        devices=devices,
    )


def screen(*lines: str) -> Screen:
    """These lines on a dark 128×64 screen, for tests that look at the words only."""
    return Screen(lines, Picture(PANELS[ScreenKind.SSD1306], bytes(128 * 64 // 8)))
