"""Whole tables under every fault that can be made: a disk that loses its power, random play, and those who check.

It may know everything: it drives the drills' simulated world and reads what the program left behind.
"""
