"""Chips are found by label, links are not chips, and a chip that cannot be opened is said to be so."""

from pathlib import Path

import pytest

from hal.chips import Chip, choose, read_chips
from hal.interface import ChipNotFoundError, ClaimError


class Lgpio:
    """lgpio's chip calls over a table of labels; None cannot be opened."""

    class error(Exception):  # noqa: N801, N818 (lgpio's own name for it)
        pass

    def __init__(self, labels: dict[int, str | None]) -> None:
        self.labels = labels
        self.open: set[int] = set()

    def gpiochip_open(self, number: int) -> int:
        if self.labels[number] is None:
            raise self.error("can not open gpiochip")
        self.open.add(number)
        return number

    def gpiochip_close(self, handle: int) -> int:
        self.open.remove(handle)
        return 0

    def gpio_get_chip_info(self, handle: int) -> list[int | str | None]:
        return [0, 54, f"gpiochip{handle}", self.labels[handle]]


def test_chips_are_read_in_order_of_their_numbers_without_links(tmp_path: Path) -> None:
    for number in (0, 2, 10):
        (tmp_path / f"gpiochip{number}").touch()
    (tmp_path / "gpiochip4").symlink_to("gpiochip0")
    (tmp_path / "gpiomem").touch()
    lgpio = Lgpio({0: "pinctrl-rp1", 2: None, 10: "gpio-brcmstb@107d508500"})

    chips = read_chips(lgpio, tmp_path)

    assert chips == (Chip(0, "pinctrl-rp1"), Chip(2, None), Chip(10, "gpio-brcmstb@107d508500"))
    assert lgpio.open == set()


def test_a_chip_that_cannot_be_opened_is_named() -> None:
    with pytest.raises(ChipNotFoundError, match=r"gpiochip0 \(cannot be opened: is this user in the group"):
        choose(("pinctrl-rp1",), (Chip(0, None),))


def test_no_chip_at_all_is_said() -> None:
    with pytest.raises(ChipNotFoundError, match=r"no /dev/gpiochip\* at all"):
        choose(("pinctrl-bcm2835",), ())


def test_two_chips_that_match_are_refused() -> None:
    with pytest.raises(ClaimError, match=r"more than one .* gpiochip0 pinctrl-rp1; gpiochip5 pinctrl-rp1"):
        choose(("pinctrl-rp1",), (Chip(0, "pinctrl-rp1"), Chip(5, "pinctrl-rp1")))
