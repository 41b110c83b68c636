"""What the floor says to a table of its linked pots, as it travels from the link to the table's ear."""

from typing import Annotated, Final

import msgspec

from controller.core.events import AwardApproved, PotReset

WHY_MAX: Final = 300
"""Characters of a reason that are sent."""

Why = Annotated[str, msgspec.Meta(max_length=WHY_MAX)]
_Count = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]


class LinkSaid(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A linked pot: its amount in minor units after so many wins of the link, or why this table may not play for it."""

    link: Annotated[str, msgspec.Meta(max_length=64)]
    amount: _Count = 0
    wins: _Count = 0
    why: Why = ""


class AnswerSaid(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What became of claim `claim`: as win `order` of its link it is worth `told`; or why it is never served."""

    claim: _Count
    order: _Count = 0
    told: tuple[AwardApproved | PotReset, ...] = ()
    why: Why = ""
