"""Acts of Punto y Banca (seed 001): the round, the bank, the shoe, the bets that are left."""

from controller.core import events as ev
from controller.core.money import AMOUNT_MAX
from controller.core.punto.rules import DECK, BankWins
from controller.core.punto.score import RANKS, PuntoResult
from controller.core.punto.shoe import DEAL_MOST
from controller.core.punto.state import Punto
from controller.menu.ask import (
    GoneError,
    Option,
    Scene,
    Script,
    allowed,
    amount,
    entry,
    number,
    pick,
    pick_seat,
    say,
    several,
    yes_or_no,
)
from controller.menu.poker import which_seat
from controller.menu.verbs import Verb
from controller.texts import Line, Text

LETTERS = {1: "A", 11: "V", 12: "D", 13: "R"}
"""As the text names them: as, valet, dama, rey (num. 1)."""


def _state(scene: Scene) -> Punto:
    if scene.table.punto is None:
        raise GoneError("this table does not play Punto y Banca")
    return scene.table.punto


def result(scene: Scene) -> Script[ev.AnyEvent]:
    """Who won; and how much the bank won or lost, where the house has it entered."""
    bank = _state(scene).bank
    found = yield from pick(say(Text.WHICH_RESULT), [(each, entry("result", each)) for each in PuntoResult])
    rules = scene.game.punto
    entered = rules is not None and rules.policies.bank_wins is BankWins.ENTERED
    if not entered or bank is None or found is PuntoResult.ENCART:
        return ev.ResultEntered(0, found)
    moved = yield from amount(Text.BANK_MOVED, bank.stake)
    return ev.ResultEntered(0, found, moved)


def hands(_: Scene) -> Script[ev.AnyEvent]:
    """The punto's cards, the bank's, and whether nobody seated had bet on punto."""
    punto = yield from _hand(Text.PUNTO_CARDS)
    banca = yield from _hand(Text.BANCA_CARDS)
    by_dealer = yield from yes_or_no(say(Text.BY_DEALER))
    return ev.HandsShown(0, punto, banca, by_dealer)


def _hand(text: Text) -> Script[tuple[int, ...]]:
    options = tuple(Option(rank, say(Text.RANK, rank=_letter(rank)), key=str(rank)) for rank in RANKS)
    return (
        yield from several(
            lambda found: Line(text, {"cards": " ".join(_letter(rank) for rank in found) or "-"}),
            lambda _: options,
            least=1,
            most=DEAL_MOST,
        )
    )


def _letter(rank: int) -> str:
    return LETTERS.get(rank, str(rank))


def bank(scene: Scene) -> Script[ev.AnyEvent]:
    """Who holds the bank, and with how much."""
    rules = scene.game.punto
    least = 0 if rules is None else rules.bank_min
    seats = [
        seat for seat in range(1, len(scene.table.seats) + 1) if allowed(scene, ev.BankTaken(0, seat, least))
    ]
    seat = yield from pick_seat(which_seat(Verb.BANK), seats)
    stake = yield from amount(Text.BANK_STAKE, AMOUNT_MAX, seat=seat)
    if not allowed(scene, ev.BankTaken(0, seat, least, free=True)):
        return ev.BankTaken(0, seat, stake)
    free = yield from yes_or_no(say(Text.FREE_SEAT))
    return ev.BankTaken(0, seat, stake, free)


def raising(scene: Scene) -> Script[ev.AnyEvent]:
    """How much the banker adds."""
    _held(scene)
    return ev.BankRaised(0, (yield from amount(Text.BANK_RAISED, AMOUNT_MAX)))


def take_out(scene: Scene) -> Script[ev.AnyEvent]:
    """How much the banker takes out."""
    _held(scene)
    return ev.BankWithdrawn(0, (yield from amount(Text.BANK_TAKEN_OUT, AMOUNT_MAX)))


def _held(scene: Scene) -> None:
    if _state(scene).bank is None:
        raise GoneError("nobody holds the bank")


def leave_bet(scene: Scene) -> Script[ev.AnyEvent]:
    """Whose winning bet stays, and how much it is; the side is the one that won last."""
    side = _state(scene).last
    if side is None:
        raise GoneError("no round has been won")
    seats = [
        seat
        for seat in range(1, len(scene.table.seats) + 1)
        if allowed(scene, ev.BetNotWithdrawn(0, seat, side, 1))
    ]
    seat = yield from pick_seat(which_seat(Verb.LEAVE_BET), seats)
    left = yield from amount(Text.BET_LEFT, AMOUNT_MAX, seat=seat)
    return ev.BetNotWithdrawn(0, seat, side, left)


def take_back(scene: Scene) -> Script[ev.AnyEvent]:
    """Which bet."""
    left = [bet for bet in _state(scene).left if allowed(scene, ev.BetTakenBack(0, bet.seat, bet.side))]
    place = yield from pick(
        say(Text.WHICH_BET),
        [
            (place, say(Text.BET, seat=bet.seat, side=bet.side, amount=bet.amount))
            for place, bet in enumerate(left)
        ],
    )
    return ev.BetTakenBack(0, left[place].seat, left[place].side)


def shoe(scene: Scene) -> Script[ev.AnyEvent]:
    """How many cards lie behind the red one."""
    return ev.ShoeMade(0, (yield from number(Text.BEHIND_RED, _cards(scene))))


def cards_left(scene: Scene) -> Script[ev.AnyEvent]:
    """How many cards the dealer counted in the shoe."""
    if not allowed(scene, ev.CardsCounted(0, 0)):
        raise GoneError("there is no shoe, or cards lie on the table")
    return ev.CardsCounted(0, (yield from number(Text.CARDS_LEFT, _cards(scene))))


def _cards(scene: Scene) -> int:
    return DECK if scene.game.punto is None else scene.game.punto.decks * DECK


def seated(scene: Scene) -> Script[ev.AnyEvent]:
    """How many are seated."""
    return ev.PlayersSeated(0, (yield from number(Text.SEATED, len(scene.table.seats))))
