"""Where tokens stand."""

from __future__ import annotations

import time

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lpcfg_cli.treebank.bracket_tokens import TOKEN, line_and_column, lines_and_columns


def one_by_one(text, token):
    """Line and column of a token, counted."""
    positions = [match.start() for match in TOKEN.finditer(text)]
    before = text[: positions[token] if token < len(positions) else len(text)]
    return before.count("\n") + 1, len(before) - before.rfind("\n")


@given(st.text("(a)\\ \n\r", max_size=60), st.lists(st.integers(0, 40), max_size=8))
def test_tokens_stand_where_counting_says(text, tokens):
    expected = [one_by_one(text, token) for token in tokens]
    assert lines_and_columns(text, tokens) == expected
    assert lines_and_columns(text, np.array(tokens, np.int64)) == expected


@given(st.text("(a)\n", max_size=40), st.data())
def test_one_position_is_counted_too(text, data):
    position = data.draw(st.integers(0, len(text)))
    assert line_and_column(text, position) == (
        text[:position].count("\n") + 1,
        position - (text[:position].rfind("\n") + 1) + 1,
    )


def test_as_many_places_as_tokens_take_no_longer_than_the_text():
    n_lines = 200_000
    text = "(NN dog)\n" * n_lines  # counting from the start for each token would take minutes
    began = time.process_time()
    found = lines_and_columns(text, range(4 * n_lines))
    assert time.process_time() - began < 20
    assert found[::4] == [(k + 1, 1) for k in range(n_lines)]
    assert found[2::4] == [(k + 1, 5) for k in range(n_lines)]
