"""The shares of words in their classes, and the counts from which they are computed."""

from __future__ import annotations

from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpcfg_cli.config import LexiconSettings
from lpcfg_cli.grammar.archive import lexicon_arrays, lexicon_from_arrays
from lpcfg_cli.grammar.lexicon import CLASS_MARK, Lexicon, learn_lexicon
from lpcfg_cli.grammar.rare_words import RareWords
from lpcfg_cli.grammar.word_shares import Known, WordShares

COUNTS = [("the", "DT", 9), ("dog", "NN", 3), ("saw", "NN", 1), ("saw", "VBD", 2), ("cat", "NN", 1), ("Ann", "NNP", 1)]


def learnt(counts=COUNTS, **options):
    return learn_lexicon(counts, LexiconSettings(**{"max_suffixes": 0, "rare_below": 5, "classes": "tag", **options}))


def test_shares_of_a_small_class():
    shares = WordShares(learnt())
    entry, known = shares.entry("dog")
    assert known == Known.CLASS and shares.lexicon.entries[entry] == CLASS_MARK
    # five pairs, of which three occur once (saw/NN, cat/NN, Ann/NNP), two with a word that occurs only there
    unknown = (2 + 0.5) / (3 + 1)
    assert shares.share("wug", entry, "NN", Known.UNKNOWN) == pytest.approx(3 * unknown / (5 + 3))
    assert shares.share("dog", entry, "NN", known) == pytest.approx((3 + 3 * (1 - unknown) * 3 / 8) / (5 + 3))
    assert shares.share("dog", entry, "VBD", known) == pytest.approx(1 * (1 - unknown) * 3 / 8 / (2 + 1))
    assert shares.share("dog", entry, "JJ", known) == pytest.approx((1 - unknown) * 3 / 8)


def test_what_is_known_of_words():
    shares = WordShares(learnt(classes="signature"))
    entries = shares.lexicon.entries
    assert shares.entry("The") == (entries.index("the"), Known.WORD)
    assert shares.entry("dog") == (entries.index(CLASS_MARK), Known.CLASS)
    assert shares.entry("DOG") == (entries.index(CLASS_MARK), Known.UNKNOWN)  # the treebank has no class of capitals
    assert shares.entry("Bob") == (entries.index(CLASS_MARK + "C"), Known.UNKNOWN)
    assert shares.entry("B-52") == (entries.index(CLASS_MARK), Known.UNKNOWN)


def test_without_classes_all_other_words_are_unknown_and_have_no_entry():
    shares = WordShares(learnt(rare_below=1))
    assert shares.is_complete and shares.entry("wug") == (-1, Known.UNKNOWN)


def test_a_lexicon_whose_rare_words_were_not_counted_is_not_complete():
    found = learnt()
    assert WordShares(found).is_complete
    assert not WordShares(Lexicon(found.entries, found.suffixes, found.settings)).is_complete


@given(
    st.lists(st.tuples(st.text("abA-1", min_size=1, max_size=3), st.sampled_from("NV"), st.integers(1, 4)), min_size=1),
    st.builds(LexiconSettings, rare_below=st.integers(2, 9), lowercase=st.booleans(), max_suffixes=st.just(0)),
)
def test_the_shares_of_a_class_sum_to_one(counts, settings):
    lexicon = learn_lexicon(counts, settings)
    shares = WordShares(lexicon)
    words = {(shares.entry(word), lexicon.normalise(word)): word for word, _, _ in counts}
    for entry, name in enumerate(lexicon.entries):
        if name.startswith(CLASS_MARK):
            for tag in "NVX":
                own = [w for ((e, known), _), w in words.items() if e == entry and known == Known.CLASS]
                parts = [shares.share(word, entry, tag, Known.CLASS) for word in own]
                parts.append(shares.share("?", entry, tag, Known.UNKNOWN))
                assert sum(parts) == pytest.approx(1.0) and min(parts) > 0


def test_rare_words_are_counted_as_written_and_stored():
    found = learnt()
    assert found.rare == RareWords(
        ("Ann", "cat", "dog", "saw", "saw"), ("NNP", "NN", "NN", "NN", "VBD"), (1, 1, 3, 1, 2)
    )
    arrays = {name: array.values for name, array in lexicon_arrays(found).items()}
    assert lexicon_from_arrays(arrays, {"lexicon": asdict(found.settings)}) == found


@pytest.mark.parametrize("wrong", [[1, 1, 3, 1], [1, 1, 3, 1, 0]])
def test_counts_that_do_not_fit_are_refused(wrong):
    arrays = {name: array.values for name, array in lexicon_arrays(learnt()).items()}
    arrays["lexicon_rare_count"] = arrays["lexicon_rare_count"][: len(wrong)]
    arrays["lexicon_rare_count"][:] = wrong
    with pytest.raises(ValueError, match="do not agree"):
        lexicon_from_arrays(arrays, {"lexicon": asdict(learnt().settings)})
