"""Numbers and their nouns agree."""

from __future__ import annotations

import pytest

from lpcfg_cli.wording import counted


@pytest.mark.parametrize(
    ("number", "noun", "text"),
    [
        (0, "sentence", "0 sentences"), (1, "sentence", "1 sentence"), (1_200, "sentence", "1,200 sentences"),
        (1, "class", "1 class"), (2, "class", "2 classes"), (2, "anomaly", "2 anomalies"), (2, "day", "2 days"),
        (2, "suffix", "2 suffixes"), (3, "empty file", "3 empty files"), (1, "empty file", "1 empty file"),
    ],
)  # fmt: skip
def test_a_number_stands_with_its_noun(number, noun, text):
    assert counted(number, noun) == text


def test_a_verb_agrees_too():
    assert [counted(n, "tree", "has", "have") for n in (0, 1, 2)] == ["0 trees have", "1 tree has", "2 trees have"]
