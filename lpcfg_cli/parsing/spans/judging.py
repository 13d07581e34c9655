"""The use of a span model in parsing: from the evidence of a sentence's grammars to the probabilities of brackets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lpcfg_cli.parsing.decoders import Evidence
from lpcfg_cli.parsing.spans.constituents import Chains, Constituents, bracket_matrix, constituents_of
from lpcfg_cli.parsing.spans.span_model import SpanModel
from lpcfg_cli.tagging.sentence import Sentence
from lpcfg_cli.tagging.tagger import OPEN_TAG


def brackets_by_spans(
    spans: SpanModel, sentence: Sentence, evidence: Sequence[Evidence], chains: Chains, place: int, n_grammars: int
) -> np.ndarray:
    """The probability of each bracket over the cells of the first forest; float64, (n_cells, n_labels).

    Parameters
    ----------
    spans : SpanModel
    sentence : list of (word, tag)
    evidence : sequence of Evidence
        Of all forests of the sentence.
    chains : Chains
        Of the grammar whose posteriors the model has learnt with.
    place : int
        Its number among the grammars of its rules.
    n_grammars : int
        Their number.
    """
    first, numbers = evidence[0], evidence[0].chains.numbers
    given = given_constituents(evidence, chains, place, n_grammars)
    judged = spans.posteriors(given, [word for word, _ in sentence], best_tags(first, sentence), list(numbers))
    return bracket_matrix(judged, first.forest, numbers, first.labels)


def given_constituents(evidence: Sequence[Evidence], chains: Chains, place: int, n_grammars: int) -> Constituents:
    """The constituents that a grammar finds; parameters as for `brackets_by_spans`.

    If there is no forest of its rules, or a grammar of these has no usable Z, those of all grammars.
    """
    for one in evidence:
        if one.chains is chains and len(one.found) == n_grammars:
            return constituents_of([(one.forest, one.all_posteriors()[place], 1, chains)])
    return mean_constituents(evidence)


def mean_constituents(evidence: Sequence[Evidence]) -> Constituents:
    """The constituents that all grammars find, with their mean posteriors."""
    return constituents_of([(one.forest, one.mean(), len(one.found), one.chains) for one in evidence])


def best_tags(evidence: Evidence, sentence: Sentence) -> list[str]:
    """The tags of a sentence, with the most probable one for each word whose tag is open."""
    tags = [tag for _, tag in sentence]
    if OPEN_TAG not in tags:
        return tags
    found, names = evidence.brackets(evidence.mean()), list(evidence.labels.tags)
    for k in np.flatnonzero(found.stop - found.start == 1):
        i = int(found.start[k])
        if tags[i] == OPEN_TAG:
            tags[i] = names[int(found.tag[k].argmax())] or OPEN_TAG
    return tags
