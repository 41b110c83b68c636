"""The catalogues of slips are complete in both languages, and every label fits a paper."""

import re
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from controller.slips.document import WIDTH
from controller.slips.texts import Label

ROOT = Path(__file__).parent.parent
SENTENCES = {
    Label.REPRINT_WHY,
    Label.VOID_STANDS,
    Label.UNDATED,
    Label.FOREIGN,
}


@pytest.mark.parametrize("language", ["es", "en"])
def test_every_label_has_its_words(language: str) -> None:
    source = ROOT / "controller" / "words" / language / "LC_MESSAGES" / "slips.po"
    with source.open("rb") as file:
        entries = {str(message.id): str(message.string) for message in read_po(file) if message.id}
    assert set(entries) == {label.value for label in Label}
    for key, words in entries.items():
        assert words
        assert set(re.findall(r"{\w+}", words)) == set(re.findall(r"{\w+}", key)), key
        assert len(words) <= WIDTH or key in SENTENCES, key
        words.encode("cp850")


def test_the_seats_of_a_report_have_six_columns_of_seven() -> None:
    assert len(Label.SEATS_HEAD.split()) == WIDTH // 7
