"""Boots the image that image/build made and does to it what happens to a table: rounds, cuts, faults, updates.

It runs on Python's own library and knows nothing of the program but what can be seen from outside: lines of the board,
bytes on the sign's cable, files of the card, and what the program's own commands say.
"""
