"""The sentences with the most wrong brackets, for drawing."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

import numpy as np

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.errors import SyntaxProblem
from lpcfg_cli.evaluation import score_kernels as columns
from lpcfg_cli.evaluation.bracket_sets import BracketSets, LabelRules, counted_nodes, cut_label
from lpcfg_cli.evaluation.score import ChunkScore, Observer
from lpcfg_cli.evaluation.sentence_blocks import SentenceText
from lpcfg_cli.evaluation.tree_drawing import DrawnNode
from lpcfg_cli.treebank.brackets import TextTrees, parse_brackets
from lpcfg_cli.treebank.tree_kernels import subtree_end
from lpcfg_cli.treebank.trees import NO_WORD

TITLES = {
    "missed": "not in the test tree",
    "wrong": "not in the gold tree",
    "crossing": "crosses a gold bracket",
    "badtag": "wrong tag",
    "ignored": "not counted",
    "": "",
}
"""CSS classes of nodes, and their meanings."""


@dataclass(frozen=True)
class BadSentence:
    """A sentence with errors.

    Attributes
    ----------
    sentence : int
        Its 1-based number.
    wrong : int
        Number of missed gold brackets and of test brackets that are not in gold.
    length : int
        Number of words.
    matched, n_gold, n_test, crossing : int
        Number of matched, gold, test and crossing brackets.
    gold, test : list of DrawnNode
        Its trees, with errors marked.
    places : tuple of str
        ``path:line`` of the gold tree and of the test tree.
    """

    sentence: int
    wrong: int
    length: int
    matched: int
    n_gold: int
    n_test: int
    crossing: int
    gold: list[DrawnNode]
    test: list[DrawnNode]
    places: tuple[str, str] = ("", "")

    @property
    def error_types(self) -> list[str]:
        """The kinds of errors in its trees, as keys of `TITLES`."""
        found = {node.style for node in [*self.gold, *self.test]}
        return [style for style in TITLES if style in found - {"", "ignored"}]


class WorstSentences(Observer):
    """Collects the valid sentences with the most wrong brackets; among equals, the earlier ones.

    Parameters
    ----------
    limit : int
        Number of sentences.
    chosen : set of int
        Numbers of the sentences to collect instead, from 1, whether anything is wrong in them or not.
    """

    def __init__(self, limit: int = 20, chosen: Set[int] = frozenset()):
        self.limit, self.chosen = limit, chosen
        self._kept: list[BadSentence] = []

    def add(self, chunk: ChunkScore) -> None:
        """Add the sentences of a chunk that are worse than the best of those collected."""
        rows = chunk.rows
        wrong = rows[:, columns.GOLD] + rows[:, columns.TEST] - 2 * rows[:, columns.MATCHED]
        if self.chosen:
            here = [s for s in range(len(rows)) if chunk.first + s in self.chosen and chunk.is_valid[s]]
            self._kept += [bad for s in here for bad in _bad_sentence(chunk, s, int(wrong[s]))]
            return
        wrong[~chunk.is_valid] = 0
        order = np.argsort(-wrong, kind="stable")[: self.limit]
        least = self._kept[-1].wrong if len(self._kept) == self.limit else 0
        for s in order.tolist():
            if wrong[s] > least:
                self._kept += _bad_sentence(chunk, s, int(wrong[s]))
        self._kept = sorted(self._kept, key=lambda bad: (-bad.wrong, bad.sentence))[: self.limit]

    def sentences(self) -> list[BadSentence]:
        """The sentences, the worst first; those that were chosen, in their order."""
        return self._kept


def _bad_sentence(chunk: ChunkScore, s: int, wrong: int) -> list[BadSentence]:
    gold, test = chunk.gold, chunk.test
    gold_here = slice(gold.first_bracket[s], gold.first_bracket[s + 1])
    test_here = slice(test.first_bracket[s], test.first_bracket[s + 1])
    gold_styles = ["" if mate != columns.NONE else "missed" for mate in chunk.gold_mate[gold_here]]
    test_styles = [
        "" if mate != columns.NONE else "crossing" if crossed != columns.NONE else "wrong"
        for mate, crossed in zip(chunk.test_mate[test_here], chunk.crossed[test_here], strict=True)
    ]
    tags = _tags(gold, s), _tags(test, s)
    equal = chunk.rules.pairs(chunk.rules.parameters.equal_labels)
    bad_tags = ["" if columns.are_equal(a, b, equal) else "badtag" for a, b in zip(*tags, strict=True)]
    try:
        gold_nodes = _marked(chunk.gold_texts[s], gold_styles, [""] * len(bad_tags), chunk.rules)
        test_nodes = _marked(chunk.test_texts[s], test_styles, bad_tags, chunk.rules)
    except SyntaxProblem:
        # only EVALB's own reading gives brackets for such a line; there is no tree to draw
        return []
    gold_text, test_text = chunk.gold_texts[s], chunk.test_texts[s]
    places = f"{gold_text.path}:{gold_text.line}", f"{test_text.path}:{test_text.line}"
    row = chunk.rows[s].tolist()
    counts = row[columns.MATCHED], row[columns.GOLD], row[columns.TEST], row[columns.CROSSING]
    return [BadSentence(chunk.first + s, wrong, int(gold.length[s]), *counts, gold_nodes, test_nodes, places)]


def _tags(sets: BracketSets, s: int) -> list[int]:
    tags: list[int] = sets.tag[sets.first_word[s] : sets.first_word[s + 1]].tolist()
    return tags


def _marked(text: SentenceText, brackets: list[str], words: list[str], rules: LabelRules) -> list[DrawnNode]:
    """The nodes of a tree, with the styles of its counted brackets and kept words.

    Words that do not count for the length, that is traces, are not drawn, so that gold and test have the same rows.  If
    a quotation mark was put back, there are more words than in the tree; the tree is then drawn without marks on words.
    """
    tree = parse_brackets(text.text, rules.strings, text.path)
    kept, counted = counted_nodes(tree.label, tree.word, tree.parent, rules)
    style = np.full(len(tree.label), "ignored", dtype=object)
    style[counted] = brackets if np.count_nonzero(counted) == len(brackets) else ""
    style[kept] = words if np.count_nonzero(kept) == len(words) else ""
    shown = np.flatnonzero(_holds_words(tree, rules))
    place = {node: new for new, node in enumerate(shown.tolist())}
    return [
        _node(rules, int(tree.label[k]), int(tree.word[k]), place.get(int(tree.parent[k]), -1), style[k]) for k in shown
    ]


def _holds_words(tree: TextTrees, rules: LabelRules) -> np.ndarray:
    is_word = tree.word != NO_WORD
    is_word[is_word] = ~rules.is_outside_length(tree.label[is_word])
    before = starts(is_word)
    holds: np.ndarray = before[:-1] != before[subtree_end(tree.parent)]
    return holds


def _node(rules: LabelRules, label: int, word: int, parent: int, style: str) -> DrawnNode:
    full = rules.name(label)
    if word != NO_WORD:
        return DrawnNode(full, rules.name(word), parent, style, TITLES[style])
    title = f"{full}: {TITLES[style]}" if style else full
    return DrawnNode(cut_label(full), None, parent, style, title)
