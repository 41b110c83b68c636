"""Pages for a browser: the simulated table to play on, and a real table's console to look at.

The table's own process never imports this room. It reads journals and shows what it is told; it decides nothing.
"""
