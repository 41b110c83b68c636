"""A card of plain files, a table beside it, and a service manager that only notes what it is asked."""

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from controller.assemble import assemble
from controller.clock import VirtualClock
from controller.config import Settings, load
from controller.core import events as ev
from controller.inbox import Act, Stop
from controller.signing.key import PrivateKey, public_line
from controller.updating.bundle import make
from controller.updating.install import Appliance, install
from controller.updating.slots import Card
from hal.simulated import SimulatedHal
from tests.helpers_cli import own_table, pozo_run
from tests.helpers_signing import SEED

SECOND = 1_000_000_000
BUILT = 1_760_000_000
BOOT = b"\0" * 3000 + b"pozo.slot=a ro quiet\n" + b"\xff" * 2000
ROOT = bytes(range(256)) * 40
ON_A = "[all]\ntryboot_a_b=1\nboot_partition=2\n[tryboot]\nboot_partition=3\n"
ON_B = "[all]\ntryboot_a_b=1\nboot_partition=3\n[tryboot]\nboot_partition=2\n"


class Asked:
    """A service manager that only notes what it is asked, and lets something happen when the table is stopped."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.meanwhile: Callable[[], object] = lambda: None

    def stop_table(self) -> None:
        self.asked.append("stop")
        self.meanwhile()

    def start_table(self) -> None:
        self.asked.append("start")

    def restart(self, *, trying: bool) -> None:
        self.asked.append("try" if trying else "restart")


class Machine:
    """A table that is commissioned and closed, on a card that runs slot a."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.plain = own_table(folder)
        """For the program that plays: it would look for a signed list of the test's own files."""
        self.config = folder / "trusting.toml"
        software = f'[software]\nmanifest = "/nowhere"\nkey = "{folder}/release.pub"\n'
        self.config.write_text(f"{self.plain.read_text(encoding='utf-8')}\n{software}", encoding="utf-8")
        (folder / "release.pub").write_text(public_line(PrivateKey.from_seed(SEED).public), encoding="ascii")
        self.manager = Asked()
        self.card = Card(folder / "devices", folder / "front", folder / "cmdline")
        self.place = folder / "update"
        self.appliance = Appliance(self.manager, self.card, folder / "release.json", self.place)
        for path, content in (
            (folder / "release.json", f'{{"version":"1.0","built":{BUILT},"kernel":"7"}}'.encode()),
            (folder / "front" / "autoboot.txt", ON_A.encode()),
            (folder / "cmdline", b"console=tty0 pozo.slot=a ro\n"),
            *(
                (folder / "devices" / name, b"old" * 5000)
                for name in ("boot-a", "boot-b", "root-a", "root-b")
            ),
        ):
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
        self.clock = VirtualClock()

    @property
    def settings(self) -> Settings:
        return load(str(self.config))

    def commission(self) -> None:
        done = pozo_run("commission", "--turn-keys", "--config", self.plain)
        assert done.exit_code == 0, done.output

    def play(
        self,
        *events: ev.AnyEvent,
        technician: bool = False,
        supervisor: bool = False,
        turns: tuple[str, ...] = (),
    ) -> None:
        """One life of the program: keys as given, then those turned, these events, an ordered end (keys stay)."""
        settings = load(str(self.plain))
        hal = SimulatedHal(settings.wiring, self.clock.monotonic_ns)
        hal.drive("technician", active=technician)
        hal.drive("supervisor", active=supervisor)
        loop, inbox = assemble(settings, hal, self.clock, lambda _: None)
        loop.start()
        for key in turns:
            hal.drive(key, active=True)
            self.pass_ms(300)
            loop.turn()
        for event in events:
            inbox.put(Act(event))
            self.pass_ms(1)
            loop.turn()
        self.pass_ms(100)
        loop.turn()
        inbox.put(Stop("switched off"))
        loop.turn()
        inbox.close()

    def pass_ms(self, ms: int) -> None:
        self.clock.move_to(self.clock.monotonic_ns() + ms * 1_000_000)

    def install(self, bundle: bytes, *, again: bool = False) -> list[str]:
        said: list[str] = []
        install(io.BytesIO(bundle), self.settings, self.appliance, said.append, again=again)
        return said

    def started_from(self, slot: str) -> None:
        """The firmware has started this slot."""
        (self.folder / "cmdline").write_text(f"console=tty0 pozo.slot={slot} ro\n", encoding="ascii")

    def device(self, name: str) -> bytes:
        return (self.folder / "devices" / name).read_bytes()

    def autoboot(self) -> str:
        return (self.folder / "front" / "autoboot.txt").read_text(encoding="ascii")

    @contextmanager
    def writable(self, front: Path) -> Iterator[None]:
        self.manager.asked.append(f"writable {front.name}")
        yield


def a_bundle(folder: Path, version: str = "2.0", built: int = BUILT + 1, seed: bytes = SEED) -> bytes:
    """A bundle of a small root and boot partition."""
    (folder / "new-boot").write_bytes(BOOT)
    (folder / "new-root").write_bytes(ROOT)
    out = io.BytesIO()
    make(folder / "new-boot", folder / "new-root", version, built, key=PrivateKey.from_seed(seed), out=out)
    return out.getvalue()
