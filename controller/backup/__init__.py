"""Backups: a proven copy of a table's journal with what belongs to it, and a signed list of both; and the way back.

No secret is in one: the device's key, the list of persons and its pepper stay in the table. A spare machine makes its
own key when two persons bring the table back on it (`pozo recover`). It knows journals, signatures and files.
"""
