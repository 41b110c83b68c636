"""The bytes of an Alpha (BetaBrite) sign: frames, and the few commands the table needs. It knows no port.

A frame is NULs, SOH, type and address, STX, command, ETX, checksum, EOT. Source: the maker's openly documented
protocol; the three frames of the platform notes are tests.
"""

import unicodedata

NUL, SOH, STX, ETX, EOT = b"\x00", b"\x01", b"\x02", b"\x03", b"\x04"
RESYNC = EOT + NUL * 10
"""Ends a frame that was cut off, and lets the sign find its speed; first after every opening (F079)."""
ALL_SIGNS = b"Z00"
TEXT_FILE, STRING_FILE = b"A", b"1"
TEXT_BYTES, STRING_BYTES = 64, 125
"""What is allocated for each file; 125 is the most a string file may have."""
HOLD = b"\x1b&b"
CALL_STRING = b"\x10"
PREAMBLE = NUL * 5
UNKNOWN = "?"


def frame(command: bytes) -> bytes:
    """Put a command into a frame for all signs."""
    body = STX + command + ETX
    checksum = b"%04X" % (sum(body) % 0x10000)
    return PREAMBLE + SOH + ALL_SIGNS + body + checksum + EOT


def allocate(text_bytes: int = TEXT_BYTES, string_bytes: int = STRING_BYTES) -> bytes:
    """Give one text and one string their room. It wears the sign's memory: once, not with every value."""
    text = TEXT_FILE + b"AU%04XFFFF" % text_bytes
    string = STRING_FILE + b"BU%04X0000" % string_bytes
    return frame(b"E$" + text + string)


def show_string(label: str) -> bytes:
    """Make the sign show `label` and the string after it, standing still."""
    return frame(b"A" + TEXT_FILE + HOLD + plain(label).encode("ascii") + CALL_STRING + STRING_FILE)


def set_string(text: str) -> bytes:
    """Change what the string says, and nothing else. `text` is one of `parts`."""
    return frame(b"G" + STRING_FILE + text.encode("ascii"))


def plain(text: str) -> str:
    """The text in characters every sign has: printable ASCII.

    Letters lose their accents, the marks that open a question or a call go, every space is a plain one, and what
    is left is a question mark: it can be seen that something is missing (F149).
    """
    folded = []
    for character in text:
        if character in "¡¿":
            continue
        if character.isspace() or unicodedata.category(character) == "Zs":
            folded.append(" ")
            continue
        letters = [
            part for part in unicodedata.normalize("NFKD", character) if not unicodedata.combining(part)
        ]
        folded += [part if part.isascii() and part.isprintable() else UNKNOWN for part in letters]
    return "".join(folded)


def parts(text: str, most: int = STRING_BYTES) -> tuple[str, ...]:
    """The text in the sign's characters, in pieces of at most `most` of them to be shown in turn; usually one.

    It is parted at its dashes, and where that does not do, cut at a space: half an amount would be a wrong one.
    """
    found = [""]
    for piece in plain(text).split(" - "):
        joined = f"{found[-1]} - {piece}" if found[-1] else piece
        if len(joined) <= most:
            found[-1] = joined
        else:
            found += [""] if found[-1] else []
            found[-1] = piece if len(piece) <= most else piece[: most + 1].rpartition(" ")[0]
    return tuple(found)
