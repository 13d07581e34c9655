"""Feature templates on a tree by hand, and against a slow version on random trees."""

from __future__ import annotations

import numpy as np
import pytest
from command_line import succeed
from feature_oracle import first_other_head, length_class, linked_nodes, naive_features, partition
from hypothesis import given
from hypothesis import strategies as st
from oracles import write_tree
from strategies import small_treebanks

from lpcfg_cli.config import BinarizeSettings, ConsistencySettings, FeatureSettings
from lpcfg_cli.errors import ConfigError
from lpcfg_cli.features import feature_kernels
from lpcfg_cli.features.template import NodeView
from lpcfg_cli.features.templates import TEMPLATE_SETS, TEMPLATES, choose_templates
from lpcfg_cli.features.templates import length_class as vectorised_length_class
from lpcfg_cli.treebank.binarize import binarize
from lpcfg_cli.treebank.binary import LEXICAL, NONE
from lpcfg_cli.treebank.brackets import treebank_from_text
from lpcfg_cli.treebank.heads import load_head_rules

settings_of = st.builds(
    BinarizeSettings, unaries=st.sampled_from(["latent", "collapse"]), direction=st.sampled_from(["left", "head"])
)


def view_of(text, settings=BinarizeSettings()):  # noqa: B008
    """A view whose lexical entries are the words' own numbers."""
    trees = binarize(treebank_from_text(text), settings, load_head_rules("english"))
    return NodeView(trees, np.where(trees.kind == LEXICAL, trees.word, NONE))


def rows(view, name):
    """For each node its values of a template, as a tuple; None where it does not apply."""
    template = TEMPLATES[name]
    columns = template.columns(view)
    applies = np.isin(view.trees.kind, template.kinds)
    return [tuple(int(column[k]) for column in columns) if applies[k] else None for k in range(view.trees.n_nodes)]


# The tree below, left-binarized; D is DT, N is NN, V is VBD, P is IN:
#
#   0 S                      [0, 7)   head saw
#   1   NP                   [0, 2)   head dog
#   2     D the   3  N dog
#   4   VP                   [2, 7)   head saw
#   5     @VP                [2, 5)   head saw
#   6       V saw
#   7       NP               [3, 5)   head cat
#   8         D the   9  N cat
#  10     PP                 [5, 7)   head at
#  11       P at
#  12       NP (unary)       [6, 7)   head night
#  13         N night
BY_HAND = "(S (NP (DT the) (NN dog)) (VP (VBD saw) (NP (DT the) (NN cat)) (PP (IN at) (NP (NN night)))))"

EXPECTED = {
    # kind of rule and left child's label: NP VP, D N twice, @VP PP, V NP, P NP, N alone
    "left_label": [[0], [1, 7], [4], [5], [10], [12]],
    "right_label": [[0], [1, 7], [4], [5, 10], [12]],
    "rule": [[0], [1, 7], [4], [5], [10], [12]],
    # the same NP rule over the same word
    "rule_over_left": [[0], [1, 7], [4], [5], [10], [12]],
    # dog and cat differ
    "rule_over_right": [[0], [1], [4], [5], [7], [10], [12]],
    # heads saw (V), dog/cat/night (N), at (P)
    "head_tag": [[0, 4, 5], [1, 7, 12], [10]],
    # 7 is in the class 6–10; 5, 3, 2, 1 stand for themselves
    "width": [[0], [1, 7, 10], [4], [5], [12]],
    "word": [[2, 8], [3], [6], [9], [11], [13]],
    "rule_above": [[0], [1], [2, 8], [3, 9], [4], [5], [6], [7], [10], [11], [12], [13]],
    "two_rules_above": [[0], [1], [2], [3], [4], [5], [6], [7], [8], [9], [10], [11], [12], [13]],
    "three_rules_above": [[0], [1], [2], [3], [4], [5], [6], [7], [8], [9], [10], [11], [12], [13]],
    # S: 1 4; NP: 2 3 8 9 13; VP: 5 10; @VP: 6 7; PP: 11 12
    "parent": [[0], [1, 4], [2, 3, 8, 9, 13], [5, 10], [6, 7], [11, 12]],
    # NP under S, under @VP, under PP
    "parent_and_grandparent": [[0], [1, 4], [2, 3], [5, 10], [6, 7], [8, 9], [11, 12], [13]],
    # none: root, VP, @VP, V; saw: NP, dog, NP, cat, PP, at; dog: the; cat: the; at: NP night
    "other_head_tag": [[0, 4, 5, 6], [1, 3, 7, 9, 10, 11], [2, 8], [12, 13]],
    # 0, 1, 2, 3, 4, 5; 6 is in the class 6–10
    "words_before": [[0, 1, 2], [3], [4, 5, 6], [7, 8], [9], [10, 11], [12, 13]],
    # after: 0 for S, VP, PP, NP, night; 5 for NP dog; 6 the; 2 @VP NP cat; 4 saw; 3 the; 1 at
    "words_after": [[0, 4, 10, 12, 13], [1, 3], [2], [5, 7, 9], [6], [8], [11]],
    "constant_inside": [[*range(14)]],
    "constant_outside": [[*range(14)]],
}


def test_the_tree_by_hand_is_laid_out_as_drawn():
    trees = view_of(BY_HAND).trees
    names = [trees.symbols[k].name for k in trees.symbol]
    assert names == ["S", "NP", "DT", "NN", "VP", "@VP", "VBD", "NP", "DT", "NN", "PP", "IN", "NP", "NN"]
    assert trees.start.tolist() == [0, 0, 0, 1, 2, 2, 2, 3, 3, 4, 5, 5, 6, 6]
    assert trees.stop.tolist() == [7, 2, 1, 2, 7, 5, 3, 5, 4, 5, 7, 6, 7, 7]
    assert trees.head.tolist() == [6, 3, 2, 3, 6, 6, 6, 9, 8, 9, 11, 11, 13, 13]


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_template_groups_the_nodes_of_the_tree_by_hand(name):
    assert partition(rows(view_of(BY_HAND), name)) == EXPECTED[name]


def test_a_template_tells_unary_rules_by_the_labels_between():
    view = view_of("(S (A (B (C c))) (A (X (C c))) (A (C c)))")
    unary = [k for k in range(view.trees.n_nodes) if view.trees.symbols[view.trees.symbol[k]].name == "A"]
    values = [rows(view, "rule")[k] for k in unary]
    assert len(set(values)) == 3


@given(small_treebanks, settings_of)
def test_templates_group_nodes_as_the_slow_version_does(trees, settings):
    view = view_of("\n".join(map(write_tree, trees)), settings)
    nodes = linked_nodes(view.trees, view.lexical_entry)
    symbols = [node.symbol for node in nodes]
    for name in TEMPLATES:
        fast = rows(view, name)
        slow = [naive_features(node, name) for node in nodes]
        assert [value is None for value in fast] == [value is None for value in slow], name
        with_symbol = [
            partition(
                [None if value is None else (symbol, value) for symbol, value in zip(symbols, values, strict=True)]
            )
            for values in (fast, slow)
        ]
        assert with_symbol[0] == with_symbol[1], name


@given(small_treebanks, settings_of)
def test_first_other_heads_equal_a_walk_to_the_root(trees, settings):
    view = view_of("\n".join(map(write_tree, trees)), settings)
    nodes = linked_nodes(view.trees, view.lexical_entry)
    positions = {id(node): k for k, node in enumerate(nodes)} | {id(None): -1}
    expected = [positions[id(first_other_head(node))] for node in nodes]
    assert feature_kernels.first_other_head(view.trees.parent, view.trees.head).tolist() == expected


def test_lengths_fall_into_ten_classes():
    lengths = list(range(60))
    classes = vectorised_length_class(np.array(lengths)).tolist()
    assert classes == [length_class(length) for length in lengths]
    assert [classes[n] for n in (0, 5, 6, 10, 11, 20, 21, 40, 41)] == [0, 5, 6, 6, 7, 7, 8, 8, 9]


def names_of(templates):
    return [template.name for template in templates]


def test_a_template_says_in_which_sets_it_is():
    constant = ["constant_inside", "constant_outside"]
    assert names_of(choose_templates("full")) == [name for name in TEMPLATES if name not in constant]
    assert names_of(choose_templates("simple")) == ["rule", "word", "rule_above"]
    assert names_of(choose_templates("constant")) == constant
    assert {name for template in TEMPLATES.values() for name in template.sets} == set(TEMPLATE_SETS)


def test_templates_stand_in_the_order_in_which_features_are_numbered():
    assert list(TEMPLATES) == list(EXPECTED)
    assert not set(TEMPLATES) & set(TEMPLATE_SETS)


def test_a_template_is_described_by_its_docstring():
    assert TEMPLATES["head_tag"].summary == "The part of speech of the head."
    assert all(template.summary == template.columns.__doc__.split("\n")[0] for template in TEMPLATES.values())


def test_sets_and_templates_go_together():
    chosen = choose_templates(("parent", "simple", "constant_inside", "rule"))
    assert names_of(chosen) == ["parent", "rule", "word", "rule_above", "constant_inside"]


def test_templates_are_chosen_by_name_in_the_order_given_and_once():
    chosen = choose_templates(("parent", "word", "rule", "parent"))
    assert [template.name for template in chosen] == ["parent", "word", "rule"]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (
            "fulll",
            r"^features\.templates is 'fulll'; expected one of full, simple, constant, left_.* Did you mean full\?$",
        ),
        (("rule", "x", "y"), r"^features\.templates is 'x'; expected one of full, .*, constant_outside\.$"),
        (("rule", "word"), r"none of rule, word describes outside trees\.$"),
        (("rule", "parent"), r"none of rule, parent describes inside trees of words\.$"),
        (("word", "parent"), r"none of word, parent describes inside trees of phrases\.$"),
        ((), r"none of .* describes"),
    ],
)
def test_choices_that_cannot_work_are_refused(names, message):
    with pytest.raises(ConfigError, match=message):
        choose_templates(names)


@pytest.mark.parametrize("names", ["rul", ("full", "rul")])
def test_settings_name_templates_that_are_there(names):
    message = r"templates is 'rul'; expected one of full, simple, .*\. Did you mean rule\?$"
    with pytest.raises(ConfigError, match=message):
        FeatureSettings(templates=names)
    with pytest.raises(ConfigError, match=rf"^consistency\.{message}"):
        ConsistencySettings(templates=names)


def test_the_help_names_sets_and_templates():
    for command in ("train", "features", "consistency"):
        page = " ".join(succeed(command, "--help").out.split())
        assert f"joined by commas: {', '.join([*TEMPLATE_SETS, *TEMPLATES])}." in page
