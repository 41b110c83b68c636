"""Signatures: the device's key, the heads it signs, and what anybody with its public half can prove from a copy.

`cryptography` is imported in `key` alone; whoever only names a key here loads it with that.
"""
