"""Pairing of the sentences of two sources: file by file where the files' names pair, else in order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, zip_longest

import numpy as np

from lpcfg_cli.evaluation.layouts import SentenceText
from lpcfg_cli.evaluation.sentences import SourceFile, TreeSource, has_tree
from lpcfg_cli.treebank.brackets import BRACKETS
from lpcfg_cli.treebank.sources import without_packing
from lpcfg_cli.wording import counted

CHUNK = 2000
"""Number of sentences that are read and scored together: it bounds the memory and costs no speed."""

ENDINGS = re.compile(
    "(?:" + "|".join(map(re.escape, (*BRACKETS.suffixes, ".txt", ".gld", ".tst", ".gold", ".parsed", ".prd"))) + ")$",
    re.IGNORECASE,
)
"""Endings by which the names of two files that belong together may differ; `lpcfg parse` adds one to its input's."""

Files = list[SourceFile]


def pair_files(gold: TreeSource, test: TreeSource) -> list[tuple[Files, Files]]:
    """Divide the files of both sources into parts whose sentences belong together.

    Returns
    -------
    list of (gold files, test files)
        All files of both, if either is a single file or no names pair.  Else a part for each gold file, in order, with
        its partner if it has one, and then one for each test file without partner.
    """
    for key in (_path_key, _name_key):
        partner = {key(file): file for file in test.files}
        own = [key(file) for file in gold.files]
        are_names = "" not in partner and "" not in own
        are_unique = len(partner) == len(test.files) and len(set(own)) == len(own)
        if are_names and are_unique and not partner.keys().isdisjoint(own):
            parts: list[tuple[Files, Files]] = [
                ([file], [partner.pop(name)] if name in partner else [])
                for file, name in zip(gold.files, own, strict=True)
            ]
            return [*parts, *(([], [file]) for file in partner.values())]
    return [(gold.files, test.files)]


def _path_key(file: SourceFile) -> str:
    """The file's path below its folder, without its endings."""
    return _without_endings(file.name)


def _name_key(file: SourceFile) -> str:
    """The file's own name without its endings."""
    return _without_endings(file.name.rpartition("/")[2])


def _without_endings(name: str) -> str:
    name = without_packing(name)
    while (shorter := ENDINGS.sub("", name)) != name and shorter:
        name = shorter
    return name.lower()


class PairedSentences:
    """Pairs the sentences of two sources.

    Attributes
    ----------
    n_gold, n_test : int
        Number of sentences on each side; final once all chunks have been taken.
    mismatches : list of str
        A description of each file that has no partner or another number of sentences than its partner, if there are
        several files.
    """

    def __init__(self, gold: TreeSource, test: TreeSource):
        self.gold, self.test = gold, test
        self.n_gold = self.n_test = 0
        self.mismatches: list[str] = []
        self._parts = pair_files(gold, test)
        self._numbers: list[int] = []

    @property
    def numbers(self) -> np.ndarray:
        """The number of each paired sentence among the gold sentences, from 0; int64, (n_pairs,)."""
        return np.array(self._numbers, np.int64)

    def chunks(self, size: int = CHUNK) -> Iterator[tuple[list[SentenceText], list[SentenceText]]]:
        """Yield up to `size` sentences of each side at a time, as long as both sides of a part have sentences."""
        pairs = self._pairs()
        while part := list(islice(pairs, size)):
            yield [gold for gold, _ in part], [test for _, test in part]

    def _pairs(self) -> Iterator[tuple[SentenceText, SentenceText]]:
        for gold_files, test_files in self._parts:
            rest_gold, rest_test, before = 0, 0, self.n_gold
            for gold, test in zip_longest(self.gold.sentences(gold_files), self.test.sentences(test_files)):
                if gold is not None and test is not None:
                    self._numbers.append(self.n_gold)
                    self.n_gold += 1
                    self.n_test += 1
                    yield gold, test
                else:
                    rest_gold += gold is not None and has_tree(gold)
                    rest_test += test is not None and has_tree(test)
            n_pairs = self.n_gold - before
            self.n_gold += rest_gold
            self.n_test += rest_test
            if len(self._parts) > 1 and rest_gold + rest_test:
                self.mismatches.append(_mismatch(gold_files, test_files, n_pairs + rest_gold, n_pairs + rest_test))


def _mismatch(gold: Sequence[SourceFile], test: Sequence[SourceFile], n_gold: int, n_test: int) -> str:
    if not test:
        return f"{gold[0].path}: no partner among the test files ({counted(n_gold, 'tree')})"
    if not gold:
        return f"{test[0].path}: no partner among the gold files ({counted(n_test, 'tree')})"
    return f"{gold[0].path}: {counted(n_gold, 'tree')}, {test[0].path}: {n_test:,}"
