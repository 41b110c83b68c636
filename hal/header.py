"""Opening a Raspberry Pi's header through the pin library the board file names; there is no other to fall to.

It knows what each library does behind gpiozero's back:

- lgpio hands on the kernel's own stamp of every edge (CLOCK_MONOTONIC since Linux 5.7).
- RPi.GPIO does not: its edges are stamped when they reach the library, up to some milliseconds late under load.
  rpi-lgpio, which takes its name and place on a Pi 5, is stamped the same way.
- `import lgpio` makes a named pipe in the working directory and moves the process there; the pipe is opened at
  once, so we give it a folder of its own for that moment and take both back.
"""

import importlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, assert_never

from gpiozero import GPIOZeroError

from hal.chips import Chip, choose, read_chips
from hal.interface import ClaimError, Factory, FactoryError, Wiring
from hal.pins import Header, RawPin

ReadChips = Callable[[Any], tuple[Chip, ...]]

LGPIO_WALL_CLOCK = 1 << 19
"""The bit of `lgpio.gpio_get_mode` that says edges carry the wall clock ("Kernel: Realtime clock alert")."""
LIBRARY_ERRORS = (OSError, RuntimeError, ValueError, GPIOZeroError)


def open_header(wiring: Wiring, read: ReadChips = read_chips) -> Header:
    """Open the header with the library `wiring.factory` names.

    Raises `FactoryError` when that library does not work here, `ChipNotFoundError` or `ClaimError` when the
    chip cannot be had. It never tries another library.
    """
    match wiring.factory:
        case Factory.LGPIO:
            return _open_lgpio(wiring, read)
        case Factory.RPI_GPIO:
            return _open_rpi_gpio()
        case Factory.SIMULATED:
            raise FactoryError(
                "the board file names the simulated factory, which has no pins: "
                "choose factory = lgpio or rpi.gpio for a real table, or run the simulated one"
            )
        case _ as unknown:
            assert_never(unknown)


def _open_lgpio(wiring: Wiring, read: ReadChips) -> Header:
    lgpio = load_library("lgpio", "lgpio")
    gpiozero_lgpio = load_library("gpiozero.pins.lgpio", "lgpio")
    chip = choose(wiring.chip_labels, read(lgpio))
    try:
        factory = gpiozero_lgpio.LGPIOFactory(chip=chip.number)
    except lgpio.error as error:
        raise ClaimError(f"{chip} cannot be opened: {error}; is this user in the group gpio?") from error
    handle = factory._handle  # noqa: SLF001 (gpiozero opens the chip and offers no other way to it)
    _keep_from_children()
    _know_board(factory)

    def claim_output(_pin: RawPin, number: int, level: bool) -> None:
        # gpiozero would claim the pin low and then set its level: a flash on every active-low output
        lgpio.gpio_claim_output(handle, number, int(level))

    def release() -> None:
        factory.pins.clear()  # else closing the factory lets go of every resistor that holds an output off
        factory.close()

    return Header(
        factory=factory,
        errors=(*LIBRARY_ERRORS, lgpio.error),
        claim_output=claim_output,
        wall_stamps=lambda number: bool(lgpio.gpio_get_mode(handle, number) & LGPIO_WALL_CLOCK),
        release=release,
        kernel_stamps=True,
        alive=lgpio._notify_thread.is_alive,  # noqa: SLF001 (an error ends it quietly, and nothing else tells)
    )


def _open_rpi_gpio() -> Header:
    load_library("RPi.GPIO", "RPi.GPIO (rpi-lgpio on a Pi 5)")
    factory = load_library("gpiozero.pins.rpigpio", "RPi.GPIO").RPiGPIOFactory()
    _know_board(factory)
    return Header(
        factory=factory,
        errors=LIBRARY_ERRORS,
        claim_output=claim_with_state,
        wall_stamps=stamped_by_monotonic,
        release=factory.pins.clear,  # closing the factory would let go of the resistors, and holds nothing else
        kernel_stamps=False,
        alive=_unasked,
    )


def claim_with_state(pin: Any, _number: int, level: bool) -> None:  # noqa: ANN401 (gpiozero has no types)
    """Make a pin an output at `level` the way gpiozero offers."""
    pin.output_with_state(int(level))


def stamped_by_monotonic(_number: int) -> bool:
    """Say no to the wall clock: these edges are stamped in Python, with CLOCK_MONOTONIC."""
    return False


def _unasked() -> bool:
    """Say yes for a thread inside the library's C code; that its edges stay away shows in the levels."""
    return True


def _know_board(factory: Any) -> None:  # noqa: ANN401 (gpiozero has no types)
    try:
        _ = factory.board_info
    except GPIOZeroError as error:
        factory.close()
        raise FactoryError(
            f"gpiozero does not know this board ({error}): the real table runs on a Raspberry Pi only"
        ) from error


def load_library(module: str, library: str) -> Any:  # noqa: ANN401 (the pin libraries have no types)
    """Import a pin library's module, leaving working directory, environment and folders as they were.

    `library` is its name for people. Raises `FactoryError` when it does not work here.
    """
    try:
        with _pipe_folder():
            return importlib.import_module(module)
    except FactoryError:
        raise
    except (ImportError, AttributeError, RuntimeError, OSError) as error:
        raise FactoryError(
            f"the board file names the pin library {library}, which does not work here: {error}. "
            "Install it (pip install 'pozo[pi]', on a Pi 5 'pozo[pi5]'); no other library is tried in its place"
        ) from error


@contextmanager
def _pipe_folder() -> Iterator[None]:
    """Give lgpio a folder for its pipe; afterwards folder, environment and working directory are as before.

    A working directory that this user may not enter, as root's own for the table's, cannot be gone back to: then it is
    the root directory.
    """
    folder = _make_pipe_folder()
    before = os.environ.get("LG_WD")
    try:
        here = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        here = os.open("/", os.O_RDONLY | os.O_DIRECTORY)
    os.environ["LG_WD"] = folder
    try:
        yield
    finally:
        os.fchdir(here)
        os.close(here)
        os.environ.pop("LG_WD")
        if before is not None:
            os.environ["LG_WD"] = before
        shutil.rmtree(folder)
        _keep_from_children()


def _make_pipe_folder() -> str:
    """Make it in LG_WD, else systemd's RUNTIME_DIRECTORY, else where temporary files go."""
    given = os.environ.get("LG_WD") or os.environ.get("RUNTIME_DIRECTORY", "").split(":")[0]
    base = given or tempfile.gettempdir()
    try:
        return tempfile.mkdtemp(prefix="pozo-lgpio-", dir=base)
    except OSError as error:
        raise FactoryError(
            f"lgpio needs a writable folder for its pipe, and {base} is none ({error.strerror}): "
            "give the service RuntimeDirectory=, or set LG_WD to a folder it may write"
        ) from error


def _keep_from_children() -> None:
    """Close lgpio's own descriptors in every child, or a left-over export holds the pins of the next start."""
    for link in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # the listing's own descriptor is gone by now
            target = str(link.readlink())
            if ".lgd-nfy" in target or "gpiochip" in target:
                os.set_inheritable(int(link.name), False)
