"""Which batches end in a signed head, that it is stored with them at once, and that its bytes are as documented."""

import sqlite3
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest

from controller.core import events as ev
from controller.core.events import Sealed
from controller.core.faults import FaultCode
from controller.core.game import Fund, Hand
from controller.drill.play import settings_of
from controller.drill.world import World
from controller.journal import Entry, Journal, records
from controller.signing.heads import Signer
from controller.signing.key import PrivateKey
from controller.signing.when import reason, sealed
from tests.helpers_signing import PUBLIC, SEED, played, rows_of, signature_of
from tests.helpers_table import TABLE, WALL_NS, a_round, a_table, new_journal

APPROVED = ev.AwardApproved(1, 2, Hand.FLUSH, None, 50_000, 0, 0, 0, Fund.HOUSE, 0, 0, 50_000, "art. 17")
REFUSED = (ev.Refused(ev.Refusal.WRONG_PHASE),)
NOTED = (ev.Noted(),)


@pytest.mark.parametrize(
    ("event", "results", "why"),
    [
        (ev.Commissioned(1, TABLE, "d", "{}"), (ev.PhaseChanged(a_table().phase),), Sealed.COMMISSIONED),
        (ev.GameOverPressed(1), (ev.RoundEnded(1),), Sealed.ROUND_ENDED),
        (ev.GameOverPressed(1), (ev.DiscrepancyLeftOpen(1, 2), ev.RoundEnded(1)), Sealed.ROUND_ENDED),
        (ev.GameOverPressed(1), REFUSED, None),
        (ev.AwardsApproved(1), (APPROVED,), Sealed.AWARD_APPROVED),
        (ev.AwardsApproved(1), REFUSED, None),
        (ev.AwardPaid(1, 1, ev.Payment.CASH, signed=True), (ev.AwardSettled(1, 2, 5),), Sealed.AWARD_PAID),
        (ev.TableClosed(1), (ev.PhaseChanged(a_table().phase),), Sealed.TABLE_CLOSED),
        (ev.TableClosed(1), REFUSED, None),
        (ev.PotCorrected(1, "main", 5, "x"), (ev.CorrectionMade("main", 1, 5),), Sealed.MONEY_MOVED),
        (ev.PotTransferred(1, "a", "b", 5, "x"), (ev.TransferMade("a", -5, 1),), Sealed.MONEY_MOVED),
        (ev.ParametersChanged(1, "d", "{}", (), "a", "b"), (ev.ParametersAccepted("c", "d"),), Sealed.PARAMETERS),
        (ev.DeviceKeyChanged(1, "a", "b", "", "c", "d", "e"), NOTED, Sealed.KEY_CHANGED),
        (ev.DeviceKeyChanged(1, "a", "b", "", "c", "d", "e"), REFUSED, None),
        (ev.Stopped(1, "SIGTERM"), NOTED, Sealed.STOPPED),
        (ev.CoinInPressed(1), (ev.RoundLocked(1, (1,), 1000),), None),
        (ev.ChipDropped(1, 1), (ev.WagerPlaced(1),), None),
        (ev.TableOpened(1), (ev.PhaseChanged(a_table().phase),), None),
        (ev.DeviceLost(1, FaultCode.SIGN_LOST, "x"), (ev.FaultRaised(FaultCode.SIGN_LOST, 0),), None),
        (ev.HeadSigned(1, 1, "", "", "", Sealed.STOPPED), NOTED, None),
    ],
)  # fmt: skip
def test_what_asks_for_a_signed_head(
    event: ev.AnyEvent, results: tuple[ev.AnyResult, ...], why: Sealed | None
) -> None:
    assert reason(event, results) is why
    assert sealed([Entry(event, results, a_table())]) is why


def test_a_batch_is_sealed_for_its_newest_reason() -> None:
    ended = Entry(ev.GameOverPressed(1), (ev.RoundEnded(1),), a_table())
    stopped = Entry(ev.Stopped(2, "x"), NOTED, a_table())
    chip = Entry(ev.ChipDropped(3, 1), (ev.WagerPlaced(1),), a_table())
    assert sealed([ended, stopped, chip]) is Sealed.STOPPED
    assert sealed([stopped, ended, chip]) is Sealed.ROUND_ENDED
    assert sealed([chip]) is None


EVENING = """
power on
chip 1
press coin_in
press game_over
chip 2
press coin_in
key supervisor on
claim 2 flush
approve
press game_over
paid 2
key supervisor off
power off
"""


def test_an_evening_is_signed_at_each_rounds_end_award_payment_and_stop(tmp_path: Path) -> None:
    found = list(records(played(tmp_path, EVENING)))
    heads = [record.event for record in found if isinstance(record.event, ev.HeadSigned)]
    assert [head.why for head in heads] == [
        Sealed.COMMISSIONED,
        Sealed.ROUND_ENDED,
        Sealed.AWARD_APPROVED,
        Sealed.ROUND_ENDED,
        Sealed.AWARD_PAID,
        Sealed.STOPPED,
    ]


def test_each_signature_is_the_documented_one_under_the_record_before_it(tmp_path: Path) -> None:
    found = list(records(played(tmp_path, EVENING)))
    for before, record in pairwise(found):
        if isinstance(record.event, ev.HeadSigned):
            assert (record.event.seq, record.event.digest) == (before.seq, before.digest)
            assert record.event.key == PUBLIC
            expected = signature_of(SEED, "pozo head 1", "SIM-1", before.seq, before.digest)
            assert record.event.signature == expected
            assert record.state == before.state
            assert record.results == NOTED
            assert record.at_ns >= before.at_ns


def test_the_same_evening_gives_the_same_journal_to_the_last_digit(tmp_path: Path) -> None:
    assert rows_of(played(tmp_path, EVENING, "one.db")) == rows_of(played(tmp_path, EVENING, "two.db"))


def test_the_signed_head_is_in_the_transaction_of_its_batch(tmp_path: Path) -> None:
    new_journal(tmp_path).close()
    told: list[str] = []

    def connect(path: Path) -> sqlite3.Connection:
        connection = sqlite3.connect(path, isolation_level=None)
        connection.set_trace_callback(told.append)
        return connection

    with closing(Journal.open(tmp_path / "pozo.db", TABLE, connect)) as journal:
        told.clear()
        batch = a_round(1)
        journal.append(
            batch, WALL_NS, wall_trusted=True, seal=Signer(TABLE, PrivateKey.from_seed(SEED))(batch, 9)
        )
        assert [each.split()[0] for each in told] == ["BEGIN", *["INSERT"] * 5, "COMMIT"]
        assert journal.head.seq == 6
        assert journal.last.kind == "head_signed"
        assert journal.last.state == batch[-1].state
        told.clear()
        alone = batch[-1:]
        journal.append(
            alone, WALL_NS, wall_trusted=True, seal=Signer(TABLE, PrivateKey.from_seed(SEED))(alone, 9)
        )
        assert [each.split()[0] for each in told] == ["BEGIN", *["INSERT"] * 2, "COMMIT"]


def test_who_watches_the_table_is_told_of_decisions_only() -> None:
    with closing(World(settings_of("simulated", {}))) as world:
        world.power_on(open_table=True)
        world.listen()
        world.power_off()
        assert [type(entry.event) for entry in world.told] == [ev.Stopped]
        assert [record.kind for record in records(world.medium.journal)][-2:] == ["stopped", "head_signed"]
