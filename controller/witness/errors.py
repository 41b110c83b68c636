"""What can go wrong with a witness; each text is for the person who must act."""


class WitnessError(Exception):
    """The witness room's errors."""


class SlotError(WitnessError, ValueError):
    """These bytes are no slot of a witness; the text says why."""


class TooLargeError(WitnessError, ValueError):
    """A record that does not fit into a slot. Nothing was written."""


class WitnessWriteError(WitnessError, OSError):
    """A slot could not be written. What is in it is unknown; the other one was not touched."""


class WitnessDeniedError(WitnessError, PermissionError):
    """The user the program runs as may not read the witness."""


class WitnessThereError(WitnessError, ValueError):
    """A witness is where a table without history should be made."""


class RecoveryRefusedError(WitnessError, ValueError):
    """What was asked of a recovery cannot be done; the text says what can. Nothing was changed."""
