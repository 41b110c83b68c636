"""The sentences of a table that is not played, by their English wording; `{…}` are values."""

from enum import StrEnum


class Say(StrEnum):
    """Every line of the screen but those of `Why` and `Mend`."""

    OUT = "OUT OF SERVICE"
    CALL = "CALL THE TECHNICIAN - PLAY NOTHING"
    AGAIN = "IT TRIES AGAIN BY ITSELF"
    FILE = "{file}"
    FILE_LINE = "{file} - LINE {line}"
    KEY = "{key}"
    KEY_VALUE = "{key} = {value}"
    MORE = "AND {count} MORE: pozo check"
    CHANGE = "{key}: {old} -> {new}"
    OTHER_MACHINE = "THIS CARD IS OF ANOTHER BOARD"
    ACCEPT = "THEN: pozo commission, BOTH KEYS - OR PUT THE OLD VALUES BACK"
    KEPT = "NEW FILE NOT TAKEN"
    GOES_ON = "THE TABLE GOES ON WITH THE OLD ONE - GAME OVER: GO ON"
    NEW = "NEW TABLE {id}"
    NAMED = "{name} - {title}"
    WAGER = "WAGER {wager}, {seats} SEATS"
    NO_WAGER = "NO WAGER IN THE SLOTS, {seats} SEATS"
    LEVEL = "POT {level}: BEGINS WITH {base}, AGAIN WITH {reset}, LIMIT {limit}"
    RATES = "POT {level}: {pot} OF EACH WAGER, RESERVE {reserve}"
    PRIZE = "{hand}: {prize}"
    OF_POT = "{share} OF THE POT"
    OF_POT_CAPPED = "{share} OF THE POT, AT MOST {cap}"
    AGREE = "AGREED? BOTH KEYS, HOLD GAME OVER 3 s"
    DONE = "TABLE COMMISSIONED"
    NOTE_KEY = "NOTE THE PUBLIC KEY ON PAPER:"
    GO_ON = "NOTED? GAME OVER"


class Why(StrEnum):
    """What keeps the table from being played."""

    CONFIG = "THE TABLE'S FILE CANNOT BE USED"
    PROGRAM = "THE PROGRAM IS NOT THE SIGNED ONE - INSTALL THE RELEASE AGAIN"
    CHANGED = "THE FILES SAY OTHER VALUES THAN WERE AGREED TO"
    BOARD = "PINS OR BOARD DO NOT ANSWER"
    SIMULATED = "A SIMULATED BOARD MAY NOT WRITE TO A REAL TABLE"
    RUNNING = "ANOTHER PROGRAM HOLDS THE TABLE"
    SIGNING_KEY = "THE SIGNING KEY IS MISSING - pozo journal rekey"
    OTHER_TABLE = "THIS CARD IS OF ANOTHER TABLE"
    JOURNAL = "THE JOURNAL CANNOT BE USED - NEVER COMMISSION ANEW"
    MEDIUM = "A MEDIUM CANNOT BE READ OR WRITTEN"
    FAILED = "THE PROGRAM FAILED"


class Mend(StrEnum):
    """What to do about one problem of a file."""

    ENCODING = "SAVE THE FILE AS UTF-8"
    LINE_ENDS = "SAVE WITH LINE ENDS LF OR CRLF"
    CHARACTER = "STRANGE CHARACTER IN COLUMN {column}"
    SYNTAX = "THIS LINE IS NOT UNDERSTOOD"
    NAME = "FOUND: {found} - RENAME IT"
    TWO_FILES = "TWO FILES: {found} - KEEP ONE"
    NO_FILE = "THE FILE IS NOT THERE"
    EMPTY = "THE FILE IS EMPTY"
    TWICE = "GIVEN TWICE - KEEP ONE"
    UNKNOWN = "THERE IS NO SUCH KEY"
    MISSING = "IT IS MISSING"
    OUTSIDE = "PUT IT BESIDE THE TABLE'S FILE"
    UNREADABLE = "IT CANNOT BE READ OR WRITTEN"
    OTHER_TABLE = "THIS FILE IS OF ANOTHER TABLE"
    VALUE = "THIS VALUE IS NOT ALLOWED"
