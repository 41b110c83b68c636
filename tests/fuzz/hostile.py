"""Bytes that parsers have stumbled over elsewhere, and strategies that put them, or damage, into good bytes."""

from typing import Final

from hypothesis import strategies as st

DEEP: Final = 3000
"""Levels of nesting that no reader should follow to the end."""

JSON: Final[tuple[bytes, ...]] = (
    b"null",
    b"true",
    b"-1",
    b"0.5",
    b"1e999",
    b"-0",
    b"NaN",
    b"Infinity",
    b"9223372036854775807",
    b"9223372036854775808",
    b"-9223372036854775809",
    b"18446744073709551616",
    b"9" * 400,
    b"9" * 5000,
    b'""',
    b'"\\u0000"',
    b'"\\ud800"',
    b'"\\udc00\\ud800"',
    b'"\xff\xfe"',
    b'"\xed\xa0\x80"',
    b'"' + b"A" * 4000 + b'"',
    b"{}",
    b"[]",
    b"[" * DEEP,
    b"[" * DEEP + b"]" * DEEP,
    b'{"a":' * DEEP + b"1" + b"}" * DEEP,
    b'{"kind":"x","kind":"y"}',
)
"""Values to stand where another value stood."""

TEXT: Final[tuple[bytes, ...]] = (
    b"\0",
    b"\r",
    b"\r\n",
    b"\x1b[2J",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\xe2\x80\xae",
    b"\xc2\xb2",
    b"\xd9\xa3",
    b"'''",
    b'"""',
    b"[" * DEEP,
    b"a." * DEEP,
    b"{a=" * 300,
    b"9" * 5000,
    b"1e400",
    b"-",
    b"%s%n",
    b"../../../../etc/passwd",
)
"""Pieces of text to stand anywhere."""


def damaged(seeds: tuple[bytes, ...], pieces: tuple[bytes, ...] = TEXT) -> st.SearchStrategy[bytes]:
    """One of `seeds` with up to three cuts, turned bytes and put-in pieces."""

    @st.composite
    def made(draw: st.DrawFn) -> bytes:
        data = draw(st.sampled_from(seeds))
        for _ in range(draw(st.integers(0, 3))):
            start = draw(st.integers(0, len(data)))
            end = min(len(data), start + draw(st.integers(0, 40)))
            piece = draw(st.one_of(st.sampled_from(pieces), st.binary(max_size=8), st.just(b"")))
            data = data[:start] + piece + data[end:]
        return data

    return made()


def revalued(seeds: tuple[bytes, ...]) -> st.SearchStrategy[bytes]:
    """One of some JSON documents with one or two of their values replaced by hostile ones."""

    @st.composite
    def made(draw: st.DrawFn) -> bytes:
        data = draw(st.sampled_from(seeds))
        for _ in range(draw(st.integers(1, 2))):
            places = [at + 1 for at, byte in enumerate(data) if byte in b":,["]
            if not places:
                return data
            start = draw(st.sampled_from(places))
            end = start
            while end < len(data) and data[end] not in b",]}":
                end += 1
            data = data[:start] + draw(st.sampled_from(JSON)) + data[end:]
        return data

    return made()


def any_bytes(
    seeds: tuple[bytes, ...], pieces: tuple[bytes, ...] = TEXT, most: int = 400
) -> st.SearchStrategy[bytes]:
    """Damaged seeds mostly, plain noise sometimes."""
    return st.one_of(damaged(seeds, pieces), revalued(seeds), st.binary(max_size=most))
