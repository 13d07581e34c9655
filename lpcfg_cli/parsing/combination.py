"""One tree of several: the brackets and tags that most of some parsers give a sentence.

Each parser's tree is a distribution with all probability at one tree.  Their weighted mean gives every bracket a
probability, and the tree is the nested set of brackets with the largest expected gain, as when an ensemble decodes for
expected F1.  With threshold 0.5 these are the brackets of more than half of the parsers (Henderson and Brill 1999,
"Exploiting Diversity in Natural Language Processing: Combining Parsers", §2.1).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lpcfg_cli.errors import InputError
from lpcfg_cli.parsing.expected_brackets import counted_labels
from lpcfg_cli.parsing.nesting_kernels import best_nesting
from lpcfg_cli.treebank.brackets import bracket_strings
from lpcfg_cli.treebank.chains import Chain, Span, TreeChains, tree_chains
from lpcfg_cli.treebank.trees import NO_NODE, NO_WORD, StringTable, Treebank

PREFERRED = 1e-9
"""Decides between chains of brackets with the same gain: the shorter, and of equally long ones that with more votes."""


@dataclass(frozen=True)
class Votes:
    """What some trees of one sentence have, with the share of the weights that is for it.

    Attributes
    ----------
    words : list of str
    chains : dict of Span to dict of Chain to float
        The labels over each half-open span of words, top down and without tags.
    tags : list of dict of str to float
        The tags of each word.
    """

    words: list[str]
    chains: dict[Span, dict[Chain, float]]
    tags: list[dict[str, float]]

    def add(self, chains: dict[Span, Chain], tags: Sequence[str], share: float) -> None:
        """Count a tree, given its chains and tags."""
        for span, chain in chains.items():
            votes = self.chains.setdefault(span, {})
            votes[chain] = votes.get(chain, 0.0) + share
        for votes_of_word, tag in zip(self.tags, tags, strict=True):
            votes_of_word[tag] = votes_of_word.get(tag, 0.0) + share


def combined(
    parsers: Sequence[Treebank], weights: Sequence[float], threshold: float, names: Sequence[str]
) -> Iterator[str]:
    """Yield one tree of each sentence as a bracketed line; ``(())`` where no parser has a tree.

    Parameters
    ----------
    parsers : sequence of Treebank
        The trees of each parser, of the same sentences.  Null trees do not vote.
    weights : sequence of float
        One positive weight for each parser.
    threshold : float
        Share of the weights above which a bracket pays: more gives fewer brackets.
    names : sequence of str
        What each parser's trees are called in messages.

    Raises
    ------
    InputError
        Trees of one sentence have different words.
    """
    trees = [tree_chains(treebank) for treebank in parsers]
    for number, several in enumerate(zip(*trees, strict=True), 1):
        yield _line(_votes(several, weights, names, number), threshold)


def _votes(trees: Sequence[TreeChains], weights: Sequence[float], names: Sequence[str], number: int) -> Votes | None:
    """What the trees of one sentence have; None if no parser has a tree."""
    present = [part for part in zip(names, trees, weights, strict=True) if part[1].words]
    if not present:
        return None
    first, found, _ = present[0]
    votes, total = Votes(found.words, {}, [{} for _ in found.words]), sum(weight for *_, weight in present)
    for name, tree, weight in present:
        if tree.words != found.words:
            raise InputError(
                f"{name}: tree {number} has other words than in {first}: {_difference(found.words, tree.words)}. "
                "The files must have trees of the same sentences; `lpcfg convert --clean` takes traces out."
            )
        votes.add(tree.chains, tree.tags, weight / total)
    return votes


def _difference(expected: list[str], found: list[str]) -> str:
    """The first place at which two sentences differ."""
    for k, (one, other) in enumerate(zip(expected, found, strict=False), 1):
        if one != other:
            return f"word {k} is {one!r} there and {other!r} here"
    return f"{len(expected)} words there and {len(found)} here"


def _line(votes: Votes | None, threshold: float) -> str:
    if votes is None:
        return "(())"
    n = len(votes.words)
    gain = np.full((n, n + 1), -np.inf)
    best: dict[Span, Chain] = {}
    for span, chains in votes.chains.items():
        best[span], gain[span] = best_chain(chains, threshold)
    gain[0, n] = max(gain[0, n], PREFERRED)  # a tree has a root
    chosen = {(int(i), int(j)): best[int(i), int(j)] for i, j in np.argwhere(best_nesting(gain))}
    tags = [max(of_word, key=lambda tag: of_word[tag]) for of_word in votes.tags]
    (line,) = bracket_strings(_tree(votes.words, tags, chosen))
    return line


def best_chain(chains: dict[Chain, float], threshold: float) -> tuple[Chain, float]:
    """Of the chains of brackets over one span that with the largest expected gain, and its gain.

    The gain is Σ (p(bracket) − threshold) over its brackets, where a bracket's probability is the sum over all chains
    that have it.
    """
    probability: dict[tuple[str, int], float] = {}
    for chain, share in chains.items():
        for bracket in counted_labels(chain, ()):
            probability[bracket] = probability.get(bracket, 0.0) + share

    def gain(chain: Chain) -> float:
        return sum(probability[bracket] - threshold for bracket in counted_labels(chain, ()))

    best = max(chains, key=lambda chain: gain(chain) + PREFERRED * (chains[chain] - len(chain)))
    return best, gain(best)


def _tree(words: list[str], tags: list[str], chains: dict[Span, Chain]) -> Treebank:
    """The tree with the given chains of brackets, which nest."""
    strings = StringTable()
    label, word, parent = [], [], []
    above: list[tuple[int, int]] = [(NO_NODE, len(words))]  # open nodes and their ends
    by_start: dict[int, list[Span]] = {}
    for span in sorted(chains, key=lambda span: (span[0], -span[1])):
        by_start.setdefault(span[0], []).append(span)
    for k, (form, tag) in enumerate(zip(words, tags, strict=True)):
        while above[-1][1] <= k:
            above.pop()
        for span in by_start.get(k, []):
            for name in chains[span]:
                label.append(strings[name])
                word.append(NO_WORD)
                parent.append(above[-1][0])
                above.append((len(label) - 1, span[1]))
        label.append(strings[tag])
        word.append(strings[form])
        parent.append(above[-1][0])
    arrays = [np.array(part, np.int32) for part in (label, word, parent)]
    return Treebank(arrays[0], arrays[1], arrays[2], np.array([0, len(label)]), list(strings))
