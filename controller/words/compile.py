"""Build hook: compile the gettext catalogues (.po, kept) into what gettext reads (.mo, never committed)."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NO_DATE = datetime(2000, 1, 1, tzinfo=UTC)
"""Babel would write the moment of the build: two builds would differ in every catalogue, and so would two images."""


class CompileCatalogues(BuildHookInterface[Any]):
    """Runs for wheels and editable installs alike."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002, hatchling's signature
        """Compile every catalogue beside its source."""
        for source in sorted(Path(self.root, "controller", "words").glob("*/LC_MESSAGES/*.po")):
            with source.open("rb") as po, source.with_suffix(".mo").open("wb") as mo:
                catalogue = read_po(po)
                catalogue.creation_date = NO_DATE
                write_mo(mo, catalogue)
