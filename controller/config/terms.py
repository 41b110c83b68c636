"""What both keys agree to beside the pot's rules and the board: the rest of the game, and whom a table obeys.

It is what reports are bounded by, what is played beside the pot, the floor that is heard, and what the program is
proven by. Free are places a technician moves media to: journal, witness, sockets, and where copies of records go.
"""

import hashlib

import msgspec

from controller.config.settings import Settings


def terms_written(settings: Settings) -> str:
    """The terms as JSON, by the keys of the table's file; a section that the file does not have is not there."""
    terms: dict[str, object] = {
        "table": {
            "name": settings.name,
            "timezone": settings.timezone,
            "day_starts_at": settings.day_starts_at,
        },
    }
    for name, part in (("base", settings.base), ("circle", settings.circle)):
        if part is not None:
            terms[name] = msgspec.to_builtins(part)
    software = settings.software
    if software is not None:
        terms["software"] = {"manifest": str(software.manifest), "key": str(software.key)}
    link = settings.onward.link
    if link is not None:
        terms["link"] = {"floor": link.floor}
    return msgspec.json.encode(terms, order="deterministic").decode()


def terms_digest(settings: Settings) -> str:
    """SHA-256 of the terms as written, 32 hex digits, as that of the board."""
    return hashlib.sha256(terms_written(settings).encode()).hexdigest()[:32]
