"""Drawings of trees: letters, SVG, PNG, LaTeX, and the numbers of phrases."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET

import pytest
from command_line import fail, succeed
from hypothesis import given
from hypothesis import strategies as st
from oracles import leaves, read_trees, write_tree
from strategies import few_labels, few_tags, few_words
from strategies import trees as random_trees

from lpcfg_cli.errors import SyntaxProblem
from lpcfg_cli.evaluation.drawings import DRAWINGS, latex
from lpcfg_cli.evaluation.drawn_trees import DrawnTree, drawn_trees, is_parses, parses
from lpcfg_cli.evaluation.text_drawing import text_of_tree
from lpcfg_cli.evaluation.tree_drawing import DrawnNode
from lpcfg_cli.treebank.brackets import treebank_from_text

SMALL = "(S (NP (DT the) (NN dog)) (VP (VBD saw) (NP (NN me))))"
PARSE = {
    "tree": SMALL,
    "brackets": [
        {"label": "S", "start": 0, "stop": 4, "posterior": 1.0},
        {"label": "NP", "start": 0, "stop": 2, "posterior": 0.95},
        {"label": "VP", "start": 2, "stop": 4, "posterior": 0.123},
    ],
}


def drawn(text):
    return list(drawn_trees(treebank_from_text(text)))


def test_a_tree_stands_if_it_fits():
    (tree,) = drawn(SMALL)
    picture = [
        "       S",
        "   ┌───┴───┐",
        "  NP      VP",
        " ┌─┴─┐   ┌─┴─┐",
        "DT  NN  VBD NP",
        " │   │   │   │",
        " │   │   │  NN",
        "the dog saw me",
    ]
    assert text_of_tree(tree, 80).split("\n") == picture
    assert text_of_tree(tree, 14).split("\n") == picture


def test_else_it_lies():
    (tree,) = drawn(SMALL)
    assert text_of_tree(tree, 13).split("\n") == [
        "S", "├─ NP", "│  ├─ DT the", "│  └─ NN dog", "└─ VP", "   ├─ VBD saw", "   └─ NP", "      └─ NN me",
    ]  # fmt: skip
    assert text_of_tree(drawn("(())")[0]) == "()"
    (long,) = drawn(f"(S (A {'a' * 90}) (B b))")
    assert text_of_tree(long, 20).split("\n") == ["S", f"├─ A {'a' * 14}…", "└─ B b"]


@given(random_trees(label=few_labels, tag=few_tags, word=few_words, nameless=True))
def test_a_standing_tree_has_its_words_in_the_last_line_and_its_labels_level_by_level(tree):
    (found,) = drawn(write_tree(tree))
    lines = text_of_tree(found, 10_000).split("\n")
    words = [node.word for node in found.nodes if node.word is not None]
    assert lines[-1].replace(" ", "") == "".join(words).replace(" ", "")
    depth = [0] * len(found.nodes)
    for place, node in enumerate(found.nodes):
        depth[place] = depth[node.parent] + 1 if node.parent >= 0 else 0
    assert len(lines) == 2 * max(depth) + 2
    for k, line in enumerate(lines[:-1:2]):
        labels = "".join(node.label or "()" for node, d in zip(found.nodes, depth, strict=True) if d == k)
        assert line.replace("│", "").replace(" ", "") == labels.replace("│", "").replace(" ", "")
    assert len(words) == len(leaves(tree))


def test_posteriors_become_colours_and_numbers():
    (tree,) = parses(json.dumps(PARSE), "x")
    assert [(node.label, node.style, node.title) for node in tree.styled() if node.title] == [
        ("S", "", "100.00%"), ("NP 95%", "p90", "95.00%"), ("VP 12%", "p0", "12.30%"),
    ]  # fmt: skip
    assert "VP 12%" in text_of_tree(tree) and "NP 95%" in text_of_tree(tree)


def test_of_equal_brackets_the_outer_one_comes_first():
    record = {
        "tree": "(NP (NP (NN a)))",
        "brackets": [{"label": "NP", "start": 0, "stop": 1, "posterior": p} for p in (0.9, 0.4)],
    }
    (tree,) = parses(json.dumps(record), "x")
    assert tree.values == [0.9, 0.4, None]


@pytest.mark.parametrize(
    "line",
    ['{"tree": 3}', "{", '{"tree": "(S (A a))", "brackets": [{"label": "S", "start": 0, "stop": 1, "posterior": 2}]}'],
)
def test_what_is_no_parse_is_refused_with_its_line(line):
    with pytest.raises(SyntaxProblem, match=r"^x:3:1: "):
        list(parses(f"{json.dumps(PARSE)}\n\n{line}\n", "x"))
    assert not is_parses('{"label": "NN", "word": "a"}') and not is_parses("{x") and is_parses(json.dumps(PARSE))


def test_svg_is_xml_with_all_labels_words_and_colours():
    text = DRAWINGS["svg"].draw([*drawn(SMALL), *parses(json.dumps(PARSE), "x")], 80).decode()
    root = ET.fromstring(text)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    found = [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")]
    words = ["the", "dog", "saw", "me"]
    assert [text for text in found if text in words] == words * 2
    labels = ["S", "NP", "DT", "NN", "VP", "VBD", "NP", "NN", "S", "NP 95%", "DT", "NN", "VP 12%", "VBD", "NP", "NN"]
    assert [text for text in found if text not in words] == labels
    assert {rect.get("class") for rect in root.iter("{http://www.w3.org/2000/svg}rect")} == {"p90", "p0"}
    for name in ("p90", "p0"):
        assert f"rect.{name}{{" in text


def test_png_has_the_size_of_the_layout():
    pytest.importorskip("matplotlib")
    one, two = (DRAWINGS["png"].draw(drawn(SMALL) * n, 80) for n in (1, 2))
    assert one[:8] == b"\x89PNG\r\n\x1a\n" and one == DRAWINGS["png"].draw(drawn(SMALL), 80)
    heights = [int.from_bytes(data[20:24], "big") for data in (one, two)]
    assert heights == [2 * (4 * 20 + 12), 2 * (8 * 20 + 12)]


@given(random_trees(nameless=True))
def test_latex_has_balanced_brackets_of_the_tree(tree):
    text = DRAWINGS["latex"].draw(drawn(write_tree(tree)), 80).decode()
    body = text[text.index("\\begin{forest}") : text.index("\\end{forest}")]
    bare = re.sub(r"(?<=\[)\{(?:\\[{}]|[^{}]|\{\})*\}", "", body)  # without labels
    depth, deepest = 0, 0
    for char in bare:
        depth += {"[": 1, "]": -1}.get(char, 0)
        deepest = max(deepest, depth)
        assert depth >= 0
    nodes = sum(1 for _ in re.finditer(r"\[", bare))
    assert depth == 0 and nodes == len(drawn(write_tree(tree))[0].nodes) + len(leaves(tree))


NAMED = {"textbackslash": "\\", "textasciitilde": "~", "textasciicircum": "^", "textless": "<", "textgreater": ">"}
NAMED |= {"textbar": "|", "textquotedbl": '"'}


def read_forest(text):
    """The labels and words of the nodes as forest and TeX read them, in preorder: [{label}, options [{word}, …]]."""
    found, place = [], 0
    while (place := text.find("[{", place)) >= 0:
        place, label = place + 2, ""
        while text[place] != "}":
            assert text[place] not in '#$%&_~^[]"<>|', "a character that means something to TeX or forest"
            if text.startswith("{}", place):
                place += 2
            elif text[place] != "\\":
                assert not (text[place] in "-`'," and text[place + 1] == text[place]), "a ligature"
                label, place = label + text[place], place + 1
            elif name := re.match(r"\\([a-z]+)\{\}", text[place:]):
                label, place = label + NAMED[name[1]], place + len(name[0])
            else:
                assert text[place + 1] in "#$%&_{}"
                label, place = label + text[place + 1], place + 2
        assert text[place + 1] in " ],\n"
        found.append(label)
    return found


SPECIAL = st.text("ab#$%&_{}~^\\<>|\"-`',=", min_size=1, max_size=6)


@given(st.lists(st.tuples(SPECIAL, SPECIAL), min_size=1, max_size=4))
def test_latex_is_read_back_as_the_labels_and_words(pairs):
    nodes = [DrawnNode("TOP", None, -1), *(DrawnNode(tag, word, 0) for tag, word in pairs)]
    text = DRAWINGS["latex"].draw([DrawnTree(nodes, [None] * len(nodes))], 80).decode()
    body = text[text.index("\\begin{forest}") : text.index("\\end{forest}")]
    assert read_forest(body) == ["TOP", *(part for pair in pairs for part in pair)]
    assert set(re.findall(r"\\usepackage(?:\[\w+\])?\{(\w+)\}", text)) == {"fontenc", "forest"}


def test_latex_escapes():
    assert latex("`` -- ''") == "`{}` -{}- '{}'"
    assert latex(r"50% of $_\{a}~^#&") == r"50\% of \$\_\textbackslash{}\{a\}\textasciitilde{}\textasciicircum{}\#\&"
    assert read_trees(SMALL)  # the example is a tree


def test_the_command(tmp_path):
    (tmp_path / "a.mrg").write_text(f"{SMALL}\n(X (A a) (B b))\n(())\n")
    (tmp_path / "p.jsonl").write_text(json.dumps(PARSE))
    assert succeed("draw", "a.mrg", "--trees", "2-3", folder=tmp_path).out == " X\n┌┴┐\nA B\na b\n\n()\n"
    assert "VP 12%" in succeed("draw", "-", stdin=json.dumps(PARSE)).out
    for name, head in (("a.svg", b"<svg xmlns="), ("a.tex", b"\\documentclass"), ("a.txt", b"       S")):
        outcome = succeed("draw", "a.mrg", "p.jsonl", "--trees", "1,4", "-o", name, folder=tmp_path)
        assert outcome.err == "drew 2 trees\n" and (tmp_path / name).read_bytes().startswith(head)
    assert "nothing to draw: 3 trees" in fail(2, "draw", "a.mrg", "--trees", "9", folder=tmp_path)
    assert "such as 1,5-7" in fail(2, "draw", "a.mrg", "--trees", "a", folder=tmp_path)
