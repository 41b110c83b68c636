"""The core: pure and deterministic.

It imports `typing`, `enum`, `msgspec` and itself; it reads no clock, file, environment or random number.
Money flows `money <- pot <- awards <- table`; nothing below `table` knows a phase.
"""
