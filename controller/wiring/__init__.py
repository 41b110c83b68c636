"""The wiring of a board as people see it: what is on each pin of the header, and a picture of that.

It knows a `Wiring` and the header; nothing of bets, and it opens no file.
"""

from controller.wiring.header import Job, Place, places
from controller.wiring.picture import picture

__all__ = ["Job", "Place", "picture", "places"]
