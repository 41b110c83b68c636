"""The wiring as one SVG picture: the header in the middle, what goes to each pin beside it.

Plain shapes and text, no script and nothing from elsewhere: any browser and any printer draws it.
"""

from collections.abc import Iterator
from xml.sax.saxutils import escape

from controller.wiring.header import Job, Place, places
from controller.wiring.texts import Say, Tell
from hal.interface import PanelSignWiring, ScreenKind, ScreenWiring, Wiring

WIDTH, ROW, TOP, CENTRE = 860, 38, 84, 430
PIN_RADIUS, PIN_GAP = 14, 22
"""Dots of a pin's circle, and from the middle line to its centre."""
TAG_NEAR, TAG_WIDTH = 66, 320
"""Where a tag begins, from the middle line, and how wide it is."""
FONT = "DejaVu Sans, Verdana, Arial, sans-serif"
COLOURS = {
    Job.SEAT: "#1f6f4a",
    Job.BUTTON: "#7a3e9d",
    Job.KEY: "#9d3e6a",
    Job.LAMP: "#b57a00",
    Job.OUTPUT: "#a3401a",
    Job.DEVICE: "#1d5f9e",
    Job.SUPPLY: "#c0152a",
    Job.GROUND: "#222222",
    Job.FREE: "#b4b4b4",
}


def picture(wiring: Wiring, board: str, language: str) -> str:
    """The SVG document. `board` is the board's title; `language` one of `controller.words.LANGUAGES`."""
    tell = Tell(language)
    devices = tuple(_devices(wiring, tell))
    bottom = TOP + 20 * ROW + 14
    height = bottom + (30 + 22 * len(devices) if devices else 0)
    shapes = [
        _text(WIDTH // 2, 28, tell(Say.TITLE, board=board), size=20, weight="bold"),
        _text(WIDTH // 2, 52, tell(Say.VIEW), size=12),
        f'<rect x="{CENTRE - 42}" y="{TOP - 8}" width="84" height="{20 * ROW + 8}" rx="6" fill="#e9e9e9"/>',
        *(shape for place in places(wiring, tell) for shape in _pin(place)),
    ]
    if devices:
        shapes.append(_text(40, bottom + 14, tell(Say.DEVICES), size=14, weight="bold", anchor="start"))
    shapes += [
        _text(40, bottom + 38 + 22 * row, words, size=13, anchor="start") for row, words in enumerate(devices)
    ]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="{FONT}">'
    return "\n".join([head, *shapes, "</svg>", ""])


def _pin(place: Place) -> Iterator[str]:
    side = 1 if place.pin % 2 == 0 else -1
    y = TOP + (place.pin - 1) // 2 * ROW + ROW // 2 - 4
    x, near, far = (CENTRE + side * offset for offset in (PIN_GAP, TAG_NEAR, TAG_NEAR + TAG_WIDTH))
    colour, anchor = COLOURS[place.job], "start" if side > 0 else "end"
    yield f'<g data-pin="{place.pin}" data-line="{place.line}">'
    if place.job is not Job.FREE:
        yield f'<path d="M{x} {y}H{near}" stroke="{colour}" stroke-width="3"/>'
        tag = f'y="{y - 16}" height="32" fill="{colour}"'
        yield f'<rect x="{min(near, far)}" width="{TAG_WIDTH}" rx="4" fill-opacity="0.12" {tag}/>'
        yield f'<rect x="{near - 3}" width="6" {tag}/>'
    yield f'<circle cx="{x}" cy="{y}" r="{PIN_RADIUS}" fill="{colour}"/>'
    yield _text(x, y + 4, str(place.pin), size=12, weight="bold", fill="#ffffff")
    gpio = "" if place.gpio is None else f"GPIO{place.gpio}"
    words = near + side * 12
    if place.how:
        yield _text(words, y - 2, place.called, size=14, weight="bold", anchor=anchor)
        yield _text(words, y + 12, f"{gpio} · {place.how}", size=11, anchor=anchor)
    else:
        plain = " · ".join(part for part in (place.called, gpio) if part)
        yield _text(words, y + 5, plain, size=13, anchor=anchor, fill=_ink(place.job))
    yield "</g>"


def _ink(job: Job) -> str:
    return "#8a8a8a" if job is Job.FREE else "#111111"


def _devices(wiring: Wiring, tell: Tell) -> Iterator[str]:
    screen, sign, keypad = wiring.screen, wiring.sign, wiring.keypad
    if screen is not None:
        yield _panel(tell(Say.SCREEN_NAME), screen, tell)
    if isinstance(sign, PanelSignWiring):
        yield _panel(tell(Say.SIGN_NAME), sign.panel, tell)
    elif sign is not None:
        name = tell(Say.SIGN_NAME)
        yield tell(
            Say.ON_PORT, device=name, kind=sign.kind, port=sign.port, baud=sign.baud, format=sign.format
        )
    if keypad is not None:
        yield tell(Say.ON_USB, device=tell(Say.KEYPAD_NAME), kind=keypad.kind, port=keypad.port)


def _panel(name: str, panel: ScreenWiring, tell: Tell) -> str:
    if panel.kind is ScreenKind.SSD1322:
        return tell(Say.ON_SPI, device=name, kind=panel.kind, bus=panel.bus, chip=panel.device)
    return tell(Say.ON_I2C, device=name, kind=panel.kind, bus=panel.bus, address=f"{panel.address:#04x}")


def _text(
    x: int,
    y: int,
    words: str,
    *,
    size: int,
    weight: str = "normal",
    anchor: str = "middle",
    fill: str = "#111111",
) -> str:
    style = f'font-size="{size}" font-weight="{weight}" text-anchor="{anchor}" fill="{fill}"'
    return f'<text x="{x}" y="{y}" {style}>{escape(words)}</text>'
