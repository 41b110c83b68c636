"""The simulated table on the machine's own clock: what `pozo sim` plays on.

It knows the loop and the simulated hardware, and nothing of pages: whoever shows it hands in two callables.
"""
