"""Compiled numbering of the tokens of bracketed text, from bytes, without a string for each token.

The hash table of strings has open addressing with linear probing and is at most half full.
Loop indexes: s: sentences; k: bytes; at: slots; n: numbers of strings.
"""

from typing import NamedTuple

import numpy as np

from lpcfg_cli.arrays.kernel_options import ENTRY, INNER, njit
from lpcfg_cli.treebank.bracket_kernels import CLOSE, OPEN

_FNV_START, _FNV_FACTOR = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)
_HALF = np.uint64(32)

_OPENING, _CLOSING, _BACKSLASH = ord("("), ord(")"), ord("\\")

_ENDS_TOKEN = np.isin(np.arange(256), [ord(letter) for letter in "() \t\n\v\f\r"])
"""Whether each byte cannot be part of a token."""


class Spellings(NamedTuple):
    """The UTF-8 spellings of numbered strings, and a hash table of them.

    Attributes
    ----------
    slot : ndarray of int32, shape (n_slots,)
        The number in each slot, -1 in free ones; `n_slots` is a power of 2.
    code : ndarray of uint64, shape (n_slots // 2,)
        The hash code of each string.
    letter : ndarray of uint8, shape (n_letters,)
        The spellings, one after the other, and free space.
    first : ndarray of int64, shape (n_slots // 2 + 1,)
        String n is spelled ``letter[first[n]:first[n + 1]]``.
    """

    slot: np.ndarray
    code: np.ndarray
    letter: np.ndarray
    first: np.ndarray


@njit(**INNER)
def _number(text: np.ndarray, start: int, stop: int, code: np.uint64, spellings: Spellings, size: int) -> int:
    """The number of a spelling with its hash code; a new one gets the number `size`, for which there must be room."""
    slot, codes, letter, first = spellings
    mask = slot.shape[0] - 1
    at = np.int64(code) & mask
    while slot[at] >= 0:
        number = slot[at]
        if codes[number] == code and first[number + 1] - first[number] == stop - start:
            k, shift = start, first[number] - start
            while k < stop and letter[k + shift] == text[k]:
                k += 1
            if k == stop:
                return number
        at = (at + 1) & mask
    slot[at], codes[size] = size, code
    for k in range(start, stop):
        letter[first[size] + k - start] = text[k]
    first[size + 1] = first[size] + stop - start
    return size


@njit(**INNER)
def _with_room(spellings: Spellings, size: int, more: int) -> Spellings:
    """The table with room for `more` new strings of as many bytes; a new one, at least twice as large, if need be."""
    slot, code, letter, first = spellings
    n_slots, n_letters = slot.shape[0], letter.shape[0]
    if n_slots >= 2 * (size + more) and n_letters >= first[size] + more:
        return spellings
    while n_slots < 2 * (size + more):
        n_slots *= 2
    n_letters = max(n_letters, 2 * (first[size] + more))
    new_slot, new_code = np.empty(n_slots, np.int32), np.empty(n_slots // 2, np.uint64)
    new_letter, new_first = np.empty(n_letters, np.uint8), np.empty(n_slots // 2 + 1, np.int64)
    for at in range(n_slots):
        new_slot[at] = -1
    for k in range(first[size]):
        new_letter[k] = letter[k]
    new_first[0] = 0
    for n in range(size):
        new_code[n], new_first[n + 1] = code[n], first[n + 1]
        at = np.int64(code[n]) & (n_slots - 1)
        while new_slot[at] >= 0:
            at = (at + 1) & (n_slots - 1)
        new_slot[at] = n
    return Spellings(new_slot, new_code, new_letter, new_first)


@njit(**ENTRY)
def number_tokens(
    text: np.ndarray, start: np.ndarray, stop: np.ndarray, are_tokens: bool, spellings: Spellings, size: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, Spellings, int]:
    """Number the tokens of n sentences, which are those of `lpcfg_cli.treebank.bracket_tokens.TOKEN`; O(bytes).

    Parameters
    ----------
    text : ndarray of uint8, shape (n_bytes,)
        UTF-8.
    start, stop : ndarray of int64, shape (n,)
        Sentence s is ``text[start[s]:stop[s]]``.
    are_tokens : bool
        Whether each of them is one token instead, whatever it has in it.
    spellings : Spellings
        The known strings, among them both brackets; they may be changed.
    size : int
        Number of known strings.

    Returns
    -------
    token : ndarray of int32, shape (n_tokens,)
    first_token : ndarray of int64, shape (n + 1,)
        Sentence s has the tokens ``first_token[s]:first_token[s + 1]``.
    has_empty_word : ndarray of bool, shape (n,)
        Whether nothing but blanks, of which there are some, is in some pair of brackets.
    spellings : Spellings
    size : int
        The strings known now.
    """
    n, n_bytes = start.shape[0], 0
    for s in range(n):
        n_bytes += stop[s] - start[s] + 1
    token, first_token, has_empty_word = np.empty(n_bytes, np.int32), np.empty(n + 1, np.int64), np.empty(n, np.bool_)
    n_tokens, first_token[0] = 0, 0
    for s in range(n):
        k, end = start[s], stop[s]
        spellings = _with_room(spellings, size, end - k + 1)
        has_empty_word[s], is_one = False, are_tokens  # one token even if it has no letters
        while k < end or is_one:
            begin, code = k, _FNV_START
            while k < end and (are_tokens or not _ENDS_TOKEN[text[k]]):
                code = (code ^ np.uint64(text[k])) * _FNV_FACTOR
                if text[k] == _BACKSLASH and k + 1 < end and (text[k + 1] == _OPENING or text[k + 1] == _CLOSING):
                    k += 1
                    code = (code ^ np.uint64(text[k])) * _FNV_FACTOR
                k += 1
            if k > begin or is_one:
                is_one = False
                number = _number(text, begin, k, code ^ (code >> _HALF), spellings, size)
                size = max(size, number + 1)
                token[n_tokens] = number
                n_tokens += 1
            elif text[k] == _OPENING or text[k] == _CLOSING:
                token[n_tokens] = OPEN if text[k] == _OPENING else CLOSE
                n_tokens += 1
                k += 1
            else:
                k += 1
                while k < end and _ENDS_TOKEN[text[k]] and text[k] != _OPENING and text[k] != _CLOSING:
                    k += 1
                if begin > start[s] and k < end and text[begin - 1] == _OPENING and text[k] == _CLOSING:
                    has_empty_word[s] = True
        first_token[s + 1] = n_tokens
    return token[:n_tokens].copy(), first_token, has_empty_word, spellings, size
