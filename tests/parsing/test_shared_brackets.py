"""Brackets left out of charts of other binarizations, against the derivations without them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from derivations import brackets, derivations, value_of
from forests import forest_of, marginals_of
from grammars import random_grammar, words_of

from lpcfg_cli.config import ParseSettings
from lpcfg_cli.parsing.expected_brackets import BracketPosteriors, bracket_labels
from lpcfg_cli.parsing.kernel_rules import coarse_rules
from lpcfg_cli.parsing.marginals import answered
from lpcfg_cli.parsing.parser import Parser
from lpcfg_cli.parsing.permissions import permitted_rules
from lpcfg_cli.parsing.shared_brackets import label_tables, without_improbable
from lpcfg_cli.parsing.written import written_by
from lpcfg_cli.tagging.constraints import NO_CONSTRAINTS, Constraints, Span

SENTENCES = ["x", "x y", "x x y", "x y x y", "y y z x y", "x x y y x"]
THRESHOLD = 0.2


def random_brackets(grammar, n, rng):
    """Posteriors of brackets over most spans of n words, and the labels' numbers."""
    labels = bracket_labels(grammar)
    spans = np.array([(i, j) for i in range(n) for j in range(i + 1, n + 1) if rng.random() < 0.9 or j - i == n])
    posteriors = rng.random((len(spans), labels.n_labels))
    tags = np.zeros((len(spans), labels.n_tags))
    return BracketPosteriors(spans[:, 0], spans[:, 1], posteriors, tags, 1), labels


def is_probable(grammar, tree, found, labels):
    """Whether each bracket of a derivation is; of one label over one span the second has a number of its own."""
    cell = {span: k for k, span in enumerate(zip(found.start.tolist(), found.stop.tolist(), strict=True))}
    return all(
        (i, j) in cell and found.bracket[cell[i, j], labels.numbers[label, k]] >= THRESHOLD
        for (label, i, j), count in Counter(brackets(grammar, tree)).items()
        for k in range(count)
    )


def total_without(grammar, words, found, labels, coarse):
    """The inside total of a sentence in whose chart improbable brackets are not permitted."""
    rules = without_improbable(coarse, label_tables(labels), found, THRESHOLD)
    forest, inside = forest_of(grammar, words, coarse=rules)
    if not len(forest.cell_start):
        return 0.0
    marginals = marginals_of(grammar, words, forest, inside)
    return marginals.total * 2.0 ** float(marginals.exponent + inside.exponent[0, len(words.start) - 1])


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("text", SENTENCES)
def test_charts_have_the_derivations_whose_brackets_are_probable(text, seed):
    grammar, rng = random_grammar(np.random.default_rng(seed)), np.random.default_rng(seed)
    words = words_of(grammar, text.split())
    found, labels = random_brackets(grammar, len(text.split()), rng)
    trees = list(derivations(grammar, words))
    left = [one for one in trees if is_probable(grammar, one[1], found, labels)]
    expected = sum(value_of(grammar, words, *one) for one in left)
    total = total_without(grammar, words, found, labels, coarse_rules(grammar))
    assert total == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_some_of_these_charts_lose_derivations_and_some_keep_one():
    """Else the test before this one would show nothing."""
    kept, lost = 0, 0
    for seed in range(8):
        grammar = random_grammar(np.random.default_rng(seed))
        found, labels = random_brackets(grammar, 4, np.random.default_rng(seed))
        flags = [
            is_probable(grammar, t, found, labels) for _, t in derivations(grammar, words_of(grammar, list("xyxy")))
        ]
        kept, lost = kept + any(flags), lost + (not all(flags))
    assert kept >= 4
    assert lost >= 4


@pytest.mark.parametrize("seed", range(8))
def test_constraints_hold_too(seed):
    grammar, rng = random_grammar(np.random.default_rng(seed)), np.random.default_rng(seed)
    words = words_of(grammar, ["x", "y", "x", "y"])
    found, labels = random_brackets(grammar, 4, rng)
    constraints = Constraints(required=(Span(1, 4, None),), forbidden=(Span(0, 2, None),))
    coarse = permitted_rules(coarse_rules(grammar), constraints, written_by(grammar), 4)
    left = []
    for one in derivations(grammar, words):
        spans = {(i, j) for _, i, j in brackets(grammar, one[1])}
        if (1, 4) in spans and (0, 2) not in spans and is_probable(grammar, one[1], found, labels):
            left.append(one)
    expected = sum(value_of(grammar, words, *one) for one in left)
    assert total_without(grammar, words, found, labels, coarse) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def companions_brackets(known, text):
    """What grammars of other rules add to a sentence's brackets, if the first ones' posteriors are `known`."""
    first, other = (random_grammar(np.random.default_rng(seed), signed=False) for seed in (0, 1))
    binary = other.binary
    parts = {name: getattr(binary, name)[:-1] for name in ("parent", "left", "right", "probability", "rank", "start")}
    other = replace(other, binary=replace(binary, **parts, values=binary.values[: binary.start[-2]]))
    parser = Parser([first, other], ParseSettings(threshold=0, rule_threshold=0, fine_threshold=THRESHOLD))
    request = parser._request([(word, "any") for word in text.split()], 1, NO_CONSTRAINTS, False)
    (forest,) = answered(parser._other_forests(request, known(parser.labels)))
    found, n = forest.evidence.brackets(forest.evidence.mean()), len(text.split())
    by_span = np.zeros((n, n + 1, parser.labels.n_labels))
    by_span[found.start, found.stop] = found.bracket
    return by_span


def test_grammars_of_other_rules_leave_out_what_the_first_ones_find_improbable():
    n = 4
    spans = np.array([(i, j) for i in range(n) for j in range(i + 1, n + 1)])

    def known(posterior):
        return lambda labels: BracketPosteriors(
            *spans.T, np.broadcast_to(posterior[:, None], (len(spans), labels.n_labels)), np.zeros((len(spans), 1)), 1
        )

    is_out = (spans == (1, 3)).all(1)
    whole, less, nothing = (
        companions_brackets(known(posterior), "x y x y")
        for posterior in (
            np.full(len(spans), THRESHOLD),
            np.where(is_out, THRESHOLD / 2, THRESHOLD),
            np.zeros(len(spans)),
        )
    )
    assert whole[1, 3].max() > 0.01
    assert less[1, 3].max() == 0
    assert less[0, n].max() > 0.9
    np.testing.assert_array_equal(nothing, whole)  # no tree would be left
