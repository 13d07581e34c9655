"""The search for lines and trees in bytes, compared with slow searches in text."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lpcfg_cli.errors import SyntaxProblem
from lpcfg_cli.evaluation.layout_kernels import are_blank
from lpcfg_cli.evaluation.layouts import is_by_line, split_trees
from lpcfg_cli.evaluation.pairs import PairedSentences
from lpcfg_cli.evaluation.sentence_blocks import SentenceText, block_of_texts, join_blocks
from lpcfg_cli.evaluation.sentences import open_source, source_of_text

PIECES = [*"(()) \t\\aé", "\u00a0", "\u3000", "\x1c", "\u2028", "\ue000", ")(", "\\("]
texts = st.lists(st.lists(st.sampled_from(PIECES), max_size=12).map("".join), max_size=8).map(
    lambda lines: "".join(f"{line}\n" for line in lines)
)


def parts_of(text, cuts):
    """The text as bytes, cut after some of its lines."""
    lines = text.encode().splitlines(keepends=True)
    bounds = sorted({0, len(lines), *(cut for cut in cuts if cut < len(lines))})
    return [b"".join(lines[a:b]) for a, b in pairwise(bounds)]


def slowly_by_line(text):
    """`is_by_line`, as its docstring has it."""
    lines = [line for line in text.split("\n") if line.strip()]
    depth, unbalanced, has_indent, is_nested = 0, 0, False, True
    for line in lines:
        has_indent |= depth > 0 and line[0] in " \t"
        steps = [1 if found == "(" else -1 for found in re.findall(r"\\[()]|[()]", line) if len(found) == 1]
        sums = [sum(steps[:k]) for k in range(len(steps) + 1)]
        if "\\" not in line and line.strip()[0] == "(" and sums[-1] == 0:
            sums = [0]  # two trees that close in between are harmless
        unbalanced += sums[-1] != 0 or min(sums) < 0
        is_nested &= depth + min(sums) >= 0
        depth += sums[-1]
    signs = [unbalanced >= 0.25 * len(lines), has_indent, is_nested and depth == 0]
    return unbalanced == 0 or sum(signs) < 2


@settings(max_examples=600, deadline=None)
@given(texts, st.lists(st.integers(1, 7), max_size=3))
@example("(S\n (A a))\n", [1])
@example("\u3000(S)(\n )(A a))\n", [])
def test_the_same_decision_as_line_by_line(text, cuts):
    assert is_by_line(parts_of(text, cuts)) is slowly_by_line(text)


def slow_trees(text):
    """Line, and text of each tree; then the line and column of what is wrong, if anything is."""
    trees, depth, begin = [], 0, 0
    for match in re.finditer(r"[()]|(?:[^() \t\r\n\f\v\\]+|\\[()]?)+", text):
        if depth == 0 and match[0] != "(":
            line_start = text.rfind("\n", 0, match.start()) + 1
            return trees, (text.count("\n", 0, match.start()) + 1, match.start() - line_start + 1)
        begin = begin if depth else match.start()
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if depth == 0:
            trees.append((text.count("\n", 0, begin) + 1, text[begin : match.end()]))
    return trees, (text.count("\n", 0, begin) + 1, 1) if depth else None


@settings(max_examples=600, deadline=None)
@given(texts, st.lists(st.integers(1, 7), max_size=4))
@example("(S\n(A\n a)\n) (S\n(B b)) (C\n c)\n", [1, 2, 3, 4])
@example("(a)\né (\\)\n)", [1])
def test_trees_over_lines_wherever_the_text_is_cut(text, cuts):
    found, problem = [], None
    try:
        for block in split_trees(parts_of(text, cuts), "x"):
            found += [(tree.line, tree.text) for tree in block]
    except SyntaxProblem as error:
        problem = tuple(map(int, str(error).split(":")[1:3]))
    assert (found, problem) == slow_trees(text)


def test_blanks_are_those_of_python():
    letters = [chr(code) for code in range(0x11000) if not 0xD800 <= code < 0xE000]
    spelled = [letter.encode() for letter in letters]
    stop = np.cumsum([len(one) for one in spelled])
    blank = are_blank(np.frombuffer(b"".join(spelled), np.uint8), stop - [len(one) for one in spelled], stop)
    assert blank.tolist() == [letter.isspace() for letter in letters]
    assert are_blank(np.frombuffer("\u3000".encode()[:2], np.uint8), np.array([0, 1]), np.array([2, 1])).tolist() == [
        False,
        True,
    ]


def test_blocks_of_several_files_are_joined():
    texts = [SentenceText("a", 3, "(A é)"), SentenceText("b", 1, "", ("(X x)", "(Y y)")), SentenceText("a", 9, "( )")]
    others = [SentenceText("c", 1, "(B b)"), SentenceText("c", 2, "\u3000\t")]
    joined = join_blocks([block_of_texts(texts)[1:], block_of_texts(others), block_of_texts(texts)[:1]])
    assert list(joined) == [*texts[1:], *others, texts[0]]
    assert joined.is_blank().tolist() == [True, False, False, True, False]
    assert list(joined.select(np.array([4, 1]))) == [texts[0], texts[2]]


LINES = ["(S (A a))", "(S (B b))", "", "(S (C c))", "( (D d))"]


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_chunks_have_all_pairs_in_order(size, write, tmp_path):
    for number in range(3):
        write(f"gold/{number}.mrg", "\n".join(LINES[number:]) + "\n")
        write(f"test/{number}.mrg", "\n".join(LINES) + "\n\n")
    pairs = PairedSentences(open_source(tmp_path / "gold"), open_source(tmp_path / "test"))
    chunks = list(pairs.chunks(size))
    found = [(gold.text, test.text) for one, other in chunks for gold, test in zip(one, other, strict=True)]
    assert found == [pair for k in range(3) for pair in zip(LINES[k:], LINES[: len(LINES) - k], strict=True)]
    assert all(len(one) >= size for one, _ in chunks[:-1])
    assert (pairs.n_gold, pairs.n_test) == (12, 15)
    assert pairs.numbers.tolist() == list(range(12))
    assert [mismatch.rpartition(":")[2] for mismatch in pairs.mismatches] == [" 5", " 5"]


def test_numbers_of_pairs_leave_out_gold_trees_without_partner(write, tmp_path):
    write("gold/a.mrg", "(S (A a))\n(S (A b))\n\n(S (A c))\n")
    write("gold/b.mrg", "(S (A d))\n")
    write("test/a.mrg", "(S (A a))\n")
    write("test/b.mrg", "(S (A d))\n")
    pairs = PairedSentences(open_source(tmp_path / "gold"), open_source(tmp_path / "test"))
    assert sum(len(gold) for gold, _ in pairs.chunks()) == 2
    assert (pairs.numbers.tolist(), pairs.n_gold, pairs.n_test) == ([0, 3], 4, 2)


def test_text_without_a_last_newline_has_its_last_line():
    for text in ("(S (A a))\n(S (A b))", "(S (A a))\n(S (A b))\n"):
        assert [sentence.text for sentence in source_of_text(text).sentences()] == ["(S (A a))", "(S (A b))"]
    assert list(source_of_text("").sentences()) == []
    assert [sentence.text for sentence in source_of_text("\udc80\n").sentences()] == ["\udc80"]
