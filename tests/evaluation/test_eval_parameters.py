"""Reading EVALB's parameter files."""

from __future__ import annotations

import pytest

from lpcfg_cli.errors import SyntaxProblem
from lpcfg_cli.evaluation.parameters import COLLINS, EvalbParameters, parse_parameters

FULL = """\
# a comment
DEBUG 2
MAX_ERROR\t5
CUTOFF_LEN 20 words
LABELED 0

DELETE_LABEL TOP
DELETE_LABEL  -NONE-
DELETE_LABEL_FOR_LENGTH -NONE-
QUOTE_LABEL POS
EQ_LABEL ADVP PRT
EQ_WORD  This\tthis
"""


def test_every_keyword_is_read():
    assert parse_parameters(FULL).parameters == EvalbParameters(
        debug=2,
        max_error=5,
        cutoff_length=20,
        labeled=False,
        delete_labels=("TOP", "-NONE-"),
        delete_for_length=("-NONE-",),
        quote_labels=("POS",),
        equal_labels=(("ADVP", "PRT"),),
        equal_words=(("This", "this"),),
    )
    assert parse_parameters(FULL).doubts == []


def test_an_empty_file_deletes_nothing():
    assert parse_parameters("").parameters == EvalbParameters()
    assert EvalbParameters().delete_labels == ()


def test_the_default_is_the_shipped_collins_file(shared):
    text = (shared / "data" / "evalb" / "COLLINS.prm").read_text()
    assert parse_parameters(text).parameters == COLLINS


@pytest.mark.parametrize(
    "line, doubt",
    [
        ("DELETE_LABLE TOP", "unknown keyword 'DELETE_LABLE'"),
        ("EQ_LABEL ADVP", "needs two values and has 1"),
        ("EQ_WORD a b c", "needs two values and has 3"),
        ("QUOTE_LABEL", "names no label"),
        (" DELETE_LABEL TOP", "unknown keyword ''"),
    ],
)
def test_lines_that_evalb_passes_over_are_named(line, doubt):
    found = parse_parameters(f"# first\n{line}\n", "x.prm")
    assert found.parameters == EvalbParameters()
    assert found.doubts[0].startswith("x.prm:2: ") and doubt in found.doubts[0]


def test_two_labels_on_one_line_are_one_label_that_matches_nothing():
    found = parse_parameters("DELETE_LABEL . ,", "x.prm")
    assert found.parameters.delete_labels == (". ,",)
    assert "one label on each line" in found.doubts[0]


def test_a_number_that_is_none_is_an_error_with_its_place():
    with pytest.raises(SyntaxProblem, match=r"x.prm:2:9: LABELED 'yes'; expected a whole number"):
        parse_parameters("DEBUG 0\nLABELED yes\n", "x.prm")


def test_carriage_returns_are_blanks():
    assert parse_parameters("CUTOFF_LEN 7\r\nDELETE_LABEL TOP\r\n").parameters.delete_labels == ("TOP",)
