"""The lexicon: which words have entries of their own, and the classes of the others."""

from __future__ import annotations

from dataclasses import asdict, replace
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import words

from lpcfg_cli.config import LexiconSettings
from lpcfg_cli.embeddings.clusters import WordClusters, cluster_words, nearest_words
from lpcfg_cli.embeddings.vectors import Embeddings
from lpcfg_cli.errors import ConfigError
from lpcfg_cli.grammar.archive import lexicon_arrays, lexicon_from_arrays
from lpcfg_cli.grammar.lexicon import (
    CLASS_MARK,
    CLUSTER_MARK,
    Lexicon,
    frequent_words,
    learn_lexicon,
    learn_suffixes,
    signature,
)


def lexicon(counts, **options):
    return learn_lexicon(counts, LexiconSettings(**{"max_suffixes": 0, **options}))


COUNTS = [("The", "DT", 4), ("the", "DT", 5), ("dog", "NN", 3), ("saw", "NN", 2), ("saw", "VBD", 1), ("Ann", "NNP", 2)]


def test_words_at_the_threshold_are_kept_and_counted_over_their_tags():
    assert [e for e in lexicon(COUNTS, rare_below=3).entries if not e.startswith(CLASS_MARK)] == ["dog", "saw", "the"]
    assert [e for e in lexicon(COUNTS, rare_below=4).entries if not e.startswith(CLASS_MARK)] == ["the"]


def test_a_threshold_of_one_keeps_every_training_word():
    learnt = lexicon(COUNTS, rare_below=1)
    assert learnt.entries == ("ann", "dog", "saw", "the")
    assert learnt.entry("cat") == -1


def test_words_are_counted_lower_cased_only_if_so_set():
    learnt = lexicon(COUNTS, rare_below=5, lowercase=False)
    assert learnt.entries[0] == "the"
    assert learnt.entry("The") == learnt.entry("Ann") == learnt.entries.index(CLASS_MARK + "C")
    learnt = lexicon(COUNTS, rare_below=5)
    assert learnt.entry("The") == learnt.entry("THE") == learnt.entry("the") == 0


def test_classes_see_the_word_as_written():
    learnt = lexicon(COUNTS, rare_below=9)
    assert learnt.entries == ("the", CLASS_MARK, CLASS_MARK + "C")
    assert (learnt.entry("dog"), learnt.entry("Dog"), learnt.entry("Ann")) == (1, 2, 2)


def test_the_tag_scheme_has_one_class():
    learnt = lexicon(COUNTS, rare_below=9, classes="tag")
    assert learnt.entries == ("the", CLASS_MARK)
    assert learnt.entry("Ann") == learnt.entry("x-1999") == 1


def test_a_class_that_training_never_saw_is_unknown():
    learnt = lexicon(COUNTS, rare_below=9)
    assert learnt.entry("1999") == learnt.class_entry("1999") == -1
    assert learnt.class_entry("the") == 1


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("dot", ""), ("Dot", "C"), ("DOT", "A"), ("I", "A"), ("McX", "C"), ("3", "#"), ("B52", "#A"), ("b52", "#"),
        ("well-known", "-"), ("Anglo-Saxon", "C-"), ("-x", ""), ("-", ""), ("1990-91", "#-"), ("running", "~ing"),
        ("RUNNING", "A~ing"), ("King", "C~ing"), ("ing", "~g"), ("g", ""), ("strings", "~s"), ("s", ""),
        ("half-living", "-~ing"), ("Éire", "C"), ("é", ""),
    ],
)  # fmt: skip
def test_signatures(word, name):
    assert signature(word, frozenset({"ing", "g", "s"}), 3) == name


def test_longer_suffixes_go_before_shorter_ones():
    suffixes = frozenset({"n", "on", "tion"})
    assert [signature("nation", suffixes, longest) for longest in (4, 3, 2, 1)] == ["~tion", "~on", "~on", "~n"]


@given(
    st.lists(st.tuples(words, st.sampled_from(["NN", "VB"]), st.integers(1, 30)), min_size=1),
    st.builds(
        LexiconSettings,
        rare_below=st.integers(1, 40),
        lowercase=st.booleans(),
        classes=st.sampled_from(["signature", "tag"]),
    ),
)
def test_every_training_word_has_an_entry_and_every_entry_is_used(counts, settings):
    learnt = learn_lexicon(counts, settings)
    used = {learnt.entry(word) for word, _, _ in counts}
    assert used == set(range(len(learnt.entries)))
    total = {}
    for word, _, count in counts:
        total[learnt.normalise(word)] = total.get(learnt.normalise(word), 0) + count
    for word, _, _ in counts:
        kept = total[learnt.normalise(word)] >= settings.rare_below
        expected = learnt.normalise(word) if kept else learnt.class_name(word)
        assert learnt.entries[learnt.entry(word)] == expected


@given(st.permutations(COUNTS))
def test_the_order_of_the_counts_does_not_matter(counts):
    assert lexicon(counts, rare_below=3, max_suffixes=5) == lexicon(COUNTS, rare_below=3, max_suffixes=5)


def test_a_lexicon_equals_one_of_the_same_fields():
    settings = LexiconSettings()
    assert Lexicon(("a",), (), settings) == Lexicon(("a",), (), settings) != Lexicon(("b",), (), settings)


STEMS = ["b" + x + y for x in "aeiou" for y in "bdfklmprtv"]


def planted(endings):
    """Every stem with every ending under its tag, once."""
    return [(stem + ending, tag, 1) for ending, tag in endings.items() for stem in STEMS]


def suffixes(rare, **options):
    return set(learn_suffixes(rare, LexiconSettings(**options)))


def test_planted_suffixes_are_found():
    planted_ones = {"ing": "VBG", "ed": "VBD", "tion": "NN", "ly": "RB"}
    found = suffixes(planted(planted_ones))
    assert len(found) == 3  # all that end in none of three are the fourth
    classes = {signature("xyz" + ending, frozenset(found), 4) for ending in planted_ones}
    assert len(classes) == 4


def test_a_chosen_suffix_leaves_nothing_for_its_parts():
    rare = planted({"ing": "VBG", "ek": "JJ", "or": "NN", "us": "NNS"})
    assert len(suffixes(rare)) == 3


def test_a_longer_suffix_must_tell_more_than_the_chosen_shorter_one():
    # s is mostly NNS, but ss is NN, and us neither adds nor takes
    rare = planted({"as": "NNS", "os": "NNS", "us": "NNS", "ss": "NN", "a": "NN", "o": "NN"})
    assert suffixes(rare) == {"s", "ss"}


def test_words_with_digits_teach_no_suffix():
    rare = planted({"5": "CD", "x": "NN", "7": "CD"})
    assert suffixes(rare) == set()


def test_rare_endings_are_left_alone():
    rare = planted({"o": "NN", "e": "NN"}) + [(f"w{x}ing", "VBG", 1) for x in "abcdefghijklmnopqrs"]
    assert not any("ing".endswith(suffix) for suffix in suffixes(rare))
    assert suffixes([*rare, ("wting", "VBG", 1)]) == {"g"}


def test_at_most_as_many_suffixes_as_set_and_no_longer_than_set():
    rare = planted({"ing": "VBG", "ed": "VBD", "ation": "NN", "ly": "RB", "ous": "JJ"})
    assert len(suffixes(rare, max_suffixes=2)) == 2
    assert suffixes(rare, max_suffixes=0) == set()
    rare = planted({"xan": "A", "yan": "B", "xen": "C", "yen": "D"})
    assert max(map(len, suffixes(rare, suffix_length=2))) <= 2
    assert max(map(len, suffixes(rare, suffix_length=3))) == 3


def test_endings_that_tell_nothing_are_not_chosen():
    rare = [(stem + ending, tag, 1) for stem in STEMS for ending in ("xo", "xi") for tag in ("NN", "VB")]
    assert suffixes(rare) == set()


def test_a_whole_word_is_no_suffix():
    assert suffixes([("ab", "NN", 500), ("b", "VB", 500)]) == {"b"}
    assert suffixes([("b", "NN", 500), ("c", "VB", 500)]) == set()
    assert suffixes([]) == set()


def naive_gain(rare, chosen, suffix):
    """Log-likelihood of the tags with a suffix added to the chosen ones, less that without."""

    def likelihood(ends):
        groups = {}
        for word, tag, count in rare:
            longest = max((end for end in ends if word.endswith(end) and word != end), key=len, default="")
            groups.setdefault(longest, {}).setdefault(tag, []).append(count)
        total = 0.0
        for tags in groups.values():
            n = sum(sum(counts) for counts in tags.values())
            total += sum(sum(counts) * log(sum(counts) / n) for counts in tags.values())
        return total

    return likelihood({*chosen, suffix}) - likelihood(chosen)


@given(
    st.lists(st.tuples(st.text("abc", min_size=1, max_size=5), st.sampled_from("NVA"), st.integers(1, 60)), max_size=25)
)
def test_each_choice_is_the_one_that_gains_most(rare):
    chosen: list[str] = []
    ends = {word[-n:] for word, _, _ in rare for n in range(1, min(3, len(word) - 1) + 1)}

    def tokens(suffix):
        longer = [end for end in chosen if len(end) > len(suffix) and end.endswith(suffix)]
        mine = [item for item in rare if item[0].endswith(suffix) and item[0] != suffix]
        return sum(n for word, _, n in mine if not any(word.endswith(end) and word != end for end in longer))

    for n in range(1, 4):
        found = suffixes(rare, max_suffixes=n, suffix_length=3)
        gains = {end: naive_gain(rare, chosen, end) for end in ends - set(chosen) if tokens(end) >= 20}
        best = max(gains.values(), default=0.0)
        new = found - set(chosen)
        if best < 10 - 1e-6:
            assert not new
            break
        if best > 10 + 1e-6:
            assert gains[new.pop()] == pytest.approx(best)
        chosen = sorted(found)


CLUSTERS = WordClusters(("dog", "cat", "Ann", "rat"), np.array([3, 3, 1, 0], np.int32))
EIGENWORDS = LexiconSettings(rare_below=50, classes="eigenwords", embeddings="x.npz", max_suffixes=0)


def with_clusters():
    return learn_lexicon(
        [("dog", "NN", 15), ("Cat", "NN", 5), ("Ann", "NNP", 19), ("the", "DT", 60)], EIGENWORDS, CLUSTERS
    )


def test_clusters_of_enough_rare_tokens_are_classes_and_other_words_have_signatures():
    learnt = with_clusters()
    assert learnt.entries == ("the", f"{CLUSTER_MARK}3", CLASS_MARK + "C")
    assert learnt.class_name("cat") == learnt.class_name("DOG") == f"{CLUSTER_MARK}3"
    assert learnt.class_name("Ann") == CLASS_MARK + "C"
    assert learnt.class_name("rat") == learnt.class_name("zebra") == CLASS_MARK
    assert learnt.entry("cat") == learnt.entries.index(f"{CLUSTER_MARK}3")
    assert learnt.entry("the") == 0


def test_a_stored_lexicon_has_the_clusters_of_all_words():
    learnt = with_clusters()
    arrays = {name: array.values for name, array in lexicon_arrays(learnt).items()}
    same = lexicon_from_arrays(arrays, {"lexicon": asdict(learnt.settings)})
    assert same.entries == learnt.entries
    for word in ("cat", "Dog", "Ann", "zebra", "the"):
        assert (same.entry(word), same.class_name(word)) == (learnt.entry(word), learnt.class_name(word))


def test_lexica_without_clusters_are_stored_as_before():
    assert not [name for name in lexicon_arrays(lexicon(COUNTS)) if "cluster" in name]


def test_words_of_one_direction_are_a_cluster():
    vectors = np.array([[1, 0], [5, 0.1], [0, 1], [0.1, 3]], np.float32)
    found = cluster_words(Embeddings(("a", "b", "c", "d"), vectors), 2)
    assert found.of("a") == found.of("B") != found.of("c") == found.of("d")
    assert found.of("e") is None


NEIGHBOURS = Embeddings(
    ("the", "dog", "hound", "pony", "cat", "far"),
    np.array([[1, 0, 0], [0, 1, 0], [0, 1, 0.5], [0, 0.2, 1], [0, 0, 1], [-1, 0, 0]], np.float32),
)


def test_the_nearest_known_word_is_that_of_a_loop():
    rng = np.random.default_rng(0)
    words = [f"w{k}" for k in range(3000)]
    found = Embeddings(tuple(words), rng.standard_normal((3000, 4)).astype(np.float32))
    known, others = ["w9", "W2", "nowhere", "w2"], {"w7"}
    near = nearest_words(found, known, others, 0.3)
    for word in ("w2", "w9", "w7", "nothing"):
        assert near.of(word) is None
    for k in (0, 8, 1100, 2999):
        cosine = {place: float(found.directions[k] @ found.directions[int(known[place][1:])]) for place in (0, 1)}
        best = max(cosine, key=cosine.get)
        assert near.of(words[k]) == (best if cosine[best] >= 0.3 else None)
    assert nearest_words(found, ["nowhere"], set(), 0.3).words == ()


def test_unknown_words_have_the_entry_of_the_nearest_known_word_and_then_their_class():
    settings = replace(EIGENWORDS, eigenwords="nearest", similarity=0.5)
    counts = [("dog", "NN", 60), ("cat", "NN", 60), ("the", "DT", 60), ("Pony", "NN", 3)]
    near = nearest_words(NEIGHBOURS, frequent_words(counts, settings), {word.lower() for word, _, _ in counts}, 0.5)
    learnt = learn_lexicon(counts, settings, near)
    entry_of = {word: learnt.entries[learnt.entry(word)] for word in ("dog", "hound", "Hound", "Pony")}
    assert entry_of == {"dog": "dog", "hound": "dog", "Hound": "dog", "Pony": CLASS_MARK + "C"}
    assert learnt.class_name("Hound") == CLASS_MARK + "C"
    assert learnt.class_entry("Hound") == learnt.entry("Zebra") == learnt.entry("Far")
    arrays = {name: array.values for name, array in lexicon_arrays(learnt).items()}
    stored = {"lexicon": asdict(settings)}
    same = lexicon_from_arrays(arrays, stored)
    assert (same.entry("hound"), same.entry("Pony")) == (learnt.entry("hound"), learnt.entry("Pony"))
    for number in (-1, len(learnt.entries)):
        wrong = np.full_like(arrays["lexicon_cluster"], number)
        with pytest.raises(ValueError, match="lexicon_cluster"):
            lexicon_from_arrays({**arrays, "lexicon_cluster": wrong}, stored)


def test_eigenwords_need_embeddings():
    with pytest.raises(ConfigError, match="there are no embeddings"):
        LexiconSettings(classes="eigenwords")
