"""The floor under a storm of real processes: `python -m tests.storm --tables 30 --rounds 200`; short in the suite.

Every table is a real `pozo run` on a simulated board with a real `pozo link` beside it, over TLS and a network that can
be cut, to a PostgreSQL of its own with fsync. At the end everything is worked out again from the journals alone.
"""
