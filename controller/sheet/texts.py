"""The fixed sentences of the rules sheet, by their English wording; `{…}` are values. Catalogues word them."""

from enum import StrEnum


class Sheet(StrEnum):
    """Headings and lines."""

    TABLE = "TABLE"
    SEATS = "Seats"
    SEATS_AT_MOST = "Seats, at most"
    PLAYERS_LEAST = "Players, at least"
    CARDS_OWN = "Cards each player gets"
    CARDS_COMMON = "Common cards"
    ACE_LOW = "A-2-3-4-5 is a straight"
    ACE_LOW_OF_THREE = "A-2-3 is a straight"
    WAGER = "WAGER IN THE SLOT"
    NO_WAGER = "This game has no wager in the slots: they stay locked; rounds are locked and counted"
    AMOUNT = "Value of the chip"
    CURRENCY = "Currency"
    PAYABLE_UNIT = "Prizes are paid in units of"
    POT = "POT {level}"
    BASE_AMOUNT = "Begins with"
    RESET_AMOUNT = "Begins again with, after a prize of 100 %"
    INCREMENT_RATE = "Part of each wager that goes to the pot"
    RESERVE_RATE = "Part of each wager that goes to the reserve"
    LIMIT = "Grows up to"
    OVERFLOW_USE = "What is above serves"
    PRIZES = "PRIZES"
    WINNERS = "Hands that win and what they win"
    WINNERS_AND_FUND = "Hands that win, what they win and who pays"
    PRIZES_PAID_BY = "Prizes are paid by"
    SHARE = "{share} of the pot {level}"
    CAPPED = "{share} of the pot {level}, at most {times} times the wager"
    TIMES = "{times} times the wager"
    PAID_BY = "{hand}, paid by"
    POLICIES = "HOW IT IS DECIDED"
    BANK = "AGAINST THE BANK"
    BANK_OPENS = "The bank opens with at least"
    UNOPENED_ANTE = "If the bank does not open, the ante is paid 1 to 1"
    UNOPENED_BET = "If the bank does not open, the second bet (BET) is returned"
    BET = "The second bet (BET), in times the ante"
    ANTE_BY_TABLE = "The ante is paid by the table too"
    ANTE_MIN = "The least ante"
    ANTE_MAX = "The most ante"
    TIE = "A tie with the bank"
    CARD_BOUGHT = "A player may buy a card, for as much as the ante"
    CHANGES = "Cards a player may change"
    CHANGES_UNBOUGHT = "Cards a player may change without buying"
    MOST_PER_HAND = "Most the house pays for a hand"
    UNLIMITED = "no limit, unless the house sets one"
    PAYS = "Pay table"
    TO_ONE = "{times} to 1"
    CIRCLE = "AMONG PLAYERS"
    HOUSE_SHARE = "Part of the pots the house takes"
    BETS_LIMITED = "Bets have a limit"
    PUNTO = "PUNTO Y BANCA"
    IRREGULAR = "IRREGULAR CASES"
    PROCEDURE = "HOW IT IS PLAYED"
    CONDUCT = "PLAYERS"
    YES = "yes"
    NO = "no"
    SET_BY_HOUSE = "the house sets it"
    SET_BY_DIRECTION = "the Dirección sets it"
    LEGEND = "* as shipped; the text leaves it open, and the house may set it otherwise"
    INTERPRETER = "Who interprets and completes these rules"


PUNTO_NUMBERS: tuple[tuple[str, str], ...] = (
    ("turn", "num. 6"),
    ("turn_after_shoe", "num. 6"),
    ("turn_after_free_seat", "num. 6"),
    ("turn_after_suite", "num. 6"),
    ("punto_draws", "num. 7"),
    ("bank_of_3", "num. 7"),
    ("bank_of_4", "num. 7"),
    ("bank_of_5", "num. 7"),
    ("bank_of_6", "num. 7"),
    ("bank_of_7", "num. 7"),
    ("encart", "num. 8"),
    ("doubt", "num. 10"),
    ("option_of_seat_left", "num. 27"),
    ("nobody_seated", "num. 28"),
    ("seven_cards", "nums. 4 and 42"),
    ("discount", "num. 11"),
    ("no_discount", "num. 12"),
    ("commission", "num. 13"),
    ("commission_first", "num. 14"),
    ("withdraw", "num. 15"),
    ("withdraw_first", "num. 16"),
    ("withdraw_floor", "num. 16"),
    ("leave_after_encart", "num. 18"),
    ("raise", "num. 38"),
    ("suite", "num. 20"),
    ("suite_after_encart", "num. 35"),
    ("last_round", "num. 41"),
    ("frozen", "num. 44"),
)
"""What the text of Punto y Banca fixes and the program knows by itself: `punto.NAME` in the catalogues."""
