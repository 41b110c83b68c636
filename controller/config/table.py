"""Loads a table: its own file, the board and the game's profile it names, and a drill's overrides."""

from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from zoneinfo import ZoneInfo, available_timezones

import msgspec
from msgspec.structs import replace

from controller.config import board as boards
from controller.config import fitted, relations
from controller.config.base import beside
from controller.config.board_schema import BoardFile
from controller.config.conform import Review, T, conform
from controller.config.desk import Desk
from controller.config.document import Document, open_document
from controller.config.games import build
from controller.config.given import Given
from controller.config.onward import onward, with_policy
from controller.config.places import places, software
from controller.config.problems import Report
from controller.config.profile import Profile
from controller.config.schema import Identity, TableFile
from controller.config.settings import Settings
from controller.config.shipped import Kind, find
from controller.core.game import Game, Role
from controller.core.money import Currency
from hal.interface import Device, Factory
from hal.machine import serial

_NOTHING: Mapping[str, str] = MappingProxyType({})
LOCALES = {Currency.UYU: "es_UY", Currency.CLP: "es_CL", Currency.PEN: "es_PE"}
"""Currency and locale go together; any other pair is refused."""
_LANGUAGES = ("es", "en")
"""The catalogues of `controller.words`."""
_KEY_HOLDERS = (Role.SUPERVISOR, Role.TECHNICIAN)


class _Files(msgspec.Struct, frozen=True):
    table: TableFile
    profile: Profile
    board: BoardFile
    documents: tuple[Document, ...]


def load(name_or_path: str, overrides: Mapping[str, str] = _NOTHING) -> Settings:
    """Read a table's configuration.

    `name_or_path`: a bare name is a shipped file, a path is that file. `overrides` are a drill's `set`
    statements, dotted key to plain text. Raises `ConfigError` with the problems found; nothing is guessed.
    """
    report = Report()
    document = open_document(find(Kind.TABLE, name_or_path, Path()), report)
    given = Given(document, overrides, report)
    review = Review(given.where, report)
    table = _sure(conform(given.table_values(), TableFile, review), report)
    files = _open_named(with_policy(table, review), document, given, report)
    return _assemble(files, given, review)


def _open_named(table: TableFile, document: Document, given: Given, report: Report) -> _Files:
    folder = document.path.parent
    rules = open_document(find(Kind.GAME, table.game, folder), report)
    wired = open_document(find(Kind.BOARD, table.board, folder), report)
    profile = conform(rules.values, Profile, Review(rules.where, report))
    board = conform(given.board_values(wired), BoardFile, Review(given.or_set(wired.where), report))
    return _Files(table, _sure(profile, report), _sure(board, report), (document, rules, wired))


def _sure(value: T | None, report: Report) -> T:
    if value is None:
        report.fail()
    return value


def _assemble(files: _Files, given: Given, review: Review) -> Settings:
    document, rules, wired = files.documents
    report = review.report
    identity = files.table.table
    boards.judge(files.board, Review(given.or_set(wired.where), report))
    _identity(identity, review)
    simulated = files.board.factory is Factory.SIMULATED
    journal, witness = places(files.table, review, simulated=simulated)
    proven_by = software(files.table, review, simulated=simulated)
    sent_to = onward(files.table, journal, witness, review)
    desk = Desk(Review(rules.where, report), review, given.overridden, [])
    game = build(rules.path.stem, files.profile, files.table, desk)
    also = beside(files.profile, files.table, game.currency, desk)
    sells_card = also.base is not None and also.base.card_can_be_bought
    game = replace(
        game,
        punto=also.punto,
        sells_card=sells_card,
        pin=_pin(files.table, review, desk, simulated=simulated),
    )
    relations.check(game, review)
    _fits_table(game, files, review)
    report.settle()
    return Settings(
        table_id=identity.id,
        name=identity.name,
        locale=identity.locale,
        language=identity.language,
        timezone=identity.timezone,
        day_starts_at=identity.day_starts_at,
        journal=journal,
        witness=witness,
        software=proven_by,
        onward=sent_to,
        game=game,
        game_title=files.profile.title,
        base=also.base,
        circle=also.circle,
        buses=files.board.buses,
        wiring=boards.wiring(files.board, game.seats),
        timings=boards.timings(files.board),
        board_title=files.board.title,
        machine="" if simulated else serial(),
        source=document.path,
        digest=document.used.digest,
        files=tuple(opened.used for opened in files.documents),
        rulings=tuple(desk.rulings),
        warnings=report.warnings,
    )


def _identity(identity: Identity, review: Review) -> None:
    for key, value, known in (
        ("table.locale", identity.locale, tuple(LOCALES.values())),
        ("table.language", identity.language, _LANGUAGES),
    ):
        if value not in known:
            review.refuse(key, f"must be one of {', '.join(known)}", value)
    try:
        ZoneInfo(identity.timezone)
    except (LookupError, ValueError, OSError):
        review.refuse(
            "table.timezone",
            f"this machine knows no such time zone.{_zone_hint(identity.timezone)}",
            identity.timezone,
        )


def _pin(table: TableFile, review: Review, desk: Desk, *, simulated: bool) -> tuple[Role, ...]:
    """The roles that enter a PIN, in the order of `Role`, so that the same choice is the same rules.

    A key says no name: at a board with pins both key holders enter one, or a correction would be by nobody.
    """
    given = table.access.pin
    roles = tuple(role for role in Role if role in given)
    if len(roles) != len(given):
        review.refuse("access.pin", "names a role twice; name each once", ", ".join(given))
    lacking = [role for role in _KEY_HOLDERS if role not in given]
    if lacking and not simulated:
        what = (
            f"lacks {' and '.join(lacking)}: a table with real key switches asks both key holders for a PIN, so that "
            f'each act names its person. Write pin = ["supervisor", "technician"], with "dealer" if the house wants '
            "it; only a simulated board may ask nobody"
        )
        review.refuse("access.pin", what, ", ".join(given))
    desk.rule("access.pin", ", ".join(roles) or "nobody", "house", given)
    return roles


def _zone_hint(name: str) -> str:
    zones = available_timezones()
    if not zones:
        return " It knows none at all: install the package tzdata."
    near = get_close_matches(name, zones, n=1)
    return f' Did you mean "{near[0]}"?' if near else " Write it like America/Montevideo."


def _fits_table(game: Game, files: _Files, review: Review) -> None:
    """The game against the locale, the seats and the devices of this table.

    A game without a wager uses no slots: its table may have more seats than the board has.
    """
    locale = LOCALES[game.currency]
    if files.table.table.locale != locale:
        what = (
            f"does not go with {game.currency} (wager.currency): set it to {locale}, or choose another game"
        )
        review.refuse("table.locale", what, files.table.table.locale)
    seats = boards.seats(files.board)
    if game.seats > seats and game.wager:
        review.refuse("table.seats", f"{game.seats} seats, but the board {files.table.board} has {seats}")
    for level in game.levels:
        if level.link is not None and files.table.link is None:
            what = "its pot is at the floor, and this table has no [link]: add that section, or take this line out"
            review.refuse(f"pot.{level.name}.link", what, level.link)
    there = fitted.devices(files.board)
    if game.policies.require_sign and Device.SIGN not in there:
        what = f"the board {files.table.board} has no sign: describe it in the board file once it is fitted"
        review.refuse("policies.require_sign", f"{what}, or set require_sign = false", True)
    if game.policies.require_host and files.table.link is None and Device.HOST not in there:
        what = "this table has no [link], so that no floor is heard: add that section, or set require_host = false"
        review.refuse("policies.require_host", what, True)
