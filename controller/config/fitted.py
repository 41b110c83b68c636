"""The devices a board file describes: judges screen, sign and keypad, then gives their wiring.

A device exists if the board file has its section. A simulated board needs none: there a name in `devices` is enough.
Refused: a screen whose bus is switched off, a port that cannot do what is asked of it or that two devices share.
"""

import re
from collections.abc import Iterator

from controller.config.board_schema import BoardFile, KeypadGiven, ScreenGiven, SignGiven
from controller.config.conform import Review
from hal.interface import (
    Device,
    Factory,
    Format,
    KeypadKind,
    KeypadWiring,
    PanelSignWiring,
    ScreenKind,
    ScreenWiring,
    SignKind,
    SignWiring,
)

_BAUDS = (1200, 2400, 4800, 9600, 19200, 38400, 57600, 115200)
_ADDRESSES = (0x3C, 0x3D)
_MINI_UART = re.compile(r"/dev/(ttyS0|serial0)")
_NUMBERED = re.compile(r"/dev/tty(USB|ACM)[0-9]+")
_HEADER_UART = re.compile(r"/dev/ttyAMA[0-9]+")
_KEY_NAME = re.compile(r"[A-Z0-9_*#]{1,16}")


def devices(board: BoardFile) -> tuple[Device, ...]:
    """The devices a board has, those named and those described."""
    described = (
        (Device.SCREEN, board.screen),
        (Device.SIGN, board.sign),
        (Device.KEYPAD, board.keypad),
    )
    there = {*board.devices, *(device for device, given in described if given is not None)}
    return tuple(device for device in Device if device in there)


def judge(board: BoardFile, review: Review) -> None:
    """Put everything that is wrong with a board's devices into the review."""
    if board.factory is not Factory.SIMULATED:
        for device, given in (("screen", board.screen), ("sign", board.sign), ("keypad", board.keypad)):
            if device in board.devices and given is None:
                what = f"{device!r} is named but not described: give it a section [{device}], or take it out"
                review.refuse("devices", what)
        if Device.HOST in board.devices:
            what = (
                "'host' is no part of a board: a table hears the floor by its own file's [link]; take it out"
            )
            review.refuse("devices", what)
    if board.screen is not None:
        _screen(board.screen, board, review)
    if board.sign is not None:
        _sign(board.sign, board, review)
    ports = tuple(_ports(board))
    for section, port, baud in ports:
        _port(section, port, baud, board, review)
    if len({port for _section, port, _baud in ports}) < len(ports):
        review.refuse("keypad.port", f"is the sign's too ({review.where('sign.port')}); each needs its own")
    if board.keypad is not None:
        _keypad(board.keypad, review)


def pins(screen: ScreenGiven | None) -> Iterator[tuple[str, int]]:
    """The header pins a screen has beside its bus, by their keys."""
    if screen is not None:
        for key, pin in (("screen.dc", screen.dc), ("screen.reset", screen.reset)):
            if pin is not None:
                yield key, pin


def screen(board: BoardFile) -> ScreenWiring | None:
    """A judged board's screen."""
    given = board.screen
    if given is None:
        return None
    if given.address is None:
        return ScreenWiring(given.kind, given.bus, device=given.device or 0, dc=given.dc, reset=given.reset)
    return ScreenWiring(given.kind, given.bus, address=given.address)


def sign(board: BoardFile) -> SignWiring | PanelSignWiring | None:
    """A judged board's sign; a value that is missing has been refused."""
    given = board.sign
    if given is None:
        return None
    if given.kind is SignKind.ALPHA:
        if given.port is None or given.baud is None or given.format is None:
            return None
        return SignWiring(given.kind, given.port, given.baud, given.format, given.label)
    if given.bus is None or given.address is None:
        return None
    return PanelSignWiring(given.kind, ScreenWiring(ScreenKind(given.kind), given.bus, address=given.address))


def keypad(board: BoardFile) -> KeypadWiring | None:
    """A judged board's keypad."""
    given = board.keypad
    if given is None:
        return None
    if given.baud is None or given.format is None:
        return KeypadWiring(given.kind, given.port, given.keys)
    return KeypadWiring(given.kind, given.port, given.keys, given.baud, given.format)


def _screen(given: ScreenGiven, board: BoardFile, review: Review) -> None:
    on_spi = given.kind is ScreenKind.SSD1322
    if on_spi and not board.buses.spi:
        review.refuse("screen.kind", "is on SPI, which is off: set buses.spi = true", given.kind)
    if not on_spi and not board.buses.i2c:
        review.refuse("screen.kind", "is on I2C, which is off: set buses.i2c = true", given.kind)
    for key, value, wanted in (
        ("address", given.address, not on_spi),
        ("device", given.device, on_spi),
        ("dc", given.dc, on_spi),
        ("reset", given.reset, on_spi),
    ):
        if value is None and wanted:
            review.refuse(f"screen.{key}", f"is missing; a screen of kind {given.kind} needs it")
        if value is not None and not wanted:
            review.refuse(f"screen.{key}", f"has no meaning for a screen of kind {given.kind}; take it out")
    if given.address is not None and given.address not in _ADDRESSES:
        what = f"is {given.address:#x}; must be 0x3c or 0x3d (i2cdetect -y {given.bus} shows which)"
        review.refuse("screen.address", what)


def _sign(given: SignGiven, board: BoardFile, review: Review) -> None:
    serial = given.kind is SignKind.ALPHA
    for key, value, wanted in (
        ("port", given.port, serial),
        ("baud", given.baud, serial),
        ("format", given.format, serial),
        ("bus", given.bus, not serial),
        ("address", given.address, not serial),
    ):
        if value is None and wanted:
            review.refuse(f"sign.{key}", f"is missing; a sign of kind {given.kind} needs it")
        if value is not None and not wanted:
            review.refuse(f"sign.{key}", f"has no meaning for a sign of kind {given.kind}; take it out")
    if serial:
        return
    if not board.buses.i2c:
        review.refuse("sign.kind", "is on I2C, which is off: set buses.i2c = true", given.kind)
    if given.address is not None and given.address not in _ADDRESSES:
        review.refuse("sign.address", f"is {given.address:#x}; must be 0x3c or 0x3d")
    screen = board.screen
    if screen is not None and (screen.bus, screen.address) == (given.bus, given.address):
        review.refuse("sign.address", "is the screen's too; give each panel its own address")


def _ports(board: BoardFile) -> Iterator[tuple[str, str, int | None]]:
    if board.sign is not None and board.sign.port is not None:
        yield "sign", board.sign.port, board.sign.baud
    if board.keypad is not None:
        yield "keypad", board.keypad.port, board.keypad.baud


def _port(section: str, port: str, baud: int | None, board: BoardFile, review: Review) -> None:
    key = f"{section}.port"
    if _MINI_UART.fullmatch(port):
        what = "is the mini-UART: no parity, and its speed follows the core clock. Use /dev/ttyAMA0 or a USB adapter"
        review.refuse(key, what, port)
    elif _HEADER_UART.fullmatch(port) and not board.buses.uart:
        review.refuse(key, "is the header's UART, which is off: set buses.uart = true", port)
    elif _NUMBERED.fullmatch(port):
        review.warn(
            key, f"{port} may be another adapter after the next start; use its name in /dev/serial/by-id"
        )
    if baud is not None and baud not in _BAUDS:
        review.refuse(f"{section}.baud", f"must be one of {', '.join(map(str, _BAUDS))}", baud)


def _keypad(given: KeypadGiven, review: Review) -> None:
    serial = given.kind is KeypadKind.SERIAL
    for key, value in (("baud", given.baud), ("format", given.format)):
        if serial and value is None:
            formats = ", ".join(Format)
            allowed = f"one of {formats}" if key == "format" else "its speed, such as 9600"
            review.refuse(f"keypad.{key}", f"is missing; a serial keypad needs {allowed}")
        if not serial and value is not None:
            review.refuse(f"keypad.{key}", "has no meaning for a USB keypad; take it out")
    if not given.keys:
        review.refuse("keypad.keys", 'is empty; name the keys, such as KEY_KP1 = "1" or \'"1" = "1"\'')
    for sent, name in given.keys.items():
        if not _KEY_NAME.fullmatch(name):
            review.refuse(
                f"keypad.keys.{sent}",
                "must be 1 to 16 capital letters, digits, _, * or #, such as ENTER",
                name,
            )
        if serial and len(sent) != 1:
            review.refuse(f"keypad.keys.{sent}", "a serial keypad's key is the one character it sends", sent)
