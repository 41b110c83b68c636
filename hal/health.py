"""Whether a device works: when to try it again, when to tell, and how often to say it in the log.

One failure that mends at the next try is told to nobody (a contact that trembles, F080). Two in a row, or more than
three in ten seconds, are told as `DeviceFailed`; `DeviceMended` follows when it works. It knows no device.
"""

import logging
from collections import deque

from hal.interface import Device, DeviceFailed, DeviceMended, Put

LOG = logging.getLogger(__name__)

SECOND_NS = 1_000_000_000
RETRY_NS = (SECOND_NS, 2 * SECOND_NS, 4 * SECOND_NS)
"""After the first, second and every later failure in a row (F070: once a second at most, growing)."""
IN_A_ROW = 2
OFTEN = 4
OFTEN_NS = 10 * SECOND_NS
LOG_AGAIN_NS = 60 * SECOND_NS
"""A failure that lasts is said again this often, whatever number of tries it takes (F054, F070)."""


class Health:
    """One device's health, told through `put`. Used by one thread only."""

    def __init__(self, device: Device, put: Put) -> None:
        self._device = device
        self._put = put
        self._in_a_row = 0
        self._recent: deque[int] = deque(maxlen=OFTEN)
        self._since_ns = 0
        self._log_ns = 0
        self.told = False
        self.retry_ns = 0

    @property
    def well(self) -> bool:
        """Whether the last try succeeded, or none was made yet."""
        return self._in_a_row == 0

    def works(self, now_ns: int) -> None:
        """It did what it was asked."""
        if self.told:
            LOG.warning("the %s works again after %d s", self._device, (now_ns - self._since_ns) // SECOND_NS)
            self.told = False
            self._put(DeviceMended(self._device, now_ns))
        self._in_a_row = 0

    def failed(self, now_ns: int, why: str) -> None:
        """It did not; `why` is for the technician. `retry_ns` says when to try again."""
        if self.well and not self.told:
            self._since_ns = now_ns
        self.retry_ns = now_ns + RETRY_NS[min(self._in_a_row, len(RETRY_NS) - 1)]
        self._in_a_row += 1
        self._recent.append(now_ns)
        often = len(self._recent) == OFTEN and now_ns - self._recent[0] <= OFTEN_NS
        if not self.told and (self._in_a_row >= IN_A_ROW or often):
            self.told = True
            self._put(DeviceFailed(self._device, why, now_ns))
            self._log(now_ns, why)
        elif self.told and now_ns >= self._log_ns:
            self._log(now_ns, why)

    def _log(self, now_ns: int, why: str) -> None:
        self._log_ns = now_ns + LOG_AGAIN_NS
        LOG.warning("the %s fails: %s", self._device, why)
