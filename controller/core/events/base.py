"""What every event and every result is made from."""

import msgspec

from controller.core.events.words import snake


class Event(msgspec.Struct, frozen=True, gc=False, tag=snake, tag_field="kind"):
    """Common to all events: when, in nanoseconds of this boot's monotonic clock."""

    at_ns: int


class Result(msgspec.Struct, frozen=True, gc=False, tag=snake, tag_field="kind"):
    """Common to all results."""
