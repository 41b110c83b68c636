"""The signed list of the program's own files: made when a release is built, proven before a table plays.

    {"manifest": {"format": "pozo manifest 1", "version": …, "files": {NAME: SHA-256, …}}, "signature": HEX}

    signature = Ed25519( JSON array [ "pozo manifest 1", TEXT ] ), TEXT being what stands between `"manifest":` and
    `,"signature"`, to the letter, as a JSON string; the array is written without blanks, in UTF-8

Every file of the packages `hal` and `controller` and of the shipped configuration is in it, whatever its kind. A
compiled file counts like any other: Python runs a `.pyc` in place of its source and asks only whether it says to belong
to it, so one that the release did not have is refused, not ignored. A name is never opened because the list has it: the
program looks at what is there and compares.

What checks itself can be changed so as to say yes. This finds files that broke, were edited or left over, and a release
put together wrongly; against somebody who can write the program's folder, look at the card from another machine with
`pozo manifest verify --root`.
"""

import hashlib
import os
import stat
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Final

import msgspec

from controller.signing.key import PrivateKey, genuine

FORMAT: Final = "pozo manifest 1"

FILES_MAX: Final = 10_000
"""Files that are looked at: twenty times a release. More of them are somebody's, and the release is refused."""

FILE_BYTES_MAX: Final = 64 << 20
MANIFEST_BYTES_MAX: Final = 4 << 20
NAMED_MAX: Final = 10
"""Files that an error names one by one, of each kind; it says how many more there are."""

_encode = msgspec.json.Encoder(order="sorted").encode


class ManifestError(RuntimeError):
    """The files are not those of the signed release, or the list cannot be trusted; it says which, and what to do."""


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a release consists of: each file's name, with forward slashes, and its SHA-256 in hexadecimal."""

    format: str
    version: str
    files: dict[str, str]


class _Signed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    manifest: msgspec.Raw
    signature: str


class Difference(msgspec.Struct, frozen=True):
    """How what is there differs from the list; nothing, if it does not. `odd`: links, devices and the like."""

    changed: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    odd: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.changed or self.missing or self.extra or self.odd)

    def __str__(self) -> str:
        kinds = (
            ("changed", self.changed),
            ("missing", self.missing),
            ("not of the release", self.extra),
            ("no plain file", self.odd),
        )
        return "; ".join(f"{what}: {_named(names)}" for what, names in kinds if names)


def roots(site: Path) -> dict[str, Path]:
    """The program's folders by the name they have in a list; `site` is where `hal` and `controller` lie.

    The shipped configuration is inside `controller` in an installed program, beside it in a checkout.
    """
    installed = site / "controller" / "shipped"
    config = installed if installed.is_dir() else site / "config"
    return {"hal": site / "hal", "controller": site / "controller", "config": config}


def own_site() -> Path:
    """Where the running program's packages lie, links in the way to it spelled out."""
    return Path(__file__).resolve().parents[2]


def make(site: Path, version: str, key: PrivateKey) -> bytes:
    """The signed list of what lies in `site` now. Raises `ManifestError` for what is no plain file."""
    found, odd = _found(roots(site))
    if odd:
        raise ManifestError(f"a release consists of plain files: {_named(odd)} is none")
    body = _encode(Manifest(FORMAT, version, dict(found)))
    return _encode(_Signed(msgspec.Raw(body), key.sign(_message(body)))) + b"\n"


def prove(file: Path, public: str, site: Path) -> Manifest:
    """The list in `file`, if the key `public` signed it and it is what lies in `site`, no file more and none less.

    Raises `ManifestError` with what differs.
    """
    listed = read(file, public)
    found, odd = _found(roots(site))
    apart = Difference(
        changed=tuple(name for name in sorted(found) if listed.files.get(name, found[name]) != found[name]),
        missing=tuple(sorted(listed.files.keys() - found.keys() - set(odd))),
        extra=tuple(sorted(found.keys() - listed.files.keys())),
        odd=tuple(odd),
    )
    if apart:
        raise ManifestError(
            f"{site} does not hold the program that was signed as {listed.version} in {file}: {apart}. Nothing of the "
            "table was touched. Install that release again, it leaves the journal alone; if this comes back, call the "
            "technician"
        )
    return listed


def prove_own(file: Path, public: str) -> Manifest:
    """As `prove`, of the program that runs: also that no module of ours was loaded from anywhere else.

    Python can be told to keep compiled files in another place (`PYTHONPYCACHEPREFIX`), and runs what it finds there.
    """
    site = own_site()
    if sys.pycache_prefix is not None:
        raise ManifestError(
            f"Python takes compiled files from {sys.pycache_prefix}, which no list covers. Nothing of the table was "
            "touched. Take PYTHONPYCACHEPREFIX and -X pycache_prefix away, and start again"
        )
    listed = prove(file, public, site)
    strangers = tuple(
        f"{name} ({path})"
        for name, module in sorted(sys.modules.items())
        if name.partition(".")[0] in {"hal", "controller"}
        for path in _loaded_from(module)
        if not Path(path).resolve().is_relative_to(site)
    )
    if strangers:
        raise ManifestError(
            f"modules were loaded from outside {site}: {_named(strangers)}. Nothing of the table was touched. Take "
            "PYTHONPATH and the like away, and start again"
        )
    return listed


def _loaded_from(module: ModuleType) -> tuple[str, ...]:
    """The files and folders that a module says to come from: source, compiled file, and where its parts are."""
    named = (getattr(module, "__file__", None), getattr(module, "__cached__", None))
    parts = tuple(str(path) for path in getattr(module, "__path__", ()))
    return (*(str(path) for path in named if path is not None), *parts)


def read(file: Path, public: str) -> Manifest:
    """The list in `file`, its signature checked. Raises `ManifestError`."""
    try:
        with file.open("rb") as opened:
            content = opened.read(MANIFEST_BYTES_MAX + 1)
    except OSError as error:
        raise ManifestError(
            f"the signed list of the program's files, {file}, cannot be read: {error.strerror}; install the release "
            "again"
        ) from error
    try:
        signed = msgspec.json.decode(content[:MANIFEST_BYTES_MAX], type=_Signed)
        body = bytes(signed.manifest)
        if not genuine(public, _message(body), signed.signature):
            raise ManifestError(
                f"{file} is not signed with the key {public}: install the release again, or give the key it was made "
                "with"
            )
        listed = msgspec.json.decode(body, type=Manifest)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise ManifestError(f"{file} is no signed list of a program's files: {error}") from error
    if listed.format != FORMAT:
        raise ManifestError(f"{file} is of format {listed.format!r}, this program knows {FORMAT!r}")
    return listed


def _message(body: bytes) -> bytes:
    return msgspec.json.encode((FORMAT, body.decode()))


def _found(folders: Mapping[str, Path]) -> tuple[dict[str, str], list[str]]:
    """Every file under these folders with its SHA-256, and what is no plain file."""
    found: dict[str, str] = {}
    odd: list[str] = []
    for root, folder in folders.items():
        if folder.is_symlink():
            odd.append(root)
            continue
        others = {path for name, path in folders.items() if name != root}
        for name, entry in _walk(root, folder, others):
            digest = _digest(entry)
            if digest is None:
                odd.append(name)
            else:
                found[name] = digest
            if len(found) + len(odd) > FILES_MAX:
                raise ManifestError(
                    f"{folder} holds more than {FILES_MAX} files: it is no folder of a release"
                )
    return found, sorted(odd)


def _walk(name: str, folder: Path, others: set[Path]) -> Iterator[tuple[str, Path]]:
    """All that lies under a folder and is no folder itself, without the other roots; links are not followed."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        raise ManifestError(
            f"{folder} cannot be read: {error.strerror}; install the release again"
        ) from error
    for entry in entries:
        path = folder / entry.name
        if not entry.is_dir(follow_symlinks=False):
            yield f"{name}/{entry.name}", path
        elif path not in others:
            yield from _walk(f"{name}/{entry.name}", path, others)


def _digest(path: Path) -> str | None:
    """The SHA-256 of a plain file; None for anything else, which is not opened."""
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return None
        with open(path, "rb", opener=_opener) as file:
            if os.fstat(file.fileno()).st_size > FILE_BYTES_MAX:
                raise ManifestError(f"{path} is larger than any file of a release")
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ManifestError(f"{path} cannot be read: {error.strerror}; install the release again") from error


def _opener(path: str, flags: int) -> int:
    """Open without following a link that took the file's place meanwhile, and without waiting for a pipe."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)


def _named(names: tuple[str, ...] | list[str]) -> str:
    shown = ", ".join(names[:NAMED_MAX])
    more = len(names) - NAMED_MAX
    return f"{shown} and {more} more" if more > 0 else shown
