"""Independent checkers: what a table's records, lines and outputs must be, without a line of the program.

Nothing here imports the program: records are read as JSON, hardware is looked at from outside, money and phases are
worked out again from the rules that stand in the journal. The program may not be its own judge.
"""
