"""Signatures: the device's key, the heads it signs, and what anybody with its public half can prove from a copy.

`cryptography` is imported in `key` alone, when something is signed or checked for the first time.
"""
