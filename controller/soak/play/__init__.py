"""Random play: people, chips and mishaps from a seed, as statements of the drill language.

A player sees a table as people do (its lamps, its screen's phase, its keys) and through its last record; what it
does next is one more line of a drill, so that every run can be written down and played again.
"""
