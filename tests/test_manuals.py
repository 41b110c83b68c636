"""The manuals say what the program says: every fault, no unknown command, its own words, one page where one is due."""

import re
import shutil
import tomllib
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from controller.core import events as ev
from controller.core.events import Refusal
from controller.core.faults import SEVERITY, Fault, FaultCode, Severity
from controller.core.table.faults import clear_asked
from press.__main__ import press
from press.manuals import ENGLISH, LANGUAGES, SHEETS, Manual, PressError, source
from press.pages import PAPER, SITE, render
from press.paper import print_one
from press.site import build, reference
from press.told import entries, rows
from tests.helpers_game import GAME, opened
from tests.helpers_manuals import commands, said, spoken, wrong
from tests.test_wiring import HEADER_PIN

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("site")
    build(out)
    return out


def page(manual: Manual, language: str) -> str:
    return source(manual, language).read_text(encoding="utf-8")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_technicians_manual_has_every_fault_and_no_other(language: str) -> None:
    written = re.search(r"^```faults\n(.*?)^```", page(Manual.TECHNICIAN, language), re.MULTILINE | re.DOTALL)
    assert written is not None
    assert set(entries(written[1])) == {str(code) for code in FaultCode}
    body = render(source(Manual.TECHNICIAN, language), LANGUAGES[language], SITE).body
    assert set(re.findall(r"<br ?/?><code>(\w+)</code>", body)) == {str(code) for code in FaultCode}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            lambda text: text.replace("loop_late: ", "loop_lately: "),
            "write a line for loop_late; take out loop_lately",
        ),
        (lambda text: text + "rain: an umbrella\n", "take out rain"),
        (lambda text: text + "loop_late: again\n", "each code once"),
        (lambda text: text + "no code here\n", "write `code: what to do`"),
    ],
)
def test_a_fault_without_a_line_and_a_line_without_a_fault_make_no_manual(
    change: Callable[[str], str], says: str
) -> None:
    text = "".join(f"{code}: look\n" for code in FaultCode)
    assert len(rows("faults", text, LANGUAGES["en"])[1]) == len(FaultCode)
    with pytest.raises(PressError, match=re.escape(says)):
        rows("faults", change(text), LANGUAGES["en"])


def test_the_table_of_faults_says_what_the_machine_does() -> None:
    text = "".join(f"{code}: look\n" for code in FaultCode)
    found = {row[0].split("`")[1]: row for row in rows("faults", text, LANGUAGES["es"])[1]}
    assert found["storage_failed"] == (
        "*HUBO REGISTROS SIN GUARDAR, LLAME AL TÉCNICO*<br>`storage_failed`",
        "ranuras cerradas, no se juega; la borra la llave del técnico",
        "look",
    )
    effects = {code: row[1] for code, row in found.items()}
    assert effects["witness_lost"] == "ranuras cerradas, no se juega; se borra sola cuando pasa la causa"
    assert effects["seat_jammed"] == "cierra ese asiento; el jefe de mesa reabre el asiento"
    assert effects["clock_doubted"] == "aviso: se sigue jugando; la borra la llave del técnico"
    assert effects["pin_locked"] == "aviso: se sigue jugando; la borra quien tiene la otra llave"
    assert effects["loop_late"] == "aviso: se sigue jugando; se borra desde el menú"


WHO_CLEARS = {
    Refusal.FAULT_PERSISTS: ENGLISH.by_itself,
    Refusal.REOPEN_SEAT: ENGLISH.by_reopening,
    Refusal.TECHNICIAN_KEY: ENGLISH.by_technician,
    Refusal.BOTH_KEYS: ENGLISH.by_both_keys,
    Refusal.OTHER_KEY_HOLDER: ENGLISH.by_other_key,
    None: ENGLISH.by_anyone,
}
"""What a table without a key answers to whoever would clear a fault, and what the manual says of such a fault."""


@pytest.mark.parametrize("code", FaultCode)
def test_how_a_fault_ends_is_as_the_table_has_it(code: FaultCode) -> None:
    seat = 3 if SEVERITY[code] is Severity.SEAT else 0
    table = replace(opened(), faults=(Fault(code, seat),))
    text = "".join(f"{each}: look\n" for each in FaultCode)
    told = next(row[1] for row in rows("faults", text, ENGLISH)[1] if f"`{code}`" in row[0])
    answer = clear_asked(GAME, table, ev.FaultClearAsked(9, code))[0].refusal
    assert told.partition("; ")[2] == WHO_CLEARS[answer]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_technicians_manual_explains_every_key_of_the_tables_file(language: str) -> None:
    shipped = tomllib.loads((ROOT / "config" / "table.toml").read_text(encoding="utf-8"))
    keys = {"game", "board", *(f"{part}.{key}" for part in ("table", "wager") for key in shipped[part])}
    body = render(source(Manual.TECHNICIAN, language), LANGUAGES[language], SITE).body
    assert not [key for key in keys if f"<td><code>{key}</code></td>" not in body]
    assert "<td><code>500_000</code></td>" in body


@pytest.mark.parametrize("language", LANGUAGES)
def test_F166_the_technicians_manual_shows_every_pin_of_the_board_file(language: str) -> None:
    body = render(source(Manual.TECHNICIAN, language), LANGUAGES[language], PAPER).body
    drawn = re.findall(r'<g data-pin="(\d+)" data-line="(\w+)">', body)
    assert {name: int(pin) for pin, name in drawn} == HEADER_PIN


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("manual", Manual)
def test_no_manual_names_a_command_or_option_that_there_is_not(manual: Manual, language: str) -> None:
    named = commands(source(manual, language))
    assert named or manual is Manual.CROUPIER
    assert not [problem for command in sorted(named) if (problem := wrong(command))]


def test_a_false_command_is_found() -> None:
    assert wrong("pozo journal verify copy.db --key KEY") == ""
    assert "there is no 'jurnal'" in wrong("pozo jurnal verify")
    assert "there is no 'prove'" in wrong("pozo journal prove")
    assert "there is no --keys" in wrong("pozo journal verify copy.db --keys KEY")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("manual", Manual)
def test_what_a_manual_quotes_of_the_machine_is_what_the_machine_says(manual: Manual, language: str) -> None:
    patterns = spoken(language)
    quoted = said(manual, language)
    assert not [words for words in quoted if not any(pattern.fullmatch(words) for pattern in patterns)]


def test_both_languages_have_the_same_parts_and_commands() -> None:
    for manual in Manual:
        spanish, english = (
            render(source(manual, code), language, SITE) for code, language in LANGUAGES.items()
        )
        assert len(spanish.contents) == len(english.contents), manual
        assert [path.name.replace("-es", "-en") for path in spanish.pictures] == [
            path.name for path in english.pictures
        ], manual
        assert len(commands(source(manual, "es"))) == len(commands(source(manual, "en"))), manual


class Links(HTMLParser):
    """Where a page leads, and the places in it."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.targets: set[str] = set()
        self.ids: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value and ((tag, name) in (("a", "href"), ("link", "href"), ("img", "src"))):
                self.targets.add(value)
            elif value and name == "id":
                self.ids.add(value)


def test_every_link_and_picture_of_the_site_leads_somewhere(site: Path) -> None:
    pages = {path: Links(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    assert len(pages) == 2 * len(Manual) + len(reference()) + 1
    for path, links in pages.items():
        for target in links.targets:
            name, _, anchor = target.partition("#")
            there = (path.parent / name).resolve() if name else path
            if re.match(r"https?:", target) or "pdf" in Path(name).parts:
                continue
            assert there.is_file(), f"{path.relative_to(site)}: {target}"
            assert not anchor or anchor in pages[there].ids, f"{path.relative_to(site)}: {target}"


def test_a_link_that_leads_nowhere_makes_no_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("press.pages.ROOT", tmp_path)
    written = tmp_path / "page.md"
    for text, says in (
        ("[x](other.md)", "leads nowhere"),
        ("![x](none.png)", "leads nowhere"),
        ("# Here\n\n[x](#there)", "leads to no heading"),
        ("[x](../../etc/passwd)", "leads nowhere"),
        ("```faults\n```", "write a line for"),
    ):
        written.write_text(text, encoding="utf-8")
        with pytest.raises(PressError, match=says):
            render(written, LANGUAGES["en"], SITE)


@pytest.mark.skipif(shutil.which("chromium") is None, reason="no chromium here to print with")
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("manual", sorted(SHEETS))
def test_a_sheet_is_one_page(manual: Manual, language: str, tmp_path: Path) -> None:
    assert print_one(manual, LANGUAGES[language], tmp_path / "sheet.pdf") == 1


@pytest.mark.skipif(shutil.which("chromium") is None, reason="no chromium here to print with")
def test_a_longer_manual_is_printed_whole_and_knows_no_place_of_this_machine(tmp_path: Path) -> None:
    paper = tmp_path / "it.pdf"
    assert print_one(Manual.IT, LANGUAGES["es"], paper) > 1
    assert b"file://" not in paper.read_bytes()


def test_a_sheet_that_grew_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("chromium") is None:
        pytest.skip("no chromium here to print with")
    monkeypatch.setattr("press.paper.SHEETS", frozenset({Manual.AUDITOR}))
    with pytest.raises(PressError, match=r"a sheet has one: shorten en/auditor\.md"):
        print_one(Manual.AUDITOR, LANGUAGES["en"], tmp_path / "long.pdf")


def test_the_command_makes_a_site_in_a_new_folder_only(tmp_path: Path) -> None:
    done = CliRunner().invoke(press, [str(tmp_path / "out"), "--no-pdf"])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "out" / "index.html").is_file()
    again = CliRunner().invoke(press, [str(tmp_path / "out"), "--no-pdf"])
    assert again.exit_code == 1
    assert "name a new folder" in again.output
