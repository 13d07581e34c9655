"""Grammars in text form: reading, places of errors, and properties of the embedded grammar."""

from __future__ import annotations

import numpy as np
import pytest

from lpcfg_cli.errors import SyntaxProblem
from lpcfg_cli.grammar.rule_text import RuleReader
from lpcfg_cli.grammar.text_grammar import embedded_grammar, parse_grammar

SMALL = """\
# two states of S that no label tells apart
ROOT ->
    3  S[one]
    1  S[two]      # a comment

S[one] ->
    2  A[x] B A[y]
    1  {A*3 C}[x] B
    1  (Q) (R) B
S[two] ->
    1  A[y] B
A[x] = p*3 q
A[y] = q
    r*0.5
C[x] = * #1
B = b
"""


@pytest.fixture(scope="module")
def small():
    return parse_grammar(SMALL, "small.grammar")


def symbol_number(grammar, name):
    return [symbol.name for symbol in grammar.symbols].index(name)


def rule_number(grammar, *names):
    wanted = tuple(symbol_number(grammar, name) for name in names)
    rules = grammar.binary
    return list(zip(rules.parent, rules.left, rules.right, strict=True)).index(wanted)


def test_states_are_named_in_order(small):
    names = {symbol.name: states for symbol, states in zip(small.grammar.symbols, small.states, strict=True)}
    assert names == {"S": ("one", "two"), "A": ("x", "y"), "C": ("x",), "B": ("",), "@S": ("A[x] B",)}


def test_tensors_hold_the_probabilities_of_states(small):
    grammar = small.grammar
    m = grammar.n_states
    assert np.array_equal(grammar.binary.tensor(rule_number(grammar, "@S", "A", "B"), m)[:, :, 0], [[1, 0]])
    assert np.array_equal(grammar.binary.tensor(rule_number(grammar, "S", "@S", "A"), m)[0, 0], [0, 0.5])
    a_b = grammar.binary.tensor(rule_number(grammar, "S", "A", "B"), m)[:, :, 0]
    assert np.allclose(a_b, [[0.25 * 3 / 4, 0], [0, 1]])
    assert np.allclose(grammar.unary.matrix(0, m), [[0.25], [0]])
    assert grammar.hidden_labels == [("Q", "R")]
    assert np.allclose(grammar.root_vector, [0.75, 0.25, *[0] * 5])


def test_plain_probabilities_are_expected_relative_frequencies(small):
    """Computed by hand: 3/4 of the S nodes are S[one], which weights the probabilities of its rules."""
    grammar = small.grammar
    probability = {
        "S → @S A": 3 / 4 * 1 / 2,
        "S → A B": 3 / 4 * 3 / 16 + 1 / 4,
        "S → C B": 3 / 4 * 1 / 16,
        "@S → A B": 1.0,
    }
    for name, expected in probability.items():
        parent, _, left, right = name.split()
        rule = rule_number(grammar, parent, left, right)
        assert grammar.binary.probability[rule] == pytest.approx(expected)
    assert grammar.unary.probability == pytest.approx([3 / 16])
    # A[x]: 3/8 + 9/64 a tree; A[y]: 3/8 + 1/4
    x, y = 33 / 64, 40 / 64
    number = {entry: k for k, entry in enumerate(grammar.lexicon.entries)}
    rules = grammar.lexical
    assert rules.probability[rules.entry_start[number["p"]]] == pytest.approx(3 / 4 * x / (x + y))
    assert rules.probability[rules.entry_start[number["q"]]] == pytest.approx((x / 4 + y * 2 / 3) / (x + y))


def test_only_a_lone_hash_sign_begins_a_comment(small):
    assert "#1" not in small.grammar.lexicon.entries, "a hash sign after a blank begins a comment"
    assert parse_grammar("ROOT ->\n  1 A\nA = a#1 *").grammar.lexicon.entries == ("*", "a#1")


ERRORS = [
    ("  1 S\n", 1, 3, "header"),
    ("ROOT ->\n  1 A\nA a\n", 3, 3, "-> (rules) or = (words)"),
    ("ROOT ->\n  1 A\nA\n", 3, 1, "-> (rules) or = (words)"),
    ("ROOT ->\n  1 A\nA = a\nB -> 1 A A\n", 4, 6, "the end of the line"),
    ("ROOT ->\n  1 A\nA = a\nB ->\n", 4, 1, "indented lines"),
    ("ROOT ->\n  1 A\nA =\n\n", 3, 1, "indented lines"),
    ("ROOT ->\n  A\nA = a\n", 2, 3, "a positive number"),
    ("ROOT ->\n  -1 A\nA = a\n", 2, 3, "a positive number"),
    ("ROOT ->\n  inf A\nA = a\n", 2, 3, "a positive number"),
    ("ROOT ->\n  1\nA = a\n", 2, 3, "the symbols"),
    ("ROOT ->\n  1 A\nA = a b*0\n", 3, 7, "a positive number"),
    ("ROOT ->\n  1 A\nA = a b a\n", 3, 9, "a word that this block does not have"),
    ("ROOT ->\n  1 S[a\nS[a] = a\n", 2, 5, "a symbol such as"),
    ("ROOT ->\n  1 S\nS ->\n  1 {A B\nA = a\nB = b\n", 4, 5, "braces that open and close"),
    ("ROOT ->\n  1 S\nS ->\n  1 A[{}] B\nA = a\nB = b\n", 4, 5, "at least one option"),
    ("ROOT ->\n  1 S\nS ->\n  1 (V A\nA = a\n", 4, 5, "a label in round brackets"),
    ("ROOT ->\n  1 S\nS ->\n  1 (V) A A\nA = a\n", 4, 11, "only one child"),
    ("A = a\n", 1, 1, "one that lists the states of roots"),
    ("ROOT ->\n  1 A\nA = a\nA = b\n", 4, 1, "one block a state"),
    ("ROOT ->\n  1 A A\nA = a\n", 2, 5, "one a line in ROOT"),
    ("ROOT ->\n  1 S\nS ->\n  1 A B[x]\nA = a\n", 4, 7, "a block B[x] -> or B[x] ="),
    ("ROOT ->\n  1 A[x]\nA[x] = a\nA[y] ->\n  1 A[x] A[x]\n", 4, 1, "words"),
    ("ROOT ->\n  1 S\nS ->\n  1 T\nT ->\n  1 A\nA = a\n", 4, 5, "a state without such rules"),
    ("ROOT ->\n  1 S[a]\nS[a] ->\n  1 S[b]\nS[b] ->\n  1 A A\nA = a\n", 4, 5, "another symbol"),
    ("ROOT ->\n  1 A\nA = a\n\nB = b\n", 5, 1, "a state that is used"),
    ("ROOT ->\n  1 S\nS ->\n  1 S S\n  1 A A\nA = a\n", 1, 1, "a finite expected size"),
]


@pytest.mark.parametrize(("text", "line", "column", "expected"), ERRORS)
def test_errors_name_place_and_remedy(text, line, column, expected):
    with pytest.raises(SyntaxProblem) as caught:
        parse_grammar(text, "my.grammar")
    problem = caught.value
    assert (problem.path, problem.line, problem.column) == ("my.grammar", line, column)
    assert expected in problem.expected
    assert problem.hint.endswith(".")


@pytest.fixture(scope="module")
def english():
    return embedded_grammar()


def test_every_state_of_the_embedded_grammar_has_mass_one(english):
    """Rules, words and unary rules of each state sum to 1, so that ι = 1 is the fixed point."""
    grammar = english.grammar
    m, start = grammar.n_states, grammar.state_start
    mass = np.zeros(start[-1])
    for rule, a in enumerate(grammar.binary.parent):
        mass[start[a] : start[a + 1]] += grammar.binary.tensor(rule, m).sum((1, 2))
    for rule, a in enumerate(grammar.unary.parent):
        mass[start[a] : start[a + 1]] += grammar.unary.matrix(rule, m).sum(1)
    for rule, a in enumerate(grammar.lexical.symbol):
        mass[start[a] : start[a + 1]] += grammar.lexical.values[grammar.lexical.start[rule] :][: m[a]]
    assert np.allclose(mass, 1.0, atol=1e-12)
    assert grammar.root_vector.sum() == pytest.approx(1.0)
    for part in (grammar.binary, grammar.unary, grammar.lexical):
        assert (part.values >= 0).all()


def test_the_plain_pcfg_of_the_embedded_grammar_is_proper(english):
    grammar = english.grammar
    total = np.zeros(grammar.n_symbols)
    for part, parent in ((grammar.binary, "parent"), (grammar.unary, "parent"), (grammar.lexical, "symbol")):
        np.add.at(total, getattr(part, parent), part.probability)
    assert np.allclose(total, 1.0)


def test_sentences_of_the_embedded_grammar_have_a_readable_length(english):
    is_tag = np.array([symbol.is_preterminal for symbol in english.grammar.symbols])
    assert 10 <= english.usage[np.repeat(is_tag, english.grammar.n_states)].sum() <= 14
    assert 300 <= len(english.grammar.lexicon.entries) <= 1000


def test_labels_of_the_embedded_grammar_do_not_tell_the_states(english):
    n_states = {s.name: int(m) for s, m in zip(english.grammar.symbols, english.grammar.n_states, strict=True)}
    for name, least in {"S": 5, "NP": 10, "VP": 8, "PP": 8, "NN": 8, "VBZ": 8, "IN": 6, "PRP": 3}.items():
        assert n_states[name] >= least


def test_blocks_keep_the_order_of_the_text():
    names = [str(block.state) for block in RuleReader(SMALL, "small").blocks()]
    assert names == ["ROOT", "S[one]", "S[two]", "A[x]", "A[y]", "C[x]", "B"]
