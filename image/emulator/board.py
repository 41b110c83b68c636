"""The emulated board's device tree: QEMU's own machine with a Raspberry Pi 4's header, its lines made by gpio-sim.

The image is not told that it is emulated: it finds a chip labelled as on a Pi, a revision and a serial number where a
Pi's firmware puts them.
"""

import re
from pathlib import Path

from emulator.tools import tool

MACHINE = ("-M", "virt,gic-version=2", "-cpu", "cortex-a53", "-smp", "1", "-m", "1024")
"""One processor: with more, gpio-sim itself loses edges."""

CLOCK = ("-icount", "shift=2,sleep=on")
"""The guest's time goes by its own work, 4 ns an instruction, and by the wall where it waits: on a busy machine it goes
slower, and no limit of its own (a watchdog, a bus) is met because somebody else had the processor."""

SERIAL = "10000000deadbeef"

HEADER = """
	aliases {
		i2c0 = "/i2c-of-a-hat";
	};
	i2c-of-a-hat {
		status = "disabled";
	};
	system {
		linux,revision = <0xc03112>;
	};
	gpio-sim {
		compatible = "gpio-simulator";
		bank0 {
			gpio-controller;
			#gpio-cells = <2>;
			ngpios = <58>;
			gpio-sim,label = "pinctrl-bcm2711";
		};
	};
"""
"""The bus of the croupier's screen hangs on USB and takes the next free number: 0 is a Pi's other bus, it gets 1."""


def device_tree(place: Path, serial: str = SERIAL) -> Path:
    """The tree's file, made in the folder `place`."""
    plain, made = place / "plain.dtb", place / "board.dtb"
    machine = list(MACHINE)
    machine[1] += f",dumpdtb={plain}"
    tool("qemu-system-aarch64", *machine, "-display", "none", "-nodefaults")
    source = tool("dtc", "-q", "-I", "dtb", "-O", "dts", str(plain)).decode()
    for node in ("gpio-keys", r"pl061@\w+"):
        source = re.sub(rf"\n\t{node} {{.*?\n\t}};", "", source, flags=re.DOTALL)
    source = re.sub(r"\n\t\tgpio\d* = [^\n]*", "", source)
    end = source.rstrip().rindex("};")
    source = source[:end] + HEADER + source[end:]
    source = source.replace("\n/ {\n", f'\n/ {{\n\tserial-number = "{serial}";\n', 1)
    tool("dtc", "-q", "-I", "dts", "-O", "dtb", "-o", str(made), content=source.encode())
    return made
