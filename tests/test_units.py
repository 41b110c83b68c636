"""The units under `systemd/`: what systemd itself says of them, without starting anything."""

import configparser
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from click import Context

from controller.cli import pozo
from controller.cli.link import To
from controller.console.running import LOCKS
from controller.core.events import Errand
from controller.errands import PLACE, answer_file, asked_file
from tests.helpers_cli import own_table, pozo_run

UNITS = Path(__file__).parent.parent / "systemd"
SERVICES = sorted(UNITS.glob("*.service"))
OTHERS = sorted(path for end in ("target", "timer", "mount", "path") for path in UNITS.glob(f"*.{end}"))
ALONE = {"pozo-table.service", "pozo-backup.service", "pozo-errand-backup.service", "pozo-print.service"}
"""Services that have no network at all."""
EXPOSURE_MOST = 2.0
CARD = Path(__file__).parent.parent / "image" / "rootfs" / "usr" / "lib" / "systemd" / "system"
OF_THE_IMAGE = [CARD / f"pozo-{name}.service" for name in ("confirm", "errand-update", "update")]


class Unit(configparser.RawConfigParser):
    """A unit file: keys keep their case, a key may come again, and `#` begins a comment line."""

    def __init__(self, path: Path) -> None:
        super().__init__(strict=False, comment_prefixes=("#",), delimiters=("=",), interpolation=None)
        self.read_string(path.read_text(encoding="utf-8"))

    def optionxform(self, optionstr: str) -> str:
        return optionstr


def analyze(*arguments: str) -> subprocess.CompletedProcess[str]:
    tool = shutil.which("systemd-analyze")
    assert tool, "install systemd: `.ci/setup dev` does"
    return subprocess.run([tool, *arguments], capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize("unit", [*SERVICES, *OTHERS], ids=lambda path: path.name)
def test_systemd_finds_nothing_to_say_about_a_unit(unit: Path, tmp_path: Path) -> None:
    for other in (*SERVICES, *OTHERS):
        # The program is not installed on a developer's machine; everything else is judged as it stands.
        text = re.sub(r"/opt/pozo/bin/pozo", "/bin/true", other.read_text(encoding="utf-8"))
        (tmp_path / other.name.replace("@.", "@floor.")).write_text(text, encoding="utf-8")
    done = analyze("verify", "--man=no", str(tmp_path / unit.name.replace("@.", "@floor.")))
    said = [line for line in done.stderr.splitlines() if "pozo" in line]
    assert (done.returncode, said) == (0, [])


@pytest.mark.parametrize("service", OF_THE_IMAGE, ids=lambda path: path.name)
def test_a_service_of_the_card_is_shut_in(service: Path) -> None:
    """What writes a slot or the front partition is root; all else of it is closed."""
    done = analyze("security", "--offline=true", f"--threshold={EXPOSURE_MOST * 10:.0f}", str(service))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("service", SERVICES, ids=lambda path: path.name)
def test_a_service_is_shut_in(service: Path) -> None:
    done = analyze(
        "security", "--offline=true", "--json=short", f"--threshold={EXPOSURE_MOST * 10:.0f}", str(service)
    )
    assert done.returncode == 0, done.stdout + done.stderr
    rows = json.loads(done.stdout)
    assert rows
    bad = {row["name"] for row in rows if row.get("set") is False and float(row.get("exposure") or 0) >= 0.5}
    assert bad == (set() if service.name in ALONE else {"PrivateNetwork="})


def test_what_the_table_asks_by_is_what_a_path_waits_for() -> None:
    for errand, folder in ((Errand.BACKUP, UNITS), (Errand.UPDATE, CARD)):
        waits = Unit(folder / f"pozo-errand-{errand}.path")["Path"]["PathChanged"]
        service = Unit(folder / f"pozo-errand-{errand}.service")["Service"]
        assert waits == str(asked_file(PLACE, errand))
        assert service["RuntimeDirectory"] == answer_file(PLACE, errand).parent.name
        assert service["RuntimeDirectoryMode"] == "0755"
        assert service["ExecStart"].split()[1:3] == ["errand", errand]


@pytest.mark.parametrize("service", SERVICES, ids=lambda path: path.name)
def test_every_unit_runs_a_command_that_is_there_with_options_it_has(service: Path) -> None:
    for key in ("ExecStart", "ExecCondition"):
        words = Unit(service)["Service"].get(key, "").split()[1:]
        if not words:
            assert key == "ExecCondition"
            continue
        command = pozo.get_command(Context(pozo), words[0])
        assert command is not None, words
        known = {option for each in command.params for option in each.opts}
        assert {word for word in words if word.startswith("--")} <= known, words


def test_nothing_but_the_console_runs_as_another_user_than_the_table_s() -> None:
    for service in SERVICES:
        user = Unit(service)["Service"]["User"]
        assert user == ("pozo-console" if service.name == "pozo-console.service" else "pozo")
    made = (UNITS / "sysusers.d" / "pozo.conf").read_text(encoding="utf-8")
    users = {line.split()[1] for line in made.splitlines() if line.startswith("u ")}
    groups = {line.split()[1] for line in made.splitlines() if line.startswith("g ")}
    assert users == {"pozo", "pozo-console"}
    for service in SERVICES:
        asked = Unit(service)["Service"].get("SupplementaryGroups", "").split()
        assert set(asked) <= groups | users


def test_a_command_at_the_terminal_may_turn_to_every_device_that_a_unit_may() -> None:
    """Without the group of the pins nobody turns a key for `pozo users`, `pozo commission` or `pozo recover`."""
    command = (UNITS / "pozo").read_text(encoding="utf-8")
    given = re.search(r"--groups=(\S+)", command)
    assert given is not None
    asked: set[str] = set()
    for service in SERVICES:
        unit = Unit(service)["Service"]
        if unit["User"] == "pozo":
            asked |= set(unit.get("SupplementaryGroups", "").split())
    assert set(given.group(1).split(",")) == asked


def test_the_installer_never_takes_its_own_function_for_the_tool_of_that_name() -> None:
    """With a release key for another root it called its own `install`, and refused the board `-m`."""
    script = (UNITS / "install.sh").read_text(encoding="utf-8")
    made = set(re.findall(r"^([a-z_]+)\(\) \{", script, re.MULTILINE))
    assert "install" in made
    meant_for_tools = set(re.findall(r"^\s*([a-z_]+) -", script, re.MULTILINE))
    assert {"chmod", "rm"} <= meant_for_tools
    assert not made & meant_for_tools


def test_systemd_makes_the_users_and_places(tmp_path: Path) -> None:
    etc = tmp_path / "etc"
    etc.mkdir()
    for tool, kind in (("systemd-sysusers", "sysusers.d"), ("systemd-tmpfiles", "tmpfiles.d")):
        words = ["--create"] if tool == "systemd-tmpfiles" else []
        done = subprocess.run(
            [tool, f"--root={tmp_path}", *words, str(UNITS / kind / "pozo.conf")],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert (done.returncode, done.stderr.count("rror")) == (0, 0), done.stderr
    assert "pozo:x:" in (etc / "passwd").read_text()
    for place in ("pozo", "pozo-witness"):
        assert (tmp_path / "var" / "lib" / place).stat().st_mode & 0o777 == 0o750


def test_a_usb_printer_can_be_found_by_what_prints() -> None:
    """libusb begins with a netlink socket; refused one it finds no printer, and the program said to install it."""
    printing = Unit(UNITS / "pozo-print.service")["Service"]
    assert printing["RestrictAddressFamilies"].split() == ["AF_UNIX", "AF_NETLINK"]
    assert printing["PrivateNetwork"] == "yes"


def test_the_console_is_shown_the_list_of_locks() -> None:
    """It stands outside of the processes' own folders, which is all of /proc that the other services are shown."""
    assert LOCKS.is_relative_to("/proc")
    assert not LOCKS.relative_to("/proc").parts[0].isdecimal()
    shown = {path.name: Unit(path)["Service"].get("ProcSubset", "all") for path in SERVICES}
    assert shown["pozo-console.service"] == "all"


LASTING = [path for path in SERVICES if Unit(path)["Service"]["Type"] != "oneshot"]
"""All but those that end by themselves and are called by a timer or at the table."""


@pytest.mark.parametrize("service", LASTING, ids=lambda path: path.name)
def test_F101_no_count_of_starts_leaves_a_service_dead(service: Path) -> None:
    unit = Unit(service)
    assert unit["Unit"]["StartLimitIntervalSec"] == "0"
    assert not [key for key in unit["Service"] if key.startswith("StartLimit")]
    assert unit["Service"]["Restart"] == "always"
    assert 0 < float(unit["Service"]["RestartSec"]) <= 60


def test_the_watchdog_is_the_main_process_s_own() -> None:
    service = Unit(UNITS / "pozo-table.service")["Service"]
    assert (service["Type"], service["NotifyAccess"]) == ("notify", "main")
    assert 5 <= int(service["WatchdogSec"]) <= 15


def test_a_stop_that_hangs_is_ended_soon_after_the_program_s_own_limit() -> None:
    service = Unit(UNITS / "pozo-table.service")["Service"]
    assert 3 < int(service["TimeoutStopSec"]) <= 10


def test_F163_only_a_stick_on_usb_with_its_label_is_mounted_and_nothing_runs_from_it() -> None:
    """A card made from the same image has the same partitions: it is never taken for the table's, nor for a stick."""
    rules = (UNITS / "udev" / "60-pozo.rules").read_text(encoding="utf-8").splitlines()
    (rule,) = [line for line in rules if "SYSTEMD_WANTS" in line]
    for condition in ('ENV{ID_BUS}=="usb"', 'ENV{ID_FS_LABEL}=="POZO"', 'ENV{ID_FS_TYPE}=="vfat"'):
        assert condition in rule
    # On a change of the device the rules are read again, and what they do not say any more is taken away, the link too.
    assert rule.startswith('ACTION!="remove", ')
    mount = Unit(UNITS / "media-pozo.mount")["Mount"]
    assert mount["What"] == "/dev/pozo-stick"
    assert {"nosuid", "nodev", "noexec"} <= set(mount["Options"].split(","))


def test_a_link_that_the_table_s_file_has_no_section_for_is_not_wanted(tmp_path: Path) -> None:
    config = own_table(tmp_path)
    for goal in To:
        assert pozo_run("link", "--wanted", "--config", config, "--to", goal).exit_code == 1
    config.write_text(config.read_text(encoding="utf-8") + f'\n[folder]\npath = "{tmp_path / "out"}"\n')
    wanted = {goal: pozo_run("link", "--wanted", "--config", config, "--to", goal).exit_code for goal in To}
    assert wanted == {To.FLOOR: 1, To.WEBHOOK: 1, To.FOLDER: 0, To.MQTT: 1}


def test_every_way_out_of_a_table_is_started_with_it() -> None:
    wants = Unit(UNITS / "pozo-table.service")["Unit"]["Wants"].split()
    assert wants == [f"pozo-link@{goal}.service" for goal in To]
