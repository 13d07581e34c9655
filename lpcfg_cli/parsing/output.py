"""From derivations to bracketed trees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.grammar.model import Grammar
from lpcfg_cli.parsing.parse import Parse, TaggedWord
from lpcfg_cli.tagging.tagger import OPEN_TAG
from lpcfg_cli.treebank.binarize import unbinarize
from lpcfg_cli.treebank.binary import LEXICAL, NONE, NodeTable, assemble
from lpcfg_cli.treebank.brackets import bracket_strings, escaped
from lpcfg_cli.treebank.clean import ROOT_LABEL, with_root
from lpcfg_cli.treebank.trees import NO_WORD, StringTable, Treebank

EMPTY_TREE = "(())"


def bracket_lines(sentences: Sequence[list[TaggedWord]], parses: Sequence[Parse], grammar: Grammar) -> Iterator[str]:
    """Yield one bracketed tree for each sentence, with ``TOP`` at the root.

    Words and tags are written as given, and a tag for each `OPEN_TAG` as parsed.  Brackets in words and tags are
    written ``-LRB-`` and ``-RRB-``, blanks ``_``, because the tree format allows neither.
    """
    pieces = bracket_strings(to_treebank(sentences, parses, grammar))
    for parse in parses:
        parts = [next(pieces) for _ in parse.derivations]
        yield with_root(parts) if parts else EMPTY_TREE


def tree_lines(sentence: list[TaggedWord], parse: Parse, grammar: Grammar) -> list[str]:
    """The ranked trees of a parse as bracketed lines, best first, as `bracket_lines` writes them."""
    trees = [replace(parse, derivations=[derivation]) for _, derivation in parse.ranked]
    return list(bracket_lines([sentence] * len(trees), trees, grammar))


def flat_tree(sentence: list[TaggedWord]) -> str:
    """A tree with the tagged words side by side under the root, for a sentence that is not parsed."""
    words = ((escaped(word), escaped(tag)) for word, tag in sentence)
    trees = (f"({tag} {word}{' ' if word.endswith(chr(92)) else ''})" for word, tag in words)
    return f"({ROOT_LABEL} {' '.join(trees)})"


def to_treebank(sentences: Sequence[list[TaggedWord]], parses: Sequence[Parse], grammar: Grammar) -> Treebank:
    """All derivations as trees with the sentences' own words and tags, one tree for each derivation."""
    derivations = [derivation for parse in parses for derivation in parse.derivations]
    sizes = np.array([len(derivation.symbol) for derivation in derivations], np.int64)
    first = starts(sizes)
    kind = _join([d.kind for d in derivations], np.int8)
    parents = [np.where(d.parent < 0, NONE, d.parent + f) for d, f in zip(derivations, first, strict=False)]
    nodes = NodeTable(
        _join([d.symbol for d in derivations], np.int32),
        kind,
        np.where(kind == LEXICAL, 0, NONE),
        _join([d.hidden for d in derivations], np.int32),
        _join(parents, np.int32),
        np.zeros(int(first[-1]), bool),
        first,
    )
    return _with_own_words(unbinarize(assemble(nodes, grammar.symbols, grammar.hidden_labels, [""])), sentences, parses)


def _with_own_words(trees: Treebank, sentences: Sequence[list[TaggedWord]], parses: Sequence[Parse]) -> Treebank:
    strings = StringTable({name: k for k, name in enumerate(trees.strings)})
    tokens = [t for sentence, parse in zip(sentences, parses, strict=True) if parse.derivations for t in sentence]
    leaves = np.flatnonzero(trees.word != NO_WORD)
    word, label = trees.word.copy(), trees.label.copy()
    word[leaves] = [strings[escaped(token)] for token, _ in tokens]
    own = label[leaves]
    label[leaves] = [strings[escaped(tag)] if tag != OPEN_TAG else own[k] for k, (_, tag) in enumerate(tokens)]
    return replace(trees, word=word, label=label, strings=list(strings))


def _join(arrays: list[np.ndarray], dtype: type) -> np.ndarray:
    return np.concatenate(arrays).astype(dtype) if arrays else np.zeros(0, dtype)
