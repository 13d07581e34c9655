"""A table of strings to which the tokens of bracketed text are added from its bytes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.treebank import token_kernels as kernels
from lpcfg_cli.treebank.brackets import new_string_table
from lpcfg_cli.treebank.trees import StringTable

FIRST_SLOTS, FIRST_LETTERS = 1 << 12, 1 << 14
"""Sizes of an empty table, which grows as need be."""

SURROGATES = "surrogatepass"
"""How text is encoded and decoded: bytes that are no text are kept as lone surrogates."""


class TokenTable(StringTable):
    """A string table, with the entries that the reader's kernel expects, that can number the tokens of a text."""

    def __init__(self) -> None:
        super().__init__(new_string_table())
        self._spellings = kernels.Spellings(
            np.full(FIRST_SLOTS, -1, np.int32),
            np.zeros(FIRST_SLOTS // 2, np.uint64),
            np.empty(FIRST_LETTERS, np.uint8),
            np.zeros(FIRST_SLOTS // 2 + 1, np.int64),
        )
        self._n_spelled = 0

    def number_tokens(
        self, text: bytes, start: np.ndarray, stop: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Number the tokens of n sentences; new ones are added.

        Parameters
        ----------
        text : bytes
            UTF-8.
        start, stop : ndarray of int64, shape (n,)
            Sentence s is ``text[start[s]:stop[s]]``.

        Returns
        -------
        token, first_token, has_empty_word : ndarray
            As `lpcfg_cli.treebank.token_kernels.number_tokens` returns them.
        """
        self._spell()
        token, first_token, has_empty_word, size = self._number(text, start, stop, are_tokens=False)
        first = self._spellings.first[self._n_spelled : size + 1].tolist()
        letters = self._spellings.letter[: first[-1]].tobytes()
        for number, bounds in enumerate(pairwise(first), self._n_spelled):
            self[letters[slice(*bounds)].decode("utf-8", SURROGATES)] = number
        self._n_spelled = size
        return token, first_token, has_empty_word

    def _spell(self) -> None:
        """Spell the strings that were added to the dictionary."""
        if self._n_spelled < len(self):
            new = [name.encode("utf-8", SURROGATES) for name in list(self)[self._n_spelled :]]
            bounds = starts([len(spelling) for spelling in new])
            *_, self._n_spelled = self._number(b"".join(new), bounds[:-1], bounds[1:], are_tokens=True)

    def _number(
        self, text: bytes, start: np.ndarray, stop: np.ndarray, are_tokens: bool
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
        letters = np.frombuffer(text, np.uint8)
        token, first_token, has_empty_word, self._spellings, size = kernels.number_tokens(
            letters, start, stop, are_tokens, self._spellings, self._n_spelled
        )
        return token, first_token, has_empty_word, size
