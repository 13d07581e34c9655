"""Attachment scores against the evaluations of CoNLL-X and CoNLL 2018, written here from what they count."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest
from dependency_files import conll, sentences_of, two_analyses
from hypothesis import given
from hypothesis import strategies as st

from lpcfg_cli.dependency.trees.aligned_scores import aligned_scores
from lpcfg_cli.dependency.trees.aligned_words import align_words, text_words
from lpcfg_cli.dependency.trees.evaluate import compare_attachment, evaluate_dependencies
from lpcfg_cli.dependency.trees.scores import HEADS, paired_counts, score_dependencies
from lpcfg_cli.errors import InputError
from lpcfg_cli.evaluation.significance import SignificanceSettings

GOLD = conll(
    [
        ("John", "NNP", 2, "nsubj"),
        ("ate", "VBD", 0, "root"),
        ("-", ":", 2, "punct"),
        ("5", "CD", 6, "nummod"),
        ("%", "NN", 6, "compound"),
        ("fish", "NN", 2, "obj"),
        (".", ".", 2, "punct"),
    ]
) + conll([("...", ":", 0, "root")])


def changed(text, *changes):
    """The text with other heads and relations: (line, head, relation), lines counted from 0."""
    lines = text.split("\n")
    for line, head, relation in changes:
        fields = lines[line].split("\t")
        fields[6:8] = str(head), relation
        lines[line] = "\t".join(fields)
    return "\n".join(lines)


# a wrong head, a wrong relation, both wrong on a full stop
TEST = changed(GOLD, (3, 5, "nummod"), (5, 2, "iobj"), (6, 6, "dep"))

IS_PUNCTUATION = {
    "unicode": lambda form, tag, relation: re.fullmatch(r"[.«_\-]+", form) is not None,
    "tag": lambda form, tag, relation: tag in {"``", "''", ":", ",", "."},
    "relation": lambda form, tag, relation: relation.split(":")[0] == "punct",
}


def conll_x(gold, test, is_punctuation):
    """Counts of eval.pl, and sentences all right, from the columns of the two texts."""
    words = heads = labels = both = 0
    sentences = complete = labelled = 0
    for one, other in zip(gold.strip("\n").split("\n\n"), test.strip("\n").split("\n\n"), strict=True):
        wrong = missed = n = 0
        for a, b in zip(one.split("\n"), other.split("\n"), strict=True):
            _, form, _, tag, _, _, head, relation, *_ = a.split("\t")
            if is_punctuation(form, tag, relation):
                continue
            test_head, test_relation = b.split("\t")[6:8]
            n += 1
            heads += head == test_head
            labels += relation == test_relation
            both += (head, relation) == (test_head, test_relation)
            wrong += head != test_head
            missed += (head, relation) != (test_head, test_relation)
        words += n
        sentences += n > 0
        complete += n > 0 and not wrong
        labelled += n > 0 and not missed
    return sentences, words, heads, labels, both, complete, labelled


def figures(counts):
    names = ("sentences", "words", "heads", "labels", "both", "complete_heads", "complete")
    return tuple(getattr(counts, name) for name in names)


def report_of(gold, test, *options):
    return evaluate_dependencies(sentences_of(gold), sentences_of(test), *options)


def test_figures_of_a_small_file():
    counts = score_dependencies(sentences_of(GOLD), sentences_of(TEST))
    # "-", "%" and "." are punctuation in Unicode, and so is "..."
    assert figures(counts) == (1, 4, 3, 3, 2, 0, 0)
    assert (counts.uas, counts.las, counts.label_accuracy) == (75.0, 50.0, 75.0)
    by_tag = score_dependencies(sentences_of(GOLD), sentences_of(TEST), "tag")
    assert figures(by_tag) == (1, 5, 4, 4, 3, 0, 0)
    report = report_of(GOLD, TEST)
    assert figures(report.attachment.all) == (2, 8, 6, 6, 5, 1, 1)
    assert report.attachment.all.complete_match == 50.0


@pytest.mark.parametrize("name", IS_PUNCTUATION)
@given(two_analyses())
def test_counts_are_those_of_conll_x(name, texts):
    gold, test = texts
    report = report_of(gold, test, name).attachment
    assert figures(report.counted) == conll_x(gold, test, IS_PUNCTUATION[name])
    assert figures(report.all) == conll_x(gold, test, lambda *word: False)


@given(two_analyses())
def test_breakdowns_are_over_the_same_words(texts):
    report = report_of(*texts, "tag").attachment
    counts = report.counted
    assert sum(row.gold for row in report.relations) == counts.words == sum(row.test for row in report.relations)
    assert sum(row.matched for row in report.relations) == counts.both
    assert sum(row.gold for row in report.arcs) == counts.words == sum(row.test for row in report.arcs)
    assert sum(row.matched for row in report.arcs) == counts.heads
    assert sum(row.counts.words for row in report.lengths) == counts.words
    assert sum(row.counts.complete for row in report.lengths) == counts.complete


def test_breakdowns_of_a_small_file():
    report = report_of(GOLD, TEST, "relation").attachment
    rows = {row.name: (row.gold, row.test, row.matched) for row in report.relations}
    assert rows == {
        "root": (2, 2, 2),
        "compound": (1, 1, 1),
        "nsubj": (1, 1, 1),
        "nummod": (1, 1, 0),
        "obj": (1, 0, 0),
        "iobj": (0, 1, 0),
    }
    arcs = {row.name: (row.gold, row.test, row.matched) for row in report.arcs}
    assert arcs == {"root": (2, 2, 2), "1": (2, 3, 2), "2": (1, 0, 0), "3-6": (1, 1, 1)}
    assert [(row.shortest, row.longest, row.counts.words) for row in report.lengths] == [(1, 10, 6)]


def test_a_missing_head_is_wrong():
    test = TEST.replace("\t2\tnsubj", "\t_\tnsubj")
    counts = score_dependencies(sentences_of(GOLD), sentences_of(test, needs_heads=False))
    assert counts.heads == 2


def test_words_that_differ_are_named_with_their_places():
    with pytest.raises(InputError, match=r"y:6: sentence 1 has 'eggs', but 'fish' in gold \(x\.conll:6\)\. Both must"):
        evaluate_dependencies(sentences_of(GOLD), sentences_of(GOLD.replace("fish", "eggs"), "y"))
    shorter = GOLD.replace("7\t.\t_\t.\t.\t_\t2\tpunct\t_\t_\n", "")
    with pytest.raises(InputError, match="y:1: sentence 1 has 6 words, but 7 in gold"):
        evaluate_dependencies(sentences_of(GOLD), sentences_of(shorter, "y"))
    with pytest.raises(InputError, match=r"1 sentence in test, but 2 in gold: .* only gold has is at x\.conll:9"):
        evaluate_dependencies(sentences_of(GOLD), sentences_of(GOLD)[:1])
    with pytest.raises(InputError, match="COMBINING ACUTE"):
        evaluate_dependencies(sentences_of(GOLD), sentences_of(GOLD.replace("fish", "fish\u0301"), "y"))


def test_places_count_comments_and_tokens_between_words():
    text = "# a\n1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_\n" + conll([("a", "T", 0, "r"), ("b", "T", 1, "r")]).replace(
        "2\tb", "# c\n2\tb"
    )
    (sentence,) = sentences_of(text)
    assert [sentence.place_of_word(k) for k in (1, 2)] == ["x.conll:3", "x.conll:5"]


def test_significance_is_over_words_of_sentences():
    gold = GOLD * 30
    a, b = report_of(gold, TEST * 30).attachment, report_of(gold, gold).attachment
    found = compare_attachment(a, b, SignificanceSettings(samples=200))
    assert (found.uas.f1_a, found.uas.f1_b, found.las.f1_a) == (75.0, 100.0, 50.0)
    assert (found.uas.low, found.uas.high, found.uas.p_value) == (25.0, 25.0, pytest.approx(1 / 201))
    assert compare_attachment(a, a).las.p_value == 1.0
    assert np.array_equal(paired_counts(a.rows, b.rows, HEADS)[0], [3, 4, 4, 4, 4, 4])


# what follows is of the evaluation of CoNLL 2018


def text_of(tokens):
    """One sentence of tokens; "abc a b c" is the token abc of three words.  All words hang from the first."""
    text, number = "", 0
    for token in tokens:
        whole, *parts = token.split(" ")
        if parts:
            text += f"{number + 1}-{number + len(parts)}\t{whole}" + "\t_" * 8 + "\n"
        for form in parts or [whole]:
            number += 1
            text += f"{number}\t{form}\t_\tT\tT\t_\t{int(number > 1)}\tdep\t_\t_\n"
    return text + "\n"


def n_aligned(gold, test):
    pairs = align_words(text_words(sentences_of(text_of(gold))), text_words(sentences_of(text_of(test))))
    assert pairs == sorted(pairs) and len(set(dict(pairs).values())) == len(pairs)
    return len(pairs)


@pytest.mark.parametrize(
    ("gold", "test", "aligned"),
    [  # those of the shared task's own tests
        (["a"], ["a"], 1),
        (["a", "b", "c"], ["a", "b", "c"], 3),
        (["abc a b c"], ["a", "b", "c"], 3),
        (["a", "bc b c", "d"], ["a", "b", "c", "d"], 4),
        (["abcd a b c d"], ["ab a b", "cd c d"], 4),
        (["abc a b c", "de d e"], ["a", "bcd b c d", "e"], 5),
        (["abcd"], ["a", "b", "c", "d"], 0),
        (["abc", "d"], ["a", "b", "c", "d"], 1),
        (["a", "bc", "d"], ["a", "b", "c", "d"], 2),
        (["a", "bc b c", "d"], ["a", "b", "cd"], 2),
        (["abc a BX c", "def d EX f"], ["ab a b", "cd c d", "ef e f"], 4),
        (["ab a b", "cd bc d"], ["a", "bc", "d"], 2),
        (["a", "bc b c", "d"], ["ab AX BX", "cd CX a"], 1),
    ],
)
def test_words_are_aligned_as_in_conll_2018(gold, test, aligned):
    assert n_aligned(gold, test) == aligned


def cut(text, places):
    bounds = [0, *sorted(places), len(text)]
    return [text[a:b] for a, b in pairwise(bounds) if a < b]


@given(st.text("ab", min_size=1, max_size=12), st.data())
def test_tokens_of_one_word_are_aligned_if_their_characters_are_the_same(text, data):
    places = st.sets(st.integers(1, max(len(text) - 1, 1)))
    gold, test = cut(text, data.draw(places)), cut(text, data.draw(places))

    def spans(parts):
        return {(sum(map(len, parts[:k])), sum(map(len, parts[: k + 1]))) for k in range(len(parts))}

    assert n_aligned(gold, test) == len(spans(gold) & spans(test))


@given(two_analyses())
def test_of_the_same_words_all_scores_are_shares_of_words(texts):
    gold, test = (sentences_of(text) for text in texts)
    found = aligned_scores(gold, test)
    pairs = [
        (a.heads[k] == b.heads[k], *(s.relations[k].split(":")[0] for s in (a, b)))
        for a, b in zip(gold, test, strict=True)
        for k in range(len(a))
    ]
    n = len(pairs)
    assert (found["Words"].f1, found["Sentences"].f1) == (100.0, 100.0)
    assert found["UAS"].f1 == pytest.approx(100 * sum(right for right, *_ in pairs) / n)
    assert found["LAS"].f1 == pytest.approx(100 * sum(right and a == b for right, a, b in pairs) / n)
    content = [(right and a == b, a == "nsubj", b == "nsubj") for right, a, b in pairs]
    clas = found["CLAS"]
    assert (clas.gold, clas.test) == (sum(a for _, a, _ in content), sum(b for *_, b in content))
    assert clas.correct == sum(right and a for right, a, _ in content)


def test_aligned_scores_of_two_tokenisations():
    gold = conll(
        [("do", "T", 3, "aux"), ("n't", "T", 3, "advmod"), ("go", "T", 0, "root"), ("there", "T", 3, "obl:to")]
    )
    test = conll([("don't", "T", 2, "aux"), ("go", "T", 0, "root")]) + conll([("there", "T", 0, "root")])
    found = aligned_scores(sentences_of(gold), sentences_of(test))
    assert {name: (one.gold, one.test, one.correct) for name, one in found.items()} == {
        "Sentences": (1, 2, 0),
        "Words": (4, 3, 2),
        "UAS": (4, 3, 1),
        "LAS": (4, 3, 1),
        "CLAS": (3, 2, 1),
    }
    assert found["UAS"].f1 == pytest.approx(100 * 2 / 7)
    with_subtype = conll(
        [("do", "T", 3, "aux"), ("n't", "T", 3, "x"), ("go", "T", 0, "root"), ("there", "T", 3, "obl")]
    )
    assert aligned_scores(sentences_of(gold), sentences_of(with_subtype))["LAS"].correct == 3


def test_a_word_whose_head_is_not_aligned_is_wrong():
    gold = conll([("ab", "T", 0, "root"), ("c", "T", 1, "dep")])
    test = conll([("a", "T", 0, "root"), ("b", "T", 1, "dep"), ("c", "T", 2, "dep")])
    assert aligned_scores(sentences_of(gold), sentences_of(test))["UAS"].correct == 0


def test_texts_that_differ_are_not_aligned():
    gold, test = conll([("ab", "T", 0, "root"), ("c", "T", 1, "d")]), conll([("a", "T", 0, "root"), ("x", "T", 1, "d")])
    with pytest.raises(InputError, match=r"first at 'x' \(y:2\) of test and 'ab' \(x\.conll:1\) of gold"):
        aligned_scores(sentences_of(gold), sentences_of(test, "y"))


def test_blanks_in_forms_are_no_characters():
    gold, test = conll([("1 000", "T", 0, "root")]), conll([("1\u00a0000", "T", 0, "root")])
    assert aligned_scores(sentences_of(gold), sentences_of(test))["Words"].correct == 1


def test_words_that_differ_are_scored_where_they_are_aligned():
    gold, test = conll([("a", "T", 0, "root"), ("b", "T", 1, "d")]), conll([("ab", "T", 0, "root")])
    report = report_of(gold, test, "unicode", True)
    assert report.attachment is None and report.aligned["Words"].f1 == 0
    assert "sentence 1 has 'ab', but 'a'" in report.difference
