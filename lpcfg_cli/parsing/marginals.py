"""Marginals of the rule applications of forests, of one sentence or of many at once.

What is computed of a sentence does not depend on the others of its batch: see `lpcfg_cli.parsing.tensor_kernels`.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.parsing.inside_kernels import tensor_inside
from lpcfg_cli.parsing.layout import Batch, CoarseInside, Forest, Marginals, TensorRules, Vectors, Words
from lpcfg_cli.parsing.outside_kernels import tensor_outside

MOST_EDGES = 1 << 15
"""Largest number of edges of a batch of several sentences: about eight of newspaper text, whose vectors take some
megabytes.  More would leave the caches before they are used again."""


class Sum(NamedTuple):
    """What one grammar is asked about a sentence: the sums over all trees of a forest.

    Attributes
    ----------
    inside : CoarseInside
    words : Words
        With the grammar's lexical vectors.
    rules : TensorRules
    """

    inside: CoarseInside
    words: Words
    rules: TensorRules

    def __call__(self, forest: Forest) -> Marginals:
        """The marginals of a forest of the sentence."""
        return rule_marginals(forest, self.inside, self.words, self.rules)


Question = tuple[Sum, Forest]
Found = TypeVar("Found")
Asking = Generator[Question, Marginals, Found]
"""Work on one sentence that stops at each question, so that those about many sentences are answered together."""


def answered(work: Asking[Found]) -> Found:
    """The result of work on one sentence, whose questions are answered one by one."""
    (found,) = answered_together([work])
    return found


def answered_together(works: Sequence[Asking[Found]]) -> list[Found]:
    """The results of work on several sentences, in order; the questions that they are at are answered together."""
    found: dict[int, Found] = {}
    answers: dict[int, Marginals | None] = dict.fromkeys(range(len(works)))
    while answers:
        questions: dict[int, Question] = {}
        for number, answer in answers.items():
            try:
                questions[number] = next(works[number]) if answer is None else works[number].send(answer)
            except StopIteration as end:
                found[number] = end.value
        answers = dict(zip(questions, all_marginals(list(questions.values())), strict=True))
    return [found[number] for number in range(len(works))]


def rule_marginals(forest: Forest, inside: CoarseInside, words: Words, rules: TensorRules) -> Marginals:
    """Marginals of all rule applications of a forest, for one sentence (C13 footnote 3, C14 Fig. 5)."""
    (found,) = batch_marginals([(Sum(inside, words, rules), forest)])
    return found


def all_marginals(questions: Sequence[Question]) -> list[Marginals]:
    """The answers to questions about several sentences, in order; those to one grammar are found together."""
    found: dict[int, Marginals] = {}
    for numbers in _batches(questions):
        answers = batch_marginals([questions[number] for number in numbers])
        found.update(zip(numbers, answers, strict=True))
    return [found[number] for number in range(len(questions))]


def _batches(questions: Sequence[Question]) -> Iterator[list[int]]:
    """Numbers of questions to one grammar, with at most `MOST_EDGES` edges unless it is only one."""
    by_rules: dict[int, list[int]] = {}
    for number, (one, _) in enumerate(questions):
        by_rules.setdefault(id(one.rules), []).append(number)
    for numbers in by_rules.values():
        batch, edges = list[int](), 0
        for number in numbers:
            size = len(questions[number][1].edge_left)
            if batch and edges + size > MOST_EDGES:
                yield batch
                batch, edges = [], 0
            batch.append(number)
            edges += size
        yield batch


def batch_marginals(questions: Sequence[Question]) -> list[Marginals]:
    """The answers to questions to one grammar about several sentences, in order."""
    forests, rules = [forest for _, forest in questions], questions[0][0].rules
    batch = join_forests(forests)
    vectors = inside_vectors(batch, [(one.inside, one.words) for one, _ in questions], rules)
    whole, total = tensor_outside(batch, rules, vectors)
    exponent = vectors.level_exponent[batch.level_start[1:] - 1]
    parts = (
        np.split(part, np.cumsum([len(getattr(forest, name)) for forest in forests[:-1]]))
        for part, name in zip(whole[2:], ("edge_left", "unary_rule", "bottom_symbol", "top_symbol"), strict=True)
    )
    return [Marginals(int(e), float(z), *four) for e, z, *four in zip(exponent, total, *parts, strict=True)]


def inside_vectors(batch: Batch, sentences: Sequence[tuple[CoarseInside, Words]], rules: TensorRules) -> Vectors:
    """The inside vectors of a batch, for sentences whose coarse pass and words these are."""
    words = join_words([words for _, words in sentences], rules.root_vector.dtype)
    exponents = [inside.exponent[:, 1:].diagonal() for inside, _ in sentences]
    return tensor_inside(batch, rules, words, 2.0 ** -np.concatenate(exponents).astype(float))


def join_words(words: Sequence[Words], dtype: np.dtype) -> Words:
    """The words of several sentences, one after the other, with vectors of the given type."""
    return Words(
        joined_starts([one.start for one in words]),
        np.concatenate([one.symbol for one in words]),
        np.concatenate([one.probability for one in words]),
        joined_starts([one.vector_start for one in words]),
        np.concatenate([one.vector for one in words]).astype(dtype, copy=False),
    )


def joined_starts(parts: Sequence[np.ndarray]) -> np.ndarray:
    """Where each of some arrays' parts begins in the arrays joined; each of `parts` begins at 0 and has the end too."""
    return np.concatenate([np.zeros(1, np.int64), joined([part[1:] for part in parts], [part[-1] for part in parts])])


def joined(parts: Sequence[np.ndarray], sizes: Sequence[int]) -> np.ndarray:
    """Arrays one after the other, each plus the sum of the sizes before it; negative numbers, for nothing, are left."""
    found = np.concatenate(parts)
    before = np.repeat(np.cumsum([0, *sizes[:-1]]).astype(found.dtype), [len(part) for part in parts])
    if found.min(initial=0) < 0:
        before[found < 0] = 0
    found += before
    return found


def join_forests(forests: Sequence[Forest]) -> Batch:
    """Forests one after the other."""
    level_start = starts([len(forest.level_cell) for forest in forests])
    if len(forests) == 1:
        return Batch(forests[0], level_start)

    def join(name: str, counted: str | None = None) -> np.ndarray:
        parts = [getattr(forest, name) for forest in forests]
        return joined(parts, [len(getattr(forest, counted)) if counted else 0 for forest in forests])

    def join_start(name: str) -> np.ndarray:
        return joined_starts([getattr(forest, name) for forest in forests])

    n_words = [len(forest.level_cell) - 1 for forest in forests]
    all_of_them = Forest(
        join("level_cell", "cell_start"),
        join("level_group", "group_rule"),
        joined([forest.cell_start for forest in forests], n_words),
        joined([forest.cell_stop for forest in forests], n_words),
        join_start("cell_bottom"),
        join_start("cell_top"),
        join_start("cell_unary"),
        join("bottom_symbol"),
        join("top_symbol"),
        join("top_bottom", "bottom_symbol"),
        join("group_bottom", "bottom_symbol"),
        join("group_rule"),
        join_start("group_edge"),
        join("edge_left", "top_symbol"),
        join("edge_right", "top_symbol"),
        join("edge_left_width"),
        join("edge_weight"),
        join("unary_top", "top_symbol"),
        join("unary_bottom", "bottom_symbol"),
        join("unary_rule"),
    )
    return Batch(all_of_them, level_start)
