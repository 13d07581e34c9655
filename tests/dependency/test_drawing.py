"""Drawings of dependency trees: golden files, and heads that are found again by following the lines."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from command_line import fail, succeed
from dependency_files import heads_of
from hypothesis import given
from hypothesis import strategies as st

from lpcfg_cli.dependency.trees.projectivity import is_projective
from lpcfg_cli.dependency.trees.sentence import DependencySentence
from lpcfg_cli.dependency.trees.svg_drawing import arc_levels, arcs_of, svg_drawing, word_places
from lpcfg_cli.dependency.trees.text_drawing import display_width, text_drawing

GOLDEN = Path(__file__).parent / "golden"
SVG = "{http://www.w3.org/2000/svg}"

UPWARD, DOWNWARD, OWN, ARM = "│└├┘┤┴┼╵", "│┌├┐┤┬┼╷", "┐┘┤┬┴┼╵╷", "└┌├"
"""Characters with a line upward, with one downward, at a word's own line, and where its arm leaves its head's line."""


def sentence(heads, forms=None, relations=None):
    n = len(heads)
    forms = forms or tuple(f"w{k}" for k in range(1, n + 1))
    return DependencySentence(tuple(forms), ("T",) * n, np.array(heads, np.int32), relations or ("dep",) * n)


def heads_in(lines):
    """The heads in a drawing, by following each arm to the line of a head and this line to the head's own."""
    art = [re.match("[^w]*", line)[0] for line in lines]

    def at(row, column):
        return art[row][column] if 0 <= row < len(art) and column < len(art[row]) else " "

    heads = []
    for row, line in enumerate(art):
        (start,) = [k for k, one in enumerate(line) if one in ARM] or [-1]
        if start < 0:
            assert line.startswith("──")
            heads.append(0)
            continue
        found = []
        for step, joined, facing in ((-1, UPWARD, DOWNWARD), (1, DOWNWARD, UPWARD)):
            place = row
            while at(place, start) in joined and at(place + step, start) in facing:
                place += step
                if at(place, start) in OWN:
                    found.append(place + 1)
                    break
        (head,) = found
        heads.append(head)
    return heads


@given(st.integers(1, 14).flatmap(heads_of))
def test_heads_are_found_again_in_the_text(heads):
    lines = list(text_drawing(sentence(heads)))
    assert [re.search("w[0-9]+", line)[0] for line in lines] == [f"w{k}" for k in range(1, len(heads) + 1)]
    assert heads_in(lines) == heads
    if is_projective(np.array(heads)):
        assert "─│" not in "".join(lines)


def test_relations_and_tags_stand_in_columns_as_far_as_the_width_goes():
    forms = ("a", "猫猫", "e\u0301", "x" * 30)
    one = sentence([2, 0, 2, 2], forms, ("det", "root", "_", "nmod:of"))
    assert list(text_drawing(one, 30)) == [
        "  ┌─ a    det      T",
        "──┤ 猫猫  root     T",
        f"  ├─ e\u0301{13 * ' '}T",
        f"  └─ {'x' * 30}  nmod:of  T",
    ]
    assert [display_width(line.split("T")[0]) for line in text_drawing(one)] == [46] * 4


@given(st.integers(1, 10).flatmap(heads_of))
def test_arcs_are_above_what_is_between_and_apart_from_what_they_cross(heads):
    arcs = arcs_of(sentence(heads))
    levels = dict(zip(arcs, arc_levels(arcs), strict=True))
    for one, other in combinations(arcs, 2):
        if one.head < 0 or other.head < 0:
            continue
        (a, b), (c, d) = one.span, other.span
        if (a <= c and d <= b) or (c <= a and b <= d):
            assert (levels[one] > levels[other]) == (b - a > d - c)
        elif max(a, c) < min(b, d):
            assert levels[one] != levels[other]
    for root in (arc for arc in arcs if arc.head < 0):
        assert all(levels[root] > levels[arc] for arc in arcs if arc != root and root.word in arc.span)


@given(st.integers(1, 8).flatmap(heads_of), st.data())
def test_labels_fit_into_their_arcs_and_words_do_not_overlap(heads, data):
    n = len(heads)
    words = st.lists(st.text("mi", min_size=1, max_size=12), min_size=n, max_size=n).map(tuple)
    one = sentence(heads, data.draw(words), data.draw(words))
    arcs = arcs_of(one)
    x = word_places(one, arcs)
    letter, small = 8.4, 6.6  # widths of letters in the two sizes of the font
    for k in range(1, n):
        assert x[k] - x[k - 1] >= letter * (len(one.forms[k]) + len(one.forms[k - 1])) / 2
    for arc in arcs:
        if arc.head >= 0:
            assert x[arc.span[1]] - x[arc.span[0]] >= small * len(arc.label)


def test_the_picture_is_well_formed_whatever_the_words_are():
    one = sentence([0, 1], ("<&>", 'a"\x0cb'), ("root", "<x>"))
    root = ElementTree.fromstring(svg_drawing([one, one], ["one", "two & more"]))
    texts = [element.text for element in root.iter(f"{SVG}text")]
    assert texts.count("<&>") == 2 and 'a"\ufffdb' in texts and "<x>" in texts and "two & more" in texts
    arcs = [element for element in root.iter(f"{SVG}path") if element.get("class") == "arc"]
    assert len(arcs) == 4
    assert svg_drawing([], []).startswith("<svg")


@pytest.mark.parametrize(("name", "options"), [("crossing.txt", []), ("crossing.svg", ["--svg"])])
def test_drawings_are_those_of_the_golden_files(name, options, monkeypatch, tmp_path):
    monkeypatch.chdir(GOLDEN)
    assert succeed("dep", "draw", "crossing.conllu", *options).out == (GOLDEN / name).read_text("utf-8")
    output = tmp_path / name
    succeed("dep", "draw", "crossing.conllu", *options, "-o", output)
    assert output.read_text("utf-8") == (GOLDEN / name).read_text("utf-8")


def test_sentences_are_chosen_by_number(monkeypatch):
    monkeypatch.chdir(GOLDEN)
    whole = (GOLDEN / "crossing.txt").read_text("utf-8")
    assert succeed("dep", "draw", "crossing.conllu", "-s", 2).out == whole[whole.index("sentence 2") :]
    assert "there is no sentence 3: 2 sentences were read" in fail(3, "dep", "draw", "crossing.conllu", "-s", 3)
