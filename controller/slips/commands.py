"""A paper as the bytes of an ESC/POS printer, made by python-escpos on its own dummy printer.

Every paper begins with a reset and one code page that has all Spanish letters, CP850, so that the bytes never depend
on what was printed before. A character that page does not have comes out as a question mark.
"""

import shutil
from contextlib import suppress
from importlib import import_module
from typing import Any, Final, assert_never

from controller.slips.document import (
    WIDE,
    WIDTH,
    Amount,
    Document,
    Mark,
    Pair,
    Row,
    Rule,
    Sign,
    Text,
    Title,
    pair,
    wrapped,
)

CODE_PAGE: Final = "CP850"


class PrinterExtraMissingError(RuntimeError):
    """python-escpos is not installed."""


def escpos(module: str) -> Any:  # noqa: ANN401, python-escpos has no types
    """A module of python-escpos, loaded when a printer is wanted: it takes a second and pulls in Pillow.

    Raises `PrinterExtraMissingError`.
    """
    try:
        capabilities = import_module("escpos.capabilities")
        found = import_module(module)
    except ImportError as error:
        raise PrinterExtraMissingError(
            f"printing needs python-escpos ({error.name} is missing): install Pozo with its extra, "
            "`pip install pozo[printer]`, or write a file with -o"
        ) from error
    with suppress(FileNotFoundError):
        # It leaves a cache behind in a new temporary folder for every process that loads it; a cache given by the
        # environment is somebody's own.
        if "ESCPOS_CAPABILITIES_PICKLE_DIR" not in capabilities.environ:
            shutil.rmtree(capabilities.pickle_dir)
    return found


def commands(document: Document) -> bytes:
    """The bytes that print the paper and cut it. Raises `PrinterExtraMissingError`."""
    printer = escpos("escpos.printer").Dummy()
    printer.hw("INIT")
    printer.magic.force_encoding(CODE_PAGE)
    for row in document:
        _row(printer, row)
    printer.cut()
    output: bytes = printer.output
    return output


def _row(printer: Any, row: Row) -> None:  # noqa: ANN401, python-escpos has no types
    match row:
        case Title(text=text):
            _styled(printer, wrapped(text), bold=True, align="center")
        case Mark(text=text):
            _styled(
                printer, wrapped(text, WIDE), bold=True, align="center", double_width=True, double_height=True
            )
        case Amount(text=text):
            wide = len(text) <= WIDE
            _styled(printer, wrapped(text), bold=True, align="center", double_width=wide, double_height=True)
        case Pair():
            _plain(printer, pair(row))
        case Text(text=text):
            _plain(printer, wrapped(text))
        case Rule():
            _plain(printer, ["-" * WIDTH])
        case Sign(label=label):
            _plain(printer, ["", "", "", "." * WIDTH, *wrapped(label)])
        case _:
            assert_never(row)


def _plain(printer: Any, lines: list[str]) -> None:  # noqa: ANN401, python-escpos has no types
    for line in lines:
        printer.textln(line.rstrip())


def _styled(printer: Any, lines: list[str], **style: object) -> None:  # noqa: ANN401, python-escpos has no types
    printer.set(**style)
    _plain(printer, lines)
    printer.set(bold=False, align="left", normal_textsize=True)
