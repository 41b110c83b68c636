"""The site: every manual in both languages, the reference pages they lead to, and a first page."""

import shutil
from collections.abc import Iterator
from html import escape
from os.path import relpath
from pathlib import Path

from press.manuals import LANGUAGES, ROOT, SHEETS, Language, Manual, source
from press.pages import PAPER, SITE, Page, render

STYLE = Path(__file__).parent / "style.css"


def paper_name(manual: Manual, language: Language) -> str:
    """The name of a manual's PDF."""
    return f"pozo-{manual}-{language.code}.pdf"


def build(out: Path) -> None:
    """Write the site into the folder `out`. Raises `PressError` where a page cannot be made."""
    for language in LANGUAGES.values():
        for manual in Manual:
            page = source(manual, language.code)
            _write(out, page, render(page, language, SITE), language, manual)
    for page in reference():
        _write(out, page, render(page, LANGUAGES["en"], SITE), LANGUAGES["en"], None)
    (out / "index.html").write_text(_first_page(), encoding="utf-8")
    shutil.copyfile(STYLE, out / "style.css")


def reference() -> list[Path]:
    """The pages that are no manual: for whoever wants to know more."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def paper(manual: Manual, language: Language) -> str:
    """A manual as one HTML document to be printed from anywhere: its own style, pictures by their absolute places."""
    page = render(source(manual, language.code), language, PAPER)
    inside = _main(page, language, manual)
    style = f"<style>{STYLE.read_text(encoding='utf-8')}</style>"
    return _document(page, language, _kind(manual), style, inside)


def _write(out: Path, path: Path, page: Page, language: Language, manual: Manual | None) -> None:
    there = (out / path.relative_to(ROOT)).with_suffix(".html")
    there.parent.mkdir(parents=True, exist_ok=True)
    for picture in page.pictures:
        copy = out / picture.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(picture, copy)
    up = relpath(out, there.parent)
    inside = _bar(up, language, manual) + _main(page, language, manual)
    head = f'<link rel="stylesheet" href="{up}/style.css">'
    there.write_text(_document(page, language, _kind(manual), head, inside), encoding="utf-8")


def _kind(manual: Manual | None) -> str:
    return "sheet" if manual in SHEETS else "book"


def _document(page: Page, language: Language, kind: str, head: str, inside: str) -> str:
    title = escape(page.title)
    return (
        f'<!DOCTYPE html>\n<html lang="{language.code}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{title} · Pozo</title>\n'
        f'{head}\n</head>\n<body class="{kind}">\n{inside}\n</body>\n</html>\n'
    )


def _main(page: Page, language: Language, manual: Manual | None) -> str:
    """The page, with its contents behind its title where it is longer than a sheet."""
    head, end, rest = page.body.partition("</h1>")
    contents = "" if manual in SHEETS else _contents(page, language)
    return f"<main>{head}{end}{contents}{rest}</main>"


def _contents(page: Page, language: Language) -> str:
    items = "".join(f'<li><a href="#{anchor}">{escape(words)}</a></li>' for words, anchor in page.contents)
    return f'<nav class="contents"><h2>{language.contents}</h2><ol>{items}</ol></nav>' if items else ""


def _bar(up: str, language: Language, manual: Manual | None) -> str:
    links = [f'<a href="{up}/index.html">Pozo</a>']
    for each, named in language.manuals.items():
        here = ' aria-current="page"' if each is manual else ""
        links.append(f'<a href="{up}/docs/manual/{language.code}/{each}.html"{here}>{named}</a>')
    if manual is not None:
        other = LANGUAGES[language.other]
        links.append(
            f'<a class="far" href="../{other.code}/{manual}.html" lang="{other.code}">{other.named}</a>'
        )
        links.append(f'<a href="{up}/pdf/{paper_name(manual, language)}">{language.paper}</a>')
    return f'<nav class="bar">{" ".join(links)}</nav>\n'


def _first_page() -> str:
    listed = "".join(_list(language) for language in LANGUAGES.values())
    links = "".join(
        f'<li><a href="{page.relative_to(ROOT).with_suffix(".html").as_posix()}">{page.stem}</a></li>'
        for page in reference()
    )
    more = f"<h2>{LANGUAGES['en'].reference}</h2><ul class='shelf'>{links}</ul>"
    inside = f'<main><h1>Pozo</h1><div class="shelves">{listed}</div>{more}</main>'
    head = '<link rel="stylesheet" href="style.css">'
    return _document(Page("Manuales / manuals", "", (), ()), LANGUAGES["es"], "book", head, inside)


def _list(language: Language) -> str:
    return f'<section lang="{language.code}"><h2>{language.named}</h2><ul>{"".join(_items(language))}</ul></section>'


def _items(language: Language) -> Iterator[str]:
    for manual, named in language.manuals.items():
        page = f"docs/manual/{language.code}/{manual}.html"
        yield (
            f'<li><a href="{page}">{named}</a> · '
            f'<a href="pdf/{paper_name(manual, language)}">{language.paper}</a></li>'
        )
