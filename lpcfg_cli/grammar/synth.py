"""synth: a grammar → sampled trees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from lpcfg_cli.grammar.opening import load_grammar
from lpcfg_cli.grammar.sampling import Sampler, SampleReport
from lpcfg_cli.grammar.text_grammar import embedded_grammar
from lpcfg_cli.treebank.binarize import unbinarize
from lpcfg_cli.treebank.brackets import bracket_strings
from lpcfg_cli.treebank.clean import with_root
from lpcfg_cli.treebank.trees import NO_WORD, StringTable, Treebank


def run_synth(n: int, seed: int, model: Path | None, max_words: int) -> tuple[Treebank, SampleReport]:
    """Sample trees.

    Parameters
    ----------
    n : int
        Number of trees.
    seed : int
        The trees depend only on the grammar, `max_words` and the seed.
    model : Path or None
        A model file, a run directory, or a grammar in text form (``*.grammar``, ``*.pcfg``); None for the embedded
        grammar, whose sentences start with a capital letter.
    max_words : int
        Longer trees are rejected and drawn again.

    Raises
    ------
    InputError, SyntaxProblem, ArtefactError
        The grammar cannot be read, or has no trees of at most `max_words` words.
    """
    grammar = embedded_grammar().grammar if model is None else load_grammar(model)
    trees, report = Sampler(grammar).sample(n, np.random.default_rng(seed), max_words)
    treebank = unbinarize(trees)
    return (capitalised(treebank) if model is None else treebank), report


def capitalised(trees: Treebank) -> Treebank:
    """The same trees with a capital letter at the start of each sentence, which the grammar does not model."""
    leaves = np.flatnonzero(trees.word != NO_WORD)
    first = leaves[np.searchsorted(leaves, trees.tree_start[:-1])] if len(leaves) else leaves
    strings = StringTable({name: k for k, name in enumerate(trees.strings)})
    word = trees.word.copy()
    word[first] = [strings[name[:1].upper() + name[1:]] for name in (trees.strings[k] for k in word[first])]
    return replace(trees, word=word, strings=list(strings))


def tree_lines(trees: Treebank) -> Iterator[str]:
    """Yield each tree as one bracketed line, with ``TOP`` at the root."""
    for line in bracket_strings(trees):
        yield with_root([line])


def tagged_lines(trees: Treebank) -> Iterator[str]:
    """Yield the words of each tree as one line of ``word/TAG`` tokens."""
    for sentence in trees.tagged_sentences():
        yield " ".join(f"{word}/{tag}" for word, tag in sentence)
