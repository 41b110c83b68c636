"""Reads a file a person edited, on whatever computer, into text: or says what the editor did to it."""

import codecs
import os
import stat
import unicodedata
from datetime import UTC, datetime
from pathlib import Path

from controller.config import nearby
from controller.config.problems import ConfigError

BYTES_MAX = 64 * 1024
"""A table's file has a few kilobytes; anything larger was put there by mistake."""

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def read(path: Path) -> tuple[bytes, datetime]:
    """The bytes of `path` and when they were changed.

    Raises `ConfigError` if it is no readable file, is empty or is above 64 KiB.
    """
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            raise _error(path, f"is {_nature(mode)}: name a file, such as table.toml")
        with path.open("rb") as file:
            changed = datetime.fromtimestamp(os.fstat(file.fileno()).st_mtime, tz=UTC)
            data = file.read(BYTES_MAX + 1)
    except FileNotFoundError:
        raise _error(path, f"there is no such file; {_missing_hint(path)}") from None
    except PermissionError:
        raise _error(path, "may not be read by this user: check owner and mode of file and folder") from None
    except OSError as error:
        why = error.strerror or str(error)
        raise _error(path, f"cannot be read ({why}): check the path and the disk") from error
    if len(data) > BYTES_MAX:
        raise _error(path, f"is larger than {BYTES_MAX} bytes: this is not a table's file")
    if not data.strip():
        raise _error(path, "is empty: copy the shipped one and fill it in")
    return data, changed


def decode(data: bytes, path: Path) -> tuple[str, tuple[str, ...]]:
    """Turn the bytes of `path` into text and notices.

    One UTF-8 byte order mark in front is harmless and left out with a notice. UTF-16, UTF-32, other eight-bit
    code pages and CR-only line ends raise `ConfigError`: guessing could garble a table's name.
    """
    if data.startswith(_UTF16) or b"\0" in data:
        raise _error(path, 'is UTF-16 or UTF-32 ("Unicode" in Notepad): save as UTF-8')
    notices: tuple[str, ...] = ()
    if data.startswith(codecs.BOM_UTF8):
        data = data.removeprefix(codecs.BOM_UTF8)
        notices = (f"{path}: begins with U+FEFF (byte order mark), put there by an editor; it was left out",)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _error(path, _foreign_byte(data, error.start), data.count(b"\n", 0, error.start) + 1) from None
    _refuse_bare_cr(text, path)
    return text, notices


def _nature(mode: int) -> str:
    return "a directory" if stat.S_ISDIR(mode) else "no regular file"


def _missing_hint(path: Path) -> str:
    near = ", ".join(nearby.near_misses(path))
    return f"found {near}, expected {path.name}: rename it" if near else "check the name and the folder"


def _foreign_byte(data: bytes, at: int) -> str:
    column = at - max(data.rfind(b"\n", 0, at), data.rfind(b"\r", 0, at))
    letter = data[at : at + 1].decode("cp1252", errors="replace")
    known = f" ({unicodedata.name(letter)} in Windows-1252)" if letter.isalpha() else ""
    return f"byte 0x{data[at]:02X}{known} in column {column} is not UTF-8: save as UTF-8"


def _refuse_bare_cr(text: str, path: Path) -> None:
    plain = text.replace("\r\n", "\n")
    bare = plain.find("\r")
    if bare >= 0:
        line = plain.count("\n", 0, bare) + 1
        raise _error(path, "ends with CR alone (old Mac line end): save with LF or CRLF line ends", line)


def _error(path: Path, what: str, line: int | None = None) -> ConfigError:
    where = f"{path}" if line is None else f"{path}, line {line}"
    return ConfigError((f"{where}: {what}",))
