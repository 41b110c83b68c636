"""The pictures in docs are what the program draws today."""

from PIL import Image, ImageChops

from tests.helpers_pictures import PICTURES, all_pictures

BYTES_MAX = 30_000


def test_every_picture_is_what_the_program_draws_today() -> None:
    drawn = all_pictures()
    assert {path.name for path in PICTURES.glob("*.png")} == set(drawn)
    for name, image in drawn.items():
        with Image.open(PICTURES / name) as kept:
            difference = ImageChops.difference(kept.convert("RGB"), image.convert("RGB"))
            assert (kept.size, difference.getbbox()) == (image.size, None), name
        assert (PICTURES / name).stat().st_size < BYTES_MAX
