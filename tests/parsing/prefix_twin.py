"""A readable numpy counterpart of the prefix pass: the recursion of Jelinek and Lafferty (1991) over a chart.

It computes P(i, j) of every span, from right to left, where the package carries vectors from left to right.
"""

from __future__ import annotations

import numpy as np
from inside_outside_twin import inside


class Twin:
    """The tensors of a grammar, its masses and its closure of left corners."""

    def __init__(self, grammar):
        self.grammar, m = grammar, grammar.n_states
        self.tensors = [grammar.binary.tensor(r, m) for r in range(len(grammar.binary))]
        self.matrices = [grammar.unary.matrix(r, m) for r in range(len(grammar.unary))]
        self.triples = list(zip(grammar.binary.parent, grammar.binary.left, grammar.binary.right, strict=True))
        self.at = [slice(*grammar.state_start[a : a + 2]) for a in range(grammar.n_symbols)]
        size = grammar.state_start[-1]
        self.unary = np.zeros((size, size))
        for matrix, a, b in zip(self.matrices, grammar.unary.parent, grammar.unary.child, strict=True):
            self.unary[self.at[a], self.at[b]] += matrix
        self.mass = self._mass()
        left = np.zeros((size, size))
        for tensor, (a, b, c) in zip(self.tensors, self.triples, strict=True):
            left[self.at[a], self.at[b]] += np.einsum("abc,c->ab", tensor, self.mass[self.at[c]])
        above = np.eye(size) + self.unary
        self.closure = above @ np.linalg.inv(np.eye(size) - left @ above)

    def _mass(self):
        words, mass = np.zeros(len(self.unary)), np.zeros(len(self.unary))
        lexical = self.grammar.lexical
        for r, a in enumerate(lexical.symbol):
            words[self.at[a]] += lexical.values[lexical.start[r] : lexical.start[r + 1]]
        for _ in range(400):
            bottom = words.copy()
            for tensor, (a, b, c) in zip(self.tensors, self.triples, strict=True):
                bottom[self.at[a]] += np.einsum("abc,b,c->a", tensor, mass[self.at[b]], mass[self.at[c]])
            mass = bottom + self.unary @ bottom
        return mass

    def totals(self, words):
        """Totals of all strings, of those that begin with 1, 2, …, n words, and of the sentence itself."""
        n, root = len(words.start) - 1, self.grammar.root_vector
        _, top = inside(self.grammar, words, self.tensors, self.matrices)
        found = [float(root @ self.mass)]
        for j in range(1, n + 1):
            prefix = {}
            for i in reversed(range(j)):
                direct = np.zeros(len(root))
                for x in range(words.start[i], words.start[j]) if i == j - 1 else ():
                    vector = words.vector[words.vector_start[x] : words.vector_start[x + 1]]
                    direct[self.at[words.symbol[x]]] += vector
                for tensor, (a, b, c) in zip(self.tensors, self.triples, strict=True):
                    for k in range(i + 1, j):
                        if (i, k, b) in top:
                            after = prefix[k][self.at[c]]
                            direct[self.at[a]] += np.einsum("abc,b,c->a", tensor, top[i, k, b], after)
                prefix[i] = self.closure @ direct
            found.append(float(root @ prefix[0]))
        whole = [root[self.at[a]] @ top[0, n, a] for a in range(self.grammar.n_symbols) if (0, n, a) in top]
        return np.array([*found, float(sum(whole))])
