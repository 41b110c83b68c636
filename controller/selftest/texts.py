"""The sentences of the self-test by their English wording; `{…}` are values. Catalogues word them."""

from enum import StrEnum


class Say(StrEnum):
    """Everything the technician is told or asked."""

    TITLE = "Self-test of table {table}, board: {board}, by {person}"
    HELP = "Enter: yes - n REASON: no - s REASON: skip - q: end. Each part has {limit} s"
    BUTTONS_ANSWER = "Once they are tested, COIN IN answers yes and GAME OVER no"
    ASK_BUTTON = "Press {what} and let go"
    ASK_KEY = "Turn {what} and turn it back"
    ASK_SEAT = "Drop a chip: {what}"
    ASK_LAMP = "Is only this lamp lit? {what}"
    ASK_BELL = "Does it ring? {what}"
    ASK_SLOTS_OPEN = "Are all slots open? {what}"
    ASK_SLOTS_LOCKED = "Are all slots locked? {what}"
    ASK_RELEASE = "Does it let the chips go, every 5 s? {what}"
    ASK_SCREEN = "Does the screen show a frame and a chess board, all dots alive? {what}"
    ASK_SIGN = "Does the sign show 0123456789? {what}"
    ASK_PAD = "Press {what}"
    OTHER_MOVED = "MOVED INSTEAD: {other}. If {what} was the right one, press Enter: the wires are swapped"
    MOVED = "MOVED: {other}"
    REASON_WANTED = "To skip it, give a reason: s REASON"
    HINT_LOOK = "Enter: yes - n REASON: no - s REASON: skip - q: end"
    HINT_LINE = "It answers by itself. n REASON: it does not - s REASON: skip - q: end"
    OK = "good: {what}"
    FAILED = "FAILED: {what} {note}"
    SKIPPED = "skipped: {what} {note}"
    STOPPED = "ended before its time; what was left is skipped"
    SWAPPED = "SWAPPED: {what} and {other}. Exchange their wires, or their pins in the board file"
    SUMMARY = "{good} good, {failed} failed, {skipped} skipped"
    STORED = "kept in the journal {path}"
    FILED = "the table is not commissioned yet: kept in {path}"
    SIGN_TEST = "TEST"


class Part(StrEnum):
    """What the parts are called."""

    COIN_IN = "COIN IN"
    GAME_OVER = "GAME OVER"
    SUPERVISOR = "the supervisor's key"
    TECHNICIAN = "the technician's key"
    SEAT = "seat {seat}"
    LAMP = "lamp {seat}"
    BELL = "the bell"
    SLOTS_OPEN = "the slots, open"
    SLOTS_LOCKED = "the slots, locked"
    RELEASE = "the chip release"
    SCREEN = "the screen"
    SIGN = "the sign"
    PAD = "the key {key}"
