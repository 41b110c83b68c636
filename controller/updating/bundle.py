"""A bundle: a new root and boot partition in one file, signed by who made the release.

    one line of JSON: {"update": {"format": "pozo update 1", "version": …, "built": …, "journal": …, "slot_at": …,
                       "boot": PART, "root": PART}, "signature": HEX}
    then both parts, boot first, each packed by xz; PART = {"bytes", "sha256", "packed"}: what it is unpacked

    signature = Ed25519( JSON array [ "pozo update 1", TEXT ] ), TEXT being what stands between `"update":` and
    `,"signature"`, as a JSON string; so the line proves both parts by their digests

The boot partition is that of slot a; its command line names the slot in one letter, at byte `slot_at`.
"""

import hashlib
import io
import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from controller.journal import schema
from controller.signing.key import PrivateKey, genuine

FORMAT: Final = "pozo update 1"

LINE_BYTES_MAX: Final = 4096
PART_BYTES_MAX: Final = 4 << 30
"""No slot of a card is larger."""

CHUNK: Final = 1 << 20

SLOT_MARK: Final = b"pozo.slot=a "

_encode = msgspec.json.Encoder(order="sorted").encode


class UpdateError(RuntimeError):
    """No update was made, or it cannot go on; the text says what is in force and what to do."""


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One partition: its length and SHA-256, and how many bytes it takes packed."""

    bytes: int
    sha256: str
    packed: int


class Update(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a bundle says of itself. `built`: Unix seconds of its source; `journal`: the journal's format it writes."""

    format: str
    version: str
    built: int
    journal: int
    slot_at: int
    boot: Part
    root: Part


class _Signed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    update: msgspec.Raw
    signature: str


class Bundle:
    """An open bundle whose line is proven. `digest` names it, whatever its file is called."""

    def __init__(self, file: BinaryIO, update: Update, digest: str) -> None:
        self.update = update
        self.digest = digest
        self._file = file

    def part(self, part: Part) -> Iterator[bytes]:
        """The next part, unpacked; boot comes before root. Raises `UpdateError` where it is not what was signed."""
        unpack = lzma.LZMADecompressor(memlimit=64 << 20)
        left, count, digest = part.packed, 0, hashlib.sha256()
        try:
            while left and not unpack.eof:
                packed = self._file.read(min(CHUNK, left))
                if not packed:
                    raise UpdateError(f"the bundle ends {left} bytes too early: copy it anew")
                left -= len(packed)
                for chunk in _unpacked(unpack, packed):
                    count += len(chunk)
                    if count > part.bytes:
                        raise UpdateError("a part of the bundle is longer than it says: copy it anew")
                    digest.update(chunk)
                    yield chunk
        except lzma.LZMAError as error:
            raise UpdateError(f"the bundle is damaged ({error}): copy it anew") from error
        if (count, digest.hexdigest()) != (part.bytes, part.sha256):
            raise UpdateError("a part of the bundle is not what was signed: copy it anew")


def _unpacked(unpack: lzma.LZMADecompressor, packed: bytes) -> Iterator[bytes]:
    yield unpack.decompress(packed, CHUNK)
    while not (unpack.needs_input or unpack.eof):
        yield unpack.decompress(b"", CHUNK)


def opened(file: BinaryIO, public: str) -> Bundle:
    """The bundle in `file`, if the key `public` signed it. Raises `UpdateError`."""
    line = file.readline(LINE_BYTES_MAX)
    try:
        signed = msgspec.json.decode(line, type=_Signed)
        body = bytes(signed.update)
        if not genuine(public, _message(body), signed.signature):
            raise UpdateError(
                f"it is not signed with this table's release key, {public}: get it from who made the table's"
            )
        update = msgspec.json.decode(body, type=Update)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise UpdateError(f"it is no update: {error}") from error
    if update.format != FORMAT:
        raise UpdateError(f"it is of format {update.format!r}, this program knows {FORMAT!r}")
    if not all(0 < part.bytes <= PART_BYTES_MAX and part.packed > 0 for part in (update.boot, update.root)):
        raise UpdateError("it says sizes that no slot has")
    if not 0 <= update.slot_at < update.boot.bytes:
        raise UpdateError("it names a place outside of its boot partition")
    return Bundle(file, update, hashlib.sha256(line).hexdigest())


def make(boot: Path, root: Path, version: str, built: int, *, key: PrivateKey, out: BinaryIO) -> Update:
    """Write a bundle of these two partitions. Raises `UpdateError` for a boot partition that names no slot a once."""
    boot_bytes = boot.read_bytes()
    if boot_bytes.count(SLOT_MARK) != 1:
        raise UpdateError(f"{boot} must say {SLOT_MARK.decode().strip()} once, in its command line")
    packed = (_packed(io.BytesIO(boot_bytes)), _packed(root.open("rb")))
    update = Update(
        FORMAT,
        version,
        built,
        schema.VERSION,
        boot_bytes.index(SLOT_MARK) + len(SLOT_MARK) - 2,
        packed[0][0],
        packed[1][0],
    )
    body = _encode(update)
    out.write(_encode(_Signed(msgspec.Raw(body), key.sign(_message(body)))) + b"\n")
    out.writelines(content for _part, content in packed)
    return update


def _packed(file: BinaryIO) -> tuple[Part, bytes]:
    pack, digest, count, content = lzma.LZMACompressor(preset=3), hashlib.sha256(), 0, bytearray()
    with file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
            count += len(chunk)
            content += pack.compress(chunk)
    content += pack.flush()
    return Part(count, digest.hexdigest(), len(content)), bytes(content)


def _message(body: bytes) -> bytes:
    return msgspec.json.encode((FORMAT, body.decode()))
