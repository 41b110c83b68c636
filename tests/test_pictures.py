"""The pictures and tables in docs are what the program draws and is wired like today."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from PIL import Image, ImageChops

from controller.config import load
from controller.config.pins import HEADER
from controller.core.faults import FaultCode
from tests.helpers_pictures import PICTURES, all_pictures

DOCS = PICTURES.parent.parent
BYTES_MAX = 30_000
CHROMIUM = shutil.which("chromium")


def test_every_picture_is_what_the_program_draws_today() -> None:
    drawn = all_pictures()
    assert {path.name for path in PICTURES.glob("*.png")} == set(drawn)
    for name, image in drawn.items():
        with Image.open(PICTURES / name) as kept:
            difference = ImageChops.difference(kept.convert("RGB"), image.convert("RGB"))
            assert (kept.size, difference.getbbox()) == (image.size, None), name
        assert (PICTURES / name).stat().st_size < BYTES_MAX


def test_the_docs_show_only_pictures_that_exist() -> None:
    for page in ("operator.html", "operator.md", "technician.md"):
        text = (DOCS / page).read_text(encoding="utf-8")
        shown = re.findall(r"pictures/[\w./-]+", text)
        assert shown, page
        assert not [name for name in shown if not (DOCS / name).is_file()], page


def test_F166_the_technicians_wiring_table_is_the_board_files() -> None:
    wiring = load("table").wiring
    text = (DOCS / "technician.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\|[^|]+\| `(\w+)` \| GPIO(\d+) \| (\d+) \|", text, re.MULTILINE)
    pins = [
        *((line.name, line.pin) for line in wiring.inputs),
        *((out.name, out.pin) for out in wiring.outputs),
    ]
    assert rows == [(name, str(pin), str(HEADER[pin])) for name, pin in pins]


def test_the_technicians_guide_knows_every_fault_in_both_languages() -> None:
    spanish, english = (DOCS / "technician.md").read_text(encoding="utf-8").split("# The technician's guide")
    for part in (spanish, english):
        assert not [code for code in FaultCode if f"`{code}`" not in part]


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium here to print with")
def test_the_croupiers_sheet_is_one_page_a_language(tmp_path: Path) -> None:
    assert CHROMIUM is not None
    paper = tmp_path / "sheet.pdf"
    subprocess.run(
        [
            CHROMIUM,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-pdf-header-footer",
            f"--user-data-dir={tmp_path / 'profile'}",
            f"--print-to-pdf={paper}",
            (DOCS / "operator.html").as_uri(),
        ],
        check=True,
        capture_output=True,
        timeout=60,
    )
    assert len(re.findall(rb"/Type\s*/Page\b", paper.read_bytes())) == 2
