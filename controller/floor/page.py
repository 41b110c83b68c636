"""A report for people and for programs: one self-contained HTML page, or CSV with a figure a line.

Some of it was written by tables' logins. No letter of it is a command to a terminal or turns others around, and no cell
of the CSV is a formula to a spreadsheet.
"""

import csv
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from html import escape
from io import StringIO
from typing import Final
from zoneinfo import ZoneInfo

from controller.core.money import Currency, plain
from controller.floor.figures import Figures, TableFigures
from controller.floor.labels import label
from controller.odds.written import decimal
from controller.slips.document import printable

_MONEY: Final = frozenset(
    {
        "wagered",
        "contributed",
        "to_links",
        "refunds",
        "awarded",
        "house_awards",
        "house_resets",
        "paid",
        "unpaid",
        "pots",
        "reserves",
        "liability",
        "staked",
        "won",
        "current",
        "reserve_pool",
        "overflow_meter",
    }
)
_OF_TABLE: Final = (
    "rounds",
    "late_locks",
    "discrepancies",
    "wagers",
    "wagered",
    "contributed",
    "to_links",
    "refunds",
    "awards",
    "awarded",
    "house_awards",
    "house_resets",
    "paid",
    "unpaid",
    "pots",
    "reserves",
    "liability",
    "late",
    "excess",
    "faults",
    "left_out",
    "unproven",
)
_OF_LINK: Final = (
    "staked",
    "contributed",
    "claims",
    "won",
    "current",
    "reserve_pool",
    "overflow_meter",
    "liability",
)
_STYLE: Final = (
    "body{font:14px sans-serif;margin:2em}table{border-collapse:collapse;margin:0 0 2em}"
    "th,td{border:1px solid #999;padding:.3em .6em;text-align:right}th{background:#eee}"
    "td:first-child,th:first-child{text-align:left}.bad{background:#c00;color:#fff;padding:.3em}"
)

_NUMBER: Final = re.compile(r"-?[0-9]+(\.[0-9]+)?")

Row = tuple[str, ...]


def csv_lines(report: Figures) -> str:
    """RFC 4180: `section,name,figure,value`; money as plain decimals in the table's or the link's currency."""
    out = StringIO()
    writer = csv.writer(out)
    writer.writerow(("section", "name", "figure", "value"))
    writer.writerows(tuple(map(_cell, row)) for row in _csv_rows(report))
    return out.getvalue()


def _cell(text: str) -> str:
    """A cell that stays what it is: a spreadsheet reckons with what begins as a formula, unless it is a number."""
    text = printable(text)
    formula = text.lstrip().startswith(("=", "+", "-", "@")) and _NUMBER.fullmatch(text) is None
    return f"'{text}" if formula else text


def _csv_rows(report: Figures) -> Iterator[Row]:
    yield ("report", report.house, "from", _utc(report.from_ns))
    yield ("report", report.house, "to", _utc(report.to_ns))
    for table in report.tables:
        yield ("table", table.table_id, "currency", table.currency)
        yield ("table", table.table_id, "records", f"{table.first}-{table.last}")
        for figure in _OF_TABLE:
            yield ("table", table.table_id, figure, _figure(figure, getattr(table, figure), table.currency))
        yield ("table", table.table_id, "chips_expected", str(table.wagers))
        yield ("table", table.table_id, "chips_declared", _declared(table))
        for band in table.bands:
            value = f"{band.actual} of {decimal(band.mean, 2)}, {band.least} to {band.most}"
            yield ("hits", table.table_id, band.hand, value)
        for each in table.differences:
            yield ("difference", table.table_id, "rows and meters", each)
        for each in table.doubted:
            yield ("difference", table.table_id, "not believed", each)
    for each in report.unbelieved:
        yield ("difference", report.house, "not believed", each)
    for link in report.links:
        yield ("link", link.link, "currency", link.currency)
        for figure in _OF_LINK:
            yield ("link", link.link, figure, _figure(figure, getattr(link, figure), link.currency))
        yield ("link", link.link, "imbalance", str(link.imbalance))
    for reading in report.readings:
        shown, known = (plain(each, reading.currency) for each in (reading.shown, reading.current))
        value = f"shown {shown}, known {known}, by {reading.person} at {reading.at}"
        yield ("reading", reading.whose, reading.level, value)


def html_page(report: Figures, language: str) -> str:
    """One page without anything from elsewhere; `language` is `es` or `en`."""
    zone = ZoneInfo(report.timezone)
    bounds = " – ".join(_local(each, zone) for each in (report.from_ns, report.to_ns))
    verdict = label("sound" if report.sound else "unsound", language)
    parts = [
        f'<!doctype html><html lang="{language}"><meta charset="utf-8">',
        f"<title>{_shown(report.house)}</title><style>{_STYLE}</style>",
        f"<h1>{_shown(report.house)}: {label('title', language)}</h1><p>{bounds} ({_shown(report.timezone)})</p>",
        f'<p><span class="{"good" if report.sound else "bad"}">{verdict}</span></p>',
        *_table_sections(report, language),
        *_link_sections(report, language),
    ]
    return "\n".join(parts) + "</html>\n"


def _table_sections(report: Figures, language: str) -> Iterator[str]:
    yield f"<h2>{label('tables', language)}</h2>"
    yield _grid(("name", *_OF_TABLE), (_table_row(table) for table in report.tables), language)
    chips = (
        (table.table_id, str(table.wagers), _declared(table), _missing(table)) for table in report.tables
    )
    yield _grid(("name", "chips_expected", "chips_declared", "difference"), chips, language)
    yield f"<h2>{label('hits', language)}</h2>"
    hits = (
        (
            table.table_id,
            band.hand.value,
            str(band.actual) + ("" if band.inside else " (!)"),
            decimal(band.mean, 2),
            f"{band.least} – {band.most}",
        )
        for table in report.tables
        for band in table.bands
    )
    yield _grid(("name", "hand", "actual", "mean", "band"), hits, language)
    for table in report.tables:
        yield from (
            f'<p class="bad">{_shown(table.table_id)}: {_shown(each)}</p>'
            for each in (*table.differences, *table.doubted)
        )
    yield from (f'<p class="bad">{_shown(each)}</p>' for each in report.unbelieved)


def _link_sections(report: Figures, language: str) -> Iterator[str]:
    yield f"<h2>{label('links', language)}</h2>"
    links = (
        (link.link, *(_figure(figure, getattr(link, figure), link.currency) for figure in _OF_LINK))
        for link in report.links
    )
    yield _grid(("name", *_OF_LINK), links, language)
    yield f"<h2>{label('readings', language)}</h2>"
    readings = (
        (
            f"{each.whose} {each.level}",
            plain(each.shown, each.currency),
            plain(each.current, each.currency),
            plain(each.shown - each.current, each.currency),
            each.person,
            each.at,
        )
        for each in report.readings
    )
    yield _grid(("name", "shown", "current", "difference", "person", "at"), readings, language)


def _table_row(table: TableFigures) -> Row:
    return (
        table.table_id,
        *(_figure(figure, getattr(table, figure), table.currency) for figure in _OF_TABLE),
    )


def _grid(keys: tuple[str, ...], rows: Iterator[Row], language: str) -> str:
    head = "".join(f"<th>{_shown(label(key, language))}" for key in keys)
    body = "".join("<tr>" + "".join(f"<td>{_shown(cell)}" for cell in row) for row in rows)
    return f"<table><tr>{head}{body}</table>"


def _shown(text: str) -> str:
    """A text as HTML that shows it and does nothing."""
    return escape(printable(text))


def _figure(figure: str, value: int, currency: Currency) -> str:
    return plain(value, currency) if figure in _MONEY else str(value)


def _declared(table: TableFigures) -> str:
    return "" if table.chips_declared is None else str(table.chips_declared)


def _missing(table: TableFigures) -> str:
    return "" if table.chips_declared is None else str(table.chips_declared - table.wagers)


def _utc(wall_ns: int) -> str:
    return datetime.fromtimestamp(wall_ns // 1_000_000_000, UTC).isoformat()


def _local(wall_ns: int, zone: ZoneInfo) -> str:
    return datetime.fromtimestamp(wall_ns // 1_000_000_000, zone).strftime("%Y-%m-%d %H:%M")
