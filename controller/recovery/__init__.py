"""Brings a table back whose journal and witness do not agree: two persons choose what is trusted.

No file is ever removed: what is not trusted any more is set aside under a new name, and the first record after it says
what it goes on from. The power may go between any two steps; then the next start is out of service again, or plays.

    plan    pure: what may be trusted, and what that means    steps   the files, in the one safe order
    known   what copies that are not good still say           paper   what is entered, held against that
"""

from controller.recovery.paper import Paper
from controller.recovery.plan import Request
from controller.recovery.steps import Done, recover

__all__ = ["Done", "Paper", "Request", "recover"]
