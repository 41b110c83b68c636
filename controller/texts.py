"""The words of the croupier's screen and the sign by name: each text is its English wording, `{…}` are values.

It says nothing about when a text is shown (`controller.pages`, `controller.menu`) nor in which language
(`controller.words`).
"""

from enum import Enum, StrEnum
from typing import TypeAlias

import msgspec


class Text(StrEnum):
    """Every line of the croupier's screen and the sign, by its English wording; `{…}` are values."""

    CLOSED = "TABLE CLOSED"
    LAMP_TEST = "LAMP TEST - LOOK AT EVERY LAMP"
    OPEN = "BETS OPEN - {chips}"
    LOCKED = "NO MORE BETS - {wagers} - CHECK {chips}"
    PLACED = "PLACED: SEAT {seats}"
    ACCEPTED = "ACCEPTED: SEAT {seats}"
    ROUND_OPEN = "ROUND {round} - BETS OPEN"
    ROUND_LOCKED = "ROUND {round} - NO MORE BETS"
    PLACE_BETS = "PLACE YOUR BETS"
    NO_MORE_BETS = "NO MORE BETS"
    DOING = "{act}: {became}"
    RECOVERED = "RESTARTED - CHECK LAMPS AND CHIPS"
    LATE_LOCKED = "LOCKED LATE BY THE SUPERVISOR"
    AWARD_PENDING = "AWARD PENDING - SUPERVISOR"
    CLAIM = "SEAT {seat}: {hand}"
    BY_SHARE = "SEAT {seat}: {share} OF {before} = {amount}"
    BY_PART = "SEAT {seat}: {share} OF {before}, IN {parts} PARTS = {amount}"
    BY_CAP = "SEAT {seat}: {share} OF {before}, AT MOST {amount}"
    BY_TABLE = "SEAT {seat}: FIXED PRIZE {amount}"
    BY_LINK = "SEAT {seat}: {hand} - THE FLOOR SAYS HOW MUCH"
    AT_FLOOR = "SEAT {seat} WAITS FOR THE AMOUNT FROM THE FLOOR"
    EXCLUDED = "SEAT {seat}: EXCLUDED BY THE ROYAL"
    POT_AFTER = "POT AFTER IT: {amount}"
    POT_AGAIN = "POT BEGINS AGAIN WITH {amount}"
    JUDGED_ON_FINAL = "THE HAND AFTER THE CHANGE COUNTS"
    BY_HAND = "BY HAND - SEAT {seat}: {amount}"
    BY_ROUND = "BY ROUND - SEAT {seat}: {amount}"
    UNPAID = "PAY SEAT {seat}: {amount}"
    TEST = "TEST - NO WAGERS"
    GIVE_BACK = "GIVE CHIP BACK - SEAT {seats}"
    LOOK = "LOOK IN SLOT - SEAT {seats}"
    COUNTED = "COUNTED {chips} - CALL THE SUPERVISOR"
    REFUSED = "NOT DONE: {reason}"
    FAULT = "FAULT: {fault}"
    SEAT_FAULT = "FAULT SEAT {seat}: {fault}"
    OUT_OF_SERVICE = "OUT OF SERVICE"
    STRANDED = "{plight}"
    CALL_TECHNICIAN = "CALL THE TECHNICIAN - PLAY NOTHING"
    TRUSTED = "TRUSTED: {source}"
    TRUSTED_AT = "RECORD {record} - ROUND {round}"
    TRUSTED_POT = "POT {level} {amount}"
    NEXT_RECOVER = "THEN: pozo recover, BOTH KEYS"
    STORING_FAILED = "JOURNAL FAILURE - STOP PLAY - CALL THE TECHNICIAN"
    AMOUNT = "{amount}"
    AMOUNT_LAST = "LAST CONFIRMED {amount}"
    WINNER = "SEAT {seat} WINS {amount}"
    WINNERS = "{winners} - {table} - {then}"
    POT_NOW = "POT {amount}"
    NEXT_KEY_TO_OPEN = "TO OPEN: SUPERVISOR KEY"
    NEXT_HOLD_TO_OPEN = "TO OPEN: HOLD GAME OVER"
    NEXT_LAMPS = "ALL LIT? HOLD GAME OVER AND OPEN"
    NEXT_COIN_IN = "THEN: COIN IN"
    NEXT_GAME_OVER = "THEN: GAME OVER"
    NEXT_KEY_TO_APPROVE = "TO APPROVE: SUPERVISOR KEY"
    NEXT_HOLD_TO_APPROVE = "TO APPROVE: HOLD GAME OVER"
    NEXT_KEY_BACK = "TO LEAVE: TURN THE KEY BACK"
    RESULT_WANTED = "CARDS OUT - ENTER THE RESULT"
    RESULT = "RESULT: {result} - GAME OVER BOOKS IT"
    ENCART = "ENCART - DEAL AGAIN, THE BETS STAND"
    ROUND_VOID = "ROUND VOID - GIVE BETS BACK - GAME OVER"
    DOUBTED = "CARDS PLAY AS DEALT - BETS MAY BE WITHDRAWN"
    POINTS = "PUNTO {punto} - BANCA {banca}"
    MISTAKE = "MISTAKE: {mistake}"
    LAST_ROUND = "LAST ROUND OF THIS SHOE - WITHDRAW ONLY"
    SHOE_OVER = "SHOE OVER - MAKE A NEW ONE"
    COUNT_CARDS = "COUNT THE SHOE - {least} TO {most} CARDS"
    BANK = "BANK SEAT {seat}: {amount}"
    HOUSE_BANK = "THE HOUSE HOLDS THE BANK UNTIL PUNTO"
    FREE_BANK = "BANK FREE - TO DEAL: SEAT {seat}"
    COMMISSION = "COMMISSION SEAT {seat}: {amount}"
    FROZEN_WAITING = "FROZEN, FOR THE NEXT BANK: {amount}"
    LEFT_BET = "NOT WITHDRAWN SEAT {seat}: {amount} - WIN {wins} OF 3"
    MENU = "MENU - WHAT NOW?"
    MENU_MARKED = "> {entry}"
    MENU_OTHER = "- {entry}"
    MENU_BACK = "BACK"
    MENU_LEAVE = "LEAVE THE MENU"
    MENU_DONE = "DONE"
    MENU_YES = "YES, DO IT"
    MENU_HELP = "GAME OVER: NEXT - HOLD IT: CHOOSE"
    ENTRY = "{entry}"
    DIGIT = "{digit}"
    RANK = "{rank}"
    YES = "YES"
    NO = "NO"
    SURE = "SURE? {act}"
    WHY = "{act} - WHY?"
    SEAT = "SEAT {seat}"
    WHICH_SEAT = "{act} - WHICH SEAT?"
    WHICH_HAND = "SEAT {seat} - WHICH HAND?"
    CARD_RANK = "SEAT {seat}: {cards} - NEXT CARD?"
    CARD_SUIT = "SEAT {seat}: {cards} - {rank} OF WHICH SUIT?"
    WHICH_AWARD = "PAID - WHICH AWARD?"
    AWARD = "NO. {number} SEAT {seat}: {amount}"
    HOW_PAID = "HOW WAS IT PAID?"
    SIGNED = "IS THE SLIP SIGNED?"
    SLIP_SIGNED = "SLIP SIGNED"
    SLIP_UNSIGNED = "SLIP NOT SIGNED"
    CHIPS_COUNTED = "CHIPS IN THE BUCKET: {number}"
    DARK_LAMPS = "DARK LAMPS: {seats}"
    DEALER_NUMBER = "DEALER NUMBER: {number}"
    WHICH_FAULT = "CLEAR - WHICH FAULT?"
    WHICH_CLAIM = "GIVE UP - WHICH CLAIM?"
    CLAIM_AT_LINK = "NO. {number} TO {last}: POT {level}"
    WHICH_LEVEL = "{act} - WHICH POT?"
    TO_LEVEL = "FROM POT {level} - TO WHICH?"
    LEVEL = "POT {level}"
    NEW_AMOUNT = "NEW AMOUNT: {amount}"
    MOVED_AMOUNT = "AMOUNT: {amount}"
    POT_BECOMES = "POT {level}: {before} BECOMES {amount}"
    FROM_TO = "{source} TO {target}: {amount}"
    SPELLED = "{spelled}"
    WHICH_RESULT = "WHO WON?"
    BANK_MOVED = "THE BANK WON OR LOST: {amount}"
    PUNTO_CARDS = "CARDS OF PUNTO: {cards}"
    BANCA_CARDS = "CARDS OF BANCA: {cards}"
    BY_DEALER = "NO SEATED BETS ON PUNTO (NUM. 28; NOT THE CASE OF 27)?"
    BANK_STAKE = "BANK OF SEAT {seat}: {amount}"
    FREE_SEAT = "ASIENTO LIBRE (NUMS. 18 AND 26)?"
    BANK_RAISED = "ADDED TO THE BANK: {amount}"
    BANK_TAKEN_OUT = "TAKEN OUT OF THE BANK: {amount}"
    BET_LEFT = "BET LEFT AT SEAT {seat}: {amount}"
    WHICH_BET = "TAKEN BACK - WHICH BET?"
    BET = "SEAT {seat} {side}: {amount}"
    BEHIND_RED = "CARDS BEHIND THE RED ONE: {number}"
    CARDS_LEFT = "CARDS LEFT IN THE SHOE: {number}"
    SEATED = "PLAYERS SEATED: {number}"
    SUPERVISOR_WANTED = "SUPERVISOR'S KEY - PIN MISSING"
    TECHNICIAN_WANTED = "TECHNICIAN'S KEY - PIN MISSING"
    SUPERVISOR_HERE = "SUPERVISOR: {person}"
    TECHNICIAN_HERE = "TECHNICIAN: {person}"
    NEXT_PIN = "TO ENTER THE PIN: HOLD GAME OVER"
    WHO = "{act} - WHO?"
    PERSON = "{number} {person}"
    TYPED = "NUMBER {number}"
    PIN = "PIN OF {person}: {stars}"
    PIN_WAITS = "WRONG PIN - WAIT {seconds} s"
    DEALER_IS = "DEALER {number} - IS IT {person}?"
    METERS = "METERS"
    METER = "{name}: {value}"
    METER_OF_MONEY = "{name}: {amount}"
    WHICH_LINE = "PULSES - WHICH LINE?"
    LINE = "{line}"
    PULSES = "{line}: LAST PULSES"
    PULSE = "{width} ms, IDLE BEFORE {gap} ms"


class Counting(Enum):
    """Things that are counted: one, and several."""

    WAGERS = ("{count} WAGER", "{count} WAGERS")
    CHIPS = ("{count} CHIP", "{count} CHIPS")


class Counted(msgspec.Struct, frozen=True):
    """How many of something, to be said with the right form of its noun."""

    what: Counting
    count: int


class Coded(msgspec.Struct, frozen=True):
    """A word the catalogues keep under `KIND.CODE`, such as `reason.no_ante`."""

    kind: str
    code: str


Value: TypeAlias = "int | str | tuple[int, ...] | Counted | Coded | Line | tuple[Line, ...]"
"""What stands for a `{…}`. A hand, a refusal, a fault is a `str` too, by its enum; a line may stand inside a line."""


class Line(msgspec.Struct, frozen=True):
    """One text with its values. Amounts are minor units under the names `amount` and `before`."""

    text: Text
    values: dict[str, Value] = {}
