"""CoNLL-X and CoNLL-U: what real files have is kept, and what is no tree is refused with its place."""

from __future__ import annotations

import gzip
import io
import os
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpcfg_cli.dependency.trees.conll import COLUMNS, conll_text, read_conll
from lpcfg_cli.dependency.trees.files import read_dependency_files
from lpcfg_cli.dependency.trees.sentence import DependencySentence
from lpcfg_cli.errors import InputError, SyntaxProblem

DATA = Path(os.environ.get("LPCFG_SHARED", Path(__file__).resolve().parents[3] / "shared")) / "data"

RICH = (
    "# sent_id = 1\n"
    "# text = it cost 1 000 — don't\n"
    "1\tit\tit\tPRON\tPRP\tNumber=Sing\t2\tnsubj\t2:nsubj\t_\n"
    "2\tcost\tcost\tVERB\tVBD\t_\t0\troot\t0:root\t_\n"
    "3\t1 000\t1 000\tNUM\t_\t_\t2\tobj\t2:obj\t_\n"
    "4-5\tdon't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n"
    "4\tdo\tdo\tAUX\tVBP\t_\t2\tdep\t2:dep\t_\n"
    "# between two words\n"
    "5\tn't\tnot\tPART\tRB\t_\t4\tadvmod\t4:advmod\t_\n"
    "5.1\tgone\tgo\tVERB\tVBN\t_\t_\t_\t2:conj\t_\n"
    "\n"
    "0.1\tgap\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "1\tYes\tyes\tINTJ\tUH\t_\t0\troot\t0:root\t_\n"
    "\n"
)
# the case D03 of ../shared/cases, with the ends of its lines
CASE = (
    "# sent_id = 1\n"
    "1-2\tthebaker\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "1\tthe\t_\tDT\tDT\t_\t2\tdet\t_\t_\n"
    "2\tbaker\t_\tNN\tNN\t_\t3\tsubj\t_\t_\n"
    "3\tslept\t_\tVBD\tVBD\t_\t0\troot\t_\t_\n"
    "\n"
    "# sent_id = 2\n"
    "1\tthe\t_\tDT\tDT\t_\t2\tdet\t_\t_\n"
    "2\tbaker\t_\tNN\tNN\t_\t3\tsubj\t_\t_\n"
    "2.1\tgap\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "3\tslept\t_\tVBD\tVBD\t_\t0\troot\t_\t_"
).replace("\n", "\r\n")


def read(text, needs_heads=True):
    return list(read_conll(io.StringIO(text, newline="\n").read().split("\n"), "x.conll", needs_heads))


def word(number, head, form="w", tag="T", relation="dep"):
    return f"{number}\t{form}\t_\t{tag}\t{tag}\t_\t{head}\t{relation}\t_\t_\n"


def test_all_that_a_sentence_has_is_read():
    first, second = read(RICH)
    assert first.forms == ("it", "cost", "1 000", "do", "n't")
    assert first.tags == ("PRP", "VBD", "NUM", "VBP", "RB")  # the universal tag where there is no other
    assert first.heads.tolist() == [2, 0, 2, 2, 4] and first.heads.dtype == np.int32
    assert first.relations == ("nsubj", "root", "obj", "dep", "advmod")
    assert first.columns["upos"] == ("PRON", "VERB", "NUM", "AUX", "PART")
    assert first.columns["deps"][4] == "4:advmod"
    assert first.comments == ("# sent_id = 1", "# text = it cost 1 000 — don't")
    assert [(done, line.split("\t")[0]) for done, line in first.inserted] == [
        (3, "4-5"),
        (4, "# between two words"),
        (5, "5.1"),
    ]
    assert (first.place, second.place) == ("x.conll:3", "x.conll:13")
    assert second.inserted == ((0, "0.1\tgap" + "\t_" * 8),)


def test_what_was_read_is_written_again():
    assert conll_text(read(RICH)) == RICH


def test_d03_carriage_returns_ranges_empty_nodes_and_a_last_line_without_end(tmp_path):
    path = tmp_path / "train.conll"
    path.write_bytes(CASE.encode())
    sentences = read_dependency_files([path])
    assert [len(sentence) for sentence in sentences] == [3, 3]
    assert [sentence.heads.tolist() for sentence in sentences] == [[2, 3, 0], [2, 3, 0]]
    assert [sentence.relations[2] for sentence in sentences] == ["root", "root"]
    shared = DATA.parent / "cases" / "cases" / "D03" / "train.conll"
    if shared.exists():
        assert shared.read_bytes() == path.read_bytes()


def test_files_may_be_compressed_several_and_standard_input(tmp_path, monkeypatch):
    plain, packed = tmp_path / "a.conllu", tmp_path / "b.conllu.gz"
    plain.write_bytes(b"\xef\xbb\xbf" + RICH.encode())
    packed.write_bytes(gzip.compress(RICH.encode()))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(word(1, 0).encode())))
    sentences = read_dependency_files([plain, packed, "-"])
    assert [len(sentence) for sentence in sentences] == [5, 1, 5, 1, 1]
    assert [sentences[k].place for k in (0, 3, 4)] == [f"{plain}:3", f"{packed}:13", "<stdin>:1"]


def test_another_encoding_is_named(tmp_path):
    path = tmp_path / "latin.conll"
    path.write_bytes(word(1, 0, form="für").encode("latin-1"))
    assert read_dependency_files([path], "latin-1")[0].forms == ("für",)
    with pytest.raises(InputError, match=r"latin\.conll:1: byte 0xfc .*--encoding"):
        read_dependency_files([path])


def test_lines_end_with_newlines_only():
    (sentence,) = read(word(1, 2, form="a\u2028b") + word(2, 0, form="c\x85"))
    assert sentence.forms == ("a\u2028b", "c\x85")


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        (word(1, 0) + "2\tw\t_\n", 2, 1, "3 columns; expected 10 columns with tabs"),
        (word(1, 0).replace("\t", " "), 1, 1, "1 column; .* Put tabs, not blanks"),
        ("\n" + word(1, 0) + word(3, 1), 3, 1, "'3'; expected 2, the number of the next word"),
        (word(2, 0), 1, 1, "'2'; expected 1"),
        (word("x", 0), 1, 1, "'x'; expected 1"),
        (word("01", 0), 1, 1, "'01'; expected 1"),
        (word(1, 0) + word(1, 0), 2, 1, "'1'; expected 2"),
        (word("2-3", "_") + word(1, 0), 1, 1, "'2-3'; expected 1"),
        (word("1-2", "_") + word(1, 0), 1, 1, "the token 1-2; expected a word 2"),
        (word(1, 0) + word("2.1", "_"), 2, 1, "'2.1'; expected 2"),
        (word(1, 0, form=""), 1, 3, "a word without a form"),
        (word(1, 0, form=" "), 1, 3, "a word without a form"),
        (word(1, "two"), 1, 13, "the head 'two'; expected 0 for the root, or 1 to 1"),
        (word(1, -1), 1, 13, "the head '-1'"),
        (word(1, "²"), 1, 13, "the head '²'"),
        (word(1, "9" * 5000), 1, 13, "the head '999"),
        (word(1, 0) + word(2, 3), 2, 13, "the head '3'; expected 0 for the root, or 1 to 2"),
        (word(1, 0) + word(2, "_"), 2, 13, "a word without a head"),
        (word(1, 1), 1, 13, r"word 1 \('w'\) is above itself"),
        (word(1, 0) + word(2, 3) + word(3, 4) + word(4, 2), 2, 13, "word 2 .* is above itself by way of its head 3"),
    ],
)
def test_what_is_no_tree_is_refused_with_its_place(text, line, column, message):
    with pytest.raises(SyntaxProblem, match=message) as caught:
        read(text)
    assert (caught.value.path, caught.value.line, caught.value.column) == ("x.conll", line, column)


def test_missing_heads_are_read_where_none_are_needed():
    text = word(1, "_") + word(2, 1, relation="_")
    (sentence,) = read(text, needs_heads=False)
    assert sentence.heads.tolist() == [-1, 1]
    assert conll_text([sentence]) == text + "\n"


def test_several_roots_are_read():
    (sentence,) = read(word(1, 0) + word(2, 0))
    assert sentence.heads.tolist() == [0, 0]


def test_empty_lines_and_comments_alone_are_no_sentences():
    assert read("\n\n# a\n\n \t\n") == []
    (sentence,) = read("# a\n\n" + word(1, 0))
    assert sentence.comments == ("# a",)


def test_a_new_sentence_has_its_tags_in_both_columns():
    sentence = DependencySentence(("a b", "#"), ("DT", "NN"), np.array([2, 0], np.int32), ("det", "root"))
    assert conll_text([sentence]) == word(1, 2, "a b", "DT", "det") + word(2, 0, "#", "NN", "root") + "\n"


fields = st.text(st.characters(exclude_characters="\t\n\r", exclude_categories=["Cs"]), min_size=1, max_size=5)


@given(st.data())
def test_any_text_in_the_columns_comes_back(data):
    n = data.draw(st.integers(1, 6))
    order = data.draw(st.permutations(range(1, n + 1)))
    heads = [0] * n
    for place, number in enumerate(order[1:], 1):
        heads[number - 1] = data.draw(st.sampled_from([0, *order[:place]]))
    drawn = {name: tuple(data.draw(fields) for _ in range(n)) for name in COLUMNS}
    forms = tuple(form if form.strip(" ") else "x" for form in drawn["form"])
    columns = {name: drawn[name] for name in ("lemma", "upos", "xpos", "feats", "deps", "misc")}
    written = DependencySentence(forms, (), np.array(heads, np.int32), drawn["deprel"], columns)
    (again,) = read(conll_text([written]))
    assert (again.forms, again.relations, again.columns) == (forms, drawn["deprel"], columns)
    assert again.heads.tolist() == heads
    assert conll_text([replace(again, heads=written.heads)]) == conll_text([written])


@pytest.mark.parametrize(
    ("name", "n"),
    [
        ("dep_wsj/dev.conll", 273),
        ("dep_wsj/train.conll", 3396),
        ("ud_english_ewt/dev.conllu", 2001),
        ("ud_english_ewt/train.conllu", 12544),
    ],
)
def test_real_files_come_back_byte_for_byte(name, n):
    path = DATA / name
    if not path.exists():
        pytest.skip(f"no data at {DATA}; set LPCFG_SHARED")
    sentences = read_dependency_files([path])
    assert len(sentences) == n
    assert conll_text(sentences).encode() == path.read_bytes()
