"""Papers: each manual as a PDF, printed by Chromium without a window, as anybody's browser would print it."""

import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from press.manuals import LANGUAGES, SHEETS, Language, Manual, PressError
from press.site import paper, paper_name

PATIENCE_S: Final = 60
_PAGE: Final = re.compile(rb"/Type\s*/Page\b")


def print_all(out: Path) -> dict[str, int]:
    """Print every manual into the folder `out`; each paper's name with its number of pages."""
    out.mkdir(parents=True, exist_ok=True)
    counts = {}
    for language in LANGUAGES.values():
        for manual in Manual:
            name = paper_name(manual, language)
            counts[name] = print_one(manual, language, out / name)
    return counts


def print_one(manual: Manual, language: Language, target: Path) -> int:
    """Print a manual; the number of its pages.

    Raises `PressError` without a Chromium, or where a sheet is not one page.
    """
    browser = shutil.which("chromium")
    if browser is None:
        raise PressError("there is no chromium to print with: apt-get install chromium")
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        page.write_text(paper(manual, language), encoding="utf-8")
        command = (
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--allow-file-access-from-files",
            "--no-pdf-header-footer",
            f"--user-data-dir={folder}/profile",
            f"--print-to-pdf={target}",
            page.as_uri(),
        )
        done = subprocess.run(  # noqa: S603 - every word of the command is ours
            (browser, *command), capture_output=True, timeout=PATIENCE_S, check=False
        )
    if done.returncode != 0 or not target.is_file():
        raise PressError(f"chromium printed no {target}: {done.stderr.decode(errors='replace')[-500:]}")
    count = len(_PAGE.findall(target.read_bytes()))
    if manual in SHEETS and count != 1:
        raise PressError(
            f"{target.name} has {count} pages, a sheet has one: shorten {language.code}/{manual}.md"
        )
    return count
