"""When two names are one person's: however they are written, by capitals, blanks, unseen or look-alike signs.

What decides is what a person reads on a slip. So names are compared twice: by their letters, and by their shapes.
"""

import unicodedata
from typing import Final

_UNSEEN_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Cs"})

_UNSEEN_SPANS: Final = (
    (0x034F, 0x034F),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFFA0, 0xFFA0),
    (0xE0000, 0xE0FFF),
)
"""Unicode's Default_Ignorable_Code_Point (DerivedCoreProperties.txt) as far as its category does not tell already."""

_ORDERS: Final = frozenset({"Cc", "Zl", "Zp"})

_BLANK_SIGNS: Final = {0x2800: " "}
"""Braille without a dot: a sign by its category, and nothing to see."""

_LATIN_SHAPES: Final = {
    "a": "\u0430\u03b1",
    "b": "\u0432\u042c",
    "c": "\u0441\u03f2",
    "d": "\u0501",
    "e": "\u0435\u04bd\u03b5",
    "g": "\u0261",
    "h": "\u04bb",
    "i": "\u0456\u03b9\u0131",
    "j": "\u0458\u03f3",
    "k": "\u043a\u03ba",
    "l": "\u04cf",
    "n": "\u0578",
    "o": "\u043e\u03bf\u0585\u03c30",
    "p": "\u0440\u03c1",
    "q": "\u051b",
    "s": "\u0455",
    "u": "\u03c5\u057d",
    "v": "\u03bd\u0475",
    "w": "\u051d\u03c9",
    "x": "\u0445\u03c7",
    "y": "\u0443\u04af\u03b3",
    "A": "\u0410\u0391",
    "B": "\u0412\u0392",
    "C": "\u0421\u03f9",
    "E": "\u0415\u0395",
    "H": "\u041d\u0397",
    "I": "\u0406\u0399\u04c0",
    "J": "\u0408\u037f",
    "K": "\u041a\u039a",
    "M": "\u041c\u039c",
    "N": "\u039d",
    "O": "\u041e\u039f\u0555",
    "P": "\u0420\u03a1",
    "Q": "\u051a",
    "S": "\u0405\u054f",
    "T": "\u0422\u03a4",
    "U": "\u054d",
    "W": "\u051c",
    "X": "\u0425\u03a7",
    "Y": "\u0423\u04ae\u03a5",
    "Z": "\u0396",
}  # fmt: skip
"""A Latin letter, and the Cyrillic, Greek, Armenian letters and digits that a printed name shows in its shape."""

_TO_LATIN: Final = {ord(other): latin for latin, others in _LATIN_SHAPES.items() for other in others}

_TALL: Final = {ord(tall): "l" for tall in "i1|"}
"""Strokes that many typefaces draw as one, as capitals or not; looked at when the letters are small Latin ones."""


def folded(name: str) -> str:
    """A name as it is compared: compatible signs made one (NFKC), no capitals, single blanks, nothing unseen."""
    return _plain(_seen(name).casefold())


def same_person(one: str, other: str) -> bool:
    """Whether both names are one person's: the same letters, or the same shapes."""
    return folded(one) == folded(other) or _shape(one) == _shape(other)


def two_persons(one: str, other: str) -> bool:
    """Whether these are the names of two persons: both can be read, neither is missing, and they are not the same."""
    named = all(folded(name) and not commands(name) for name in (one, other))
    return named and not same_person(one, other)


def commands(name: str) -> bool:
    """Whether a sign of this name is none, but an order to a terminal or printer."""
    return any(unicodedata.category(sign) in _ORDERS for sign in name)


def hides(name: str) -> bool:
    """Whether a sign of this name cannot be seen, blanks aside."""
    return commands(name) or any(_unseen(sign) or ord(sign) in _BLANK_SIGNS for sign in name)


def _shape(name: str) -> str:
    return _plain(_seen(name).translate(_TO_LATIN).casefold().translate(_TALL))


def _seen(name: str) -> str:
    """The signs somebody can see, compatible ones made one."""
    return "".join(sign for sign in unicodedata.normalize("NFKC", name) if not _unseen(sign))


def _plain(name: str) -> str:
    return " ".join(_seen(name).translate(_BLANK_SIGNS).split())


def _unseen(sign: str) -> bool:
    if sign.isspace():
        return False
    code = ord(sign)
    return unicodedata.category(sign) in _UNSEEN_CATEGORIES or any(
        first <= code <= last for first, last in _UNSEEN_SPANS
    )
