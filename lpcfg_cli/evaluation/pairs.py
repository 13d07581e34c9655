"""Pairing of the sentences of two sources: file by file where the files' names pair, else in order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from lpcfg_cli.evaluation.sentence_blocks import SentenceBlock, join_blocks
from lpcfg_cli.evaluation.sentences import SourceFile, TreeSource
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
        self._numbers: list[np.ndarray] = [np.zeros(0, np.int64)]

    @property
    def numbers(self) -> np.ndarray:
        """The number of each paired sentence among the gold sentences, from 0; int64, (n_pairs,)."""
        return np.concatenate(self._numbers)

    def chunks(self, size: int = CHUNK) -> Iterator[tuple[SentenceBlock, SentenceBlock]]:
        """Yield at least `size` sentences of each side at a time, as long as both sides of a part have sentences."""
        pairs: list[tuple[SentenceBlock, SentenceBlock]] = []
        for pair in self._pairs(size):
            pairs.append(pair)
            if sum(len(gold) for gold, _ in pairs) >= size:
                yield _joined(pairs)
                pairs = []
        if pairs:
            yield _joined(pairs)

    def _pairs(self, size: int) -> Iterator[tuple[SentenceBlock, SentenceBlock]]:
        """Yield blocks of at most `size` sentences of each side, as many of one as of the other."""
        for gold_files, test_files in self._parts:
            gold, test, before = _Rest(self.gold.blocks(gold_files)), _Rest(self.test.blocks(test_files)), self.n_gold
            while n := min(gold.size(), test.size(), size):
                self._numbers.append(np.arange(self.n_gold, self.n_gold + n))
                self.n_gold += n
                self.n_test += n
                yield gold.take(n), test.take(n)
            rest_gold, rest_test = gold.count_trees(), test.count_trees()
            n_pairs = self.n_gold - before
            self.n_gold += rest_gold
            self.n_test += rest_test
            if len(self._parts) > 1 and rest_gold + rest_test:
                self.mismatches.append(_mismatch(gold_files, test_files, n_pairs + rest_gold, n_pairs + rest_test))


class _Rest:
    """The sentences of one side that are not taken yet."""

    def __init__(self, blocks: Iterator[SentenceBlock]):
        self._blocks = blocks
        self._block: SentenceBlock | None = None

    def size(self) -> int:
        """Number of sentences that can be taken at once; 0 if there are no more."""
        while not self._block:
            self._block = next(self._blocks, None)
            if self._block is None:
                return 0
        return len(self._block)

    def take(self, n: int) -> SentenceBlock:
        assert self._block is not None
        taken, self._block = self._block[:n], self._block[n:]
        return taken

    def count_trees(self) -> int:
        """Number of the sentences with anything but blanks, all of which are taken."""
        count = 0
        while n := self.size():
            count += n - int(np.count_nonzero(self.take(n).is_blank()))
        return count


def _joined(pairs: list[tuple[SentenceBlock, SentenceBlock]]) -> tuple[SentenceBlock, SentenceBlock]:
    return join_blocks([gold for gold, _ in pairs]), join_blocks([test for _, test in pairs])


def _mismatch(gold: Sequence[SourceFile], test: Sequence[SourceFile], n_gold: int, n_test: int) -> str:
    if not test:
        return f"{gold[0].path}: no partner among the test files ({counted(n_gold, 'tree')})"
    if not gold:
        return f"{test[0].path}: no partner among the gold files ({counted(n_test, 'tree')})"
    return f"{gold[0].path}: {counted(n_gold, 'tree')}, {test[0].path}: {n_test:,}"
