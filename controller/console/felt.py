"""The half-moon table as an SVG drawing, seen from above and from the croupier's side: seat 1 is on the left.

Only the drawing is here; what a seat shows is set by the page's script. Lengths are units of the drawing.
"""

import math
from typing import Final

WIDTH: Final = 1000
HEIGHT: Final = 560
MIDDLE: Final = (500.0, 486.0)
"""Where the croupier stands; the seats are on an ellipse around it."""
SEATS_AT: Final = (376.0, 348.0)
LAMPS_AT: Final = (308.0, 277.0)
SAID_AT: Final = (238.0, 210.0)
NAMES_AT: Final = (458.0, 443.0)

SPREAD: Final = 0.96
"""How much of the half circle the seats take."""

_CLOTH = "M 62 486 A 438 424 0 0 1 938 486 L 938 500 L 640 500 Q 500 536 360 500 L 62 500 Z"
_RAIL = "M 22 486 A 478 464 0 0 1 978 486 L 978 514 Q 978 530 962 530 L 38 530 Q 22 530 22 514 Z"


def felt(seats: int, title: str, *, playable: bool) -> str:
    """The drawing. `playable`: seats are buttons; their names and states are filled in by the script."""
    drawn = "".join(_seat(seat, seats, playable=playable) for seat in range(1, seats + 1))
    return (
        f'<svg class="felt" viewBox="0 0 {WIDTH} {HEIGHT}" role="group" aria-labelledby="felt-title">'
        f"{_DEFINITIONS}"
        f'<path class="rail" d="{_RAIL}"/><path class="cloth" d="{_CLOTH}"/>'
        '<path class="line" d="M 180 486 A 320 300 0 0 1 820 486"/>'
        f'<text class="felt-pot"><textPath href="#felt-arc" startOffset="50%">{title}</textPath></text>'
        f"{_tray()}{drawn}</svg>"
    )


_DEFINITIONS = (
    '<defs><path id="felt-arc" d="M 352 486 A 148 118 0 0 1 648 486"/>'
    '<radialGradient id="cloth-light" cx="50%" cy="88%" r="85%"><stop class="cloth-near" offset="0"/>'
    '<stop class="cloth-far" offset="1"/></radialGradient>'
    '<radialGradient id="lamp-glow"><stop class="glow-in" offset="0"/><stop class="glow-out" offset="1"/>'
    "</radialGradient></defs>"
)


def _seat(seat: int, seats: int, *, playable: bool) -> str:
    turn = (90 - 180 * (seat - 0.5) / seats) * SPREAD
    slot, lamp = _at(SEATS_AT, turn), _at(LAMPS_AT, turn)
    name, said = _at(NAMES_AT, turn), _at(SAID_AT, turn)
    button = 'role="button" tabindex="0" ' if playable else 'role="img" '
    return (
        f'<g class="seat" id="seat-{seat}" data-seat="{seat}" data-lamp="off" {button}>'
        f'<g transform="translate({slot}) rotate({-turn:.1f})">'
        '<rect class="place" x="-45" y="-46" width="90" height="98" rx="14"/>'
        '<rect class="focus" x="-50" y="-51" width="100" height="108" rx="18"/>'
        '<rect class="slot" x="-25" y="-8" width="50" height="13" rx="6.5"/>'
        '<g class="chip"><circle r="20" cy="-2"/><circle class="chip-edge" r="15.5" cy="-2"/>'
        '<text class="chip-mark" y="4">$</text></g></g>'
        f'<g transform="translate({lamp})"><circle class="glow" r="46"/><circle class="ring" r="21"/>'
        '<circle class="lamp" r="15"/></g>'
        f'<text class="seat-name" transform="translate({name})" dy="9">{seat}</text>'
        f'<text class="seat-said" transform="translate({said})">'
        '<tspan class="seat-glyph" x="0" dy="-3"> </tspan><tspan class="seat-word" x="0" dy="22"> </tspan></text>'
        "</g>"
    )


def _at(radii: tuple[float, float], turn: float) -> str:
    """A point on an ellipse, `turn` degrees to the left of straight ahead."""
    x = MIDDLE[0] - radii[0] * math.sin(math.radians(turn))
    y = MIDDLE[1] - radii[1] * math.cos(math.radians(turn))
    return f"{x:.1f} {y:.1f}"


def _tray() -> str:
    """The croupier's chip tray, for orientation only."""
    columns = "".join(
        f'<rect class="stack stack-{index % 4}" x="{424 + index * 26}" y="468" width="20" height="40" rx="6"/>'
        for index in range(6)
    )
    return f'<g aria-hidden="true"><rect class="tray" x="410" y="460" width="180" height="56" rx="12"/>{columns}</g>'
