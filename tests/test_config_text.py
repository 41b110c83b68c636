"""What editors and file systems do to a file, and how it is told."""

import os
import re
import string
import tomllib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from controller.config import ConfigError, load
from controller.config.layout import Part, layout, odd_characters, parts
from controller.config.problems import did_you_mean, shown
from controller.config.text import decode
from tests.helpers_config import BOARD, PROFILE, TABLE, changed, refusal, table, written

BOTH = changed(TABLE, ('"uy-montevideo-caribbean" ', '"./game.toml" '), ('"rpi-7seat" ', '"./board.toml" '))
"""A table's file that names a profile and a board beside it."""


def test_a_missing_file_a_folder_and_a_device_are_told_apart(tmp_path: Path) -> None:
    assert "there is no such file; check the name and the folder" in refusal(tmp_path / "mesa.toml")
    (tmp_path / "dir.toml").mkdir()
    assert "is a directory: name a file" in refusal(tmp_path / "dir.toml")
    os.mkfifo(tmp_path / "pipe.toml")
    assert "is no regular file" in refusal(tmp_path / "pipe.toml")
    assert "cannot be read (Not a directory)" in refusal(table(tmp_path) / "x.toml")
    assert "cannot be read (File name too long)" in refusal(tmp_path / f"{'x' * 300}.toml")


def test_a_file_that_may_not_be_read_names_owner_and_mode(tmp_path: Path) -> None:
    path = table(tmp_path)
    path.chmod(0)
    user = os.geteuid()
    if user == 0:
        os.seteuid(65_534)  # root may read everything, nobody may not
    try:
        message = refusal(path)
    finally:
        os.seteuid(user)
    assert "check owner and mode" in message


@pytest.mark.parametrize("data", [b"", b" \r\n\n"])
def test_an_empty_file_is_refused(tmp_path: Path, data: bytes) -> None:
    assert "is empty" in refusal(written(tmp_path / "mesa.toml", data))


def test_a_file_above_64_kib_is_refused_and_one_just_below_is_not(tmp_path: Path) -> None:
    room = 65_536 - len(TABLE.encode())
    load(str(written(tmp_path / "mesa.toml", TABLE + "#" * room)))
    message = refusal(written(tmp_path / "mesa.toml", TABLE + "#" * (room + 1)))
    assert "is larger than 65536 bytes" in message


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        ("a = [" + "[" * 30_000, "this is not TOML"),
        ("a = " + "9" * 5000, "this is not TOML"),
        ("b = 1\na = 'open\n", "line 2: this is not TOML"),
        ("a = yes", "Text is written in quotes, yes and no as true and false"),
        ("a = [1,\n", "look for a bracket that nothing closes"),
        ("a = 1\n\x07", "this is not TOML"),
        ("a = 1979-13-45", "this is not TOML"),
    ],
)
def test_text_that_is_no_toml_is_refused_with_its_line(tmp_path: Path, broken: str, told: str) -> None:
    assert told in refusal(written(tmp_path / "mesa.toml", broken))


@given(st.binary(max_size=400))
def test_any_bytes_are_decoded_or_refused(data: bytes) -> None:
    try:
        text, _ = decode(data, Path("mesa.toml"))
    except ConfigError as error:
        text = str(error)
    assert "\r" not in text.replace("\r\n", "")


@given(st.text(max_size=200))
def test_any_text_has_a_layout_and_one_part_for_each_character(text: str) -> None:
    assert len(parts(text)) == len(text)
    layout(text)
    list(odd_characters(text))


SPOILT = st.sampled_from(
    ["", "=", '"', "[", "]", "{", "0", "-1", "1.5", "true", "x", "\n", "\r", "#", "\u201c", "[[a]]"]
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300, deadline=None)
@given(st.sampled_from(["mesa.toml", "game.toml", "board.toml"]), st.data())
def test_a_file_spoilt_anywhere_is_loaded_or_refused(tmp_path: Path, name: str, data: st.DataObject) -> None:
    text = {"mesa.toml": BOTH, "game.toml": PROFILE, "board.toml": BOARD}
    at = data.draw(st.integers(0, len(text[name])))
    text[name] = text[name][:at] + data.draw(SPOILT) + text[name][at + data.draw(st.integers(0, 12)) :]
    for file, inside in text.items():
        written(tmp_path / file, inside)
    problems = problems_of(tmp_path / "mesa.toml")
    assert all(str(tmp_path) in problem or "shipped" in problem for problem in problems)


def problems_of(path: Path) -> tuple[str, ...]:
    """What a file is refused for; nothing if it loads."""
    try:
        load(str(path))
    except ConfigError as error:
        return error.problems
    return ()


KEY = st.text(string.ascii_lowercase, min_size=1, max_size=4)
LEAF = st.one_of(
    st.integers(0, 99).map(str),
    st.text("ab #=[]{}", max_size=8).map(lambda inner: f'"{inner}"'),
    st.text("ab\n#=[] ", max_size=8).map(lambda inner: f'"""{inner}"""'),
    st.just('[\n  1,\n  "]", # x = 1\n]'),
)


@given(
    st.lists(
        st.tuples(KEY, st.lists(st.tuples(KEY, LEAF), unique_by=lambda pair: pair[0])),
        unique_by=lambda pair: pair[0],
    )
)
def test_every_key_of_a_text_is_found_in_its_line(tables: list[tuple[str, list[tuple[str, str]]]]) -> None:
    text = ""
    expected: dict[tuple[str, ...], int] = {}
    for name, pairs in tables:
        expected[(name,)] = text.count("\n") + 1
        text += f"[{name}] # a.b = 1\n"
        for key, leaf in pairs:
            expected[(name, key)] = text.count("\n") + 1
            text += f"{key} = {leaf}\n"
    tomllib.loads(text)
    assert {key: lines[0] for key, lines in layout(text).lines.items()} == expected


def test_parts_tell_code_from_text_and_comment() -> None:
    text = "a = \"x#\\\"\" # 'y'\nb = 'z'"
    code = "".join(letter for letter, part in zip(text, parts(text), strict=True) if part is Part.CODE)
    assert code == "a =  \nb = "


@pytest.mark.parametrize("hidden", ["\u200b", "\u00a0", "\u202e", "\u00ad", "\u2028"])
def test_an_invisible_character_in_a_value_is_refused(tmp_path: Path, hidden: str) -> None:
    path = table(tmp_path, ('"Mesa 1" ', f'"Mesa{hidden}1" '))
    assert re.search(rf"column \d+: invisible character U\+{ord(hidden):04X}", refusal(path))


def test_letters_of_any_language_are_welcome_in_comments_and_names(tmp_path: Path) -> None:
    path = table(
        tmp_path, ('"Mesa 1" ', '"Ñandú «4» · sala 1º" '), ("# el juego:", "# el juego \u201casí\u201d:")
    )
    assert load(str(path)).name == "Ñandú «4» · sala 1º"


def test_a_file_full_of_odd_characters_names_ten_and_counts_the_rest(tmp_path: Path) -> None:
    message = refusal(written(tmp_path / "mesa.toml", "\u201c" * 25))
    assert message.count("LEFT DOUBLE QUOTATION MARK") == 10
    assert "and 15 more such characters" in message


def test_values_are_shown_in_ascii_and_cut() -> None:
    assert shown("ñ") == '"\\xf1"'
    assert shown(True) == "true"
    assert shown({"a": 1}) == "a table [...]"
    assert shown("x" * 100) == '"' + "x" * 59 + "..."


def test_a_name_far_from_all_lists_what_is_known() -> None:
    assert did_you_mean("zzzz", ["b", "a"]) == " Known here: a, b."
    assert did_you_mean("x", []) == ""
    assert did_you_mean("LIMIT", ["limit"]) == ' Did you mean "limit"?'


def test_changed_refuses_to_change_what_is_not_there_once() -> None:
    with pytest.raises(AssertionError, match="0 times"):
        changed("abc", ("x", "y"))
