"""The exact odds of a game's prizes and of its bank: counted, never sampled; fractions of integers, no float.

Pure: it reads no file and no clock. How each figure is derived stands in docs/odds.md and beside its function.
"""
