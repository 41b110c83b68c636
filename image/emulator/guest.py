"""A running guest: the card in QEMU, its console, the sign's cable, and the channel to the agent inside."""

import base64
import json
import re
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from emulator.board import CLOCK, MACHINE, device_tree
from emulator.card import Boot, boot_of
from emulator.gallery import Gallery
from emulator.i2c import PRODUCT, VENDOR, Adapter
from emulator.oled import Picture, Ssd1306
from emulator.tools import tool
from emulator.usb import Plugged

PATIENCE_S = 900.0
"""An emulated processor on a busy machine takes its time; what has not come by then does not come."""

PANEL = 0x3C
"""The address of the croupier's screen on its bus, as the shipped board has it."""

UNIT = """[Unit]
Description=The emulator's hands
RequiresMountsFor=/run/emulator
StartLimitIntervalSec=0

[Service]
ExecStart=/usr/bin/python3 /run/emulator/agent.py
# A hand is not kept waiting by the table it pushes.
CPUSchedulingPolicy=rr
CPUSchedulingPriority=50
Restart=on-failure
RestartSec=1
"""

PATIENT = """[Service]
TimeoutStartSec=600
"""
"""A Pi starts the table in seconds, an emulated processor on a busy machine in minutes. Nothing else is changed."""

MASKED = " ".join(f"systemd.mask=pozo-link@{to}.service" for to in ("floor", "webhook", "folder", "mqtt"))
"""Four programs that find no section of theirs in the table's file and end: a Pi's second is an emulator's minute."""


class GuestError(RuntimeError):
    """The guest did not do what it was to do; the end of its console says more."""


class Done(NamedTuple):
    """What became of a program in the guest."""

    code: int
    out: str
    err: str


class Guest:
    """One life of a board, from power on to power off. `trying`: the board was told to try the other slot once.

    `place` is a folder for what belongs to this life: console and the sign's bytes stay there.
    """

    def __init__(self, card: Path, place: Path, *, trying: bool = False) -> None:
        place.mkdir(parents=True, exist_ok=True)
        self.place = place
        self.boot: Boot = boot_of(card, place, trying=trying)
        self.console = place / "console.txt"
        self.sign = place / "sign.bin"
        self.began = time.monotonic()
        self._socket = place / "channel"
        self._hatch = place / "hatch"
        self._ended = 0.0
        self._panel = Ssd1306()
        self._gallery = Gallery(place / "screen")
        self._bus = Plugged(
            place / "bus",
            VENDOR,
            PRODUCT,
            Adapter({PANEL: self._panel}),
            lambda: self._gallery.add(self._panel.seen()),
        )
        self._process = subprocess.Popen(  # noqa: S603, no shell
            self._command(card),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=(place / "qemu.txt").open("wb"),
        )
        self._heard = b""
        self._channel: socket.socket | None = None

    def __enter__(self) -> Self:
        """Nothing more: the guest runs already."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.cut()

    def _command(self, card: Path) -> list[str]:
        tree, tools = device_tree(self.place), self._tools()
        unit, patience = (base64.b64encode(text.encode()).decode() for text in (UNIT, PATIENT))
        arguments = (
            f"{self.boot.arguments} console=hvc0 loglevel=7 systemd.mount-extra=/dev/vdb:/run/emulator:ext4:ro "
            f"systemd.set_credential_binary=systemd.extra-unit.pozo-emulator.service:{unit} "
            f"{MASKED} systemd.set_credential_binary=systemd.unit-dropin.pozo-table.service:{patience} "
            "systemd.wants=pozo-emulator.service "
            "systemd.default_device_timeout_sec=900 systemd.default_timeout_start_sec=900"
        )
        return [
            *("qemu-system-aarch64", *MACHINE, "-accel", "tcg", *CLOCK, "-dtb", str(tree)),
            *("-kernel", str(self.boot.kernel), "-initrd", str(self.boot.initrd), "-append", arguments),
            *("-display", "none", "-nodefaults", "-no-reboot"),
            *("-monitor", f"unix:{self._hatch},server=on,wait=off", "-device", "qemu-xhci,id=usb"),
            *(
                "-chardev",
                f"socket,id=bus,path={self.place / 'bus'}",
                "-device",
                "usb-redir,bus=usb.0,chardev=bus",
            ),
            *("-drive", f"if=none,id=card,file={card},format=raw,cache=writeback"),
            *("-device", "virtio-blk-pci,drive=card"),
            *("-drive", f"if=none,id=tools,file={tools},format=raw,readonly=on"),
            *("-device", "virtio-blk-pci,drive=tools", "-device", "virtio-rng-pci"),
            *("-device", "virtio-serial-pci", "-chardev", f"file,id=console,path={self.console}"),
            *("-device", "virtconsole,chardev=console"),
            *("-chardev", f"socket,id=hands,path={self._socket},server=on,wait=off"),
            *("-device", "virtserialport,chardev=hands,name=pozo"),
            *("-serial", f"file:{self.sign}"),
        ]

    def _tools(self) -> Path:
        folder, disk = self.place / "tools", self.place / "tools.ext4"
        folder.mkdir(exist_ok=True)
        shutil.copy(Path(__file__).with_name("agent.py"), folder)
        disk.unlink(missing_ok=True)
        tool("mke2fs", "-q", "-t", "ext4", "-d", str(folder), str(disk), "8M")
        return disk

    def wait(self) -> float:
        """Wait for the agent; the seconds since power on come back. Raises `GuestError`."""
        while not self._socket.exists():
            self._still_running()
            time.sleep(0.05)
        self._channel = socket.socket(socket.AF_UNIX)
        self._channel.connect(str(self._socket))
        if self._answer(PATIENCE_S) != {"ready": True}:
            raise self._error("the agent in the guest says something else than that it is ready")
        return time.monotonic() - self.began

    def ask(self, request: dict[str, object], limit_s: float = PATIENCE_S) -> dict[str, Any]:
        """Have the agent do something. Raises `GuestError`."""
        self._line.sendall(json.dumps(request).encode() + b"\n")
        return self._answer(limit_s)

    @property
    def _line(self) -> socket.socket:
        if self._channel is None:
            raise GuestError("the agent is asked before it was waited for")
        return self._channel

    def run(self, *arguments: str, limit_s: float = 120.0) -> Done:
        """Run a program in the guest, as root. Raises `GuestError` where the guest itself does not answer."""
        answer = self.ask({"run": arguments, "timeout": limit_s}, limit_s + 60)
        return Done(answer["code"], answer["out"], answer["err"])

    def told(self, *arguments: str, limit_s: float = 120.0) -> str:
        """What a program prints that must succeed. Raises `GuestError`."""
        done = self.run(*arguments, limit_s=limit_s)
        if done.code:
            raise self._error(f"{' '.join(arguments)} ended with {done.code}: {done.out}{done.err}")
        return done.out

    def type(self, text: str) -> str:
        """Type into root's shell, as over SSH; what it says until its next prompt, or until it rests."""
        heard: str = self.ask({"type": text})["heard"]
        return heard

    def _answer(self, limit_s: float) -> dict[str, Any]:
        channel, end = self._line, time.monotonic() + limit_s
        while b"\n" not in self._heard:
            channel.settimeout(1.0)
            try:
                heard = channel.recv(65536)
            except TimeoutError:
                heard = b""
                self._still_running()
            self._heard += heard
            if time.monotonic() > end:
                raise self._error(f"the guest has said nothing for {limit_s:.0f} s")
        line, _, self._heard = self._heard.partition(b"\n")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def cut(self) -> None:
        """Take the power away, in the middle of whatever it does."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        self._bus.close()
        self._ended = self._ended or time.monotonic()
        if self._channel is not None:
            self._channel.close()

    def ended(self, limit_s: float = PATIENCE_S) -> str | None:
        """Wait until the board switches itself off or starts anew; what it was told for its next start, or None.

        The Raspberry Pi's firmware is told `0 tryboot` by the kernel; here it is read where process 1 says
        what it gives to the kernel. The kernel's own line comes when the console is no device any more.
        """
        try:
            self._process.wait(limit_s)
        except subprocess.TimeoutExpired:
            raise self._error(f"the guest did not end within {limit_s:.0f} s") from None
        self.cut()
        found = re.findall(r"Rebooting with argument '([^']*)'", self.said())
        return found[-1] if found else None

    def runs(self) -> bool:
        """Whether the board is on."""
        return self._process.poll() is None

    def starts_anew(self) -> bool:
        """Whether a board that has ended was told to start again, and not to switch off."""
        return "Rebooting" in self.said()[-2000:]

    def lasted(self) -> float:
        """Seconds from power on to now, or to the end."""
        return (self._ended or time.monotonic()) - self.began

    def plug(self, stick: Path, *, writable: bool = False) -> None:
        """Plug a USB stick in."""
        kept = "off" if writable else "on"
        self._order(f"drive_add 0 if=none,id=stick,file={stick},format=raw,readonly={kept}")
        self._order("device_add usb-storage,bus=usb.0,drive=stick,id=plugged,removable=on")

    def unplug(self) -> None:
        """Pull the stick out."""
        self._order("device_del plugged")
        time.sleep(2)

    def _order(self, command: str) -> None:
        """Give QEMU's own monitor a command, and wait for its next prompt."""
        with socket.socket(socket.AF_UNIX) as hatch:
            hatch.settimeout(20)
            hatch.connect(str(self._hatch))
            heard = b""
            while not heard.endswith(b"(qemu) "):
                heard += hatch.recv(4096)
            hatch.sendall(command.encode() + b"\n")
            heard = b""
            while not heard.endswith(b"(qemu) "):
                heard += hatch.recv(4096)
        if b"Error" in heard or b"error" in heard:
            raise GuestError(f"QEMU refuses {command!r}: {heard.decode('utf-8', 'replace')}")

    def screen(self) -> Picture | None:
        """What is seen on the croupier's screen; None while it is dark. Raises `GuestError` where its bus broke."""
        self._still_running()
        if self._bus.trouble is not None:
            raise GuestError(
                f"the emulated bus of the screen ended: {self._bus.trouble!r}"
            ) from self._bus.trouble
        return self._panel.seen()

    def said(self) -> str:
        """The console so far."""
        return self.console.read_bytes().decode("utf-8", "replace") if self.console.exists() else ""

    def _still_running(self) -> None:
        if self._process.poll() is not None:
            raise self._error("the guest ended")

    def _error(self, what: str) -> GuestError:
        return GuestError(f"{what}\n--- console ---\n{self.said()[-3000:]}")
