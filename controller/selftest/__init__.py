"""The technician's self-test: every part of a stopped table is tried in turn, and the result is kept.

`plan` and `walk` are pure; `session` speaks to the hardware through its door; `terminal` reads the technician;
`keep` stores. It knows no bet and moves no meter.
"""
