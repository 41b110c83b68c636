"""What a table's unit runs around the table: the technician's file is brought in, and why nothing is played is shown.

It decides nothing of a round, and writes no journal but by both keys.
"""
