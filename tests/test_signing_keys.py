"""Key files, the key a table trusts, and its change: a power cut between any two steps leaves a key that signs."""

import shutil
from pathlib import Path

import pytest

from controller.config import load
from controller.core import events as ev
from controller.core.money import Currency
from controller.core.table import step
from controller.core.table.parameters import REASON_MAX
from controller.journal import Journal, JournalError, records
from controller.signing.device import Change, held, key_in_force, path_of, signer_of
from controller.signing.key import (
    KeyProblemError,
    PrivateKey,
    genuine,
    public_line,
    read_private,
    read_public,
    short_key,
    write_private,
)
from controller.words import Words
from tests.helpers_cli import own_table, pozo_run
from tests.helpers_signing import PUBLIC, SEED, played, public_of, rows_of, signature_of
from tests.helpers_table import TABLE, filled

# RFC 8032, section 7.1, test 2.
RFC_SEED = bytes.fromhex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")
RFC_PUBLIC = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"
RFC_SIGNATURE = (
    "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
    "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
)
MESSAGE = bytes.fromhex("72")
SIGNED = ("--turn-keys", "--supervisor", "Ana", "--technician", "Luis", "--reason", "card exchanged")


def test_signatures_are_those_of_the_standard() -> None:
    key = PrivateKey.from_seed(RFC_SEED)
    assert (key.public, key.sign(MESSAGE)) == (RFC_PUBLIC, RFC_SIGNATURE)
    assert genuine(RFC_PUBLIC, MESSAGE, RFC_SIGNATURE)
    assert not genuine(RFC_PUBLIC, MESSAGE + b"\0", RFC_SIGNATURE)
    assert not genuine(PUBLIC, MESSAGE, RFC_SIGNATURE)


@pytest.mark.parametrize(
    "signature", ["", "00", "z" * 128, "0" * 127, "\N{ARABIC-INDIC DIGIT ZERO}" * 128, "0" * 128]
)
def test_what_is_no_signature_is_none(signature: str) -> None:
    assert not genuine(RFC_PUBLIC, MESSAGE, signature)
    assert not genuine(signature, MESSAGE, RFC_SIGNATURE)


def test_a_private_key_is_kept_from_others_and_comes_back(tmp_path: Path) -> None:
    file = tmp_path / "a.key"
    write_private(file, PrivateKey.from_seed(RFC_SEED))
    assert file.stat().st_mode & 0o777 == 0o600
    back = read_private(file)
    assert back is not None
    assert back.public == RFC_PUBLIC
    assert [path.name for path in tmp_path.iterdir()] == ["a.key"]
    assert RFC_SEED.hex() not in repr(back) + str(back)


def test_a_key_is_replaced_whole(tmp_path: Path) -> None:
    file = tmp_path / "a.key"
    (tmp_path / "a.key.draft").write_text("left over from a power cut")
    write_private(file, PrivateKey.from_seed(SEED))
    write_private(file, PrivateKey.from_seed(RFC_SEED))
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.read_text().startswith(f"pozo-private-key ed25519 {RFC_SEED.hex()} {RFC_PUBLIC} ")


def test_a_damaged_private_key_is_no_key(tmp_path: Path) -> None:
    """Every single wrong bit is seen, so that a start need not sign to know that it can."""
    file = tmp_path / "a.key"
    write_private(file, PrivateKey.from_seed(RFC_SEED))
    right = file.read_bytes().rstrip()
    for at in range(len(right)):
        for bit in range(8):
            file.write_bytes(right[:at] + bytes([right[at] ^ 1 << bit]) + right[at + 1 :])
            with pytest.raises(KeyProblemError):
                read_private(file)


def test_no_two_new_keys_are_the_same() -> None:
    assert len({PrivateKey.new().public for _ in range(50)}) == 50


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "holds no public key"),
        (b"hello", "holds no public key"),
        (b"\xff\xfe" * 4000, "holds no public key"),
        (f"pozo-private-key ed25519 {'1' * 64}\n".encode(), "keep that file to yourself"),
        (b"pozo-public-key ed25519 12", "64 hexadecimal digits"),
    ],
)
def test_a_file_that_is_no_public_key_is_refused(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "k").write_bytes(content)
    with pytest.raises(KeyProblemError, match=said):
        read_public(tmp_path / "k")


def test_a_public_key_is_read_with_or_without_its_name(tmp_path: Path) -> None:
    for content in (public_line(RFC_PUBLIC), RFC_PUBLIC, RFC_PUBLIC.upper() + "\n"):
        (tmp_path / "k").write_text(content)
        assert read_public(tmp_path / "k") == RFC_PUBLIC
    with pytest.raises(KeyProblemError, match="there is no"):
        read_public(tmp_path / "gone")


def commissioned(folder: Path) -> tuple[Path, Path]:
    """A commissioned table's file and its journal."""
    file = own_table(folder)
    done = pozo_run("commission", "--config", file, "--turn-keys")
    assert done.exit_code == 0, done.output
    return file, folder / "mesa.db"


def test_commissioning_makes_a_key_and_prints_what_is_to_be_filed(tmp_path: Path) -> None:
    file = own_table(tmp_path)
    done = pozo_run("commission", "--config", file, "--turn-keys")
    first = next(iter(records(tmp_path / "mesa.db"))).event
    assert isinstance(first, ev.Commissioned)
    private = read_private(tmp_path / "mesa.db.key")
    assert private is not None
    assert private.public == first.device_key
    assert f"key {first.device_key}" in done.output
    assert "File it away" in done.output
    again = pozo_run("journal", "key", "--config", file)
    assert f"key {first.device_key}" in again.output
    line = pozo_run("journal", "key", tmp_path / "mesa.db", "--line")
    (tmp_path / "filed").write_text(line.output)
    assert read_public(tmp_path / "filed") == first.device_key


def test_a_key_that_an_interrupted_commissioning_left_is_not_used(tmp_path: Path) -> None:
    write_private(tmp_path / "mesa.db.key", PrivateKey.from_seed(RFC_SEED))
    _, journal = commissioned(tmp_path)
    assert key_in_force(journal) not in {"", RFC_PUBLIC}
    assert held(journal, key_in_force(journal)) is not None


def test_a_second_commissioning_leaves_the_key_alone(tmp_path: Path) -> None:
    file, journal = commissioned(tmp_path)
    before = path_of(journal).read_bytes()
    journal.unlink()
    for leftover in tmp_path.glob("mesa.db-*"):
        leftover.unlink()
    refused = pozo_run("commission", "--config", file, "--turn-keys")
    assert refused.exit_code == 1
    assert path_of(journal).read_bytes() == before


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda key: key.unlink(), "is gone: put it back"),
        (lambda key: write_private(key, PrivateKey.from_seed(RFC_SEED)), "holds another one or none"),
        (lambda key: key.write_text("pozo"), "holds another one or none"),
    ],
)
def test_a_start_without_the_right_key_says_what_is_trusted_and_what_to_do(
    tmp_path: Path, spoil: object, said: str
) -> None:
    file, journal = commissioned(tmp_path)
    before = rows_of(journal)
    assert callable(spoil)
    spoil(path_of(journal))
    done = pozo_run("run", "--config", file)
    assert done.exit_code == 1
    assert f"trusts the key {key_in_force(journal)}" in done.output
    assert said in done.output
    assert "pozo journal rekey" in done.output
    assert rows_of(journal) == before


def test_a_journal_of_a_program_that_did_not_sign_asks_for_a_key(tmp_path: Path) -> None:
    journal = filled(tmp_path, 1)
    assert key_in_force(journal) == ""
    with pytest.raises(KeyProblemError, match=r"has no key yet.*pozo journal rekey"):
        signer_of(journal, TABLE)
    assert pozo_run("journal", "key", journal).exit_code == 1


def verify(*arguments: str | Path) -> int:
    return pozo_run("journal", "verify", *arguments).exit_code


def test_a_change_with_the_old_key_at_hand_is_proven_by_the_first_key_alone(tmp_path: Path) -> None:
    file, journal = commissioned(tmp_path)
    old = key_in_force(journal)
    done = pozo_run("journal", "rekey", "--config", file, *SIGNED)
    assert done.exit_code == 0, done.output
    new = key_in_force(journal)
    assert new != old
    assert f"key {new}" in done.output
    (change,) = (each.event for each in records(journal) if isinstance(each.event, ev.DeviceKeyChanged))
    assert (change.old, change.new, change.supervisor, change.technician) == (old, new, "Ana", "Luis")
    assert change.reason == "card exchanged"
    assert verify(journal, "--key", old) == 0
    assert verify(journal, "--key", new) == 1, "the first record names another key"
    assert list(tmp_path.glob("mesa.db.key*")) == [path_of(journal)]
    assert held(journal, new) is not None


def test_a_change_without_the_old_key_needs_the_paper_of_both(tmp_path: Path) -> None:
    file, journal = commissioned(tmp_path)
    old = key_in_force(journal)
    path_of(journal).unlink()
    done = pozo_run("journal", "rekey", "--config", file, *SIGNED)
    assert done.exit_code == 0, done.output
    assert "only the paper vouches for it" in done.output
    new = key_in_force(journal)
    assert verify(journal) == 0
    assert verify(journal, "--key", old, "--key", new) == 0
    alone = pozo_run("journal", "verify", journal, "--key", old)
    assert alone.exit_code == 1
    assert f"changes to {new} without the old one's signature" in alone.output
    signer_of(journal, "SIM-1")


def test_a_foreign_key_file_is_put_aside_and_kept(tmp_path: Path) -> None:
    file, journal = commissioned(tmp_path)
    for number in (1, 2):
        write_private(path_of(journal), PrivateKey.from_seed(bytes([number]) * 32))
        assert pozo_run("journal", "rekey", "--config", file, *SIGNED).exit_code == 0
        aside = read_private(tmp_path / f"mesa.db.key.aside-{number}")
        assert aside is not None
        assert aside.public == public_of(bytes([number]) * 32)
    assert verify(journal) == 0


@pytest.mark.parametrize("missing", ["--reason", "--supervisor", "--technician"])
def test_a_change_needs_two_persons_and_a_reason(tmp_path: Path, missing: str) -> None:
    file, journal = commissioned(tmp_path)
    given = list(SIGNED)
    given[given.index(missing) + 1] = " "
    done = pozo_run("journal", "rekey", "--config", file, *given)
    assert done.exit_code == 2
    assert [record.kind for record in records(journal)] == ["commissioned", "head_signed"]
    signer_of(journal, "SIM-1")


def test_a_power_cut_between_any_two_steps_of_a_change_leaves_a_key_that_signs(tmp_path: Path) -> None:
    """The steps: the new key is durable, its record is stored, it takes the old one's place; then all of it again."""
    file, journal = commissioned(tmp_path)
    for round_ in range(2):
        change = Change(journal, "SIM-1")
        signer_of(journal, "SIM-1")
        change.prepare()
        assert key_in_force(journal) == change.old
        signer_of(journal, "SIM-1")
        _store(journal, change)
        assert key_in_force(journal) == change.key.public
        signer_of(journal, "SIM-1")
        if round_ == 0:
            continue  # the power went before the last step: the next change begins from there
        change.finish()
        signer_of(journal, "SIM-1")
    assert verify(journal) == 0
    assert pozo_run("journal", "rekey", "--config", file, *SIGNED).exit_code == 0


def _store(journal: Path, change: Change) -> None:
    from controller.journal import Entry

    writer = Journal.open(journal, "SIM-1")
    entries: list[Entry] = []
    table = writer.last.state
    change_of_key = change.event(5, supervisor="Ana", technician="Luis", reason="test")
    for event in (ev.Started(4, supervisor=True, technician=True), change_of_key):
        table, results = step(load("simulated").game, table, event)
        entries.append(Entry(event, results, table))
    writer.append(entries, 1, wall_trusted=True, seal=change.seal(entries, 6))
    writer.close()


def test_a_refused_change_signs_nothing(tmp_path: Path) -> None:
    from controller.journal import Entry

    _, journal = commissioned(tmp_path)
    change = Change(journal, "SIM-1")
    event = change.event(5, supervisor="Ana", technician="Luis", reason="test")
    state = next(iter(records(journal))).state
    refused = [Entry(event, (ev.Refused(ev.Refusal.BOTH_KEYS),), state)]
    with pytest.raises(JournalError, match=r"both_keys.*nothing was stored"):
        change.seal(refused, 6)


def test_a_refused_change_is_told_in_the_words_of_the_table(tmp_path: Path) -> None:
    file, journal = commissioned(tmp_path)
    before = key_in_force(journal)
    long = (*SIGNED[:-1], "x" * (REASON_MAX + 1))
    done = pozo_run("journal", "rekey", "--config", file, *long)
    assert done.exit_code == 1
    told = Words("en", "", Currency.UYU).tell_if_known("refusal.text_too_long").capitalize()
    assert " " in told
    assert f"the table refused: {told} (text_too_long). Nothing was stored" in done.output
    assert key_in_force(journal) == before
    signer_of(journal, "SIM-1")


def test_a_private_half_under_another_ones_public_half_is_no_key(tmp_path: Path) -> None:
    """Its check is right: whoever wrote it knew the formula."""
    (tmp_path / "a.key").write_text(PrivateKey(SEED, RFC_PUBLIC).line())
    with pytest.raises(KeyProblemError, match="is made up"):
        read_private(tmp_path / "a.key")


def test_a_key_has_a_short_form_for_paper() -> None:
    assert short_key(RFC_PUBLIC) == "3d40-17c3-e843-895a-92b7"


def test_the_endorsement_is_the_documented_one(tmp_path: Path) -> None:
    journal = played(tmp_path)
    write_private(path_of(journal), PrivateKey.from_seed(SEED))
    change = Change(journal, "SIM-1")
    event = change.event(5, supervisor="Ana", technician="Luis", reason="test")
    assert event.endorsed == signature_of(SEED, "pozo key 1", "SIM-1", PUBLIC, change.key.public)


def test_the_private_half_is_nowhere_but_in_its_file(tmp_path: Path) -> None:
    file, journal = commissioned(tmp_path)
    assert pozo_run("journal", "rekey", "--config", file, *SIGNED).exit_code == 0
    secret = path_of(journal).read_text().split()[2]
    shutil.move(path_of(journal), tmp_path.parent / f"{tmp_path.name}.key")
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert secret.encode() not in path.read_bytes(), path
            assert bytes.fromhex(secret) not in path.read_bytes(), path
