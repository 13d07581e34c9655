"""The parts of each sentence that EVALB compares (words, tags, labelled spans) as flat arrays."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.evaluation.parameters import EvalbParameters
from lpcfg_cli.evaluation.scan import ScannedSentence, scan_sentence
from lpcfg_cli.evaluation.sentence_blocks import SentenceBlock
from lpcfg_cli.treebank import tree_kernels
from lpcfg_cli.treebank.bracket_kernels import OK, are_well_formed, read_trees
from lpcfg_cli.treebank.token_table import TokenTable
from lpcfg_cli.treebank.trees import NO_WORD


class BracketSets(NamedTuple):
    """Words and brackets of n sentences; labels and words are numbers of a string table.

    Attributes
    ----------
    tag, word : ndarray of int32, shape (n_words,)
        Tag and form of the words that are not deleted.
    first_word : ndarray of int64, shape (n + 1,)
        Sentence s has the words ``first_word[s]:first_word[s + 1]``.
    label, start, end : ndarray of int32, shape (n_brackets,)
        The brackets that count, sentence after sentence, in the order of opening: label, cut at ``-`` and ``=``, and
        half-open span of words.
    first_bracket : ndarray of int64, shape (n + 1,)
        Sentence s has the brackets ``first_bracket[s]:first_bracket[s + 1]``.
    length : ndarray of int32, shape (n,)
        Number of words that count for the length of each sentence.
    error : ndarray of int8, shape (n,)
        0, or the kind of error of a line that is not a tree: `scan.SCORED` or `scan.UNREADABLE`.
    """

    tag: np.ndarray
    word: np.ndarray
    first_word: np.ndarray
    label: np.ndarray
    start: np.ndarray
    end: np.ndarray
    first_bracket: np.ndarray
    length: np.ndarray
    error: np.ndarray


class Trees(NamedTuple):
    """The trees of a token sequence, as `lpcfg_cli.treebank.bracket_kernels.read_trees` returns them.

    Attributes
    ----------
    label, word, parent, tree_start, tree_token : ndarray
    is_whole : bool
        Whether they are all that there is.
    """

    label: np.ndarray
    word: np.ndarray
    parent: np.ndarray
    tree_start: np.ndarray
    tree_token: np.ndarray
    is_whole: bool


class LabelRules:
    """The parameters applied to the strings of a table; each string is looked up once for a call.

    Parameters
    ----------
    parameters : EvalbParameters
        The rules.
    strings : TokenTable
        Strings are added as sentences are read.
    """

    def __init__(self, parameters: EvalbParameters, strings: TokenTable):
        self.parameters, self.strings = parameters, strings
        self._names: list[str] = []
        self._cut: dict[int, int] = {}
        self._deleted = frozenset(parameters.delete_labels)
        self._not_in_length = frozenset(parameters.delete_for_length)

    def name(self, number: int) -> str:
        """The string with a number."""
        if number >= len(self._names):
            self._names = list(self.strings)
        return self._names[number]

    def cut(self, label: np.ndarray) -> np.ndarray:
        """Numbers of the labels cut at the first ``-`` or ``=``; int32, same shape."""
        return self._for_distinct(label, self._cut_one, np.int32)

    def is_deleted_word(self, tag: np.ndarray) -> np.ndarray:
        """Whether words with these tags are deleted; bool, same shape."""
        return self._for_distinct(tag, lambda k: self.name(k) in self._deleted, bool)

    def is_outside_length(self, tag: np.ndarray) -> np.ndarray:
        """Whether words with these tags do not count for lengths; bool, same shape."""
        return self._for_distinct(tag, lambda k: self.name(k) in self._not_in_length, bool)

    def is_deleted_bracket(self, cut_label: np.ndarray) -> np.ndarray:
        """Whether brackets with these labels, or with equal ones, are deleted; bool, same shape."""
        return self._for_distinct(cut_label, lambda k: self.deletes_bracket(self.name(k)), bool)

    def deletes_bracket(self, cut_label: str) -> bool:
        """Whether brackets with this label, already cut, are deleted."""
        equal = {cut_label}
        for one, other in self.parameters.equal_labels:
            equal |= {other} if one == cut_label else {one} if other == cut_label else set()
        return not self._deleted.isdisjoint(equal)

    def pairs(self, pairs: tuple[tuple[str, str], ...]) -> np.ndarray:
        """Pairs of strings as numbers, int32, shape (n, 2)."""
        numbers = [[self.strings[one], self.strings[other]] for one, other in pairs]
        return np.array(numbers, np.int32).reshape(-1, 2)

    def _for_distinct(self, numbers: np.ndarray, rule: Callable[[int], object], dtype: type) -> np.ndarray:
        """The rule applied to each number, but computed once for each different one; O(n + number of strings)."""
        is_there = np.zeros(len(self.strings), bool)
        is_there[numbers] = True
        distinct = np.flatnonzero(is_there)
        table: np.ndarray = np.empty(len(is_there), dtype)
        table[distinct] = [rule(number) for number in distinct.tolist()]
        return table[numbers]

    def _cut_one(self, number: int) -> int:
        if number not in self._cut:
            self._cut[number] = self.strings[cut_label(self.name(number))]
        return self._cut[number]


def cut_label(label: str) -> str:
    """The label up to the first ``-`` or ``=``; ``-LRB-`` becomes empty, as in EVALB."""
    return re.split("[-=]", label, maxsplit=1)[0]


def read_sets(texts: SentenceBlock, rules: LabelRules) -> tuple[BracketSets, dict[int, ScannedSentence]]:
    """Read the words and brackets of sentences.

    Parameters
    ----------
    texts : SentenceBlock
        One sentence each: any number of trees, or a malformed line.
    rules : LabelRules
        Determines what is deleted; strings are added to its table.

    Returns
    -------
    sets : BracketSets
    scanned : dict of int to ScannedSentence
        The sentences that had to be scanned, most of them because they are not trees.
    """
    token, first_token, has_empty_word = rules.strings.number_tokens(texts.text, texts.start, texts.stop)
    trees = _read_trees(token)
    regular = ~has_empty_word
    if not _are_of_sentences(trees, token, first_token):
        regular &= are_well_formed(token, first_token)
    if not regular.all():
        sizes = np.diff(first_token)
        token, first_token = token[np.repeat(regular, sizes)], starts(np.where(regular, sizes, 0))
        trees = _read_trees(token)
    sets = _sets_of_trees(trees, first_token, rules)
    irregular = np.flatnonzero(~regular).tolist()
    scanned = {k: scan_sentence(texts[k].text, rules.parameters, False) for k in irregular}
    return replace_sentences(sets, scanned, rules), scanned


def replace_sentences(sets: BracketSets, scanned: dict[int, ScannedSentence], rules: LabelRules) -> BracketSets:
    """The sets with some sentences replaced by their scans."""
    if not scanned:
        return sets
    new = {k: _sets_of_scan(sentence, rules) for k, sentence in scanned.items()}
    n = len(sets.length)

    def merged(name: str, first: np.ndarray | None) -> np.ndarray:
        own = getattr(sets, name)
        bounds = np.arange(n + 1) if first is None else first
        parts = [getattr(new[k], name) if k in new else own[bounds[k] : bounds[k + 1]] for k in range(n)]
        return np.concatenate(parts)

    n_words, n_brackets = np.diff(sets.first_word), np.diff(sets.first_bracket)
    for k, part in new.items():
        n_words[k], n_brackets[k] = len(part.word), len(part.label)
    words = {name: merged(name, sets.first_word) for name in ("tag", "word")}
    brackets = {name: merged(name, sets.first_bracket) for name in ("label", "start", "end")}
    others = {name: merged(name, None) for name in ("length", "error")}
    return BracketSets(**words, first_word=starts(n_words), **brackets, first_bracket=starts(n_brackets), **others)


def counted_nodes(
    label: np.ndarray, word: np.ndarray, parent: np.ndarray, rules: LabelRules
) -> tuple[np.ndarray, np.ndarray]:
    """Find the nodes of trees that are compared.

    Parameters
    ----------
    label, word, parent : ndarray of int32, shape (n_nodes,)
        As in `lpcfg_cli.treebank.trees.Treebank`; labels and words are numbers of the rules' table.
    rules : LabelRules
        Determines what is deleted.

    Returns
    -------
    is_kept_word, is_counted_bracket : ndarray of bool, shape (n_nodes,)
        Preterminals that are not deleted; phrases that are not deleted and contain such a preterminal.
    """
    kept = word != NO_WORD
    kept[kept] = ~rules.is_deleted_word(label[kept])
    before = starts(kept)
    counts = (word == NO_WORD) & (before[:-1] != before[tree_kernels.subtree_end(parent)])
    counts[counts] = ~rules.is_deleted_bracket(rules.cut(label[counts]))
    return kept, counts


def _read_trees(token: np.ndarray) -> Trees:
    label, word, parent, tree_start, tree_token, _, problem, _, _ = read_trees(token)
    return Trees(label, word, parent, tree_start, tree_token, problem == OK)


def _are_of_sentences(trees: Trees, token: np.ndarray, first_token: np.ndarray) -> bool:
    """Whether the tokens are trees, none of which is in more than one sentence."""
    ends = np.append(trees.tree_token, len(token))
    return trees.is_whole and bool((ends[np.searchsorted(ends, first_token)] == first_token).all())


def _sets_of_trees(trees: Trees, first_token: np.ndarray, rules: LabelRules) -> BracketSets:
    n = len(first_token) - 1
    label, word, parent, tree_start, tree_token, _ = trees
    sentence_of_tree = np.searchsorted(first_token, tree_token, side="right") - 1
    sentence = np.repeat(sentence_of_tree, np.diff(tree_start))
    kept, counts = counted_nodes(label, word, parent, rules)
    is_word = word != NO_WORD
    in_length = sentence[is_word][~rules.is_outside_length(label[is_word])]
    first_word = starts(np.bincount(sentence[kept], minlength=n))
    before = starts(kept)
    of_bracket = sentence[counts]
    base = first_word[of_bracket]
    return BracketSets(
        label[kept],
        word[kept],
        first_word,
        rules.cut(label[counts]),
        (before[:-1][counts] - base).astype(np.int32),
        (before[tree_kernels.subtree_end(parent)[counts]] - base).astype(np.int32),
        starts(np.bincount(of_bracket, minlength=n)),
        np.bincount(in_length, minlength=n).astype(np.int32),
        np.zeros(n, np.int8),
    )


def _sets_of_scan(sentence: ScannedSentence, rules: LabelRules) -> BracketSets:
    kept = [
        (rules.strings[cut], start, end)
        for cut, start, end in ((cut_label(label), start, end) for label, start, end in sentence.brackets)
        if start != end and not rules.deletes_bracket(cut)
    ]
    label, start, end = np.array(kept, np.int32).reshape(-1, 3).T.copy()
    words = [[rules.strings[tag], rules.strings[word]] for tag, word in sentence.words]
    tag, word = np.array(words, np.int32).reshape(-1, 2).T.copy()
    return BracketSets(
        tag,
        word,
        starts([len(words)]),
        label,
        start,
        end,
        starts([len(kept)]),
        np.array([sentence.length], np.int32),
        np.array([sentence.error], np.int8),
    )
