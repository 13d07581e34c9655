"""Constraints against all derivations one by one: the best tree of those that meet them, and what if there is none."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

import numpy as np
import pytest
from charts import applications_of, decoder_scores, name_of
from derivations import applications, brackets, derivations, identities, value_of
from grammars import random_grammar, words_of
from harness import Derivation
from hypothesis import given
from hypothesis import strategies as st
from test_confidence import parser_of

from lpcfg_cli.errors import ConstraintError, InputError
from lpcfg_cli.parsing.closest import MOST_SETS, closest_constraints, parse_closest, split_constraints, unsatisfiable
from lpcfg_cli.parsing.parse import Status
from lpcfg_cli.tagging.constraints import NO_CONSTRAINTS, Constraints, Span
from lpcfg_cli.tagging.tagger import OPEN_TAG


def with_hidden(seed):
    """A grammar whose unary rules hide labels."""
    grammar = random_grammar(np.random.default_rng(seed), signed=False)
    hidden = np.arange(len(grammar.unary), dtype=np.int32) % 3
    return replace(grammar, hidden_labels=[(), ("A",), ("S", "A", "A")], unary=replace(grammar.unary, hidden=hidden))


TEXTS = ["x y", "x x y", "x y x y", "y y z x y"]
LABELS = [None, "S", "A", "t", "u"]


@st.composite
def constraints_on(draw, n):
    """Some constraints on a sentence of n words, many of which cannot be met."""
    spans = st.builds(
        lambda ends, label: Span(*ends, label),
        st.tuples(st.integers(0, n - 1), st.integers(1, n)).filter(lambda ends: ends[0] < ends[1]),
        st.sampled_from(LABELS),
    )
    return Constraints(
        tuple(draw(st.lists(spans, max_size=2))),
        tuple(draw(st.lists(spans, max_size=2))),
        draw(st.sampled_from([None, None, "S", "A"])),
        tuple(draw(st.dictionaries(st.integers(0, n - 1), st.sampled_from([("t",), ("u", "v")]), max_size=1)).items()),
    )


def chain_of(grammar, tree, span):
    """The labels of the brackets over a span, top down, and the tag if it is a word."""
    labels = [label for label, i, j in brackets(grammar, tree) if (i, j) == span]
    tags = [grammar.symbols[key[1]].tag for key in applications(tree) if key[0] == "lexical" and key[2] == span[0]]
    return labels, tags[:1] if span[1] == span[0] + 1 else []


def is_within(part, whole):
    rest = iter(whole)
    return all(label in rest for label in part)


def meets(grammar, tree, constraints, n):
    """Whether a derivation has what is required and nothing that is forbidden."""
    wanted = {}
    for span in constraints.required:
        labels = wanted.setdefault((span.start, span.stop), [])
        if span.label is not None and labels[-1:] != [span.label]:
            labels.append(span.label)
    for span, labels in wanted.items():
        found, tags = chain_of(grammar, tree, span)
        if not (found or tags) or not is_within(labels, found + tags):
            return False
    for span in constraints.forbidden:
        found, _ = chain_of(grammar, tree, (span.start, span.stop))
        if span.label in found or (span.label is None and found):
            return False
    if constraints.root is not None and chain_of(grammar, tree, (0, n))[0][:1] != [constraints.root]:
        return False
    return all(chain_of(grammar, tree, (word, word + 1))[1][0] in tags for word, tags in constraints.tags)


def scores_by_enumeration(grammar, words, constraints, n):
    """The max-rule scores of the derivations that meet the constraints, by their own marginals."""
    kept = [(root, tree) for root, tree in derivations(grammar, words) if meets(grammar, tree, constraints, n)]
    parts = [(*applications(tree), *identities(grammar, tree)) for _, tree in kept]
    every = [Derivation(p, value_of(grammar, words, *one), None) for p, one in zip(parts, kept, strict=True)]
    names = [name_of(applications(tree)) for _, tree in kept]
    return dict(zip(names, decoder_scores(every, "max-rule"), strict=True)) if kept else {}


@pytest.mark.parametrize("text", TEXTS)
@given(data=st.data())
def test_the_tree_is_the_best_of_those_that_meet_them(text, data):
    n = len(text.split())
    constraints = data.draw(constraints_on(n))
    grammar = with_hidden(3)
    words = words_of(grammar, text.split())
    expected = scores_by_enumeration(grammar, words, constraints, n)
    parser = parser_of(grammar, words, decoder="max-rule")
    parser.back_offs = []
    parse = parser.parse([(word, OPEN_TAG) for word in text.split()], constraints=constraints)
    assert parser.has_tree([(word, OPEN_TAG) for word in text.split()], constraints) == bool(expected)
    if not constraints:
        assert parse.status is Status.PARSED
    elif not expected:
        assert (parse.status, parse.derivations) == (Status.FAILED, [])
    else:
        (derivation,) = parse.derivations
        found = name_of(applications_of(derivation, grammar))
        assert expected[found] == pytest.approx(max(expected.values()), abs=1e-3)


def test_probabilities_are_those_of_the_trees_that_meet_them():
    grammar, text = with_hidden(3), "x y x y"
    words = words_of(grammar, text.split())
    constraints = Constraints((Span(0, 2, "A"),), (Span(2, 4, "S"),))
    kept = [one for one in derivations(grammar, words) if meets(grammar, one[1], constraints, 4)]
    total = sum(value_of(grammar, words, *one) for one in kept)
    parser = parser_of(grammar, words, nbest=1000)
    parse = parser.parse([(word, OPEN_TAG) for word in text.split()], constraints=constraints, with_confidence=True)
    assert len(kept) > 5
    assert parse.log_probability == pytest.approx(np.log(total), abs=1e-4)
    assert sum(one.posterior for one in parse.confidences) == pytest.approx(1, abs=1e-4)
    for one in parse.confidences:
        assert {(b.label, b.start, b.stop): b.posterior for b in one.brackets}["A", 0, 2] == pytest.approx(1, abs=1e-4)


def setting_of(text="x y x y"):
    grammar = with_hidden(3)
    parser = parser_of(grammar, words_of(grammar, text.split()))
    parser.back_offs = []
    return parser, [(word, OPEN_TAG) for word in text.split()]


def test_what_does_not_fit_is_left_out_in_the_order_given():
    parser, sentence = setting_of()
    first, crossing = Span(0, 2, "A"), Span(1, 3, "A")
    both = Constraints((first, crossing))
    assert parser.parse(sentence, constraints=both).status is Status.FAILED
    met, unmet = split_constraints(parser, sentence, both)
    assert (met, unmet) == (Constraints((first,)), [Constraints((crossing,))])
    parse = parse_closest(parser, sentence, both)
    assert parse.status is Status.PARSED and parse.unmet == ("with A over words 2 to 3",)
    only = parser.parse(sentence, constraints=Constraints((first,)))
    np.testing.assert_array_equal(parse.derivations[0].symbol, only.derivations[0].symbol)


def test_as_few_as_possible_are_left_out():
    parser, sentence = setting_of()
    crossing = Constraints((Span(1, 3), Span(0, 2), Span(2, 4)))  # the first crosses both others
    met, unmet = split_constraints(parser, sentence, crossing)
    assert (len(met.required), len(unmet)) == (1, 2)
    met, unmet = closest_constraints(parser, sentence, crossing)
    assert (met, unmet) == (Constraints((Span(0, 2), Span(2, 4))), [Constraints((Span(1, 3),))])
    assert parse_closest(parser, sentence, crossing).unmet == ("with a bracket over words 2 to 3",)


@given(st.integers(0, 3).flatmap(lambda k: st.tuples(st.just(TEXTS[k]), constraints_on(len(TEXTS[k].split())))))
def test_the_closest_is_the_largest_set_of_all(drawn):
    text, constraints = drawn
    parser, sentence = setting_of(text)
    parts = list(constraints.parts())
    best = max(
        bin(chosen).count("1")
        for chosen in range(2 ** len(parts))
        if parser.has_tree(
            sentence, reduce(Constraints.joined, (p for k, p in enumerate(parts) if chosen >> k & 1), NO_CONSTRAINTS)
        )
    )
    met, unmet = closest_constraints(parser, sentence, constraints)
    assert len(list(met.parts())) == best == len(parts) - len(unmet) and parser.has_tree(sentence, met)


def test_many_constraints_are_met_one_after_the_other():
    parser, sentence = setting_of()
    many = Constraints(tuple(Span(0, 2, label) for label in ("X", "Y", "Z")) + (Span(1, 3),) * 60)
    assert MOST_SETS < 63 * 62 / 2
    assert closest_constraints(parser, sentence, many) == split_constraints(parser, sentence, many)


def test_what_fits_is_not_changed_by_the_search_for_the_closest():
    parser, sentence = setting_of()
    constraints = Constraints((Span(0, 2, "A"),))
    parse = parse_closest(parser, sentence, constraints)
    assert parse.unmet == ()
    np.testing.assert_array_equal(
        parse.derivations[0].symbol, parser.parse(sentence, constraints=constraints).derivations[0].symbol
    )


def test_the_error_names_the_constraint_that_does_not_fit():
    parser, sentence = setting_of()
    constraints = Constraints((Span(0, 2, "A"),), (Span(0, 4),), "S")
    error = unsatisfiable(parser, sentence, constraints, "in.txt:7")
    assert isinstance(error, ConstraintError)
    assert str(error).startswith(
        "in.txt:7: there is no tree without a bracket over words 1 to 4 that is also with A over words 1 to 2, "
        "with the root S. "
    )


@pytest.mark.parametrize(
    "constraints", [Constraints((Span(2, 2),)), Constraints((), (Span(0, 3),)), Constraints(tags=((2, ("t",)),)),
                    Constraints((Span(-1, 1),)), Constraints(tags=((0, ()),))],
)  # fmt: skip
def test_spans_and_words_are_within_the_sentence(constraints):
    with pytest.raises(InputError, match=r"^here: a constraint .* expected "):
        constraints.check(2, "here")


def test_constraints_move_with_the_words_that_are_left():
    constraints = Constraints((Span(0, 3, "A"), Span(1, 2)), (Span(2, 4),), "S", ((1, ("t",)), (3, ("u", "v"))))
    assert constraints.of_kept([True, False, True, True]) == Constraints(
        (Span(0, 2, "A"),), (Span(1, 3),), "S", ((2, ("u", "v")),)
    )
    assert not NO_CONSTRAINTS and constraints
