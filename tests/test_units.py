"""The units under `systemd/`: what systemd itself says of them, without starting anything."""

import configparser
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

UNITS = Path(__file__).parent.parent / "systemd"
SERVICES = sorted(UNITS.glob("*.service"))
EXPOSURE_MOST = 2.0


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


@pytest.mark.parametrize("service", SERVICES, ids=lambda path: path.name)
def test_systemd_finds_nothing_to_say_about_a_unit(service: Path, tmp_path: Path) -> None:
    there = tmp_path / service.name
    # The program is not installed on a developer's machine; everything else is judged as it stands.
    there.write_text(re.sub(r"/opt/pozo/bin/pozo", "/bin/true", service.read_text(encoding="utf-8")))
    for other in UNITS.iterdir():
        if other != service and other.suffix in {".service", ".target", ".timer", ".slice"}:
            shutil.copy(other, tmp_path / other.name)
    done = analyze("verify", "--man=no", str(there))
    said = [line for line in done.stderr.splitlines() if service.name in line]
    assert (done.returncode, said) == (0, [])


@pytest.mark.parametrize("service", SERVICES, ids=lambda path: path.name)
def test_a_service_is_shut_in(service: Path) -> None:
    done = analyze(
        "security", "--offline=true", "--json=short", f"--threshold={EXPOSURE_MOST * 10:.0f}", str(service)
    )
    assert done.returncode == 0, done.stdout + done.stderr
    rows = json.loads(done.stdout)
    assert rows
    bad = [row for row in rows if row.get("set") is False and float(row.get("exposure") or 0) >= 0.5]
    assert not bad


def test_F101_no_count_of_starts_leaves_the_table_dead() -> None:
    unit = Unit(UNITS / "pozo-table.service")
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
