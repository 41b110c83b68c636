"""Where a table's records go beside its own media: floor, webhook, folder, broker; and what it does without the floor.

It looks at texts only: no name is resolved and nothing is connected to.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from msgspec.structs import replace

from controller.config.conform import Review
from controller.config.places import spelled
from controller.config.schema import Offline, TableFile
from controller.config.settings import Link, Mqtt, Onward, Webhook

SOCKET_BYTES_MAX = 107
"""The longest path of a Unix socket on Linux (unix(7): 108 bytes with the zero at the end)."""

_HERE: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_PORTS: Final = {"mqtt": 1883, "mqtts": 8883}

_PASSWORD = re.compile(r"password\s*=|://[^/@\s]*:[^/@\s]*@", re.IGNORECASE)


def with_policy(table: TableFile, review: Review) -> TableFile:
    """The table's file with `require_host` as `link.offline` says: strict asks for the floor before each round."""
    if table.link is None:
        return table
    strict = table.link.offline is Offline.STRICT
    given = table.policies.require_host
    if given is not None and given is not strict:
        what = (
            f"policies.require_host = {str(given).lower()} says the contrary: "
            f"take that line out, or set offline = {'continue' if strict else 'strict'}"
        )
        review.refuse("link.offline", what, table.link.offline)
    return replace(table, policies=replace(table.policies, require_host=strict))


def onward(table: TableFile, journal: Path, witness: Path, review: Review) -> Onward:
    """Everything a table's records are sent to; `journal` and `witness` are its own places."""
    own = {"journal.path": journal.parent, "witness.path": witness}
    return Onward(
        _link(table, review), _webhook(table, review), _folder(table, own, review), _mqtt(table, review)
    )


def _link(table: TableFile, review: Review) -> Link | None:
    given = table.link
    if given is None:
        return None
    if _PASSWORD.search(given.floor):
        what = "holds a password: a table comes in by its certificate; name a service (service=pozo) or the files"
        review.refuse("link.floor", what)
    socket = spelled("link.socket", given.socket, review)
    if len(str(socket).encode()) > SOCKET_BYTES_MAX:
        what = f"is longer than a socket's path may be ({SOCKET_BYTES_MAX} bytes); take a shorter one"
        review.refuse("link.socket", what, given.socket)
    return Link(given.floor, socket)


def _webhook(table: TableFile, review: Review) -> Webhook | None:
    given = table.webhook
    if given is None:
        return None
    if _PASSWORD.search(given.url):
        review.refuse("webhook.url", "holds a password: each delivery is signed with the table's key instead")
    ca = None if given.ca is None else spelled("webhook.ca", given.ca, review)
    return Webhook(given.url, ca)


def _folder(table: TableFile, own: Mapping[str, Path], review: Review) -> Path | None:
    if table.folder is None:
        return None
    path = spelled("folder.path", table.folder.path, review)
    for key, directory in own.items():
        if path.resolve() == directory.resolve():
            what = f"is the directory of {key}: give it one of its own"
            review.refuse("folder.path", what, table.folder.path)
    return path


def _mqtt(table: TableFile, review: Review) -> Mqtt | None:
    given = table.mqtt
    if given is None:
        return None
    if _PASSWORD.search(given.url):
        review.refuse("mqtt.url", "holds a password: the table shows its certificate instead")
        return None
    host, port, scheme = _broker(given.url)
    if not host or port is None:
        review.refuse("mqtt.url", "must be mqtts://HOST or mqtts://HOST:PORT, and no more", given.url)
    elif scheme == "mqtt" and host not in _HERE:
        review.refuse(
            "mqtt.url", "would cross a network unprotected: mqtt:// is for this machine only", given.url
        )
    if given.key is not None and given.certificate is None:
        review.refuse("mqtt.key", "is of no certificate: add mqtt.certificate")
    files = {
        name: None if path is None else spelled(f"mqtt.{name}", path, review)
        for name, path in (("ca", given.ca), ("certificate", given.certificate), ("key", given.key))
    }
    return Mqtt(
        host, port or 0, scheme == "mqtts", given.prefix, files["ca"], files["certificate"], files["key"]
    )


def _broker(url: str) -> tuple[str, int | None, str]:
    """Host, port and scheme of an address that is nothing more; without a port where it is none."""
    try:
        parts = urlsplit(url)
        port = parts.port or _PORTS[parts.scheme]
    except ValueError:
        return "", None, ""
    plain = not (parts.path or parts.query or parts.fragment or "@" in parts.netloc)
    return parts.hostname or "", port if plain else None, parts.scheme
