"""Trees over several lines.  Reading what is written: test_formats.py."""

from __future__ import annotations

from hypothesis import given
from oracles import write_tree
from strategies import raw_treebanks

from lpcfg_cli.treebank.brackets import bracket_strings, treebank_from_text
from lpcfg_cli.treebank.indented import WIDTH, depths, indented_strings

LONG = "(NP (DT the) (JJ extraordinarily) (JJ long) (NN phrase))"


def test_what_fits_into_a_line_stays_in_it():
    (tree,) = indented_strings(treebank_from_text(f"( (S {LONG} (VP (VBZ congratulates) {LONG}) (. .)))"))
    assert tree == f"( (S\n    {LONG}\n    (VP\n      (VBZ congratulates)\n      {LONG})\n    (. .)))"
    assert list(indented_strings(treebank_from_text(f"{LONG} (())"))) == [LONG, "(())"]


def test_a_line_has_at_most_its_width():
    for n in range(WIDTH - 12, WIDTH - 6):
        lines = next(indented_strings(treebank_from_text(f"(S (A {'a' * n}) (B b))"))).split("\n")
        assert len(lines) == (1 if n + len("(S (A ) (B b))") <= WIDTH else 3)


@given(raw_treebanks)
def test_it_is_the_line_with_other_blanks(trees):
    treebank = treebank_from_text("\n".join(map(write_tree, trees)))
    found = [" ".join(tree.split()) for tree in indented_strings(treebank)]
    assert found == [" ".join(tree.split()) for tree in bracket_strings(treebank)]


def test_depths():
    assert depths(treebank_from_text("(S (A (B b)) (C c)) (D d)").parent).tolist() == [0, 1, 2, 1, 0]
