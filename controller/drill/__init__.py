"""Drills: scripts that play a whole table on virtual time.

The program under a drill is the real one: the same loop, filter, core and journal. Only the clock is virtual, the
hardware is `hal.simulated`, and the medium is a folder that a power cut copies as it stands.
"""
