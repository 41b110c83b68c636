"""What moved each level of the pot between two records, and whether the records explain it to the unit."""

from collections import Counter

import msgspec

from controller.core import events as ev
from controller.core.money import PPM
from controller.core.state import Level, Table
from controller.journal import Record


class LevelFlow(msgspec.Struct, frozen=True):
    """One level, in minor units: `begins` + `raised` - `awards` + `resets` + `corrections` + `transfers` = `ends`.

    `begins` of a level that began inside the span is its base amount. `reserved` and `over` are what of the wagers
    went to the reserve and over the limit, `reserve_pool` and `overflow` what stands there at the end.
    `unexplained`: change that no record explains, 0 in an honest journal. Of a linked level all that is 0 but
    `contributed`, which went to the link in whole minor units, `from_link`, which it gave for awards here, and
    `confirmed`, what the floor said of the pot last; None: the level is the table's own.
    """

    name: str
    begins: int
    raised: int
    awards: int
    resets: int
    corrections: int
    transfers: int
    ends: int
    reserved: int
    over: int
    reserve_pool: int
    overflow: int
    unexplained: int
    contributed: int = 0
    from_link: int = 0
    confirmed: int | None = None


class Flow:
    """Adds movements up, level by level."""

    def __init__(self, before: Table | None) -> None:
        self._begins = {} if before is None else {level.name: level.current for level in before.pot.levels}
        self._moved: dict[str, Counter[str]] = {name: Counter() for name in self._begins}
        levels = () if before is None else before.pot.levels
        self._linked = {level.name: (level.link_out, level.link_in) for level in levels}

    def add(self, record: Record) -> None:
        """Add one record's movements; a level that was not there before begins with what it has after it.

        One that is brought back from paper begins with its base amount: its record says how that was corrected.
        """
        corrected = {
            each.level: each.before for each in record.results if isinstance(each, ev.CorrectionMade)
        }
        for level in record.state.pot.levels:
            if level.name not in self._begins:
                self._begins[level.name] = corrected.get(level.name, level.current)
                self._moved[level.name] = Counter()
        if any(isinstance(result, ev.ClaimServed) for result in record.results):
            return  # awards and reset are of the link's pot, not of this table's
        for result in record.results:
            self._one(result)

    def _one(self, result: ev.AnyResult) -> None:
        match result:
            case ev.PotRaised(level=name, by=by, over=over, reserve=reserve):
                self._moved[name].update(raised=by, over=over, reserved=reserve)
            case ev.AwardApproved(level=str(name), from_pot=amount):
                self._moved[name].update(awards=amount)
            case ev.PotReset(level=name, current=current, left=left):
                self._moved[name].update(resets=current - left)
            case ev.CorrectionMade(level=name, before=before, after=after):
                self._moved[name].update(corrections=after - before)
            case ev.TransferMade(level=name, by=by):
                self._moved[name].update(transfers=by)
            case _:
                return

    def levels(self, after: Table) -> tuple[LevelFlow, ...]:
        """Every level as it stands in `after`, with what moved it."""
        return tuple(self._level(level) for level in after.pot.levels)

    def _level(self, level: Level) -> LevelFlow:
        begins, moved = self._begins[level.name], self._moved[level.name]
        explained = (
            begins
            + moved["raised"]
            - moved["awards"]
            + moved["resets"]
            + moved["corrections"]
            + moved["transfers"]
        )
        out, in_ = self._linked.get(level.name, (0, 0))
        return LevelFlow(
            level.name,
            begins,
            moved["raised"],
            moved["awards"],
            moved["resets"],
            moved["corrections"],
            moved["transfers"],
            level.current,
            moved["reserved"],
            moved["over"],
            level.reserve_pool,
            level.overflow_meter,
            level.current - explained,
            level.link_out // PPM - out // PPM,
            level.link_in - in_,
            None if level.told is None else level.told.amount,
        )
