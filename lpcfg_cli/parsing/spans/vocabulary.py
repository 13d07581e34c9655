"""The words, tags, spellings and chains that a network knows, by number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lpcfg_cli.parsing.spans.network import Columns
from lpcfg_cli.tagging.tagger import TagProbabilities
from lpcfg_cli.treebank.chains import Chain, TreeChains

EDGE, UNKNOWN, FIRST = 0, 1, 2
"""The numbers of places at the edges of a sentence, of what is not known, and of the first thing that is."""

SUFFIX = 3
"""Number of letters at the end of a word that are its spelling."""

LEAST_SPELLINGS = 3
"""Spellings of fewer words in the treebank are not known."""

LEAST_CHAINS = 2
"""Chains that are less frequent in the treebank are not known; the longest known part stands for one."""


@dataclass(frozen=True)
class Vocabulary:
    """What a network knows, each in the order of its numbers.

    Attributes
    ----------
    words, tags, spellings : tuple of str
        Numbered from `FIRST` on.
    chains : tuple of Chain
        Numbered from 0.
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    spellings: tuple[str, ...]
    chains: tuple[Chain, ...]

    @cached_property
    def _numbers(self) -> tuple[dict[str, int], dict[str, int], dict[str, int]]:
        return _numbered(self.words), _numbered(self.tags), _numbered(self.spellings)

    @cached_property
    def chain_numbers(self) -> dict[Chain, int]:
        """The number of each chain."""
        return {chain: number for number, chain in enumerate(self.chains)}

    def columns(self, words: Sequence[str], tags: Sequence[str], open_tags: Sequence[TagProbabilities] = ()) -> Columns:
        """The numbers of the words of a sentence.

        Parameters
        ----------
        words, tags : sequence of str
        open_tags : sequence of TagProbabilities
            Of each word the tags that it may have, none if its tag is given; nothing at all if all tags are.
        """
        of_words, of_tags, of_spellings = self._numbers
        columns = Columns(
            np.array([of_words.get(word, UNKNOWN) for word in words], np.int64),
            np.array([of_tags.get(tag, UNKNOWN) for tag in tags], np.int64),
            np.array([of_spellings.get(spelling(word), UNKNOWN) for word in words], np.int64),
        )
        if not any(open_tags):
            return columns
        shares = np.zeros((len(words), FIRST + len(self.tags)), np.float32)
        for word, (tag, probable) in enumerate(zip(tags, open_tags, strict=True)):
            for one, probability in probable or [(tag, 1.0)]:
                shares[word, of_tags.get(one, UNKNOWN)] += probability
        return columns._replace(shares=shares / shares.sum(axis=1, keepdims=True))

    def chain_number(self, chain: Chain) -> int | None:
        """The number of a chain, or of its longest part that is known, the topmost of several; None if none is."""
        for size in range(len(chain), 0, -1):
            for first in range(len(chain) - size + 1):
                if (number := self.chain_numbers.get(chain[first : first + size])) is not None:
                    return number
        return None


def vocabulary_of(trees: Iterable[TreeChains]) -> tuple[Vocabulary, Mapping[str, int]]:
    """What is frequent enough in some trees, and how often each word is."""
    words, tags, chains = Counter[str](), Counter[str](), Counter[Chain]()
    for tree in trees:
        words.update(tree.words)
        tags.update(tree.tags)
        chains.update(tree.chains.values())
    spellings = Counter[str]()
    for word, count in words.items():
        spellings[spelling(word)] += count
    known_spellings = tuple(one for one, count in spellings.items() if count >= LEAST_SPELLINGS)
    known_chains = tuple(one for one, count in chains.most_common() if count >= LEAST_CHAINS)
    return Vocabulary(tuple(words), tuple(tags), known_spellings, known_chains), words


def spelling(word: str) -> str:
    """How a word begins, whether it has a hyphen, and its last letters."""
    first = word[:1]
    kind = "C" if first.isupper() else "d" if first.isdigit() else "l"
    return kind + ("-" if "-" in word else "") + word[-SUFFIX:].lower()


def _numbered(names: tuple[str, ...]) -> dict[str, int]:
    return {name: number for number, name in enumerate(names, FIRST)}
