"""Golden images, compared pixel by pixel on luma's own dummy device."""

import pytest
from luma.core.device import dummy
from PIL import Image, ImageChops

from tests.helpers_golden import GOLDEN, PANEL_NAMES, SHOWN, images, path


@pytest.mark.parametrize("size", PANEL_NAMES)
@pytest.mark.parametrize("name", SHOWN)
def test_every_page_looks_as_it_did_when_somebody_looked_at_it(name: str, size: str) -> None:
    panel = PANEL_NAMES[size]
    device = dummy(width=panel.width, height=panel.height, mode="1")
    shown = images(panel, SHOWN[name])
    for page, image in enumerate(shown):
        device.display(image)
        with Image.open(path(name, size, page)) as golden:
            assert ImageChops.difference(device.image, golden.convert("1")).getbbox() is None
    assert not path(name, size, len(shown)).exists()


def test_no_golden_image_is_left_over() -> None:
    expected = {
        path(name, size, page)
        for name, lines in SHOWN.items()
        for size, panel in PANEL_NAMES.items()
        for page in range(len(images(panel, lines)))
    }
    assert set(GOLDEN.glob("*.png")) == expected
