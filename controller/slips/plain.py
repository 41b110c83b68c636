"""A paper as plain text: UTF-8, 42 columns, for a file or a screen."""

from typing import assert_never

from controller.slips.document import (
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


def plain_text(document: Document) -> str:
    """The whole paper, each line ended."""
    return "".join(f"{line.rstrip()}\n" for row in document for line in _lines(row))


def _lines(row: Row) -> list[str]:
    match row:
        case Title(text=text):
            return [line.center(WIDTH) for line in wrapped(text)]
        case Mark(text=text):
            return [f"*** {line} ***".center(WIDTH) for line in wrapped(text, WIDTH - 8)]
        case Amount(text=text):
            return [line.center(WIDTH) for line in wrapped(text)]
        case Pair():
            return pair(row)
        case Text(text=text):
            return wrapped(text)
        case Rule():
            return ["-" * WIDTH]
        case Sign(label=label):
            return ["", "", "." * WIDTH, *wrapped(label)]
        case _:
            assert_never(row)
