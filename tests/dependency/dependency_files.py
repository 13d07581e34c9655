"""Small dependency files, and random ones."""

from __future__ import annotations

from hypothesis import strategies as st

from lpcfg_cli.dependency.trees.conll import read_conll


def conll(words):
    """The text of a sentence of (form, tag, head, relation)."""
    lines = [
        f"{number}\t{form}\t_\t{tag}\t{tag}\t_\t{head}\t{relation}\t_\t_\n"
        for number, (form, tag, head, relation) in enumerate(words, 1)
    ]
    return "".join(lines) + "\n"


def sentences_of(text, name="x.conll", needs_heads=True):
    return list(read_conll(text.split("\n"), name, needs_heads))


@st.composite
def heads_of(draw, n):
    """Heads of a random tree, possibly with several roots."""
    order = draw(st.permutations(range(1, n + 1)))
    heads = [0] * n
    for place, word in enumerate(order):
        heads[word - 1] = draw(st.sampled_from([0, *order[:place]]))
    return heads


@st.composite
def two_analyses(draw):
    """The texts of gold and test files with the same words."""
    gold, test = "", ""
    for _ in range(draw(st.integers(1, 4))):
        n = draw(st.integers(1, 7))
        forms = [draw(st.sampled_from(["a", "b", ".", "--", "a.", "$", "«", "_"])) for _ in range(n)]
        tags = [draw(st.sampled_from(["NN", ".", ":"])) for _ in range(n)]
        relations = st.lists(st.sampled_from(["nsubj", "nsubj:pass", "case", "punct"]), min_size=n, max_size=n)
        gold += conll(zip(forms, tags, draw(heads_of(n)), draw(relations), strict=True))
        test += conll(zip(forms, tags, draw(heads_of(n)), draw(relations), strict=True))
    return gold, test
