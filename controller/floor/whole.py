"""Whole numbers as PostgreSQL sends them: an integer, or a numeric, which arrives as a Decimal."""

from decimal import Decimal

from controller.floor.errors import FloorError


def whole(value: object) -> int:
    """The number. Raises `FloorError` for anything else, a fraction above all."""
    if isinstance(value, int | Decimal) and int(value) == value:
        return int(value)
    raise FloorError(f"the floor answered {value!r} where a whole number is promised; run `pozo floor check`")
