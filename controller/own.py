"""Proves that the program which runs is the signed release, before it touches a pin or writes a record; once a process.

It knows where a table's file says the list and the key are, and nothing of what a list holds.
"""

from functools import cache
from pathlib import Path

from controller.config import Settings
from controller.signing.key import read_public
from controller.signing.manifest import prove_own


def prove_program(settings: Settings) -> None:
    """Prove the program where the table's file names a list; a simulated table need not name one.

    Raises `ManifestError` and `KeyProblemError`, each time anew.
    """
    if settings.software is not None:
        _once(settings.software.manifest, settings.software.key)


@cache
def _once(manifest: Path, key: Path) -> None:
    # The running program is in memory: a second look at the same files would say nothing more of it.
    prove_own(manifest, read_public(key))
