"""Prints the signed list of a program's files: sign.py SITE VERSION KEY. The files are compiled already."""  # noqa: INP001, a script of the build

import sys
from pathlib import Path

from controller.signing.key import read_private
from controller.signing.manifest import make


def main(site: str, version: str, key: str) -> None:
    """Raise what keeps the list from being made."""
    private = read_private(Path(key))
    if private is None:
        raise FileNotFoundError(key)
    sys.stdout.buffer.write(make(Path(site), version, private))


if __name__ == "__main__":
    main(*sys.argv[1:])
