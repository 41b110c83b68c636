"""From edges to chips and presses: a pure filter, without a clock, a thread or I/O of its own.

It may know edges (`hal.interface.Edge`), the filter's times and the core's events, nothing of bets or phases.
Whoever calls it says what time it is; the same edges with the same stamps always give the same events.

`filter.Inputs` feeds each edge to its line: `seat.SeatLine` for a sensor, `switch` for buttons and keys.
`common.CommonMode` judges lows that came together, `order.Order` lets events leave in the order of their stamps.
`pulses.Pulses` remembers widths and gaps to look at.
"""

from controller.inputs.filter import Inputs
from controller.inputs.pulses import Pulse, Pulses
from controller.inputs.timings import REFERENCE, Timings

__all__ = ["REFERENCE", "Inputs", "Pulse", "Pulses", "Timings"]
