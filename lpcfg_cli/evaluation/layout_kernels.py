"""Compiled search for lines and trees in the bytes of a text.

Loop index k: bytes of the text.
"""

import numpy as np

from lpcfg_cli.arrays.kernel_options import ENTRY, INNER, njit

_OPENING, _CLOSING, _BACKSLASH, _NEWLINE = ord("("), ord(")"), ord("\\"), ord("\n")

DEPTH, LINES, UNBALANCED, INDENTED, NOT_NESTED = range(5)
"""Entries of the counts of `count_balance`."""

NONE = -1


_IS_BLANK = np.array([chr(letter).isspace() for letter in range(128)])
_WIDE_BLANKS = np.array([0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000])
"""The blanks of Unicode that are not ASCII."""


@njit(**INNER)
def _blank_size(text: np.ndarray, k: int, stop: int) -> int:
    """Number of bytes of the character at `k` if it is a blank, as for `str.isspace`, else 0."""
    lead = np.int64(text[k])
    if lead < 128:
        return 1 if _IS_BLANK[lead] else 0
    size = 2 if lead < 0xE0 else 3  # no blank has four bytes
    if k + size > stop:
        return 0
    code = lead & 31 if size == 2 else lead & 15
    for more in range(1, size):
        code = (code << 6) | np.int64(text[k + more] & 63)
    for blank in _WIDE_BLANKS:
        if code == blank and lead < 0xF0:
            return size
    return 0


@njit(**INNER)
def _first_visible(text: np.ndarray, k: int, stop: int) -> int:
    """The first place from `k` on that is no blank; `stop` if there is none."""
    while k < stop:
        size = _blank_size(text, k, stop)
        if size == 0:
            break
        k += size
    return k


@njit(**ENTRY)
def are_blank(text: np.ndarray, start: np.ndarray, stop: np.ndarray) -> np.ndarray:
    """Whether each of some pieces of UTF-8 has nothing but blanks; bool, shape (n,)."""
    blank = np.empty(start.shape[0], np.bool_)
    for s in range(start.shape[0]):
        blank[s] = _first_visible(text, start[s], stop[s]) == stop[s]
    return blank


@njit(**ENTRY)
def count_balance(text: np.ndarray, counts: np.ndarray) -> None:
    """Count what tells trees over several lines from one tree on each line; O(bytes).

    Parameters
    ----------
    text : ndarray of uint8, shape (n_bytes,)
        UTF-8 of whole lines.
    counts : ndarray of int64, shape (5,)
        Of the lines before; changed.  `DEPTH`: number of open brackets; `LINES`: lines that are not blank;
        `UNBALANCED`: those whose brackets are not balanced; `INDENTED`: those that begin with a blank inside a tree;
        `NOT_NESTED`: those with a closing bracket that closes nothing.
    """
    begin, n = 0, text.shape[0]
    while begin < n:
        change, lowest, has_backslash, k = 0, 0, False, begin
        while k < n and text[k] != _NEWLINE:
            if text[k] == _OPENING:
                change += 1
            elif text[k] == _CLOSING:
                change -= 1
                lowest = min(lowest, change)
            elif text[k] == _BACKSLASH:
                has_backslash = True
                if k + 1 < n and (text[k + 1] == _OPENING or text[k + 1] == _CLOSING):
                    k += 1
            k += 1
        visible = _first_visible(text, begin, k)
        if visible < k:
            if change == 0 and not has_backslash and text[visible] == _OPENING:
                lowest = 0  # a ")(" inside, as between two trees on one line, is harmless
            counts[LINES] += 1
            counts[INDENTED] += counts[DEPTH] > 0 and (text[begin] == 32 or text[begin] == 9)
            counts[UNBALANCED] += change != 0 or lowest < 0
            counts[NOT_NESTED] += counts[DEPTH] + lowest < 0
            counts[DEPTH] += change
        begin = k + 1


@njit(**ENTRY)
def find_trees(text: np.ndarray, depth: int, line: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, int, int]:
    """Find the trees of a text, whatever its lines; O(bytes).

    Parameters
    ----------
    text : ndarray of uint8, shape (n_bytes,)
        UTF-8 of whole lines.
    depth : int
        Number of open brackets of a tree that begins before this text.
    line : int
        Number of the first line.

    Returns
    -------
    begin, line_of_tree : ndarray of int64, shape (n + 1,) or (n,)
        Where each tree begins, from the first one that begins here on, and its line; the last may not be closed.
    end : ndarray of int64, shape (n_ends,)
        Where each tree ends, also the one that begins before.
    depth : int
        Number of open brackets at the end, or at `stray`.
    stray : int
        Place of the first text or closing bracket outside trees, at which the search ends; `NONE` if there is none.
    """
    n, n_begins, n_ends = text.shape[0], 0, 0
    begin, end, line_of_tree = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    stray, k = NONE, 0
    while k < n:
        letter = text[k]
        if letter == _OPENING:
            if depth == 0:
                begin[n_begins], line_of_tree[n_begins] = k, line
                n_begins += 1
            depth += 1
        elif letter == _NEWLINE:
            line += 1
        elif letter == 32 or 9 <= letter <= 13:
            pass
        elif depth == 0:
            stray = k
            break
        elif letter == _CLOSING:
            depth -= 1
            if depth == 0:
                end[n_ends] = k + 1
                n_ends += 1
        elif letter == _BACKSLASH and k + 1 < n and (text[k + 1] == _OPENING or text[k + 1] == _CLOSING):
            k += 1
        k += 1
    return begin[:n_begins].copy(), line_of_tree[:n_begins].copy(), end[:n_ends].copy(), depth, stray
