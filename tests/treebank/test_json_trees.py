"""Trees as JSON: what may stand in a file, and what is refused where.  Reading what is written: test_formats.py."""

from __future__ import annotations

import json

import pytest
from oracles import tuples_of

from lpcfg_cli.errors import SyntaxProblem
from lpcfg_cli.treebank.brackets import bracket_strings, join_texts, new_string_table, treebank_from_text
from lpcfg_cli.treebank.json_trees import json_strings, parse_json_trees

GOOD = '{"label": "S", "children": [{"label": "A", "word": "a"}, {"label": "B", "word": "b"}]}'


def read(text, on_error="stop"):
    strings = new_string_table()
    found = parse_json_trees(text, strings, "x", on_error)
    return list(bracket_strings(join_texts([found], strings))), found


def test_values_may_stand_anywhere_and_have_other_keys():
    text = f'\n{json.dumps(json.loads(GOOD), indent=1)} null\n\n{{"word": "(a b)", "label": "N", "id": 7}}'
    trees, found = read(text)
    assert trees == ["(S (A a) (B b))", "(())", r"(N \(a_b\))"]
    lines = text.split("\n")
    assert found.tree_place.tolist() == [2, lines.index("} null") + 1, len(lines)]


def test_what_is_written_is_json_of_nested_objects():
    (line,) = json_strings(treebank_from_text(r"(S (NP (N \()) (V é))"))
    assert json.loads(line) == {
        "label": "S",
        "children": [
            {"label": "NP", "children": [{"label": "N", "word": "("}]},
            {"label": "V", "word": "é"},
        ],
    }


@pytest.mark.parametrize(
    ("text", "place", "what"),
    [
        ("{", "1:2", "JSON"),
        (f'{GOOD}\n  {{"label": "S"}}', "2:3", "neither a word nor children"),
        ('{"label": "S", "children": []}', "1:1", "neither a word nor children"),
        ('{"label": "S", "word": "a", "children": [1]}', "1:1", "a word and children"),
        ('{"label": "S", "word": ""}', "1:1", "no text"),
        ('{"label": "S", "children": {"a": 1}}', "1:1", "no list"),
        ('{"label": "S", "children": [3]}', "1:1", "3, not a node"),
        ('{"label": 3, "word": "a"}', "1:1", "not a node"),
        ('{"label": "S", "word": "\\ud800"}', "1:1", "half a character"),
        ('{"label":"S","children":[' * 100_000, "1:1", "too deep"),
    ],
)
def test_what_is_no_tree_is_refused_with_its_place_or_skipped(text, place, what):
    with pytest.raises(SyntaxProblem, match=rf"^x:{place}: ") as caught:
        read(text)
    assert what in str(caught.value)
    trees, found = read(f"{text}\n{GOOD}", "skip")
    assert trees[-1] == "(S (A a) (B b))"
    assert len(found.skipped) == 1 and len(trees) == (2 if text.startswith(GOOD) else 1)


def test_deep_trees_are_written():
    depth = 20_000
    (line,) = json_strings(treebank_from_text("(A " * depth + "(B b)" + ")" * depth))
    assert line.count('"children"') == depth and line.endswith("}" + "]}" * depth)


def test_a_tree_is_what_its_neighbours_leave_it():
    assert tuples_of(treebank_from_text(" ".join(read(f"{GOOD}{GOOD}")[0]))) == [("S", (("A", "a"), ("B", "b")))] * 2
