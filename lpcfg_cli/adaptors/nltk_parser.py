"""The parser behind NLTK's interface of parsers, `nltk.parse.api.ParserI`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import tee
from pathlib import Path
from typing import Any

from nltk.grammar import PCFG
from nltk.parse.api import ParserI
from nltk.tree import ProbabilisticTree, Tree

from lpcfg_cli.api import Model, Parse, RankedTree, SentenceLike, load
from lpcfg_cli.grammar.opening import load_grammar
from lpcfg_cli.grammar.plain_text import GRAMMAR_FORMS
from lpcfg_cli.treebank.brackets import treebank_from_text
from lpcfg_cli.treebank.nltk_trees import to_nltk


class LpcfgParser(ParserI):
    """A parser for NLTK.

    Parameters
    ----------
    model : Model, or path of a model file or run directory
    nbest : int
        Largest number of trees of a sentence.

    Raises
    ------
    InputError, ArtefactError
        There is no model, or it cannot be used.
    """

    def __init__(self, model: Model | str | Path, nbest: int = 1):
        if nbest < 1:
            raise ValueError(f"nbest is {nbest}; expected at least 1")
        self.model = model if isinstance(model, Model) else load(model)
        self.nbest = nbest

    def grammar(self) -> PCFG:
        """The plain PCFG that the model contains, with the names that ``lpcfg help looking`` explains."""
        return PCFG.fromstring(list(GRAMMAR_FORMS["pcfg"].lines(load_grammar(self.model.path))))

    def parse(self, sent: SentenceLike, *args: Any, **kwargs: Any) -> Iterator[Tree]:
        """The best trees of a sentence, best first.

        Parameters
        ----------
        sent : sequence of str or (str, str or None), or str
            As for `Model.parse`.

        Yields
        ------
        Tree
            A `ProbabilisticTree` with the probability of the tree together with its words, as NLTK's parsers of PCFGs
            give it; a plain `Tree` if the model's estimate is not positive, or the grammar has no tree of the sentence.

        Raises
        ------
        InputError
            A word has no tag, and the model has no tagger.
        """
        return self._trees(sent, self.model.parse(sent))

    def parse_sents(self, sents: Iterable[SentenceLike], *args: Any, **kwargs: Any) -> Iterator[Iterator[Tree]]:
        """For each sentence what `parse` gives."""
        given, parsed = tee(sents)
        return (self._trees(sent, parse) for sent, parse in zip(given, self.model.parse_all(parsed), strict=True))

    def tagged_parse(self, sentence: Sequence[tuple[str, str]]) -> Iterator[Tree]:
        """As `parse`, for words with tags, which are kept; the method has this name in other parsers of NLTK."""
        return self.parse(sentence)

    def tagged_parse_sents(self, sentences: Iterable[Sequence[tuple[str, str]]]) -> Iterator[Iterator[Tree]]:
        """For each sentence what `tagged_parse` gives."""
        return self.parse_sents(sentences)

    def _trees(self, sent: SentenceLike, parse: Parse) -> Iterator[Tree]:
        """The trees with the words as given, not as the treebank spells them: with ``(`` for ``-LRB-``."""
        words = parse.words
        if not isinstance(sent, str) and len(sent) == len(words):
            words = [token if isinstance(token, str) else token[0] for token in sent]
        return (_probabilistic(ranked, words) for ranked in parse.nbest(self.nbest))


def _probabilistic(ranked: RankedTree, words: Sequence[str]) -> Tree:
    """The tree with these words; NLTK's logarithms are to base 2."""
    tree = to_nltk(treebank_from_text(ranked.text), words)[0]
    if math.isnan(ranked.logprob):
        return tree
    return ProbabilisticTree(tree.label(), list(tree), logprob=ranked.logprob / math.log(2))
