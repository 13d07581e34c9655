"""Random labels, words, trees and treebanks, with characters that often cause errors."""

from __future__ import annotations

from hypothesis import strategies as st

MARKS = "@|^/+~%-=*<>$#&.,:;_'\"`\\!?{}[]"
"""Characters that tools use for themselves and that treebanks have in labels and words all the same."""

LETTERS = "ABxyz019éßİ中\u200a\u00a0\u2028\u0303\u0085"
"""Among them a hair space, a no-break space, a line separator and a combining tilde: no ASCII blanks."""


def _text(alphabet, size):
    return st.text(alphabet, min_size=1, max_size=size)


labels = st.one_of(
    st.sampled_from(["S", "NP", "VP", "NP-SBJ", "VP=2", "@VP", "S|VP", "ADVP|PRT", "X^S", "A/l", "A+B", "%40", "TOP"]),
    _text(MARKS + LETTERS, 5),
)
"""Any text that can be a label."""

tags = st.one_of(
    st.sampled_from(["NN", "NNS-4", "-LRB-", "PRP$", "$", ",", "``", "-NONE-", "NP", "#", "NN=1-2"]),
    _text(MARKS + LETTERS, 4),
)

words = st.one_of(
    st.sampled_from(["dog", "@", "_", "*", "***", "-LRB-", "3\\/4", "\\(", "a\\)", "1:30", "[", "a\\"]),
    _text(MARKS + LETTERS, 6),
)
"""Any text that can be a word; bracketed words carry a backslash before the bracket."""

few_labels = st.sampled_from(["S", "NP", "VP", "PP", "TOP"])
few_tags = st.sampled_from(["NN", "VB", "DT", "."])
few_words = st.sampled_from(["a", "b", "c", "D"])


def trees(label=labels, tag=tags, word=words, max_leaves=8, max_children=4, nameless=False):
    """Nested tuples as in `oracles`."""
    phrase_label = st.one_of(label, st.just("")) if nameless else label
    return st.recursive(
        st.tuples(tag, word),
        lambda below: st.tuples(phrase_label, st.lists(below, min_size=1, max_size=max_children).map(tuple)),
        max_leaves=max_leaves,
    )


def treebanks(tree=None, max_size=5, **options):
    """Lists of trees."""
    return st.lists(trees(**options) if tree is None else tree, min_size=1, max_size=max_size)


raw_treebanks = st.lists(st.one_of(st.none(), trees(nameless=True)), max_size=5)
"""As annotators leave them: null trees, nodes without a label, traces, indices."""

small_treebanks = treebanks(label=few_labels, tag=few_tags, word=few_words, max_leaves=10)
"""Few different labels and words, so that symbols and rules come up again."""


@st.composite
def layouts(draw, text):
    """The same trees with other blanks: several, line ends, or none where none is needed."""
    blank = st.text(" \t\r\n\f\v", min_size=1, max_size=3)
    pieces = []
    for piece in text.split(" "):
        pieces += [piece, draw(blank)]
    return draw(st.sampled_from(["", "\n", "  "])) + "".join(pieces)
