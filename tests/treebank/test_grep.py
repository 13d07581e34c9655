"""Tree patterns: which nodes they find, against relations computed from spans and parents."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from oracles import write_tree
from strategies import small_treebanks

from lpcfg_cli.errors import ConfigError
from lpcfg_cli.treebank.brackets import bracket_strings, treebank_from_text
from lpcfg_cli.treebank.files import read_tree_files
from lpcfg_cli.treebank.graph_trees import without_escapes
from lpcfg_cli.treebank.trees import NO_NODE, NO_WORD

pytest.importorskip("pyparsing")
from lpcfg_cli.treebank.grep import compiled_pattern, matches, matching_nodes

TREES = (
    "(S (NP (DT the) (NN dog)) (VP (VBZ barks)) (. .)) (()) (S (NP (NP (NN x)) (PP (IN of) (NP (NN \\()))) (VP (VB y)))"
)


def found(pattern, text=TREES):
    """The matching parts as text, tree by tree."""
    trees = treebank_from_text(text)
    return [
        [re.sub(" ", "", line) for line in bracket_strings(trees.subtrees(nodes))] if nodes else []
        for nodes in matching_nodes(trees, compiled_pattern(pattern))
    ]


@pytest.mark.parametrize(
    ("pattern", "parts"),
    [
        ("NP < DT", [["(NP(DTthe)(NNdog))"], [], []]),
        ("dog", [["(NNdog)"], [], []]),
        ("dog . barks", [["(NNdog)"], [], []]),
        ("DT . NN", [["(DTthe)"], [], []]),
        ("NP > PP", [[], [], ["(NP(NN\\())"]]),
        ('"("', [[], [], ["(NN\\()"]]),
        ("/^VB/ !> (VP , DT)", [["(VBZbarks)"], [], ["(VBy)"]]),
        ("S !<< DT", [[], [], ["(S(NP(NP(NNx))(PP(INof)(NP(NN\\())))(VP(VBy)))"]]),
        ("@ N /^NN/; PP << @N", [[], [], ["(PP(INof)(NP(NN\\()))"]]),
    ],
)
def test_patterns_find_labels_tags_and_words(pattern, parts):
    assert found(pattern) == parts


RELATIONS = {
    "<": lambda t, a, b: t.parent[b] == a,
    ">": lambda t, a, b: t.parent[a] == b,
    "<<": lambda t, a, b: a < b < t.subtree_end()[a],
    ">>": lambda t, a, b: b < a < t.subtree_end()[b],
    ".": lambda t, a, b: t.spans()[1][a] == t.spans()[0][b],
    ",": lambda t, a, b: t.spans()[0][a] == t.spans()[1][b],
    "..": lambda t, a, b: t.spans()[1][a] <= t.spans()[0][b],
    "$": lambda t, a, b: a != b and t.parent[a] == t.parent[b] != NO_NODE,
    "<:": lambda t, a, b: t.parent[b] == a and t.n_children()[a] == 1,
}


@pytest.mark.parametrize("relation", RELATIONS)
@given(small_treebanks)
def test_relations_are_those_of_spans_and_parents(relation, trees):
    treebank = treebank_from_text("\n".join(map(write_tree, trees)))
    tree, names = treebank.tree_of_node(), [treebank.strings[k] for k in treebank.label]
    nodes = range(treebank.n_nodes)
    expected = [
        a
        for a in nodes
        if names[a] == "NP"
        and any(names[b] == "VP" and tree[a] == tree[b] and RELATIONS[relation](treebank, a, b) for b in nodes)
    ]
    got = matching_nodes(treebank, compiled_pattern(f"NP {relation} VP"))
    assert [node for some in got for node in some] == expected


@given(small_treebanks)
def test_inverted_and_whole_matches_share_out_the_trees(tmp_path_factory, trees):
    path = tmp_path_factory.mktemp("grep") / "a.mrg"
    path.write_text("".join(f"{write_tree(tree)}\n" for tree in trees))
    files, predicate = read_tree_files([path]), compiled_pattern("NP << a")
    parts = matches(files, predicate)
    whole, others = matches(files, predicate, whole=True), matches(files, predicate, invert=True)
    assert sorted(m.tree for m in [*whole, *others]) == list(range(1, len(trees) + 1))
    assert {m.tree for m in parts} == {m.tree for m in whole}
    for match in [*parts, *whole, *others]:
        assert match.place == f"{path}:{match.tree}"
        sentence = [without_escapes(word) for word, _ in list(files.trees.tagged_sentences())[match.tree - 1]]
        assert sentence[match.start : match.stop] == match.words


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("NP ((", r"from '\(\(' on"),
        ("NP <", "no tree pattern"),
        ("/[/", "regex"),
        ("", "too early"),
        ("(" * 99, "nest"),
    ],
)
def test_what_is_no_pattern_is_refused(pattern, why):
    with pytest.raises(ConfigError, match=why) as caught:
        compiled_pattern(pattern)
    assert len(str(caught.value)) < 400


def test_a_name_without_a_macro_is_refused():
    with pytest.raises(ConfigError, match="only macros"):
        found("S=s < NP")
    assert found("@ S /S/; @S=s < NP")[0] == ["(S(NP(DTthe)(NNdog))(VP(VBZbarks))(..))"]


def test_subtrees_are_trees_of_their_own():
    trees = treebank_from_text(TREES)
    cut = trees.subtrees([5, 1, 1])
    assert list(bracket_strings(cut)) == ["(VBZ barks)", *["(NP (DT the) (NN dog))"] * 2]
    assert cut.parent.tolist() == [-1, -1, 1, 1, -1, 4, 4]
    assert cut.word[0] != NO_WORD
