"""The board a table was commissioned on: its serial number, and a card that was put into another machine."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.agreed import changes_of
from controller.appliance.telling import Phrases, lines
from controller.assemble import ParametersChangedError, assemble, commission_table
from controller.clock import VirtualClock
from controller.config import Settings, load
from controller.core.events import Change
from controller.journal import ends_of
from hal.machine import serial
from hal.simulated import SimulatedHal
from tests.helpers_cli import own_table
from tests.helpers_config import table


def machine(root: Path, *, tree: bytes | None = None, cpuinfo: str | None = None) -> Path:
    """The places in which a kernel tells a serial number."""
    if tree is not None:
        (root / "sys/firmware/devicetree/base").mkdir(parents=True)
        (root / "sys/firmware/devicetree/base/serial-number").write_bytes(tree)
    if cpuinfo is not None:
        (root / "proc").mkdir()
        (root / "proc/cpuinfo").write_text(cpuinfo)
    return root


PI = (
    "processor\t: 0\n\nHardware\t: BCM2835\nRevision\t: c03112\n"
    "Serial\t\t: 10000000ABCD1234\nModel\t\t: Raspberry Pi 4\n"
)


@pytest.mark.parametrize(
    ("tree", "cpuinfo", "found"),
    [
        (b"10000000abcd1234\0", None, "10000000abcd1234"),
        (None, PI, "10000000abcd1234"),
        (b"\0", PI, "10000000abcd1234"),
        (b"10000000abcd1234\0", PI.replace("ABCD", "FFFF"), "10000000abcd1234"),
        (None, "processor\t: 0\nmodel name\t: something else\n", ""),
        (b"0000000000000000\0", None, ""),
        (b"not one; rm -rf\0", None, ""),
        (None, None, ""),
    ],
)
def test_the_serial_number_is_what_the_firmware_says(
    tmp_path: Path, tree: bytes | None, cpuinfo: str | None, found: str
) -> None:
    assert serial(machine(tmp_path, tree=tree, cpuinfo=cpuinfo)) == found


def start(settings: Settings) -> None:
    clock = VirtualClock()
    loop, _ = assemble(settings, SimulatedHal(settings.wiring, clock.monotonic_ns), clock, lambda _: None)
    loop.abandon()


def test_a_card_in_another_machine_plays_only_when_both_keys_accepted_that(tmp_path: Path) -> None:
    settings = replace(load(str(own_table(tmp_path))), machine="10000000abcd1234")
    commission_table(settings, VirtualClock())
    start(settings)
    moved = replace(settings, machine="10000000ffff9999")
    before = ends_of(settings.journal).last.seq
    with pytest.raises(ParametersChangedError) as refused:
        start(moved)
    assert "board.machine: 10000000abcd1234 -> 10000000ffff9999" in str(refused.value)
    assert ends_of(settings.journal).last.seq == before
    assert changes_of(moved, ends_of(settings.journal).last.state) == (
        Change("board.machine", "10000000abcd1234", "10000000ffff9999"),
    )
    told = lines(refused.value, Phrases("es"), moved)
    assert "ESTA TARJETA ES DE OTRA PLACA" in told
    assert "board.machine: 10000000abcd1234 -> 10000000ffff9999" in told
    start(settings)


def test_a_simulated_board_is_of_no_machine_and_a_real_one_of_this(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.config.table.serial", lambda: "10000000abcd1234")
    assert load("simulated").machine == ""
    assert load(str(table(tmp_path))).machine == "10000000abcd1234"
