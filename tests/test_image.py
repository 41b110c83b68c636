"""The image's recipe, as far as it can be looked at without building: what it must and must not hold."""

import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from controller.cli.link import To

ROOT = Path(__file__).parent.parent
IMAGE = ROOT / "image"
SCRIPTS = sorted(
    path
    for path in IMAGE.rglob("*")
    if path.is_file() and (path.suffix == ".sh" or path.read_bytes()[:2] == b"#!")
)
sys.path.insert(0, str(IMAGE))

from emulator.card import CardError, default_slot_of, partitions  # noqa: E402, the emulator is no package of the program


def sourced(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A few lines of bash with the recipe's parts read in."""
    parts = " ".join(f"image/recipe/{name}.sh" for name in ("common", "debian", "program", "slots", "kernel"))
    return subprocess.run(
        ["bash", "-euc", f"for part in {parts}; do . $part; done; {script}", "bash", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.relative_to(IMAGE).as_posix())
def test_every_script_can_be_read(path: Path) -> None:
    shell = "sh" if path.read_bytes().startswith((b"#!/bin/sh", b"#!/bin/busybox sh")) else "bash"
    done = subprocess.run([shell, "-n", str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_no_mirror_and_no_secret_is_written_down() -> None:
    tracked = subprocess.run(
        ["git", "ls-files", "image"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for path in (ROOT / name for name in tracked.stdout.split() if "requirements" not in name):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"https?://|\bdeb\.debian|PRIVATE KEY|pozo-private-key", text), path


def test_F164_the_kernel_talks_to_no_port_of_a_device() -> None:
    told = (IMAGE / "boot" / "cmdline.txt").read_text(encoding="ascii")
    assert re.findall(r"console=(\S+)", told) == ["tty0"]
    assert "enable_uart" not in (IMAGE / "boot" / "config.txt").read_text(encoding="ascii")
    masked = sourced("echo $masked").stdout.split()
    assert {"getty@.service", "serial-getty@.service"} <= set(masked)


def test_every_way_out_of_a_table_is_enabled_in_the_image() -> None:
    units = sourced("echo $units").stdout.split()
    assert [unit for unit in units if unit.startswith("pozo-link@")] == [
        f"pozo-link@{goal}.service" for goal in To
    ]


def test_the_command_line_names_its_slot_where_an_update_looks_for_it() -> None:
    told = (IMAGE / "boot" / "cmdline.txt").read_text(encoding="ascii")
    assert told.count("pozo.slot=@slot@ ") == 1


def test_F163_every_partition_is_the_tables_own_card() -> None:
    rows = [
        row.split()
        for row in (IMAGE / "rootfs" / "etc" / "fstab").read_text(encoding="ascii").splitlines()
        if row and not row.startswith("#")
    ]
    assert all(re.match(r"/dev/pozo/|/data/|tmpfs$", row[0]) for row in rows), rows
    assert all("nosuid" in row[3] and "nodev" in row[3] for row in rows if row[0].startswith("/dev/"))
    disks = re.search(r"for disk in ([^;]*);", (IMAGE / "init").read_text(encoding="ascii"))
    assert disks is not None
    assert disks.group(1).split() == ["mmcblk0", "vda"]


def test_F160_the_boot_partition_is_mounted_read_only() -> None:
    row = next(
        row
        for row in (IMAGE / "rootfs" / "etc" / "fstab").read_text(encoding="ascii").splitlines()
        if row.startswith("/dev/pozo/boot ")
    )
    assert row.split()[3].startswith("ro,")


def test_the_packages_are_pinned_and_none_opens_a_door() -> None:
    lines = (IMAGE / "packages.txt").read_text(encoding="ascii").splitlines()
    assert lines == sorted(set(lines))
    assert all(re.fullmatch(r"[a-z0-9][a-z0-9+.-]+=\S+", line) for line in lines)
    names = {line.partition("=")[0] for line in lines}
    assert {"systemd", "python3.13", "raspi-firmware"} <= names
    assert not names & {"unattended-upgrades", "sudo", "avahi-daemon", "rpcbind", "telnetd"}


def test_F102_another_version_at_the_mirror_stops_the_build(tmp_path: Path) -> None:
    pinned = (IMAGE / "packages.txt").read_text(encoding="ascii")
    newer = pinned.replace("\nsystemd=", "\nsystemd=9", 1)
    assert newer != pinned
    for text, code in ((pinned, 0), (newer, 1)):
        (tmp_path / "installed").write_text(text, encoding="ascii")
        (tmp_path / "parts.txt").write_text("", encoding="ascii")
        done = sourced('work=$1 pin=; check_pins "$1/installed"', str(tmp_path))
        assert done.returncode == code, done.stderr
    assert "+systemd=9" in done.stderr
    assert "image/build --pin" in done.stderr


def test_requirements_fall_into_wheels_and_sources_and_keep_their_hashes() -> None:
    whole = (IMAGE / "requirements" / "pi5.txt").read_text(encoding="ascii")
    sources = sourced('requirements only "$sources_only"').stdout
    wheels = sourced('requirements without "$sources_only"').stdout
    assert re.findall(r"^([a-z-]+)==", sources, re.MULTILINE) == ["evdev", "lgpio", "spidev"]
    assert sorted((sources + wheels).splitlines()) == sorted(whole.splitlines())
    assert sources.count("--hash=") >= 3


def test_every_module_of_the_libraries_is_compiled_in_the_build(tmp_path: Path) -> None:
    """One that is not is compiled by whoever imports it first, with the time of that moment in it."""
    site = tmp_path / "root/opt/pozo/lib/python3.13/site-packages"
    for name in ("hal", "controller", "msgspec", "six-1.dist-info"):
        (site / name).mkdir(parents=True)
    (site / "six.py").touch()
    done = sourced('compiled() { printf "%s\n" "$@"; }; work=$1; compile_python', str(tmp_path))
    assert done.returncode == 0, done.stderr
    made = {Path(line).name for line in done.stdout.splitlines() if line.startswith("/opt/pozo")}
    assert made == {"msgspec", "six.py"}


def test_the_card_has_the_command_that_the_manuals_give(tmp_path: Path) -> None:
    done = sourced("work=$1; install_units", str(tmp_path))
    assert done.returncode == 0, done.stderr
    command = tmp_path / "root/usr/local/sbin/pozo"
    assert command.read_bytes() == (ROOT / "systemd" / "pozo").read_bytes()
    assert command.stat().st_mode & 0o111 == 0o111


def test_no_python_of_the_build_leaves_a_compiled_file_in_the_root() -> None:
    lines = (IMAGE / "recipe" / "program.sh").read_text(encoding="utf-8").splitlines()
    started = [line.split() for line in lines if line.split()[:1] == ["in_image"]]
    assert started
    assert all(words[1:3] == ["/opt/pozo/bin/python3", "-IB"] for words in started)


def test_nothing_that_identifies_a_table_is_in_the_root(tmp_path: Path) -> None:
    root = tmp_path / "root"
    for name in (
        "etc/ssh/ssh_host_ed25519_key",
        "var/lib/dbus/machine-id",
        "var/lib/systemd/random-seed",
        "etc/passwd-",
        "var/log/apt/history.log",
        "root/.cache/x",
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("secret", encoding="ascii")
    (root / "etc" / "machine-id").write_text("0123456789abcdef0123456789abcdef\n", encoding="ascii")
    (root / "etc" / "shadow").write_text("root:$y$hash:1:0:99999:7:::\nsshd:!:1::::::\n", encoding="ascii")
    done = sourced("work=$1; forget_identity", str(tmp_path))
    assert done.returncode == 0, done.stderr
    left = {path.relative_to(root).as_posix(): path.read_text() for path in root.rglob("*") if path.is_file()}
    assert left == {"etc/machine-id": "", "etc/shadow": "root:!:1:0:99999:7:::\nsshd:!:1::::::\n"}


def test_the_technicians_notice_can_be_read_in_any_editor() -> None:
    text = (IMAGE / "boot" / "LEEME.txt").read_bytes()
    assert text.isascii()
    assert text.count(b"\r\n") == text.count(b"\n") > 3


def row(kind: int, begins: int, size: int) -> bytes:
    return struct.pack("<4xB3xII", kind, begins, size)


def table(*rows: bytes) -> bytes:
    return bytes(446) + b"".join(rows).ljust(64, b"\0") + b"\x55\xaa"


def test_the_emulator_finds_all_partitions_of_a_card(tmp_path: Path) -> None:
    """A table written by hand: two primary ones, and in the extended one two logical ones, chained."""
    card = tmp_path / "card.img"
    with card.open("wb") as file:
        file.write(table(row(12, 10, 5), row(12, 20, 6), row(5, 100, 300)))
        file.seek(100 * 512)
        file.write(table(row(0x83, 8, 50), row(5, 150, 100)))
        file.seek(250 * 512)
        file.write(table(row(0x83, 4, 40)))
    found = {number: (part.begins // 512, part.size // 512) for number, part in partitions(card).items()}
    assert found == {1: (10, 5), 2: (20, 6), 3: (100, 300), 5: (108, 50), 6: (254, 40)}


@pytest.mark.parametrize(
    ("text", "usual", "trial"),
    [
        ("[all]\ntryboot_a_b=1\nboot_partition=2\n[tryboot]\nboot_partition=3\n", 2, 3),
        ("[all]\ntryboot_a_b=1\nboot_partition=3\n[tryboot]\nboot_partition=2\n", 3, 2),
        ("boot_partition=2\n", 2, 2),
    ],
)
def test_the_emulators_firmware_reads_autoboot_as_the_page_says(text: str, usual: int, trial: int) -> None:
    assert default_slot_of(text, trying=False) == usual
    assert default_slot_of(text, trying=True) == trial


def test_an_autoboot_that_names_nothing_starts_nothing() -> None:
    with pytest.raises(CardError, match="names no partition"):
        default_slot_of("[tryboot]\nboot_partition=3\n", trying=False)
