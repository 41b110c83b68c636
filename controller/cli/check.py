"""`pozo check FILE`: what would be in force with this configuration, or all that is wrong with it."""

from collections.abc import Iterator
from typing import assert_never

import click
import msgspec

from controller.config import ConfigError, Settings, game_digest, load
from controller.config.pins import HEADER
from controller.core.game import Fixed, Prize, Share
from controller.core.money import percent, plain
from hal.interface import PanelSignWiring, ScreenKind, Wiring


@click.command()
@click.argument("file")
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON object.")
def check(file: str, *, as_json: bool) -> None:
    """Check the configuration FILE (a path, or the name of a shipped one) and print what it puts in force.

    Nothing is started and nothing is written. Exit code 1 if the configuration cannot be used.
    """
    try:
        settings = load(file)
    except ConfigError as error:
        raise click.ClickException(str(error)) from None
    if as_json:
        click.echo(msgspec.json.encode(settings, enc_hook=str))
    else:
        click.echo("\n".join(describe(settings)))


def describe(settings: Settings) -> Iterator[str]:
    """The lines that show a person what is in force, and who said so."""
    yield from _identity(settings)
    yield from _money(settings)
    yield from _rulings(settings)
    yield from _lines(settings)
    yield "times"
    for name, value in msgspec.structs.asdict(settings.timings).items():
        yield f"  {name} = {value}"
    for warning in settings.warnings:
        yield f"warning: {warning}"


def _identity(settings: Settings) -> Iterator[str]:
    yield f'table {settings.table_id}, "{settings.name}"'
    yield f"  {settings.game_title}, {settings.game.seats} seats; board: {settings.board_title}"
    yield f"  locale {settings.locale}, language {settings.language}"
    yield f"  gaming day begins {settings.day_starts_at} {settings.timezone}"
    yield f"  journal {settings.journal}"
    yield f"  witness {settings.witness}"
    yield "files"
    for used in settings.files:
        yield f"  {used.path}"
        yield f"    sha256 {used.digest}, changed {used.changed.isoformat(timespec='seconds')}"
    yield f"rules of the game: sha256 {game_digest(settings.game)}"


def _money(settings: Settings) -> Iterator[str]:
    game = settings.game
    yield f"money, in {game.currency}"
    if game.wager:
        unit = plain(game.payable_unit, game.currency)
        yield f"  wager {plain(game.wager, game.currency)}, shares in units of {unit}"
    else:
        yield "  no wager in the slots: they stay locked; rounds are locked and counted"
    for level in game.levels:
        begins, again = plain(level.base_amount, game.currency), plain(level.reset_amount, game.currency)
        yield f"  level {level.name}: begins with {begins}, again with {again}"
        pot, reserve = percent(level.increment_rate_ppm), percent(level.reserve_rate_ppm)
        yield f"    of each wager {pot} to the pot, {reserve} to the reserve"
        yield f"    up to {plain(level.limit, game.currency)}, what is above: {level.overflow_use}"
    for prize in game.prizes:
        yield f"  {prize.hand}: {_pays(prize, settings)}, paid by the {prize.fund} ({prize.source})"


def _pays(prize: Prize, settings: Settings) -> str:
    match prize.pays:
        case Share(share_ppm=share, cap=cap):
            most = "" if cap is None else f", at most {plain(cap, settings.game.currency)}"
            return f"{percent(share)} of {prize.level}{most}"
        case Fixed(amount=amount):
            return plain(amount, settings.game.currency)
        case _:
            assert_never(prize.pays)


def _rulings(settings: Settings) -> Iterator[str]:
    yield "who says so"
    for ruling in settings.rulings:
        yield f"  {ruling.key} = {ruling.value} ({ruling.source})"


def _lines(settings: Settings) -> Iterator[str]:
    wiring = settings.wiring
    yield f"lines, by {wiring.factory} on {', '.join(wiring.chip_labels) or 'no chip'}"
    for line in wiring.inputs:
        pull = f"pull {line.pull}"
        yield f"  {_label(line.name)} = {_pin(line.pin)}, in, active {_level(active_low=line.active_low)}, {pull}"
    for out in wiring.outputs:
        yield f"  {_label(out.name)} = {_pin(out.pin)}, out, active {_level(active_low=out.active_low)}"
    yield f"devices: {', '.join(wiring.devices) or 'none'}"
    yield from _devices(wiring)


def _devices(wiring: Wiring) -> Iterator[str]:
    screen, sign, keypad = wiring.screen, wiring.sign, wiring.keypad
    if screen is not None and screen.kind is ScreenKind.SSD1322:
        yield f"  screen = {screen.kind} on SPI bus {screen.bus}, chip select {screen.device}"
        for name, pin in (("dc", screen.dc), ("reset", screen.reset)):
            if pin is not None:
                yield f"  screen {name} = {_pin(pin)}, out"
    elif screen is not None:
        yield f"  screen = {screen.kind} on I2C bus {screen.bus}, address {screen.address:#04x}"
    if isinstance(sign, PanelSignWiring):
        yield f"  sign = {sign.kind} on I2C bus {sign.panel.bus}, address {sign.panel.address:#04x}"
    elif sign is not None:
        yield f'  sign = {sign.kind} on {sign.port}, {sign.baud} {sign.format}, label "{sign.label}"'
    if keypad is not None:
        yield f"  keypad = {keypad.kind} on {keypad.port}, keys {' '.join(keypad.keys.values())}"


def _label(name: str) -> str:
    return name.replace("_", " ")


def _pin(gpio: int) -> str:
    return f"GPIO{gpio} = header pin {HEADER[gpio]}"


def _level(*, active_low: bool) -> str:
    return "low" if active_low else "high"
