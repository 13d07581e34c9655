"""Where a sentence's constraints let items stand and unary rules apply: masks of the chart.

A required bracket forbids all spans that cross it, and over its own span everything that does not write its label; a
forbidden bracket forbids what writes it.  The masks are those of the coarse pass, and the forest inherits them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from lpcfg_cli.parsing.layout import CoarseRules
from lpcfg_cli.parsing.written import Written, without_repeats
from lpcfg_cli.tagging.constraints import Constraints, Span
from lpcfg_cli.treebank.chains import Chain


def permitted_rules(rules: CoarseRules, constraints: Constraints, written: Written, n: int) -> CoarseRules:
    """The rules of the coarse pass with the masks of a sentence's constraints; unchanged if there are none.

    Parameters
    ----------
    rules : CoarseRules
    constraints : Constraints
        Within the sentence; see `Constraints.check`.
    written : Written
        What the grammar writes.
    n : int
        Number of words.
    """
    if not constraints:
        return rules
    masks = _Masks(written, n)
    for span, labels in _labels_by_span(constraints.required).items():
        masks.require(span, labels)
    for forbidden in constraints.forbidden:
        masks.forbid(forbidden)
    if (root := constraints.root) is not None:
        masks.keep((0, n), lambda chain, tag: chain[:1] == (root,))
    for word, tags in constraints.tags:
        if known := [written.tags[tag] for tag in tags if tag in written.tags]:  # else any tag is tried
            masks.bottom[word, word + 1] &= np.isin(written.tag, known)
    return rules._replace(permitted_bottom=masks.bottom, permitted_identity=masks.identity, permitted_unary=masks.unary)


def allowed_tags(constraints: Constraints, written: Written) -> dict[int, tuple[str, ...]]:
    """The tags that constraints allow some words, by their numbers.

    They are given as such, or as a required label over one word that is a tag and no label of a bracket.
    """
    phrases = {label for chain in written.chains for label in chain} if constraints.required else set()
    implied = {
        span.start: (span.label,)
        for span in constraints.required
        if span.stop == span.start + 1 and span.label in written.tags and span.label not in phrases
    }
    return implied | dict(constraints.tags)


def _labels_by_span(required: Iterable[Span]) -> dict[tuple[int, int], list[str]]:
    """The labels that each span must have, in the order given, without repeats."""
    found: dict[tuple[int, int], list[str]] = {}
    for span in required:
        labels = found.setdefault((span.start, span.stop), [])
        if span.label is not None:
            labels.append(span.label)
    return {span: list(without_repeats(tuple(labels))) for span, labels in found.items()}


class _Masks:
    """The masks of `CoarseRules`, all true at first.

    Parameters
    ----------
    written : Written
    n : int
        Number of words.
    """

    def __init__(self, written: Written, n: int):
        self._written = written
        n_symbols, n_unary = len(written.symbol), len(written.unary)
        self.bottom = np.ones((n, n + 1, n_symbols), bool)
        self.identity = np.ones((n, n + 1, n_symbols), bool)
        self.unary = np.ones((n, n + 1, n_unary), bool)
        self._chains, self._tags = list(written.chains), ["", *written.tags]
        owners = ((written.symbol, written.tag), (written.unary, written.unary_tag))
        pairs = np.concatenate([chain * len(self._tags) + tag for chain, tag in owners])
        distinct, self._which = np.unique(pairs, return_inverse=True)
        self._pairs = [divmod(pair, len(self._tags)) for pair in distinct.tolist()]

    def require(self, span: tuple[int, int], labels: list[str]) -> None:
        """Forbid what crosses a span, and over it what has not the labels, top down, or no bracket at all."""
        i, j = span
        starts, stops = np.arange(self.bottom.shape[0])[:, None], np.arange(self.bottom.shape[1])
        crosses = (starts < i) & (i < stops) & (stops < j) | (i < starts) & (starts < j) & (j < stops)
        for mask in (self.bottom, self.identity, self.unary):
            mask[crosses] = False
        self.bottom[i, j] &= ~self._written.is_intermediate
        is_word = j == i + 1
        self.keep(span, lambda chain, tag: _is_part(labels, (*chain, tag) if is_word else chain))

    def forbid(self, span: Span) -> None:
        """Forbid what writes a bracket with the label of a span, or any bracket if it has none."""
        self.keep((span.start, span.stop), lambda chain, tag: span.label not in chain if span.label else not chain)

    def keep(self, span: tuple[int, int], fits: Callable[[Chain, str], bool]) -> None:
        """Forbid over a span what writes a chain of brackets that does not fit.

        `fits` gets the chain, which is empty for intermediate symbols and bare words, and the tag below it, or an
        empty string.
        """
        flags = np.array([fits(self._chains[chain], self._tags[tag]) for chain, tag in self._pairs])[self._which]
        n_symbols = self.bottom.shape[2]
        self.identity[span] &= flags[:n_symbols]
        self.unary[span] &= flags[n_symbols:]


def _is_part(labels: list[str], chain: Chain) -> bool:
    """Whether the labels occur in a chain in their order, perhaps with others between."""
    rest = iter(chain)
    return all(label in rest for label in labels)
