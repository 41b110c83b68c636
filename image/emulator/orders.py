"""What can be asked of somebody at the table, one line each, and what each line means."""

import re
from dataclasses import dataclass
from pathlib import Path

from emulator.table import PRESS_MS, SEATS

HELP = """\
chip SEAT …               a chip falls at each of these seats, 1 to 7
press BUTTON              coin_in or game_over, and lets it go
hold BUTTON MS            the same for so many milliseconds
key NAME on|off           supervisor or technician
take ENTRY                the menu's entry of that name: GAME OVER until it is marked, then held
lamps                     what burns, what blinks, and the other outputs
screen [FILE.png]         what the croupier's screen says; the picture into a file
wait WORDS                until the screen shows them, at most 10 minutes
shell COMMAND             root's shell, as over SSH
type TEXT                 a line for a command that runs there; without TEXT only Enter
hear                      what that command has said since
stick [FILE]              plugs a stick labelled POZO in: empty, with FILE.update on it, or the image FILE
unstick                   pulls it out
off, cut, on              switched off in order; the plug pulled; power again
quit                      the plug pulled, and the end
"""

BUTTONS = ("coin_in", "game_over")
KEYS = ("supervisor", "technician")
HOLD_MOST_MS = 60_000


class HandError(ValueError):
    """A line that says nothing a hand could do; its text says what is allowed."""


@dataclass(frozen=True)
class Chips:
    """Chips fall."""

    seats: tuple[int, ...]


@dataclass(frozen=True)
class Press:
    """A button is pressed for so long."""

    button: str
    hold_ms: int


@dataclass(frozen=True)
class Key:
    """A key is turned."""

    name: str
    on: bool


@dataclass(frozen=True)
class Lamps:
    """The outputs are looked at."""


@dataclass(frozen=True)
class Look:
    """The screen is read, and its picture put into a file if one is named."""

    file: Path | None


@dataclass(frozen=True)
class Wait:
    """Until the screen shows this."""

    words: str


@dataclass(frozen=True)
class Take:
    """The menu's entry of this name is marked and taken."""

    entry: str


@dataclass(frozen=True)
class Typed:
    """Keys for root's shell: a line with its Enter, or none at all to hear what it says."""

    text: str


@dataclass(frozen=True)
class Stick:
    """A stick is plugged in: an empty one, one with an update, or an image."""

    file: Path | None


@dataclass(frozen=True)
class Plain:
    """An order of one word."""

    word: str


Order = Chips | Press | Key | Take | Lamps | Look | Wait | Typed | Stick | Plain

PLAIN = ("unstick", "off", "cut", "on", "quit", "help")


def order_of(line: str) -> Order:
    """What a line asks for. Raises `HandError`."""
    word, _, rest = line.strip().partition(" ")
    given = rest.split()
    match word, given:
        case "chip", [_, *_]:
            return Chips(tuple(_number(seat, SEATS[0], SEATS[-1], "a seat") for seat in given))
        case "press", [button]:
            return Press(_one_of(button, BUTTONS), PRESS_MS)
        case "hold", [button, held]:
            return Press(_one_of(button, BUTTONS), _number(held, 1, HOLD_MOST_MS, "milliseconds"))
        case "key", [name, ("on" | "off") as to]:
            return Key(_one_of(name, KEYS), to == "on")
        case "lamps", []:
            return Lamps()
        case "screen", []:
            return Look(None)
        case "screen", [file] if file.endswith(".png"):
            return Look(Path(file))
        case "wait", [_, *_]:
            return Wait(" ".join(given))
        case "take", [_, *_]:
            return Take(" ".join(given))
        case (("shell" | "type"), _) if rest or word == "type":
            return Typed(f"{rest}\n")
        case "hear", []:
            return Typed("")
        case "stick", []:
            return Stick(None)
        case "stick", [file]:
            return Stick(_there(Path(file)))
        case _, [] if word in PLAIN:
            return Plain(word)
    raise HandError(_usage(word))


def _usage(word: str) -> str:
    lines = [line for line in HELP.splitlines() if word in re.split("[ ,]+", line.partition("  ")[0])]
    return (
        f"{word} goes like this: {lines[0]}" if lines else f"there is no {word!r}; help shows what there is"
    )


def _number(text: str, least: int, most: int, what: str) -> int:
    if not text.isdecimal() or not least <= int(text) <= most:
        raise HandError(f"{text!r} is not {what} from {least} to {most}")
    return int(text)


def _one_of(text: str, allowed: tuple[str, ...]) -> str:
    if text not in allowed:
        raise HandError(f"{text!r} is not {' or '.join(allowed)}")
    return text


def _there(file: Path) -> Path:
    if not file.is_file():
        raise HandError(f"there is no file {file}")
    return file
