"""Plain dictionaries: n-grams counted one by one, and Kneser-Ney straight from Chen and Goodman's formulas."""

from __future__ import annotations

from collections import Counter, defaultdict

START, END, UNKNOWN = "<s>", "</s>", "<unk>"


def sentences_of(text, rare_below):
    """Lists of words, rare ones replaced; lines without words are left out."""
    found = [line.split() for line in text.split("\n")]
    seen = Counter(word for words in found for word in words)
    return [[word if seen[word] >= rare_below else UNKNOWN for word in words] for words in found if words]


def ngrams(sentences, order):
    """All n-grams that end in a word or an end, padded at the begin; with counts."""
    counts = Counter()
    for words in sentences:
        padded = [START] * (order - 1) + words + [END]
        for k in range(order - 1, len(padded)):
            counts[tuple(padded[k - order + 1 : k + 1])] += 1
    return counts


class KneserNey:
    """An interpolated model with modified discounts."""

    def __init__(self, sentences, order):
        self.order = order
        self.words = {UNKNOWN, END, *(word for words in sentences for word in words)}
        self.counts = [None]
        full = ngrams(sentences, order)
        for length in range(1, order + 1):
            self.counts.append(self.adjusted(sentences, length, full))
        self.discount = [None, *(self.discounts(counts) for counts in self.counts[1:])]
        self.following = [None, *(self.by_context(counts) for counts in self.counts[1:])]

    @staticmethod
    def by_context(counts):
        found = defaultdict(list)
        for gram, count in counts.items():
            found[gram[:-1]].append(count)
        return found

    def adjusted(self, sentences, length, full):
        """True counts of the longest n-grams and of those at the begin; of others, how many words come before."""
        true = Counter()
        before = defaultdict(set)
        for words in sentences:
            marked = [START, *words, END]
            for k in range(1, len(marked)):
                if k - length + 1 >= 0:
                    gram = tuple(marked[k - length + 1 : k + 1])
                    true[gram] += 1
                    if k - length >= 0:
                        before[gram].add(marked[k - length])
        if length == self.order:
            return dict(true)
        return {gram: count if gram[0] == START else len(before[gram]) for gram, count in true.items()}

    @staticmethod
    def discounts(counts):
        n = Counter(counts.values())
        if not all(n[k] for k in (1, 2, 3, 4)):
            return (0, 0.5, 1.0, 1.5)
        y = n[1] / (n[1] + 2 * n[2])
        found = [k - (k + 1) * y * n[k + 1] / n[k] for k in (1, 2, 3)]
        return (0, *found) if all(0 <= d <= k for k, d in enumerate(found, 1)) else (0, 0.5, 1.0, 1.5)

    def probability(self, word, context):
        """p(word | context), the context a tuple of words."""
        return self._level(word, context[len(context) - self.order + 1 :] if self.order > 1 else ())

    def _level(self, word, context):
        length = len(context) + 1
        shorter = self._level(word, context[1:]) if context else 1 / len(self.words)
        followers = self.following[length].get(context)
        if not followers:
            return shorter
        discount, total = self.discount[length], sum(followers)
        own = self.counts[length].get((*context, word), 0)
        taken = sum(discount[min(count, 3)] for count in followers)
        return (own - discount[min(own, 3)]) / total + taken / total * shorter
