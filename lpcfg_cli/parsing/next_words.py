"""How uncertain the next word is: the distribution of what may follow a prefix, and its entropy.

What may follow is each word that the treebank has, one unknown word of each class, and the end of the sentence: their
probabilities after a prefix sum to 1.  With H(j) of `lpcfg_cli.parsing.prefix`, that of a word is H(j) · q divided by
the prefix total, where q is a sum over the lexical rules of its entry, each times the share of the word in its class.
So H(j) · q is computed once a rule, and then summed over the shares of each word.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lpcfg_cli.grammar.word_shares import Known
from lpcfg_cli.parsing.prefix import Prefixes
from lpcfg_cli.parsing.prefix_words import STRANGE, Predicted, PredictedWords

Event = tuple[str, int, Known, str]
"""A word, its entry, what is known of it, and its tag if it is predicted; only the tag if tags are."""


class NextWords:
    """The distribution of what may follow a prefix, under one grammar.

    Parameters
    ----------
    predicted : PredictedWords

    Attributes
    ----------
    events : list of Event
        What may follow, but for the end.
    """

    def __init__(self, predicted: PredictedWords):
        self.predicted, self.rules = predicted, predicted.grammar.lexical
        grammar = predicted.grammar
        self._tags = sorted({symbol.tag for symbol in grammar.symbols if symbol.tag is not None})
        tag_number = {tag: k for k, tag in enumerate(self._tags)}
        self._tag = np.array([tag_number.get(symbol.tag or "", 0) for symbol in grammar.symbols])
        sizes = np.diff(self.rules.start)
        first = np.repeat(grammar.state_start[self.rules.symbol] - self.rules.start[:-1], sizes)
        self._state = first + np.arange(len(self.rules.values))
        self._rule = np.repeat(np.arange(len(sizes)), sizes)
        number: dict[Event, int] = {}
        parts = [self._shares(*kind, number) for kind in predicted.shares.kinds()]
        self._event, self._of_rule, self._share = (np.concatenate(column) for column in zip(*parts, strict=True))
        self.events: list[Event] = list(number)

    def _shares(
        self, word: str, entry: int, known: Known, number: dict[Event, int]
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """For each rule that gives the word: the event that it counts for, the rule, and the share; (k,) each."""
        rules, shares = self.rules, self.predicted.shares
        first, last = (rules.entry_start[entry], rules.entry_start[entry + 1]) if entry >= 0 else (0, 0)
        own = np.arange(first, last)
        tags = self._tag[rules.symbol[own]]
        by_tag = {tag: (1 - STRANGE) * shares.share(word, entry, self._tags[tag], known) for tag in set(tags.tolist())}
        share = np.array([by_tag[tag] for tag in tags.tolist()])
        if known == Known.UNKNOWN:
            own = np.concatenate([own, np.arange(len(rules))])
            share = np.concatenate([share, np.full(len(rules), STRANGE / shares.n_kinds)])
        kind = self.predicted.predicted
        if kind == Predicted.WORDS:
            events = np.full(len(own), number.setdefault((word, entry, known, ""), len(number)))
        else:
            named = ("", 0, Known.WORD) if kind == Predicted.TAGS else (word, entry, known)
            keys = [(*named, self._tags[tag]) for tag in self._tag[rules.symbol[own]].tolist()]
            events = np.array([number.setdefault(key, len(number)) for key in keys], np.int64)
        return events, own, share

    def masses(self, predicted: np.ndarray) -> np.ndarray:
        """H · q of each event, float64, (n_events,), from H, float64, (Σ m_a,)."""
        by_rule = np.bincount(self._rule, self.rules.values * predicted[self._state], len(self.rules))
        return np.bincount(self._event, by_rule[self._of_rule] * self._share, len(self.events))

    def distributions(self, prefixes: Prefixes, j: int) -> np.ndarray:
        """The probability of each event, and last of the end, after the first j words; float64, (n_events + 1,)."""
        chart = prefixes.chart
        masses = self.masses(chart.predicted[j])
        ended, exponent = prefixes.ended[j]
        end = np.ldexp(ended, int(exponent - chart.exponent[j]))
        found = np.append(masses, end)
        total = found.sum()
        return found / total if total > 0 else np.full(len(found), np.nan)


def entropies(models: Sequence[NextWords], found: Sequence[Prefixes]) -> np.ndarray:
    """Entropy of what follows the first 0, 1, …, n words, in bits.

    Parameters
    ----------
    models : sequence of NextWords
        Of one grammar or several with the same events.
    found : sequence of Prefixes
        Of each grammar.

    Returns
    -------
    ndarray of float64, shape (n + 1,)
        Under the mean of the distributions of several grammars, each weighted by the probability that it gives to the
        prefix; NaN where a probability is negative, or nothing was left to divide by.
    """
    log2 = np.array([one.log2[:-1] for one in found])
    positions = log2.shape[1]
    largest = np.maximum(log2.max(0), np.finfo(float).min)
    weights = np.exp2(log2 - largest)
    bits = np.zeros(positions)
    for j in range(positions):
        used = [k for k in range(len(models)) if weights[k, j] > 0]
        rows = [weights[k, j] * models[k].distributions(found[k], j) for k in used]
        mean = np.sum(rows, 0) / weights[used, j].sum() if used else np.full(1, np.nan)
        bits[j] = _entropy(mean)
    return bits


def _entropy(probability: np.ndarray) -> float:
    """−Σ p log₂ p; NaN if a probability is negative or NaN."""
    if not (probability >= -1e-12).all():
        return float("nan")
    some = probability[probability > 0]
    return max(0.0, -float(some @ np.log2(some)))
