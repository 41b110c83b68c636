"""A board's file: judges every pin, then gives the wiring and the filter's times of a table.

Refused, each with its reason: a pin used twice, reserved for a bus, off the header, written in another numbering,
or one whose power-on pull would open the slots, release chips or ring before any program runs.
"""

import re
from collections.abc import Iterable, Mapping

import msgspec

from controller.config import fitted, pins
from controller.config.board_schema import Active, BoardFile, Voltage
from controller.config.conform import Review
from controller.config.problems import did_you_mean
from controller.inputs import Timings
from hal.interface import Factory, Input, Output, Pull, Role, Wiring

_SEAT_LINE = re.compile(r"(seat|lamp)_([1-9][0-9]?)")
_OTHER_NUMBERING = re.compile(r"(BOARD|GPIO|BCM|PIN)[ _]?([0-9]{1,2})|([0-9]{1,2})", re.IGNORECASE)
_BUTTONS = (Role.COIN_IN, Role.GAME_OVER)
_KEYS = (Role.SUPERVISOR_KEY, Role.TECHNICIAN_KEY)
_OUTPUTS = (Role.SLOTS, Role.RELEASE, Role.BELL)


class _Line(msgspec.Struct, frozen=True):
    key: str
    name: str
    pin: int


def judge(board: BoardFile, review: Review) -> None:
    """Put everything that is wrong with a board's pins and times into the review."""
    try:
        timings(board)
    except ValueError as error:
        review.refuse("timings", str(error).removeprefix("timings: "))
    _names(board.inputs, "inputs", "seat", (*_BUTTONS, *_KEYS), review)
    _names(board.outputs, "outputs", "lamp", _OUTPUTS, review)
    _seats_match(board, review)
    ins = tuple(_pinned(board.inputs, "inputs", review))
    outs = tuple(_pinned(board.outputs, "outputs", review))
    screens = tuple(_Line(key, key, pin) for key, pin in fitted.pins(board.screen))
    _used_once((*ins, *outs, *screens), review)
    for line in (*ins, *outs, *screens):
        _not_reserved(line, board, review)
    for line in outs:
        _safe_at_power_on(line, board.active, review)
    fitted.judge(board, review)
    if board.factory is not Factory.SIMULATED and not board.chip_labels:
        review.refuse(
            "chip_labels", "is empty; name the kernel's chip, such as pinctrl-bcm2711 (gpiodetect lists them)"
        )


def seats(board: BoardFile) -> int:
    """How many seats a judged board has."""
    return sum(1 for name in board.inputs if _SEAT_LINE.fullmatch(name))


def timings(board: BoardFile) -> Timings:
    """The filter's times. Raises `ValueError` where two of them do not go together."""
    return Timings(**msgspec.structs.asdict(board.timings))


def wiring(board: BoardFile, seats_used: int) -> Wiring:
    """The lines of a judged board for the first `seats_used` seats; the others are not claimed."""
    return Wiring(
        factory=board.factory,
        chip_labels=board.chip_labels,
        inputs=tuple(_input(name, pin, board) for name, pin in _used(board.inputs, seats_used)),
        outputs=tuple(
            Output(name, pin, _voltage(board.active, name) is Voltage.LOW)
            for name, pin in _used(board.outputs, seats_used)
        ),
        devices=fitted.devices(board),
        screen=fitted.screen(board),
        sign=fitted.sign(board),
        keypad=fitted.keypad(board),
    )


def _used(lines: Mapping[str, object], seats_used: int) -> Iterable[tuple[str, int]]:
    for name, pin in lines.items():
        seat = _SEAT_LINE.fullmatch(name)
        if isinstance(pin, int) and (seat is None or int(seat[2]) <= seats_used):
            yield name, pin


def _input(name: str, pin: int, board: BoardFile) -> Input:
    pull = {Role.SEAT: board.pull.seats, Role.COIN_IN: board.pull.buttons, Role.GAME_OVER: board.pull.buttons}
    return Input(
        name=name,
        pin=pin,
        active_low=_voltage(board.active, name) is Voltage.LOW,
        pull=pull.get(_role(name), board.pull.keys),
    )


def _role(name: str) -> Role:
    seat = _SEAT_LINE.fullmatch(name)
    return Role(seat[1] if seat else name)


def _voltage(active: Active, name: str) -> Voltage:
    match _role(name):
        case Role.SEAT:
            return active.seats
        case Role.COIN_IN | Role.GAME_OVER:
            return active.buttons
        case Role.SUPERVISOR_KEY | Role.TECHNICIAN_KEY:
            return active.keys
        case Role.LAMP:
            return active.lamps
        case Role.SLOTS:
            return active.slots
        case Role.RELEASE:
            return active.release
        case Role.BELL:
            return active.bell


def _names(
    lines: Mapping[str, object], part: str, seat: str, needed: tuple[Role, ...], review: Review
) -> None:
    for name in lines:
        match = _SEAT_LINE.fullmatch(name)
        if name not in needed and not (match and match[1] == seat):
            known = (*needed, *(f"{seat}_{number}" for number in range(1, 8)))
            review.refuse(f"{part}.{name}", f"there is no such line.{did_you_mean(name, known)}")
    for role in needed:
        if role not in lines:
            review.refuse(f"{part}.{role}", "is missing; give it the BCM number of its pin")
    if f"{seat}_1" not in lines:
        review.refuse(f"{part}.{seat}_1", "is missing; a table has at least one seat")


def _seats_match(board: BoardFile, review: Review) -> None:
    sensors, lamps = (
        {int(match[2]) for name in lines if (match := _SEAT_LINE.fullmatch(name))}
        for lines in (board.inputs, board.outputs)
    )
    for seat in range(1, max(sensors | lamps, default=0) + 1):
        if seat not in sensors:
            review.refuse(
                f"inputs.seat_{seat}", "is missing; seats are numbered without gaps and each has a sensor"
            )
        if seat not in lamps:
            review.refuse(
                f"outputs.lamp_{seat}", "is missing; seats are numbered without gaps and each has a lamp"
            )


def _pinned(lines: Mapping[str, object], part: str, review: Review) -> Iterable[_Line]:
    for name, value in lines.items():
        key = f"{part}.{name}"
        if isinstance(value, int) and not isinstance(value, bool) and value in pins.HEADER:
            yield _Line(key, name, value)
        else:
            review.refuse(
                key, f"must be the BCM number of a header pin, 0 to 27{_numbering_hint(value)}", value
            )


def _numbering_hint(value: object) -> str:
    match = _OTHER_NUMBERING.fullmatch(str(value))
    if match is None or isinstance(value, bool | float):
        return ", a bare whole number"
    number = int(match[2] or match[3])
    counts_header = (match[1] or "").upper() in {"BOARD", "PIN"} or number not in pins.HEADER
    gpio = pins.GPIO_AT.get(number) if counts_header else number
    if gpio is None or gpio not in pins.HEADER or gpio in pins.ID_EEPROM:
        return ", a bare whole number"
    return f": header pin {number} is GPIO {gpio}, write {gpio}" if counts_header else f": write {gpio}"


def _used_once(lines: tuple[_Line, ...], review: Review) -> None:
    first: dict[int, _Line] = {}
    for line in lines:
        other = first.setdefault(line.pin, line)
        if other is not line:
            what = f"GPIO {line.pin} is already {other.key} ({review.where(other.key)}); each line needs its own pin"
            review.refuse(line.key, what, line.pin)


def _not_reserved(line: _Line, board: BoardFile, review: Review) -> None:
    reserved = (
        (pins.ID_EEPROM, True, "the ID EEPROM; choose another pin"),
        (pins.I2C, board.buses.i2c, "I2C (the screen); choose another pin or set buses.i2c = false"),
        (pins.UART, board.buses.uart, "the UART (the sign); choose another pin or set buses.uart = false"),
        (pins.SPI, board.buses.spi, "SPI; choose another pin or set buses.spi = false"),
    )
    for group, on, whose in reserved:
        if on and line.pin in group:
            review.refuse(line.key, f"GPIO {line.pin} is reserved for {whose}", line.pin)


def _safe_at_power_on(line: _Line, active: Active, review: Review) -> None:
    if _role_or_none(line.name) is None:
        return
    pulled = Voltage.HIGH if pins.power_on_pull(line.pin) is Pull.UP else Voltage.LOW
    if pulled is not _voltage(active, line.name):
        return
    free = "9 to 27" if pulled is Voltage.HIGH else "0 to 8"
    what = f"GPIO {line.pin} is pulled {pulled} at power-on, which is this line's active level"
    if line.name in _OUTPUTS:
        review.refuse(line.key, f"unsafe at power-up for its job: {what}; choose one of {free}", line.pin)
    else:
        review.warn(line.key, f"{what}: it is on until the program starts; one of {free} is not")


def _role_or_none(name: str) -> Role | None:
    return _role(name) if _SEAT_LINE.fullmatch(name) or name in _OUTPUTS else None
