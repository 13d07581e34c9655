"""Texts for tests of language models, and how tests read them."""

from __future__ import annotations

import numpy as np

from lpcfg_cli.text.counting import count_ngrams
from lpcfg_cli.text.events import events_of, joined
from lpcfg_cli.treebank.lines import LineBlock


def blocks(text, lines_each=10**9):
    """A text in blocks of so many lines."""
    lines = text.split("\n")
    lines = lines[:-1] if lines[-1] == "" else lines
    return [
        LineBlock("".join(f"{line}\n" for line in lines[k : k + lines_each]).encode(), "text", k + 1)
        for k in range(0, len(lines), lines_each)
    ]


def count(text, order=2, rare_below=1, lines_each=10**9, mapper=map):
    return count_ngrams(blocks(text, lines_each), order, rare_below, mapper)


def events(text, vocabulary, order=2):
    return joined((events_of(block, vocabulary, order) for block in blocks(text)), order)


def random_text(seed, sentences=60, words=9, longest=7):
    """Sentences of made-up words, some much more frequent than others."""
    rng = np.random.default_rng(seed)
    p = 1 / np.arange(1, words + 1)
    lines = (rng.choice(words, rng.integers(1, longest + 1), p=p / p.sum()) for _ in range(sentences))
    return "".join(f"{' '.join(f'w{k}' for k in line)}\n" for line in lines)
