"""Slots that somebody made up, keys that somebody exchanged: what nothing proves, nobody trusts."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from controller.administer import administer
from controller.clock import VirtualClock
from controller.core import events as ev
from controller.core.events import Trusted
from controller.drill.world import World
from controller.journal import ends_of, verify
from controller.journal.record import Row
from controller.recovery.plan import NOT_AT_HAND
from controller.signing.audit import prove
from controller.signing.device import Change, held, key_in_force, path_of
from controller.signing.key import CHECK_DIGITS, KeyProblemError, PrivateKey, short_key, write_private
from controller.witness.errors import RecoveryRefusedError
from controller.witness.slot import NUMBER_MOST, decode_slot
from controller.witness.verdict import Plight
from tests.helpers_signing import FORGER, PUBLIC, SEED, digest_of, public_of, with_state
from tests.helpers_witness import (
    BASE,
    PAPER,
    PER_WAGER,
    a_round_of,
    journal_files,
    kept,
    lose_journal,
    played,
    pot,
    put_back,
    recovered,
    slot_file,
    slots,
)
from tests.helpers_world import stored, table

NAMES = ("slot-a", "slot-b")
HONEST = BASE + 2 * PER_WAGER
STOLEN = 50_000_000
"""What the thief adds to the pot: 500,000.00, the law of money kept by a correction nobody made."""


@pytest.fixture
def world() -> Iterator[World]:
    """A table that has played one round of two wagers and was switched off."""
    with played(1) as made:
        made.power_off()
        yield made


def ahead(world: World) -> Row:
    """A record behind the witness's newest, with the pot higher: what a thief needs no key to make."""
    newest = max((decode_slot(data) for data in slots(world)), key=lambda slot: slot.serial)
    row = with_state(newest.row, richer)
    row = (row[0] + 7, *row[1:])
    return (*row[:-1], digest_of("0" * 64, row))


def richer(state: dict[str, object]) -> None:
    money = state["pot"]
    assert isinstance(money, dict)
    level = money["levels"][0]
    level["current"] += STOLEN
    level["corrections"] = level.get("corrections", 0) + STOLEN


def forge(world: World, *names: str, seed: bytes | None = FORGER, serial: int = 10_000) -> None:
    row = ahead(world)
    for name in names:
        (world.medium.witness / name).write_bytes(slot_file(row, serial, "SIM-1", seed))


def stranded(world: World) -> Plight | None:
    """What a start says of it, None if it plays."""
    world.power_on(open_table=True)
    found = None if world.stranded is None else world.stranded.plight
    world.power_off()
    return found


@pytest.mark.parametrize("seed", [FORGER, None], ids=["a key of his own", "no key"])
@pytest.mark.parametrize("name", NAMES)
def test_a_forged_slot_beside_a_good_one_is_a_damaged_slot(
    world: World, name: str, seed: bytes | None
) -> None:
    forge(world, name, seed=seed, serial=NUMBER_MOST - 1)
    world.power_on(open_table=True)
    assert world.stranded is None
    assert pot(world) == HONEST
    (rebuilt,) = stored(world, ev.WitnessRebuilt)
    assert isinstance(rebuilt.event, ev.WitnessRebuilt)
    assert rebuilt.event.why.startswith(f"{name} is not proven: ")
    world.power_off()
    assert all(decode_slot(data).key == PUBLIC for data in slots(world))
    assert all(decode_slot(data).serial < 100 for data in slots(world)), "it counts on from nothing he wrote"
    assert stranded(world) is None


@pytest.mark.parametrize("seed", [FORGER, None], ids=["a key of his own", "no key"])
def test_two_honest_persons_do_not_recover_from_a_forged_witness(world: World, seed: bytes | None) -> None:
    forge(world, *NAMES, seed=seed, serial=NUMBER_MOST - 1)
    assert stranded(world) is Plight.NO_WITNESS
    before = kept(world)
    with pytest.raises(RecoveryRefusedError, match="Compare it with the key filed at commissioning"):
        recovered(world, filed=None)
    with pytest.raises(RecoveryRefusedError, match="witness cannot be trusted here; there is: journal"):
        recovered(world, Trusted.WITNESS)
    assert kept(world) == before
    recovered(world)
    assert all(decode_slot(data).serial < 100 for data in slots(world)), "it counts on from nothing he wrote"
    world.power_on(open_table=True)
    assert pot(world) == HONEST
    assert key_in_force(world.medium.journal) == PUBLIC


@pytest.mark.parametrize("seed", [FORGER, None], ids=["a key of his own", "no key"])
def test_a_forged_witness_beside_a_lost_journal_is_not_trusted(world: World, seed: bytes | None) -> None:
    forge(world, *NAMES, seed=seed)
    lose_journal(world)
    world.power_on(open_table=True)
    assert world.stranded is not None
    assert world.stranded.plight is Plight.NOTHING_TRUSTED
    assert not any("600.020" in line for line in world.hal.screen), "nobody is shown his pot"
    world.power_off()
    with pytest.raises(RecoveryRefusedError, match="witness cannot be trusted here; there is: paper"):
        recovered(world, Trusted.WITNESS)


def test_beside_a_lost_journal_the_slot_of_this_table_speaks_not_the_newer_one_of_a_thief(
    world: World,
) -> None:
    forge(world, "slot-a")
    lose_journal(world)
    assert stranded(world) is Plight.JOURNAL_LOST
    recovered(world)
    world.power_on(open_table=True)
    assert pot(world) == HONEST


def rekey(world: World) -> str:
    """Give the table another key, as `pozo journal rekey` does; the public half."""
    places = world.places
    change = Change(places.journal, places.table_id)
    event = change.event(0, supervisor="Ana", technician="Luis", reason="the card was lent")
    change.prepare()
    administer(places, VirtualClock(), event, both_keys=True, sealer=change.seal, files=world.medium.files)
    change.finish()
    return change.key.public


def test_after_a_change_of_the_key_both_slots_are_the_new_ones(world: World) -> None:
    new = rekey(world)
    assert [decode_slot(data).key for data in slots(world)] == [new, new]
    assert stranded(world) is None
    assert not stored(world, ev.WitnessRebuilt)


def test_a_journal_from_before_a_change_of_the_key_is_behind(world: World) -> None:
    """The key file is the new one's: with it the slots are proven, though the journal does not know it."""
    before = journal_files(world)
    new = rekey(world)
    put_back(world, before)
    assert stranded(world) is Plight.JOURNAL_BEHIND
    recovered(world, filed=None)
    assert key_in_force(world.medium.journal) == new
    assert stranded(world) is None
    assert prove(world.medium.journal, (), (PUBLIC, new)).bad is None


def test_a_whole_card_from_before_a_change_of_the_key_does_not_bring_the_old_key_back(world: World) -> None:
    """Journal and key file are the old ones: only the paper tells whose key the witness has."""
    before = journal_files(world)
    new = rekey(world)
    put_back(world, before)
    write_private(path_of(world.medium.journal), PrivateKey.from_seed(SEED))
    assert stranded(world) is Plight.NO_WITNESS
    with pytest.raises(
        RecoveryRefusedError, match=f"was signed with {short_key(new)}, which nothing here proves"
    ):
        recovered(world, filed=None)
    recovered(world, filed=new[:20])
    assert ends_of(world.medium.journal).last.kind == "head_signed"
    made = key_in_force(world.medium.journal)
    assert made not in {PUBLIC, new}, (
        "the old one may be known, the new one's private half is on the other card"
    )
    assert held(world.medium.journal, made) is not None
    assert held(world.medium.journal, PUBLIC) is None
    assert path_of(world.medium.journal).with_name("journal.db.key.aside-1").exists()
    assert stranded(world) is None


def new_card(world: World) -> None:
    """Journal, marker and key file are gone: only the witness is left."""
    lose_journal(world)
    for tail in (".id", ".key"):
        world.medium.journal.with_name(f"journal.db{tail}").unlink()


def test_after_a_new_card_persons_prove_the_witness_by_the_filed_key(world: World) -> None:
    new_card(world)
    assert stranded(world) is Plight.NOTHING_TRUSTED
    with pytest.raises(RecoveryRefusedError, match=f"was signed with {short_key(PUBLIC)}"):
        recovered(world, filed=None)
    recovered(world, filed=PUBLIC[:20])
    world.power_on(open_table=True)
    assert pot(world) == HONEST
    assert key_in_force(world.medium.journal) != PUBLIC
    first = ends_of(world.medium.journal).first.event
    assert isinstance(first, ev.JournalRecovered)
    assert first.trusted is Trusted.WITNESS
    assert first.copies[-1] == "filed key: 3b6a-27bc-ceb6-a42d-62a3"


@pytest.mark.parametrize("filed", [public_of(FORGER), NOT_AT_HAND])
def test_after_a_new_card_a_witness_of_another_key_than_the_filed_one_is_not_trusted(
    world: World, filed: str
) -> None:
    new_card(world)
    before = kept(world)
    for trusted in (None, Trusted.WITNESS):
        with pytest.raises(RecoveryRefusedError):
            recovered(world, trusted, filed=filed)
    assert kept(world) == before
    recovered(world, Trusted.PAPER, PAPER, filed=filed)
    world.power_on(open_table=True)
    assert table(world).round == PAPER.round


def test_paper_beside_a_witness_of_the_filed_key_is_refused(world: World) -> None:
    new_card(world)
    with pytest.raises(RecoveryRefusedError, match="paper cannot be trusted here; there is: witness"):
        recovered(world, Trusted.PAPER, PAPER)
    with pytest.raises(RecoveryRefusedError, match="Compare it with the key filed"):
        recovered(world, Trusted.PAPER, PAPER, filed=None)


def test_a_filed_key_that_is_nowhere_here_is_refused_and_says_what_there_is(world: World) -> None:
    lose_journal(world)
    with pytest.raises(
        RecoveryRefusedError, match=f"no key that was found here; there is: {short_key(PUBLIC)}"
    ):
        recovered(world, filed=public_of(FORGER))


@pytest.mark.parametrize("names", [NAMES, ("slot-a",), ("slot-b",)], ids=["both", "a", "b"])
@pytest.mark.parametrize("rounds", [0, 1])
def test_slots_that_a_recovery_set_aside_and_somebody_puts_back_are_not_trusted(
    world: World, names: tuple[str, ...], rounds: int
) -> None:
    """They are genuine, and ahead of the journal that began anew."""
    lose_journal(world)
    recovered(world)
    world.power_on(open_table=False)
    for _ in range(rounds):
        a_round_of(world)
    world.power_off()
    for name in names:
        aside = world.medium.witness / f"{name}.aside-1"
        (world.medium.witness / name).write_bytes(aside.read_bytes())
    world.power_on(open_table=False)
    assert world.stranded is None
    assert pot(world) == HONEST + rounds * 2 * PER_WAGER
    world.power_off()
    assert all(decode_slot(data).record.boot > 1 for data in slots(world)), "written anew"


def lose_witness(world: World) -> None:
    for path in world.medium.witness.iterdir():
        path.unlink()


@pytest.mark.parametrize("lost", [lose_journal, lose_witness])
def test_a_key_file_that_was_exchanged_is_not_taken_by_an_honest_recovery(
    world: World, lost: Callable[[World], None]
) -> None:
    lost(world)
    write_private(path_of(world.medium.journal), PrivateKey.from_seed(FORGER))
    recovered(world)
    key = key_in_force(world.medium.journal)
    assert key not in {PUBLIC, public_of(FORGER)}
    assert held(world.medium.journal, key) is not None
    assert held(world.medium.journal, public_of(FORGER)) is None
    assert verify(world.medium.journal).bad is None
    assert stranded(world) is None


@pytest.mark.parametrize("filed", [None, public_of(FORGER)], ids=["nothing said", "confirmed"])
def test_from_paper_the_key_file_is_taken_only_if_both_persons_have_its_key_on_paper(
    world: World, filed: str | None
) -> None:
    """Nothing else vouches for it: neither a journal nor a slot."""
    lose_journal(world)
    lose_witness(world)
    write_private(path_of(world.medium.journal), PrivateKey.from_seed(FORGER))
    recovered(world, Trusted.PAPER, PAPER, filed=filed)
    assert (key_in_force(world.medium.journal) == public_of(FORGER)) is (filed is not None)


def made_up(path: Path) -> None:
    """The thief's seed under the trusted public half, its check right."""
    line = PrivateKey(FORGER, PUBLIC).line()
    assert len(line.split()[-1]) == CHECK_DIGITS
    path.write_text(line)


def test_no_start_signs_with_a_private_half_that_is_not_that_of_the_trusted_key(world: World) -> None:
    made_up(path_of(world.medium.journal))
    with pytest.raises(KeyProblemError, match="holds another one or none: put the right file back"):
        world.power_on(open_table=True)


def test_a_made_up_key_file_proves_no_slot(world: World) -> None:
    made_up(path_of(world.medium.journal))
    lose_journal(world)
    assert stranded(world) is Plight.NOTHING_TRUSTED


def test_a_history_whose_record_1_is_not_signed_is_not_played(world: World) -> None:
    with closing(sqlite3.connect(world.medium.journal, isolation_level=None)) as connection:
        connection.execute("DELETE FROM journal WHERE seq > 1")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    lose_witness(world)
    assert stranded(world) is Plight.NOTHING_TRUSTED


def test_a_slot_takes_one_block_in_play_signature_included(world: World) -> None:
    row = decode_slot(slots(world)[0]).row
    assert len(slot_file(row).partition(b"\n")[0]) < 4_096
