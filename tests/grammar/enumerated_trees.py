"""Brute force: all trees of a grammar up to a number of words, with their probabilities.  Uses no kernel."""

from __future__ import annotations

from functools import cache

import numpy as np


def exact_probabilities(grammar, most_words):
    """{bracketed tree: probability} of all trees of at most that many words."""

    @cache
    def top(symbol, n):
        found = list(bottom(symbol, n))
        for rule in np.flatnonzero(grammar.unary.parent == symbol):
            hidden = grammar.hidden_labels[grammar.unary.hidden[rule]]
            for text, vector in bottom(int(grammar.unary.child[rule]), n):
                whole = text
                for label in reversed(hidden):
                    whole = f"({label} {whole})"
                found.append((phrase(symbol, whole), grammar.unary.matrix(rule, grammar.n_states) @ vector))
        return found

    @cache
    def bottom(symbol, n):
        found = []
        for rule in np.flatnonzero(grammar.lexical.symbol == symbol) if n == 1 else []:
            entry = np.searchsorted(grammar.lexical.entry_start, rule, "right") - 1
            vector = grammar.lexical.values[grammar.lexical.start[rule] : grammar.lexical.start[rule + 1]]
            found.append((phrase(symbol, grammar.lexicon.entries[entry]), vector))
        for rule in np.flatnonzero(grammar.binary.parent == symbol):
            tensor = grammar.binary.tensor(rule, grammar.n_states)
            for k in range(1, n):
                for left, y in top(int(grammar.binary.left[rule]), k):
                    for right, z in top(int(grammar.binary.right[rule]), n - k):
                        vector = np.einsum("abc,b,c->a", tensor, y, z)
                        found.append((phrase(symbol, f"{left} {right}"), vector))
        return found

    def phrase(symbol, inner):
        labels = grammar.symbols[symbol]
        return inner if labels.is_intermediate else f"({labels.labels[0]} {inner})"

    total = {}
    for symbol in range(grammar.n_symbols):
        root = grammar.root_vector[grammar.state_start[symbol] : grammar.state_start[symbol + 1]]
        for n in range(1, most_words + 1) if root.any() else []:
            for text, vector in top(symbol, n):
                total[text] = total.get(text, 0.0) + float(root @ vector)
    return {text: p for text, p in total.items() if p > 0}
