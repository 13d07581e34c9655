"""WordNet's similarities: against the least over all pairs of senses and all their common ancestors."""

from __future__ import annotations

import math
from itertools import product

import pytest
from toy_wordnet import ENTITY, POODLE, SENSES, WORDS, ToyReader

from lpcfg_cli.sts.comparison import Resources
from lpcfg_cli.sts.metrics import measure, metrics_of
from lpcfg_cli.sts.wordnet import WordNet, ancestors, open_wordnet
from lpcfg_cli.sts.words import count_words, words_of

COUNT = {"dog": 6, "poodle": 2, "animal": 1, "run": 3, "think": 2, "unheard": 9}


def toy_wordnet():
    return WordNet(ToyReader(), COUNT)


def all_ancestors(sense):
    """Every chain upwards, by recursion."""
    yield sense, 0
    for up in (*sense.above, *sense.instance_of):
        yield from ((other, steps + 1) for other, steps in all_ancestors(up))


def content(sense):
    """−log p of a sense with one count added, its count from the words whose senses are below it."""

    def total(is_below):
        shares = (
            count / len(same)
            for word, count in COUNT.items()
            for same in [[other for other in WORDS.get(word, []) if other.pos() == sense.pos()]]
            for other in same
            if is_below(other)
        )
        return sum(shares)

    below = total(lambda other: sense.name() in {up.name() for up, _ in all_ancestors(other)})
    return math.log((total(lambda other: True) + 1) / (below + 1))


def jiang_conrath(first, second):
    common = {up.name(): up for up, _ in all_ancestors(first)}.keys() & {up.name() for up, _ in all_ancestors(second)}
    shared = max((content(sense) for sense in SENSES if sense.name() in common), default=0.0)
    return 1 / (1 + content(first) + content(second) - 2 * shared)


def test_ancestors_are_those_of_every_chain_with_the_fewest_edges():
    found = ancestors(POODLE)
    expected = {}
    for sense, steps in all_ancestors(POODLE):
        expected[sense.name()] = min(steps, expected.get(sense.name(), steps))
    assert found == {**expected, "*n": 4}
    assert ancestors(ENTITY) == {"entity.n.01": 0, "*n": 1}


ASKED = ["dog", "poodle", "rex", "thing", "run", "think", "zebra"]


@pytest.mark.parametrize(("first", "second"), list(product(ASKED, repeat=2)))
def test_words_are_as_similar_as_their_nearest_senses(first, second):
    wordnet = toy_wordnet()
    senses = [(a, b) for a in WORDS.get(first, []) for b in WORDS.get(second, []) if a.pos() == b.pos()]
    shared = [
        steps + other_steps
        for a, b in senses
        for up, steps in all_ancestors(a)
        for other, other_steps in all_ancestors(b)
        if up.name() == other.name()
    ]
    if senses and not shared:  # verbs without a common ancestor meet above their topmost ones
        shared = [sum(max(steps for _, steps in all_ancestors(sense)) + 1 for sense in pair) for pair in senses]
    assert wordnet.path(first, second) == pytest.approx(1 / (1 + min(shared)) if shared else 0)
    expected = max((jiang_conrath(a, b) for a, b in senses), default=0)
    assert wordnet.information(first, second) == pytest.approx(expected, abs=1e-12)


def test_glosses_that_share_words_are_similar_across_parts_of_speech():
    wordnet = toy_wordnet()
    # "an animal that barks" and "an animal kept at home" share two words
    assert wordnet.gloss("dog", "pet") == pytest.approx(2 / math.sqrt(4 * 5))
    # "a living being that moves" and "which moves at speed"
    assert wordnet.gloss("animal", "fast") == pytest.approx(1 / math.sqrt(5 * 4))
    assert wordnet.gloss("animal", "zebra") == 0


def test_sentences_are_compared_by_the_matrix_of_their_words():
    wordnet = toy_wordnet()
    w = wordnet.matrix(WordNet.path, ("dog", "zebra"), ("pet", "zebra", "poodle"))
    assert w.tolist() == [[1 / 3, 0, 1 / 2], [0, 1, 0]]
    resources = Resources(count_words([words_of("dog zebra"), words_of("pet zebra poodle")], 0.4), 3, None, wordnet)
    metrics = metrics_of(("wordnet",), resources)
    values = measure([("dog zebra", "pet zebra poodle")], metrics, resources)[0]
    found = dict(zip([one.name for one in metrics], values, strict=True))
    assert found["path"] == pytest.approx(w.sum() / math.sqrt(6))
    # weights: log(3/2) for all but the zebra, whose weight is 0
    assert found["path-alignment"] == pytest.approx((1 / 2 + (1 / 3 + 1 / 2) / 2) / 2)


def test_paths_are_those_of_nltk_where_wordnet_is_installed():
    wordnet = open_wordnet(COUNT)
    if wordnet is None:
        pytest.skip("NLTK has no WordNet: python -m nltk.downloader wordnet")
    reader = wordnet.reader
    for first, second in product(["dog", "cat", "run", "walk", "Rome", "idea", "be"], repeat=2):
        senses = [(a, b) for pos in "nv" for a in reader.synsets(first, pos) for b in reader.synsets(second, pos)]
        expected = max((a.path_similarity(b) or 0 for a, b in senses), default=0)
        assert wordnet.path(first, second) == pytest.approx(expected)
