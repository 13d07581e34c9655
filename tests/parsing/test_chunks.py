"""Sentences are parsed in chunks where many are there, and each by itself where the next is still to come."""

from __future__ import annotations

import pytest

from lpcfg_cli.errors import InputError
from lpcfg_cli.execution.chunks import CHUNK, Chunks


class Arriving:
    """Numbers of which so many have arrived at the beginning; after each wait, one more."""

    def __init__(self, n, arrived):
        self.n, self.arrived, self.taken = n, arrived, 0

    def __iter__(self):
        return self

    def is_ready(self):
        return self.taken < self.arrived or self.taken == self.n

    def __next__(self):
        if self.taken == self.n:
            raise StopIteration
        self.arrived = max(self.arrived, self.taken + 1)
        self.taken += 1
        return self.taken


def sizes(sentences):
    return [len(chunk) for chunk in Chunks(sentences, list)]


def test_sentences_of_a_file_come_in_whole_chunks():
    assert sizes(range(2 * CHUNK + 3)) == [CHUNK, CHUNK, 3]


@pytest.mark.parametrize(("arrived", "expected"), [(0, [1] * 5), (3, [3, 1, 1]), (5, [5])])
def test_no_sentence_that_is_there_waits_for_one_that_is_not(arrived, expected):
    assert sizes(Arriving(5, arrived)) == expected


def test_sentences_before_an_error_are_parsed():
    def failing():
        yield from range(CHUNK + 2)
        raise InputError("the third line is wrong")

    chunks = Chunks(failing(), len)
    assert list(chunks) == [CHUNK, 2]
    assert isinstance(chunks.error, InputError) and chunks.is_ready()
