"""What derivations write: the labels of brackets and the tags, numbered, so that equal trees are found to be equal.

Several derivations can write one tree: symbols that differ only in what Markovization adds, and the tags of a word
whose tag is given.  Trees that differ only in a repeated bracket, such as ``(NP (NP (PRP it)))`` and ``(NP (PRP it))``,
are *trivial variants* of each other and count as one tree.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lpcfg_cli.grammar.model import Grammar
from lpcfg_cli.treebank.chains import Chain


class Written(NamedTuple):
    """What the symbols and unary rules of a grammar write; chains are numbered without repeats.

    Attributes
    ----------
    chains : dict of Chain to int
    symbol : ndarray of int64, shape (n_symbols,)
        Number of the chain that each symbol writes.
    unary : ndarray of int64, shape (n_unary_rules,)
        Number of the chain of each unary rule, from its parent down to its child.
    unary_tag : ndarray of int64, shape (n_unary_rules,)
        Number of the tag of each unary rule's child, 0 unless that is a preterminal.
    hidden : ndarray of int32, shape (n_unary_rules,)
        `UnaryRules.hidden` of the grammar.
    is_intermediate : ndarray of bool, shape (n_symbols,)
    tags : dict of str to int
        From 1 on.
    tag : ndarray of int64, shape (n_symbols,)
        Number of the tag that a preterminal writes, 0 for all other symbols.
    """

    chains: dict[Chain, int]
    symbol: np.ndarray
    unary: np.ndarray
    unary_tag: np.ndarray
    hidden: np.ndarray
    is_intermediate: np.ndarray
    tags: dict[str, int]
    tag: np.ndarray


def written_by(grammar: Grammar) -> Written:
    """Number what the symbols and unary rules of a grammar write."""
    chains: dict[Chain, int] = {}
    symbols, unary = grammar.symbols, grammar.unary

    def number(labels: Chain) -> int:
        return chains.setdefault(without_repeats(labels), len(chains))

    of_symbols, of_unaries = ([number(chain) for chain in some] for some in chains_of_rules(grammar))
    tags: dict[str, int] = {}
    tag = np.array([0 if s.tag is None else tags.setdefault(s.tag, len(tags) + 1) for s in symbols], np.int64)
    return Written(
        chains,
        np.array(of_symbols, np.int64),
        np.array(of_unaries, np.int64),
        tag[unary.child],
        unary.hidden,
        np.array([symbol.is_intermediate for symbol in symbols], bool),
        tags,
        tag,
    )


def chains_of_rules(grammar: Grammar) -> tuple[list[Chain], list[Chain]]:
    """The chain that each symbol writes, none if it is intermediate, and that of each unary rule, parent to child."""
    labels, unary = [symbol.phrase_labels for symbol in grammar.symbols], grammar.unary
    rules = zip(unary.parent, unary.hidden, unary.child, strict=True)
    return labels, [labels[a] + grammar.hidden_labels[k] + labels[b] for a, k, b in rules]


def without_repeats(labels: Chain) -> Chain:
    """The labels without those that repeat the one above."""
    return tuple(label for k, label in enumerate(labels) if k == 0 or label != labels[k - 1])
