"""A random sample of the sentences of a text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from lpcfg_cli.tagging.sentence import InputSentence

FEW = 20
"""Fewest sentences with a mark at their end from which it is told whether words are split off from marks."""

END_MARKS = (".", "?", "!")


@dataclass
class TextSample:
    """Some sentences of a text, drawn evenly.

    Attributes
    ----------
    sentences : list of tuple of str
        The words of each sentence; no two are equal.
    fitting : int
        Number of sentences of the text with the right number of words.
    others : int
        Number of its other sentences, without empty lines.
    unreadable : int
        Number of lines that are no text.
    """

    sentences: list[tuple[str, ...]] = field(default_factory=list)
    fitting: int = 0
    others: int = 0
    unreadable: int = 0

    @property
    def seems_running(self) -> bool:
        """Whether most full stops and other marks at the end of sentences are part of the last word."""
        last = [words[-1] for words in self.sentences if words[-1].endswith(END_MARKS)]
        return len(last) >= FEW and 2 * sum(len(word) > 1 for word in last) > len(last)


def draw_sentences(
    sentences: Iterable[InputSentence], number: int, shortest: int, longest: int, rng: np.random.Generator
) -> TextSample:
    """Draw sentences from a text of any size, all with the same probability (Vitter 1985, algorithm R).

    Parameters
    ----------
    sentences : iterable of InputSentence
        Read once; those with a problem are counted and left out.
    number : int
        Number of sentences to draw; equal ones among these become one.
    shortest, longest : int
        Number of words of a sentence that fits.
    rng : Generator
    """
    sample = TextSample()
    drawn: list[tuple[str, ...]] = []
    for sentence in sentences:
        words = tuple(word for word, _ in sentence.tokens)
        if not shortest <= len(words) <= longest:
            sample.unreadable += sentence.problem is not None
            sample.others += len(words) > 0
            continue
        if sample.fitting < number:
            drawn.append(words)
        elif (place := int(rng.integers(sample.fitting + 1))) < number:
            drawn[place] = words
        sample.fitting += 1
    sample.sentences = list(dict.fromkeys(drawn))
    return sample
