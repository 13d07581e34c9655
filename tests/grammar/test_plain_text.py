"""Grammars as text: NLTK reads the plain PCFG with the same probabilities; states add up to one."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import pytest
from command_line import fail, succeed

from lpcfg_cli.grammar.opening import load_grammar
from lpcfg_cli.grammar.plain_text import GRAMMAR_FORMS
from lpcfg_cli.grammar.text_grammar import shipped_grammar
from lpcfg_cli.grammar.text_names import name_of, quoted
from lpcfg_cli.treebank.symbols import Symbol


def rules_of(lines):
    return [line for line in lines if not line.startswith("#:")]


def sums(lines):
    found = defaultdict(float)
    for line in rules_of(lines):
        left, _, rest = line.partition(" -> ")
        found[left] += float(rest.rpartition("[")[2].rstrip("]"))
    return found


def test_nltk_reads_the_plain_pcfg(trained):
    from nltk.grammar import PCFG

    text, grammar = succeed("grammar", trained).out, load_grammar(trained)
    read = PCFG.fromstring(text)
    assert str(read.start()) == "ROOT"
    assert len(read.productions()) == len(set(line.rpartition(" [")[0] for line in rules_of(text.splitlines())))
    expected = {
        (name_of(grammar.symbols[a]), name_of(grammar.symbols[b]), name_of(grammar.symbols[c])): p
        for a, b, c, p in zip(
            grammar.binary.parent, grammar.binary.left, grammar.binary.right, grammar.binary.probability, strict=True
        )
    }
    found = {(str(r.lhs()), *map(str, r.rhs())): r.prob() for r in read.productions() if len(r.rhs()) == 2}
    assert found == pytest.approx(expected)


def test_states_add_up_to_one():
    grammar = shipped_grammar("blurred").grammar
    lines = list(GRAMMAR_FORMS["states"].lines(grammar))
    assert {name: pytest.approx(1) for name in sums(lines)} == sums(lines)
    assert 'T/N-0 -> "sky" [0.8181818181818182]' in lines


def test_states_of_signed_parameters_are_refused(trained, tmp_path):
    assert "--form pcfg" in fail(3, "grammar", trained, "--form", "states")
    succeed("grammar", trained, "-o", tmp_path / "g.txt")
    assert all(total == pytest.approx(1) for total in sums((tmp_path / "g.txt").read_text().splitlines()).values())


def test_small_probabilities_have_no_exponent():
    from nltk.grammar import PCFG

    name = "ROOT -> N/S [1.0]"
    grammar = shipped_grammar("english").grammar
    small = replace(grammar.binary, probability=grammar.binary.probability * 1e-9)
    lines = list(GRAMMAR_FORMS["pcfg"].lines(replace(grammar, binary=small)))
    assert rules_of(lines)[0] == name and not any("e-" in line.rpartition("[")[2] for line in rules_of(lines))
    assert PCFG.fromstring("ROOT -> A [1.0]\nA -> B [0.000000001]\nA -> 'a' [0.999999999]").productions()


def test_names_are_read_by_nltk_and_different():
    symbols = [Symbol(("S",)), Symbol(("S",), is_intermediate=True), Symbol(("S",), True), Symbol(("PRP$",), True)]
    names = [name_of(symbol) for symbol in symbols]
    assert names == ["N/S", "N/_40_S", "T/S", "T/PRP_24_"]
    assert [quoted(word) for word in ('"', "'", "\0C~ing")] == ["'\"'", '"\'"', '"<C~ing>"']
