"""Ten thousand random damages of exported copies: each is named."""

import csv
import io
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.journal import Head, JournalError
from controller.journal.export import Format, lines
from controller.signing.audit import prove
from tests.helpers_signing import PUBLIC, played, rows_of

Damage = Callable[[bytes, random.Random], bytes]


def flip(copy: bytes, draw: random.Random) -> bytes:
    at = draw.randrange(len(copy))
    return copy[:at] + bytes([copy[at] ^ 1 << draw.randrange(8)]) + copy[at + 1 :]


def drop(copy: bytes, draw: random.Random) -> bytes:
    at = draw.randrange(len(copy))
    return copy[:at] + copy[at + draw.choice([1, 1, 2, 50, 2000]) :]


def insert(copy: bytes, draw: random.Random) -> bytes:
    at = draw.randrange(len(copy))
    return copy[:at] + draw.choice([b" ", b"0", b'"', b"\n", b"\r\n", b"\x00", b",", b"\xc3"]) + copy[at:]


def digit(copy: bytes, draw: random.Random) -> bytes:
    at = draw.choice([place for place, byte in enumerate(copy) if byte in b"0123456789"])
    return copy[:at] + str(draw.randrange(10)).encode() + copy[at + 1 :]


def on_lines(change: Callable[[list[bytes], random.Random], None]) -> Damage:
    def damage(copy: bytes, draw: random.Random) -> bytes:
        parts = copy.splitlines(keepends=True)
        change(parts, draw)
        return b"".join(parts)

    damage.__name__ = change.__name__
    return damage


def lose_line(parts: list[bytes], draw: random.Random) -> None:
    del parts[draw.randrange(len(parts))]


def double_line(parts: list[bytes], draw: random.Random) -> None:
    at = draw.randrange(len(parts))
    parts.insert(draw.randrange(len(parts)), parts[at])


def swap_lines(parts: list[bytes], draw: random.Random) -> None:
    one, other = draw.sample(range(len(parts)), 2)
    parts[one], parts[other] = parts[other], parts[one]


def cut_lines(parts: list[bytes], draw: random.Random) -> None:
    del parts[draw.randrange(len(parts)) :]


DAMAGES: tuple[Damage, ...] = (
    flip,
    drop,
    insert,
    digit,
    *(on_lines(change) for change in (lose_line, double_line, swap_lines, cut_lines)),
)


@pytest.mark.slow
@pytest.mark.parametrize("form", Format)
def test_five_thousand_random_damages_of_a_copy_are_all_named(tmp_path: Path, form: Format) -> None:
    journal = played(tmp_path)
    right = rows_of(journal)
    copy = "".join(lines(right, form)).encode()
    paper = (Head(len(right), right[-1][-1]),)
    file = tmp_path / "copy"
    draw = random.Random(f"{form} 2026")
    real: Counter[str] = Counter()
    missed = []
    while real.total() < 5_000:
        damage = draw.choice(DAMAGES)
        damaged = damage(copy, draw)
        if same(damaged, copy, form):
            continue
        real[damage.__name__] += 1
        file.write_bytes(damaged)
        if not is_named(file, paper):
            missed.append((damage.__name__, damaged))
    assert missed == []
    assert len(real) == len(DAMAGES)
    assert min(real.values()) > 300


def same(damaged: bytes, copy: bytes, form: Format) -> bool:
    """Whether it still says the same: every byte of JSON lines, every field of CSV, as Python's own reader has them."""
    if form is Format.JSONL or damaged == copy:
        return damaged == copy
    fields = [
        list(csv.reader(io.StringIO(each.decode(errors="surrogateescape"), newline="")))
        for each in (damaged, copy)
    ]
    return fields[0] == fields[1]


def is_named(file: Path, paper: tuple[Head, ...]) -> bool:
    try:
        return prove(file, paper, (PUBLIC,)).bad is not None
    except JournalError:
        return True
