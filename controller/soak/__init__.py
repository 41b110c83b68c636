"""The soak: whole tables in one process on virtual time, random play, faults at every seam, independent checkers.

`play` makes statements of the drill language from a seed, `checks` watch, `coverage` counts what happened, `shrink`
makes a failing run short. A failure is written as a drill that `pozo drill` plays.
"""
