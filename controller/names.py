"""When two names are one person's: however they are written, by capitals, blanks or look-alike signs."""

import unicodedata


def folded(name: str) -> str:
    """A name as it is compared: compatible signs made one (NFKC), no capitals, single blanks, nothing unseen."""
    one = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    seen = "".join(sign for sign in one if unicodedata.category(sign) != "Cf")
    return " ".join(seen.split())


def same_person(one: str, other: str) -> bool:
    """Whether both names are one person's."""
    return folded(one) == folded(other)


def two_persons(one: str, other: str) -> bool:
    """Whether these are the names of two persons: neither is missing, and they are not the same."""
    return bool(folded(one)) and bool(folded(other)) and not same_person(one, other)
