"""Names of symbols."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpcfg_cli.treebank.symbols import Symbol

label = st.text("A%|@^~/+()-5", min_size=1, max_size=3)
symbols = st.builds(
    Symbol,
    st.lists(label, min_size=1, max_size=2).map(tuple),
    st.just(False),
    st.booleans(),
    st.lists(label, max_size=2).map(tuple),
    st.lists(label, max_size=2).map(tuple),
)


@given(symbols, symbols)
def test_different_symbols_have_different_names(one, other):
    assert (one.name == other.name) == (one == other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Symbol(("A|B",)), Symbol(("A", "B"))),
        (Symbol(("@A",)), Symbol(("A",), is_intermediate=True)),
        (Symbol(("A",), ancestors=("B^C",)), Symbol(("A",), ancestors=("B", "C"))),
        (Symbol(("A^B",)), Symbol(("A",), ancestors=("B",))),
        (Symbol(("A",), siblings=("B~C",)), Symbol(("A",), siblings=("B", "C"))),
        (Symbol(("A",), ancestors=("B~C",)), Symbol(("A",), ancestors=("B",), siblings=("C",))),
        (Symbol(("%7C",)), Symbol(("|",))),
    ],
)
def test_marks_in_labels_are_not_taken_for_the_names_own(one, other):
    assert one.name != other.name


def test_phrase_labels_and_tags_are_those_of_the_tree():
    collapsed = Symbol(("NP", "NN"), is_preterminal=True)
    assert (collapsed.tag, collapsed.phrase_labels) == ("NN", ("NP",))
    assert (Symbol(("S", "VP")).tag, Symbol(("S", "VP")).phrase_labels) == (None, ("S", "VP"))
    assert Symbol(("VP",), is_intermediate=True).phrase_labels == ()
