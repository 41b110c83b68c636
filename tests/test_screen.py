"""From lines to pixels: sizes, breaks, pages, letters. What is expected is worked out by hand from the font's sizes."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.screen import IDLE_NS, PAGE_NS, Look, draw, look
from controller.screen.font import Size, font
from controller.screen.layout import Page, Row, pages
from controller.screen.look import MOVE_NS
from hal.interface import Panel
from tests.helpers_golden import LETTERS

SMALL, WIDE = Panel(128, 64), Panel(256, 64)
SECOND = 1_000_000_000
FAULTS = tuple(f"FALLA ASIENTO {seat}: SENSOR TAPADO, DESPEJE LA RANURA" for seat in (1, 2, 3))


def texts(page: Page) -> list[str]:
    return [row.text for row in page.rows]


def test_a_short_headline_alone_is_as_large_as_it_fits() -> None:
    (page,) = pages(("MESA CERRADA",), SMALL)
    # 16 wide: 8 letters a row, CERRADA fits; two rows of 32 fill the height.
    assert page.rows == (Row("MESA", Size.HUGE, 32, 0), Row("CERRADA", Size.HUGE, 8, 32))


def test_a_line_breaks_at_its_dashes_and_keeps_a_number_with_its_word() -> None:
    (page,) = pages(("NO VA MÁS - 3 APUESTAS - VERIFIQUE 3 FICHAS",), SMALL)
    assert texts(page) == ["NO VA MÁS", "3 APUESTAS", "VERIFIQUE", "3 FICHAS"]
    assert {row.size for row in page.rows} == {Size.MIDDLE}


def test_a_seat_keeps_its_number() -> None:
    (page,) = pages(("MESA", "LA FICHA ASIENTO 12"), SMALL)
    # 16 letters a row below the headline: the first three words would fit, and 12 would stand alone.
    assert texts(page)[1:] == ["LA FICHA", "ASIENTO 12"]


def test_parts_that_fit_side_by_side_share_a_row() -> None:
    (page,) = pages(("NO VA MÁS - 3 APUESTAS - VERIFIQUE 3 FICHAS",), WIDE)
    assert texts(page) == ["NO VA MÁS - 3 APUESTAS", "VERIFIQUE 3 FICHAS"]


def test_lines_below_the_headline_are_all_shown_if_any_size_allows_it() -> None:
    (page,) = pages(("APUESTAS ABIERTAS - 3 FICHAS", "DEVUELVA FICHA - ASIENTO 2"), SMALL)
    assert texts(page) == ["APUESTAS ABIERTAS", "3 FICHAS", "DEVUELVA FICHA", "ASIENTO 2"]


def test_more_lines_than_fit_are_shown_in_turn_under_the_same_headline() -> None:
    found = pages(("MESA CERRADA", *FAULTS), SMALL)
    heads = {tuple(row for row in page.rows if row.y == 0) for page in found}
    assert len(heads) == 1
    body = [row.text for page in found for row in page.rows if row.y > 0 and row.text != "CERRADA"]
    assert " ".join(body) == " ".join(FAULTS)
    assert len(found) == 3


def test_pages_turn_with_time_and_the_first_comes_first() -> None:
    lines = ("MESA CERRADA", *FAULTS)
    assert [look(lines, SMALL, at, 0).page for at in (0, PAGE_NS - 1, PAGE_NS, 2 * PAGE_NS, 3 * PAGE_NS)] == [
        0, 0, 1, 2, 0,
    ]  # fmt: skip


def test_a_mark_at_the_bottom_says_which_page_this_is() -> None:
    lines = ("MESA CERRADA", *FAULTS)
    bottoms = [draw(lines, SMALL, Look(page)).pixels[-16:] for page in range(3)]
    whole = int.from_bytes(bytes(a | b | c for a, b, c in zip(*bottoms, strict=True)))
    assert whole == (1 << 128) - 1
    assert [int.from_bytes(bottom).bit_count() for bottom in bottoms] == [42, 43, 43]


def test_no_lines_are_a_dark_screen() -> None:
    assert draw((), SMALL, Look()).pixels == bytes(1024)
    assert draw(("",), SMALL, Look()).pixels == bytes(1024)


@pytest.mark.parametrize("size", Size)
def test_F061_every_letter_differs_from_every_other_and_from_the_missing_box(size: Size) -> None:
    loaded = font(size)
    letters = sorted(set(LETTERS) - set("“”– "))
    drawn = {letter: loaded.rows(letter) for letter in letters}
    assert all(letter in loaded for letter in letters)
    assert len(set(drawn.values())) == len(letters)
    assert loaded.rows("\U0001f600") not in drawn.values()
    assert all(len(rows) == size.height for rows in drawn.values())


@pytest.mark.parametrize(("letter", "base"), ["áa", "ée", "óo", "úu", "üu", "ñn"])
def test_F061_an_accent_stands_above_its_base_letter(letter: str, base: str) -> None:
    for size in Size:
        accented, plain = (
            [number for number, bits in enumerate(font(size).rows(which)) if bits] for which in (letter, base)
        )
        assert accented[0] < plain[0]
        assert accented[-1] == plain[-1]


def test_F061_no_font_of_the_machine_is_looked_for() -> None:
    from controller.screen import font as room

    names = {path.name for path in room.FOLDER.iterdir()}
    assert {f"spleen-{size.width}x{size.height}.psfu" for size in Size} <= names
    assert "BSD" in (room.FOLDER / "LICENSE").read_text()


@pytest.mark.parametrize(
    "lines",
    [
        ("Núñez – “Mañana” ¡Ganó! € 5\u202f000",),
        ("\U0001f600",),
        ("\x00",),
        ("x" * 200,),
        ("",),
        ("MESA", "x" * 200, "\x00\U0001f600"),
    ],
)
def test_F060_no_text_is_an_error_and_an_unknown_character_can_be_seen(lines: tuple[str, ...]) -> None:
    for panel in (SMALL, WIDE):
        for page in range(len(pages(lines, panel))):
            picture = draw(lines, panel, Look(page))
            assert len(picture.pixels) == panel.width * panel.height // 8
            assert any(picture.pixels) or lines == ("",)


def amounts() -> st.SearchStrategy[str]:
    return st.integers(0, 10**13 - 1).map(
        lambda minor: f"$ {minor // 100:,}".replace(",", ".") + f",{minor % 100:02}"
    )


@given(amount=amounts(), before=st.sampled_from(["PAGUE ASIENTO 3:", "POZO", "A" * 30]), alone=st.booleans())
@settings(deadline=None)
def test_F060_an_amount_is_never_cut(amount: str, before: str, alone: bool) -> None:
    line = f"{before} {amount}"
    for panel in (SMALL, WIDE, Panel(120, 60)):
        rows = [text for page in pages((line,) if alone else ("MESA", line), panel) for text in texts(page)]
        assert sum(amount in row for row in rows) == 1, rows


@given(
    lines=st.lists(st.text(st.characters(codec="utf-8"), max_size=60), max_size=6).map(tuple),
    idle_ns=st.integers(0, 2 * IDLE_NS),
    shown_ns=st.integers(0, 60 * SECOND),
)
@settings(deadline=None)
def test_whatever_is_written_every_row_stays_on_the_screen(
    lines: tuple[str, ...], idle_ns: int, shown_ns: int
) -> None:
    for panel in (SMALL, WIDE):
        seen = look(lines, panel, shown_ns, idle_ns)
        draw(lines, panel, seen)
        for page in pages(lines, panel):
            for row in page.rows:
                assert row.x >= 0
                assert row.x + len(row.text) * row.size.width <= panel.width
                assert 0 <= row.y <= panel.height - row.size.height


def test_F065_an_idle_table_dims_its_screen_and_moves_the_picture() -> None:
    lines = ("APUESTAS ABIERTAS - 0 FICHAS",)
    assert look(lines, SMALL, 0, IDLE_NS - 1) == Look()
    places = [look(lines, SMALL, 0, IDLE_NS + minute * MOVE_NS) for minute in range(8 * 60)]
    assert all(place.dim for place in places)
    assert len({(place.x, place.y) for place in places}) == 9 * 5
    lit = [0] * (128 * 64)
    for place in places:
        bits = int.from_bytes(draw(lines, SMALL, place).pixels)
        for at in re.finditer("1", f"{bits:08192b}"):
            lit[at.start()] += 1
    assert max(lit) < len(places) * 3 // 4, "in eight hours every pixel rests for a quarter of the time"
