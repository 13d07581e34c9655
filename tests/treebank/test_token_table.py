"""Numbering of tokens from bytes, compared with the reader's regular expression."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.treebank.bracket_tokens import TOKEN
from lpcfg_cli.treebank.token_table import FIRST_LETTERS, FIRST_SLOTS, TokenTable

EMPTY_WORD = re.compile(r"\([ \t\r\n\f\v]+\)")

sentences = st.lists(st.text("(()) \t\n\v\f\r\\aé\u2028𝔸\udc80-", max_size=30), max_size=6)


def numbered(table, texts):
    """The tokens of each text as their names, and whether it has an empty word, by the table."""
    spelled = [text.encode("utf-8", "surrogatepass") for text in texts]
    bounds = starts([len(one) for one in spelled])
    token, first_token, has_empty_word = table.number_tokens(b"".join(spelled), bounds[:-1], bounds[1:])
    names = list(table)
    tokens = [[names[k] for k in token[a:b]] for a, b in pairwise(first_token)]
    return tokens, has_empty_word.tolist()


@settings(max_examples=500, deadline=None)
@given(sentences, sentences)
def test_tokens_are_those_of_the_expression(first, second):
    table = TokenTable()
    for texts in (first, second):
        tokens, has_empty_word = numbered(table, texts)
        assert tokens == [TOKEN.findall(text) for text in texts]
        assert has_empty_word == [bool(EMPTY_WORD.search(text)) for text in texts]
    assert list(table.values()) == list(range(len(table)))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.one_of(sentences, st.text("ab ()\\-", max_size=4)), max_size=6))
def test_strings_may_be_added_one_by_one_in_between(steps):
    table, known = TokenTable(), {"(": 0, ")": 1, "": 2}
    for step in steps:
        if isinstance(step, str):
            assert table[step] == known.setdefault(step, len(known))
        else:
            numbered(table, step)
            for token in (token for text in step for token in TOKEN.findall(text)):
                known.setdefault(token, len(known))
    assert dict(table) == known


def test_a_table_grows_with_its_strings():
    words = [f"w{k:x}" for k in range(2 * FIRST_SLOTS)] + ["x" * (3 * FIRST_LETTERS)]
    table = TokenTable()
    for _ in range(2):
        assert numbered(table, words) == ([[word] for word in words], [False] * len(words))
        assert [table[word] for word in words] == list(range(3, 3 + len(words)))


def test_strings_with_the_same_hash_code_are_told_apart():
    """All slots of the first table are looked through if every string belongs into the same one."""
    words = [word for word in (f"{k}" for k in range(400_000)) if _code(word) % FIRST_SLOTS == 7][:60]
    assert len(words) == 60
    assert numbered(TokenTable(), [" ".join(words)])[0] == [words]


def _code(word):
    code = 0xCBF29CE484222325
    for letter in word.encode():
        code = (code ^ letter) * 0x100000001B3 % 2**64
    return code ^ (code >> 32)


def test_no_sentences():
    token, first_token, has_empty_word = TokenTable().number_tokens(b"", np.zeros(0, np.int64), np.zeros(0, np.int64))
    assert (token.tolist(), first_token.tolist(), has_empty_word.tolist()) == ([], [0], [])
