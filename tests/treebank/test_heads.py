"""Head rules: reading, application, and the English rules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import write_tree
from strategies import trees

from lpcfg_cli.errors import InputError, SyntaxProblem
from lpcfg_cli.treebank.brackets import treebank_from_text
from lpcfg_cli.treebank.heads import SEARCHES, Clause, HeadRules, head_children, load_head_rules, parse_head_rules

few = st.sampled_from(["A", "B", "C", "D"])
clauses = st.builds(Clause, st.sampled_from(SEARCHES), st.lists(st.one_of(few, st.just("*")), min_size=1).map(tuple))
rule_sets = st.dictionaries(st.one_of(few, st.just("*")), st.lists(clauses, min_size=1, max_size=3)).map(HeadRules)


def naive_head(lines, children):
    """The search that the rule file describes, line by line."""
    for clause in lines:
        order = range(len(children)) if clause.search.startswith("left") else reversed(range(len(children)))
        order = list(order)
        if clause.search.endswith("any"):
            searches = [[k for k in order if children[k] in clause.labels or "*" in clause.labels]]
        elif clause.search.endswith("except"):
            searches = [[k for k in order if children[k] not in clause.labels and "*" not in clause.labels]]
        else:
            searches = [[k for k in order if wanted in (children[k], "*")] for wanted in clause.labels]
        for found in searches:
            if found:
                return found[0]
    return 0 if lines[-1].search.startswith("left") else len(children) - 1


@given(rule_sets, few, st.lists(few, min_size=1, max_size=6))
def test_rules_search_line_by_line(rules, parent, children):
    lines = rules.clauses.get(parent) or rules.clauses.get("*") or [Clause("left", ("*",))]
    assert rules(parent, children) == naive_head(lines, children)


@given(rule_sets, st.lists(trees(label=few, tag=few, word=st.just("w"), max_leaves=12, max_children=5), max_size=4))
def test_heads_of_a_treebank_equal_those_phrase_by_phrase(rules, forest):
    treebank = treebank_from_text("\n".join(map(write_tree, forest)))
    labels = [treebank.strings[k] for k in treebank.label]
    expected = []
    for node in range(treebank.n_nodes):
        below = [k for k in range(treebank.n_nodes) if treebank.parent[k] == node]
        expected.append(below[rules(labels[node], [labels[k] for k in below])] if below else -1)
    assert head_children(treebank, rules).tolist() == expected


@pytest.mark.parametrize(
    ("parent", "children", "head"),
    [
        ("S", "NP VP .", "VP"),
        ("S", "PP , NP VP .", "VP"),
        ("S", "S CC S", "S"),
        ("NP", "DT JJ NN", "NN"),
        ("NP", "NP PP", "NP"),
        ("NP", "NP , NP", "NP"),
        ("NP", "DT NN POS", "POS"),
        ("NP", "$ CD", "$"),
        ("NP", "DT JJ", "JJ"),
        ("VP", "MD VP", "MD"),
        ("VP", "VBD NP PP", "VBD"),
        ("VP", "TO VP", "TO"),
        ("PP", "IN NP", "IN"),
        ("SBAR", "IN S", "IN"),
        ("SBAR", "WHNP S", "WHNP"),
        ("ADJP", "RB JJ", "JJ"),
        ("QP", "RB CD", "RB"),
        ("NEW", "X Y", "X"),
    ],
)
def test_english_heads(parent, children, head):
    labels = children.split()
    assert labels[load_head_rules("english")(parent, labels)] == head


@pytest.mark.parametrize(
    ("parent", "children", "head"),
    [
        ("S", "NP VP .", "VP"),
        ("VP", "MD VP", "MD"),
        ("VP", "VBP RB VP", "VBP"),
        ("VP", "TO VP", "VP"),
        ("VP", "`` NP ''", "NP"),
        ("NP", "DT NN POS", "POS"),
        ("NP", "NP PP", "NP"),
        ("NP", "$ CD CD", "CD"),
        ("NP", "NP CC NP", "NP"),
        ("PP", "IN NP", "IN"),
        ("PP", "`` ADVP JJ '' NP", "ADVP"),
        ("PRN", "-LRB- NP -RRB-", "NP"),
        ("PRN", ", S ,", "S"),
        ("FRAG", "`` CC SBAR . ''", "CC"),
        ("X", ". :", ":"),
        ("NEW", "A B .", "B"),
    ],
)
def test_heads_of_penn2malt(parent, children, head):
    labels = children.split()
    assert labels[load_head_rules("penn2malt")(parent, labels)] == head


def test_the_first_conjunct_is_the_head_in_english():
    rules = load_head_rules("english")
    assert [rules("S", ["S", "CC", "S"]), rules("NP", ["NP", "CC", "NP"])] == [0, 0]


def test_neutral_rules_take_the_first_child():
    assert load_head_rules("neutral")("S", ["NP", "VP", "."]) == 0


def test_rule_files_are_read_with_comments_and_several_lines_a_parent():
    rules = parse_head_rules("# heads\nPP left  P # the preposition\n\nPP\tright-any N V\r\n* right *\n")
    assert rules.clauses == {
        "PP": [Clause("left", ("P",)), Clause("right-any", ("N", "V"))],
        "*": [Clause("right", ("*",))],
    }


def test_rules_are_loaded_by_path(tmp_path):
    path = tmp_path / "my.rules"
    path.write_text("NP right N\n")
    assert load_head_rules(str(path))("NP", ["N", "A", "N", "B"]) == 2


@pytest.mark.parametrize("line", ["PP left", "PP", "PP middle IN"])
def test_a_malformed_line_is_named(line):
    with pytest.raises(SyntaxProblem, match=r"^my\.rules:2:1: .*expected a parent label, one of left, right, left-any"):
        parse_head_rules(f"NP right N\n{line}\n", "my.rules")


def test_a_name_that_is_no_file_is_told(tmp_path):
    with pytest.raises(
        InputError, match=r"german: cannot be read: .* The built-in head rules are neutral, english, penn2malt\.$"
    ):
        load_head_rules(str(tmp_path / "german"))
