"""Grammars as text read back: rules, trees and probabilities are the same; NLTK agrees on grammars by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from command_line import fail, run_here, succeed
from hypothesis import given
from hypothesis import strategies as st
from nltk import Tree
from nltk.grammar import PCFG
from nltk.parse.pchart import InsideChartParser

from lpcfg_cli.config import ParseSettings
from lpcfg_cli.errors import SyntaxProblem
from lpcfg_cli.grammar.opening import load_grammar
from lpcfg_cli.grammar.plain_text import GRAMMAR_FORMS
from lpcfg_cli.grammar.production_grammar import parse_productions
from lpcfg_cli.grammar.sampling import Sampler
from lpcfg_cli.grammar.text_grammar import KNOWN, shipped_grammar
from lpcfg_cli.grammar.text_names import entry_of, hidden_name, name_of, node_of, quoted
from lpcfg_cli.grammar.tree_values import rule_values
from lpcfg_cli.parsing.parser import Parser
from lpcfg_cli.tagging.tagger import OPEN_TAG
from lpcfg_cli.treebank.binarize import unbinarize
from lpcfg_cli.treebank.symbols import Symbol

BY_HAND = """\
# chains of rules with one child, a rule with three children, words of two tags
S -> NP VP [0.9] | VP [0.1]
VP -> V NP [0.4] | V [0.3] | V NP PP [0.2] | VP PP [0.1]
NP -> D N [0.6] | N [0.2] | NP PP [0.2]
PP -> P NP [1.0]
D -> "the" [0.5] | "a" [0.5]
N -> "dog" [0.5] | "park" [0.25] | 'saw' [0.25]
V -> "saw" [0.75] | "barks" [0.25]
P -> "in" [1.0]
"""

SENTENCES = ("the dog barks", "saw saw", "the dog saw a dog in the park in the park", "barks")

LABELS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Z", "Cc")), min_size=1, max_size=6)


def read_back(grammar, form):
    return parse_productions("\n".join(GRAMMAR_FORMS[form].lines(grammar)))[0]


@pytest.mark.parametrize("name", [*KNOWN, "english"])
def test_rules_of_states_come_back(name):
    grammar = shipped_grammar(name).grammar
    again = read_back(grammar, "states")
    expected, found = rule_values(grammar), rule_values(again)
    assert expected.keys() == found.keys()
    # states that no rule has are not written, and others have other numbers
    for key, values in expected.items():
        assert found[key][found[key] > 0].sum() == pytest.approx(values.sum(), rel=1e-12)
    assert again.lexicon == grammar.lexicon
    assert again.root_vector.sum() == pytest.approx(1) and again.is_probabilistic


def test_sentences_have_the_same_trees_and_probabilities_by_the_rules_of_states():
    grammar = shipped_grammar("english").grammar
    first, second = (Parser(one, ParseSettings(nbest=4)) for one in (grammar, read_back(grammar, "states")))
    trees, _ = Sampler(grammar).sample(4, np.random.default_rng(3), 14)
    for sentence in unbinarize(trees).tagged_sentences():
        one, two = (parser.parse([(word, OPEN_TAG) for word, _ in sentence]) for parser in (first, second))
        assert one.status == two.status == "parsed"
        assert two.log_probability == pytest.approx(one.log_probability, rel=1e-5)
        assert [score for score, _ in two.ranked] == pytest.approx([score for score, _ in one.ranked], rel=1e-4)


@pytest.fixture(scope="module")
def em_run(tiny_treebank, small_settings, tmp_path_factory):
    run = tmp_path_factory.mktemp("em") / "run"
    succeed("train", tiny_treebank, "--config", small_settings, "--learner", "em", "-o", run)
    return run


def tagged_sentences(treebank):
    return succeed("convert", treebank, "--clean").out


@pytest.mark.parametrize("form", ["states", "pcfg"])
def test_a_model_and_its_text_parse_alike(em_run, tiny_treebank, small_settings, tmp_path, form):
    text, model, sentences = tmp_path / "model.pcfg", em_run, tmp_path / "sentences.mrg"
    sentences.write_text(tagged_sentences(tiny_treebank), "utf-8")
    succeed("grammar", em_run, "--form", form, "-o", text)
    if form == "pcfg":
        model = tmp_path / "plain"
        succeed("train", tiny_treebank, "--config", small_settings, "--learner", "pcfg", "-o", model)
    one, two = (
        [
            line.split("\t")
            for line in succeed("parse", path, sentences, "-f", "trees", "--to", "table").out.splitlines()
        ]
        for path in (model, text)
    )
    assert len(one) == len(two) > 4
    assert [row[-1] for row in one] == [row[-1] for row in two]
    for column in ("ln_p_sentence", "ln_p_tree", "posterior"):
        k = one[0].index(column)
        assert [float(row[k]) for row in two[1:]] == pytest.approx([float(row[k]) for row in one[1:]], abs=2e-3)


def test_nltk_and_we_agree_on_a_grammar_by_hand():
    read = PCFG.fromstring(BY_HAND.replace("V NP PP [0.2]", "V X [0.2]") + "X -> NP PP [1.0]\n")
    chart, parser = InsideChartParser(read), Parser(parse_productions(BY_HAND)[0], ParseSettings())
    for sentence in SENTENCES:
        words = sentence.split()
        trees = list(chart.parse(words))
        parse = parser.parse([(word, OPEN_TAG) for word in words], nbest=50)
        total = math.fsum(tree.prob() for tree in trees)
        # NLTK does not weigh an unknown word; no word is unknown here
        assert parse.log_probability == pytest.approx(math.log(total), abs=1e-5), sentence
        assert len(parse.ranked) == len(trees)


def test_trees_by_hand_have_chains_and_flat_rules(tmp_path):
    (tmp_path / "hand.pcfg").write_text(BY_HAND)
    found = succeed("parse", tmp_path / "hand.pcfg", "-f", "raw", stdin="barks\nsaw a dog in a park\n").out.splitlines()
    assert found[0] == "(TOP (S (VP (V barks))))"
    assert Tree.fromstring(found[1])[0][0] == Tree.fromstring(
        "(VP (V saw) (NP (D a) (N dog)) (PP (P in) (NP (D a) (N park))))"
    )


def test_words_without_tags_have_any_tag_and_unknown_words_too(tmp_path):
    (tmp_path / "hand.pcfg").write_text(BY_HAND)
    outcome = succeed("parse", tmp_path / "hand.pcfg", "-f", "raw", stdin="the zebra barks\n")
    assert outcome.out.strip() == "(TOP (S (NP (D the) (N zebra)) (VP (V barks))))"
    flat = succeed("parse", tmp_path / "hand.pcfg", "-f", "raw", "--max-length", 1, stdin="dog barks\n")
    assert flat.out.strip() == "(TOP (N dog) (V barks))"


def test_surprisal_of_a_grammar_by_hand(tmp_path):
    (tmp_path / "hand.pcfg").write_text('S -> A B\nA -> "x" [3] | "y" [1]\nB -> "z"\n')
    rows = succeed("surprisal", tmp_path / "hand.pcfg", stdin="y z\n").out.splitlines()[1:]
    bits = [float(row.split("\t")[6]) for row in rows]
    assert bits == pytest.approx([2, 0, 0], abs=1e-2)


def test_weights_are_divided_by_their_sum():
    grammar, _ = parse_productions('S -> A [6]\nS -> B B [2]\nA -> "a"\nB -> "b" | "c"\n')
    assert sorted(grammar.lexical.probability) == [0.5, 0.5, 1.0]
    assert (grammar.unary.probability.tolist(), grammar.binary.probability.tolist()) == ([0.75], [0.25])


def test_chains_end_though_rules_go_in_circles():
    grammar, _ = parse_productions('S -> A [0.5] | T [0.5]\nA -> B [0.5] | T [0.5]\nB -> A [0.5] | T [0.5]\nT -> "t"\n')
    rules = {
        (grammar.symbols[a].name, grammar.hidden_labels[h], grammar.symbols[b].name): p
        for a, h, b, p in zip(
            grammar.unary.parent, grammar.unary.hidden, grammar.unary.child, grammar.unary.probability, strict=True
        )
    }
    assert rules["S", ("A", "B"), "T"] == 0.125 and rules["S", ("A",), "T"] == 0.25 and rules["S", (), "T"] == 0.5
    assert ("A", ("B",), "A") not in rules and len(rules) == 11


@given(LABELS, st.integers(0, 12), st.booleans())
def test_names_come_back(label, state, is_tag):
    for symbol in (
        Symbol((label,), is_tag),
        Symbol((label, "X-1"), is_tag),
        Symbol(("B",), False, True, (label,), (label,)),
    ):
        for number in (None, state):
            node = node_of(name_of(symbol, number))
            assert Symbol.from_name(node.label, node.prefix == "T/") == symbol
            assert node.state == ("" if number is None else str(number))
    below = name_of(Symbol((label,), is_tag), state)
    hidden = node_of(hidden_name(label, below))
    assert (hidden.label, hidden.below, hidden.prefix) == (label, below, "U/")


@given(st.one_of(LABELS, st.text("_<>\"'5FA2\0", min_size=1, max_size=8).filter(lambda text: "\0" not in text[1:])))
def test_words_come_back(word):
    text = quoted(word)
    assert text[0] == text[-1] and text[0] not in text[1:-1] and entry_of(text[1:-1]) == word


@pytest.mark.parametrize(
    ("text", "place", "told"),
    [
        ("S -> NP VP\nVP -> 'a'\n", "1:6", "NP, which has no rules"),
        ("S -> A B [x]\n", "1:10", "a positive number in brackets"),
        ("S -> A B[0.5]\n", "1:8", "Put blanks between"),
        ("S -> A [0]\n", "1:8", "a positive number"),
        ("S -> A | \nA -> 'a'", "1:8", "No rule is empty"),
        ('S -> "the" N\nN -> "n"\n', "1:6", "Give the word a tag of its own"),
        ('S -> N N\nN -> "n"\nN -> S S\n', "3:6", "a phrase below N"),
        ('S -> N N [1]\nS -> N\nN -> "n"\n', "2:1", "a rule of S without a number"),
        ('S -> N N\nN -> "a b"\n', "2:6", "a word between two equal quotes"),
        ("S -> N N\nN -> '\n", "2:6", "a word between two equal quotes"),
        ('S -> S\nS -> N N\nN -> "n"\n', "1:6", "S alone below S"),
        ('S -> N N\n#: lexicon {"no": 1}\nN -> "n"\n', "2:1", "the setting 'lexicon'"),
        ('S -> N N\n#: lexicon {\nN -> "n"\n', "2:1", "its value as JSON"),
        ('S -> N N\n#: unseen {"T/N": 7}\nN -> "n"\n', "2:1", "from 0 to 1"),
        ('S -> N N\n#: settings 3\nN -> "n"\n', "2:1", "an object in braces"),
        ('S -> U/VP/N\nU/VP/N -> N N\nN -> "n"\n', "2:11", "only N"),
        ('S -> U/VP/N N\nU/VP/N -> N\nN -> "n"\n', "1:6", "begin with U/"),
    ],
)
def test_errors_name_the_place(text, place, told):
    with pytest.raises(SyntaxProblem) as error:
        parse_productions(text, "g.pcfg")
    assert str(error.value).startswith(f"g.pcfg:{place}:") and told in str(error.value)


def test_what_is_no_grammar_is_told(tmp_path):
    (tmp_path / "empty.pcfg").write_text("# nothing\n")
    assert "empty.pcfg" in fail(3, "parse", tmp_path / "empty.pcfg", stdin="")
    (tmp_path / "code.pcfg").write_text("__import__('os').system('touch made')\n")
    assert "code.pcfg:1:" in fail(3, "parse", tmp_path / "code.pcfg", stdin="", folder=tmp_path)
    assert not (tmp_path / "made").exists()
    assert "no such file" in fail(3, "parse", tmp_path / "none.pcfg", stdin="").lower()


def test_blocks_are_read_as_before(tmp_path):
    (tmp_path / "blocks.grammar").write_text("ROOT ->\n    1 S\nS ->\n    1 A[x] A[y]\nA[x] = a*3 b\nA[y] = c\n")
    assert load_grammar(tmp_path / "blocks.grammar").n_states.tolist() == [1, 2]
    assert run_here("parse", tmp_path / "blocks.grammar", "-f", "raw", stdin="b c\n").out == "(TOP (S (A b) (A c)))\n"


def test_usage_weighs_the_states_of_the_plain_pcfg():
    text = 'ROOT -> N/S-0 [1.0]\nN/S-0 -> T/A-0 T/A-1 [1.0]\nT/A-0 -> "a" [1.0]\nT/A-1 -> "a" [0.5] | "b" [0.5]\n'
    grammar, _ = parse_productions(text)
    assert grammar.n_states.tolist() == [1, 2]
    assert np.sort(grammar.lexical.probability) == pytest.approx([0.25, 0.75])
