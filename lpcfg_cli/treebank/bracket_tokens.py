"""Tokens of bracketed text, their places, and the messages for syntax errors."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from lpcfg_cli.errors import SyntaxProblem
from lpcfg_cli.treebank import bracket_kernels as kernels
from lpcfg_cli.treebank.escaped_bytes import shown
from lpcfg_cli.treebank.ranked_lists import HEAD, are_ranked_lists

TOKEN = re.compile(r"[()]|(?:[^() \t\r\n\f\v\\]+|\\[()]?)+")

LIST_WINDOW = 1000
"""Number of characters in which a list of trees shows as such."""

PROBLEMS = {
    kernels.EXTRA_CLOSE: (
        "a closing bracket that closes nothing",
        "the next tree or the end of the file",
        "Remove it, or add the opening bracket that it belongs to.",
    ),
    kernels.UNCLOSED: (
        "a tree that starts here and is not closed at the end of the file",
        "as many closing as opening brackets",
        "Add the missing bracket, or remove the tree.",
    ),
    kernels.STRAY_TEXT: (
        "text outside a tree",
        "an opening bracket",
        "Remove it: a tree file may only have bracketed trees, and lines that begin with # ; % or <.",
    ),
    kernels.TWO_WORDS: (
        "a second word under one tag",
        "a closing bracket, since a tag has one word",
        "Join the words with '_' or give each its own tag.",
    ),
    kernels.MIXED: (
        "a word with no tag next to a phrase",
        "either one word or one or more bracketed nodes below a label",
        "Give the word a tag of its own, as in (NN dog).",
    ),
    kernels.NO_CONTENT: (
        "a label with neither word nor children",
        "a word, as in (NN dog), or bracketed nodes below it",
        "If the word itself stands in brackets, as in (NN (dog)), remove the inner ones.",
    ),
}
"""For each problem what was found, what was expected, and what to do."""

TRACE = re.compile(r"\*[^() \t\r\n\f\v]*|0")
"""Tokens that are traces where a tree may not have a word."""


def token_starts(text: str) -> np.ndarray:
    """Position in the text at which each token starts, int64, shape (n_tokens,)."""
    return np.fromiter((match.start() for match in TOKEN.finditer(text)), np.int64)


def line_and_column(text: str, position: int) -> tuple[int, int]:
    """1-based line and column of a position in a text."""
    line_start = text.rfind("\n", 0, position) + 1
    return text.count("\n", 0, position) + 1, position - line_start + 1


def line_starts(text: str) -> np.ndarray:
    """Position in the text at which each line begins, int64, shape (n_lines,)."""
    return np.array([0, *(match.end() for match in re.finditer("\n", text))], np.int64)


def lines_and_columns(text: str, tokens: Sequence[int] | np.ndarray) -> list[tuple[int, int]]:
    """1-based line and column of each of the given tokens, or of the text's end for one beyond the last.

    Two scans of the text for all k of them: O(n + k log n).
    """
    if not len(tokens):
        return []
    ends = np.append(token_starts(text), len(text))
    position = ends[np.minimum(tokens, len(ends) - 1)]
    lines = line_starts(text)
    line = np.searchsorted(lines, position, "right")
    return list(zip(line.tolist(), (position - lines[line - 1] + 1).tolist(), strict=True))


def excerpt(text: str, position: int, width: int = 40) -> str:
    """At most `width` characters of the text from a position on, as one line."""
    return shown(re.sub(r"[ \t\r\n\f\v]+", " ", text[position : position + width]).rstrip(" "))


def syntax_problem(text: str, path: str, problem: int, position: int) -> SyntaxProblem:
    """The error for a problem of `PROBLEMS` at a position of a text."""
    found, expected, hint = PROBLEMS[problem]
    line, column = line_and_column(text, position)
    return SyntaxProblem(path, line, column, f"{found}: {excerpt(text, position)!r}", expected, hint)


def ranked_list_problem(text: str, path: str, position: int) -> SyntaxProblem | None:
    """The error for lists of the n best trees in place of trees; None if there are none at this position."""
    lines = text[position : position + LIST_WINDOW].splitlines()
    if not are_ranked_lists([line for line in lines if line.strip()][:HEAD]):
        return None
    found = f"a list of the n best trees: {excerpt(text, position)!r}"
    hint = "`lpcfg eval` reads such lists; give one tree of each sentence here."
    return SyntaxProblem(path, *line_and_column(text, position), found, "an opening bracket", hint)


def bare_trace_problem(text: str, path: str, position: int) -> SyntaxProblem | None:
    """The error for traces without a tag, which names the lines of all; None if there is none at this position.

    Parameters
    ----------
    text : str
    path : str
        Name of the text in messages.
    position : int
        Position of a token at which the text is found to be no tree: that of the trace, or of the token before or
        after it.
    """
    tokens = list(TOKEN.finditer(text))
    at = next(k for k, token in enumerate(tokens) if token.start() == position)
    traces = [k for k in range(len(tokens)) if _is_bare_trace(tokens, k)]
    here = next((k for k in traces if abs(k - at) < 2), None)
    if here is None:
        return None
    line, column = line_and_column(text, tokens[here].start())
    starts = line_starts(text)
    others = np.searchsorted(starts, [tokens[k].start() for k in traces if k != here], "right").tolist()
    more = f"; {len(others):,} more in lines {', '.join(map(str, dict.fromkeys(others)))}" if others else ""
    hint = "Give each the tag -NONE-, or leave such trees out with --on-error skip."
    found = f"a trace without a tag: {tokens[here][0]!r}{more}"
    return SyntaxProblem(path, line, column, found, "a tag, as in (-NONE- *T*-1)", hint)


def _is_bare_trace(tokens: Sequence[re.Match[str]], k: int) -> bool:
    """Whether a token is a trace that is neither a label nor the one word under a tag."""
    if not TRACE.fullmatch(tokens[k][0]) or k == 0 or k + 1 == len(tokens):
        return False
    before, after = tokens[k - 1][0], tokens[k + 1][0]
    if before == "(":
        return after == ")"
    return not (before != ")" and tokens[k - 2][0] == "(" and after == ")" and k > 1)
