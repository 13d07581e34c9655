"""Random trees, pairs of trees over nearly the same words, and parameter files."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import strategies as st

LABELS = ["S", "NP", "NP-SBJ", "VP", "VP=2", "ADVP", "PRT", "X", "", "-LRB-", "TOP"]
TAGS = ["NN", "NN-X", "VB", ".", "''", "POS", "-NONE-", "ADVP"]
FORMS = ["a", "b", "A", "'", '"', "é"]
ODD = ["(())", "", "()", "( )", "(X)", "(TOP )", "(NN (a))", "(S (NN a)", "( (NN a)) (NN b)", "((("]
"""Lines that are no trees but that EVALB reads without hanging."""


@st.composite
def bracketings(draw, words, depth=3):
    """Text of one tree over the given (tag, form) pairs."""
    label = draw(st.sampled_from(LABELS))
    if len(words) > 1 and depth > 0:
        cuts = sorted(draw(st.sets(st.integers(1, len(words) - 1), max_size=3)))
        bounds = [0, *cuts, len(words)]
        parts = [draw(constituents(words[a:b], depth - 1)) for a, b in pairwise(bounds)]
    else:
        parts = [draw(constituents(words, 0))]
    return f"({label} {' '.join(parts)})"


@st.composite
def constituents(draw, words, depth):
    if depth == 0 or draw(st.booleans()):
        text = " ".join(f"({tag} {form})" for tag, form in words)
        return f"({draw(st.sampled_from(LABELS))} {text})" if draw(st.booleans()) else text
    return draw(bracketings(words, depth))


word_lists = st.lists(st.tuples(st.sampled_from(TAGS), st.sampled_from(FORMS)), min_size=1, max_size=8)


@st.composite
def line_pairs(draw):
    """A gold line and a test line: mostly the same words, some with other tags, sometimes a word more or less."""
    words = draw(word_lists)
    gold = draw(bracketings(words))
    kind = draw(st.sampled_from(["same", "same", "tags", "tags", "tags", "words", "odd"]))
    if kind == "odd":
        odd = draw(st.sampled_from(ODD))
        return draw(st.sampled_from([(gold, odd), (odd, gold), (odd, odd)]))
    if kind == "tags":
        words = [(draw(st.sampled_from([tag, tag, *TAGS])), form) for tag, form in words]
    if kind == "words":
        words = draw(word_lists)
    return gold, draw(bracketings(words))


@st.composite
def parameter_files(draw):
    """Text of a parameter file."""
    lines = [
        f"LABELED {draw(st.sampled_from([0, 1, 1, 1]))}",
        f"CUTOFF_LEN {draw(st.integers(0, 9))}",
        f"MAX_ERROR {draw(st.integers(0, 3))}",
        f"DEBUG {draw(st.sampled_from([0, 1]))}",
    ]
    labels = [label for label in LABELS if label]
    lines += [f"DELETE_LABEL {x}" for x in draw(st.lists(st.sampled_from(labels + TAGS), max_size=4))]
    lines += [f"DELETE_LABEL_FOR_LENGTH {x}" for x in draw(st.lists(st.sampled_from(TAGS), max_size=2))]
    lines += [f"QUOTE_LABEL {x}" for x in draw(st.lists(st.sampled_from(TAGS), max_size=5))]
    pair = st.tuples(st.sampled_from(labels + TAGS), st.sampled_from(labels + TAGS))
    lines += [f"EQ_LABEL {a} {b}" for a, b in draw(st.lists(pair, max_size=3))]
    pair = st.tuples(st.sampled_from(FORMS), st.sampled_from(FORMS))
    lines += [f"EQ_WORD {a} {b}" for a, b in draw(st.lists(pair, max_size=2))]
    return "\n".join(["# random rules", *draw(st.permutations(lines))]) + "\n"
