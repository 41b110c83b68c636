"""Which manuals there are, in which languages, and what else stands on their pages in each language."""

from enum import StrEnum
from pathlib import Path
from typing import Final

import msgspec

ROOT: Final = Path(__file__).parent.parent
PAGES: Final = ROOT / "docs" / "manual"


class PressError(Exception):
    """A page that cannot be made: which one, what is wrong with it, and what to write instead."""


class Manual(StrEnum):
    """Each manual, by the name of its file."""

    CROUPIER = "croupier"
    SUPERVISOR = "supervisor"
    TECHNICIAN = "technician"
    AUDITOR = "auditor"
    IT = "it"


SHEETS: Final = frozenset({Manual.CROUPIER, Manual.SUPERVISOR})
"""Those that are one A4 page, to be laid beside the table."""


class Language(msgspec.Struct, frozen=True):
    """The fixed words of the pages in one language."""

    code: str
    named: str
    other: str
    manuals: dict[Manual, str]
    paper: str
    contents: str
    reference: str
    shown: str
    effect: str
    action: str
    key: str
    shipped: str
    meaning: str
    warning: str
    seat: str
    table: str
    by_itself: str
    by_technician: str
    by_reopening: str
    by_other_key: str
    by_both_keys: str
    by_anyone: str


SPANISH: Final = Language(
    code="es",
    named="Español",
    other="en",
    manuals={
        Manual.CROUPIER: "Croupier",
        Manual.SUPERVISOR: "Jefe de mesa",
        Manual.TECHNICIAN: "Técnico",
        Manual.AUDITOR: "Auditor",
        Manual.IT: "Sistemas",
    },
    paper="PDF",
    contents="Contenido",
    reference="Documentación de referencia (en inglés)",
    shown="en la pantalla",
    effect="efecto",
    action="qué hacer",
    key="clave",
    shipped="en el archivo",
    meaning="qué es",
    warning="aviso: se sigue jugando",
    seat="cierra ese asiento",
    table="ranuras cerradas, no se juega",
    by_itself="se borra sola cuando pasa la causa",
    by_technician="la borra la llave del técnico",
    by_reopening="el jefe de mesa reabre el asiento",
    by_other_key="la borra quien tiene la otra llave",
    by_both_keys="la borran las dos llaves",
    by_anyone="se borra desde el menú",
)
ENGLISH: Final = Language(
    code="en",
    named="English",
    other="es",
    manuals={
        Manual.CROUPIER: "Croupier",
        Manual.SUPERVISOR: "Supervisor",
        Manual.TECHNICIAN: "Technician",
        Manual.AUDITOR: "Auditor",
        Manual.IT: "IT",
    },
    paper="PDF",
    contents="Contents",
    reference="Reference documentation",
    shown="on the screen",
    effect="effect",
    action="what to do",
    key="key",
    shipped="in the file",
    meaning="what it is",
    warning="warning: play goes on",
    seat="closes that seat",
    table="slots locked, no play",
    by_itself="clears by itself when its cause is gone",
    by_technician="cleared with the technician's key",
    by_reopening="the supervisor re-opens the seat",
    by_other_key="cleared by the holder of the other key",
    by_both_keys="cleared with both keys",
    by_anyone="cleared from the menu",
)
LANGUAGES: Final = {"es": SPANISH, "en": ENGLISH}
"""By their code; Spanish first."""


def source(manual: Manual, language: str) -> Path:
    """The page as it is written."""
    return PAGES / language / f"{manual}.md"
