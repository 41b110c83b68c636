"""The lines of one wiring, found by name: the look-ups and refusals that every HAL shares.

It may know `hal.interface` and nothing else.
"""

from collections import Counter
from collections.abc import Iterable

from hal.interface import ClaimError, Device, DeviceError, Input, LineError, Output, Wiring


class Lines:
    """A wiring's lines by name. Raises `ClaimError` when a name or a pin stands in it twice."""

    def __init__(self, wiring: Wiring) -> None:
        lines: list[Input | Output] = [*wiring.inputs, *wiring.outputs]
        _refuse_twice("name", (line.name for line in lines))
        _refuse_twice("pin", (f"GPIO{line.pin}" for line in lines))
        self.inputs = {line.name: line for line in wiring.inputs}
        self.outputs = {line.name: line for line in wiring.outputs}
        self.devices = frozenset(wiring.devices)

    def input(self, name: str) -> Input:
        """Find the input called `name`. Raises `LineError` with the inputs there are."""
        if name not in self.inputs:
            raise LineError(self._refusal(name, "input", self.inputs))
        return self.inputs[name]

    def output(self, name: str) -> Output:
        """Find the output called `name`. Raises `LineError` with the outputs there are."""
        if name not in self.outputs:
            raise LineError(self._refusal(name, "output", self.outputs))
        return self.outputs[name]

    def device(self, device: Device) -> None:
        """Refuse a device this table does not have. Raises `DeviceError` with the devices it has."""
        if device not in self.devices:
            there = ", ".join(sorted(self.devices)) or "none"
            raise DeviceError(f"this table has no {device}; the board file names these devices: {there}")

    def _refusal(self, name: str, direction: str, allowed: Iterable[str]) -> str:
        known = name in self.inputs or name in self.outputs
        what = f"{name!r} is not an {direction}" if known else f"there is no line {name!r}"
        return f"{what}; the board file's {direction}s are: {', '.join(allowed) or 'none'}"


def _refuse_twice(what: str, names: Iterable[str]) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ClaimError(
            f"the board file declares the {what} {', '.join(twice)} more than once; "
            f"give every line its own {what}"
        )
