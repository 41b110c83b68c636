"""Words that events and results share: buttons, keys, reasons, refusals, and how a kind is named."""

from enum import StrEnum


def snake(name: str) -> str:
    """`ChipDropped` -> `chip_dropped`, the kind under which a record is found."""
    return "".join("_" + letter.lower() if letter.isupper() else letter for letter in name).lstrip("_")


class Button(StrEnum):
    """The croupier's two buttons."""

    COIN_IN = "coin_in"
    GAME_OVER = "game_over"


class Key(StrEnum):
    """The two key switches."""

    SUPERVISOR = "supervisor"
    TECHNICIAN = "technician"


class Reason(StrEnum):
    """Why a seat or a round is void; the cases the texts name (seed 000 art. 9, seed 004, seed 002; seed 001)."""

    WRONG_CARD_COUNT = "wrong_card_count"
    EXPOSED_CARDS = "exposed_cards"
    DEALER_CARD_SEEN = "dealer_card_seen"
    NO_ANTE = "no_ante"
    PLAYER_LEFT = "player_left"
    DISCREPANCY = "discrepancy"
    MACHINE_FAULT = "machine_fault"
    OTHER = "other"
    CARDS_SEEN = "cards_seen"
    """Seed 001 num. 10."""
    NOT_FACE_UP = "not_face_up"
    """Seed 001 num. 33: not face up in their places, or not announced."""
    DISCARDED_EARLY = "discarded_early"
    """Seed 001 num. 35: put into the discard box too early."""
    TOO_FEW_CARDS = "too_few_cards"
    """Seed 001 nums. 4 and 42: fewer than seven cards in the shoe."""


class Payment(StrEnum):
    """How an award was paid."""

    CHIPS = "chips"
    CASH = "cash"
    CHEQUE = "cheque"


class Sealed(StrEnum):
    """Why a head was signed: what the batch before it decided."""

    COMMISSIONED = "commissioned"
    ROUND_ENDED = "round_ended"
    AWARD_APPROVED = "award_approved"
    AWARD_PAID = "award_paid"
    TABLE_CLOSED = "table_closed"
    MONEY_MOVED = "money_moved"
    """A correction or a transfer."""
    PARAMETERS = "parameters"
    RECOVERED = "recovered"
    """The journal goes on after a recovery by two persons."""
    KEY_CHANGED = "key_changed"
    STOPPED = "stopped"


class Refusal(StrEnum):
    """Why something asked for was not done. Each is a text on the dealer's screen."""

    WRONG_PHASE = "wrong_phase"
    AWARD_PENDING = "award_pending"
    TABLE_FAULT = "table_fault"
    SIGN_LOST = "sign_lost"
    HOST_LOST = "host_lost"
    SUPERVISOR_KEY = "supervisor_key"
    TECHNICIAN_KEY = "technician_key"
    BOTH_KEYS = "both_keys"
    SUPERVISOR_PIN = "supervisor_pin"
    TECHNICIAN_PIN = "technician_pin"
    DEALER_PIN = "dealer_pin"
    PIN_WRONG = "pin_wrong"
    PIN_WAIT = "pin_wait"
    PIN_LOCKED = "pin_locked"
    SAME_PERSON = "same_person"
    OTHER_KEY_HOLDER = "other_key_holder"
    NO_USERS = "no_users"
    USERS_UNREADABLE = "users_unreadable"
    NO_SUCH_SEAT = "no_such_seat"
    NO_WAGER = "no_wager"
    CHIP_PLACED = "chip_placed"
    AWARD_APPROVED = "award_approved"
    NO_PRIZE = "no_prize"
    ALREADY_CLAIMED = "already_claimed"
    NO_CLAIM = "no_claim"
    NO_AWARD = "no_award"
    ALREADY_PAID = "already_paid"
    TOO_MANY_UNPAID = "too_many_unpaid"
    LAMP_TEST_FIRST = "lamp_test_first"
    ALREADY_CLOSED = "already_closed"
    NOT_CLOSED = "not_closed"
    LINE_ACTIVE = "line_active"
    NO_FAULT = "no_fault"
    FAULT_PERSISTS = "fault_persists"
    REOPEN_SEAT = "reopen_seat"
    NO_DISCREPANCY = "no_discrepancy"
    NO_REASON = "no_reason"
    NO_SUCH_LEVEL = "no_such_level"
    AMOUNT_OUT_OF_RANGE = "amount_out_of_range"
    HELD_TOO_LONG = "held_too_long"
    BANK_DID_NOT_OPEN = "bank_did_not_open"
    CARDS_IMPOSSIBLE = "cards_impossible"
    CARDS_DISAGREE = "cards_disagree"
    POT_TOO_SMALL = "pot_too_small"
    ABOVE_LIMIT = "above_limit"
    LEVEL_REMOVED = "level_removed"
    SEATS_FIXED = "seats_fixed"
    ALREADY_RECEIVED = "already_received"
    TOO_MANY_TRANSFERS = "too_many_transfers"
    TEXT_TOO_LONG = "text_too_long"
    NOT_THIS_GAME = "not_this_game"
    NO_CARD_SOLD = "no_card_sold"
    NO_RESULT = "no_result"
    RESULT_STANDS = "result_stands"
    ROUND_VOID = "round_void"
    TOO_FEW_PLAYERS = "too_few_players"
    NO_SHOE = "no_shoe"
    SHOE_OVER = "shoe_over"
    LAST_ROUND = "last_round"
    TOO_FEW_CARDS = "too_few_cards"
    CARDS_SAY_OTHERWISE = "cards_say_otherwise"
    CARDS_WERE_SEEN = "cards_were_seen"
    NO_SUCH_CARDS = "no_such_cards"
    NO_BANKER = "no_banker"
    BANK_HELD = "bank_held"
    BANK_STAKE = "bank_stake"
    BANK_GOES_ON = "bank_goes_on"
    NO_FREE_SEAT = "no_free_seat"
    ALREADY_WITHDRAWN = "already_withdrawn"
    NO_ROUND_WON = "no_round_won"
    MORE_THAN_HALF = "more_than_half"
    BELOW_DISCOUNT = "below_discount"
    BET_DID_NOT_WIN = "bet_did_not_win"
    ALREADY_LEFT = "already_left"
    NO_BET_LEFT = "no_bet_left"
