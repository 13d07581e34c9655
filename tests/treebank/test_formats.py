"""The table of tree formats: what every format must do, and which one a file is read in."""

from __future__ import annotations

import gzip
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import tuples_of, write_tree
from strategies import raw_treebanks

from lpcfg_cli.config import ReadSettings
from lpcfg_cli.errors import ConfigError, SyntaxProblem
from lpcfg_cli.treebank.brackets import join_texts, new_string_table, treebank_from_text
from lpcfg_cli.treebank.files import bracket_text, read_tree_files
from lpcfg_cli.treebank.finding import find_tree_files, search_tree_files
from lpcfg_cli.treebank.formats import TREE_FORMATS, format_of_file, suffixes_of
from lpcfg_cli.treebank.places import places_of_nodes, places_of_trees

TWO = [("S", (("A", "a"), ("B", "b"))), ("C", "c")]
TEXTS = {"brackets": "(S (A a)\n(B b))\n(C c)\n", "discbracket": "(S (B 1=b)\n(A 0=a))\n(C 0=c)\n"}
FORMS = "brackets, indented, discbracket, export, tiger, json"


@pytest.mark.parametrize("form", TREE_FORMATS.values(), ids=lambda form: form.name)
@given(raw_treebanks)
def test_every_format_reads_what_it_writes(form, trees):
    treebank = treebank_from_text("\n".join(map(write_tree, trees)))
    written = list(form.write(treebank))
    text = "".join(f"{tree}\n" for tree in written)
    strings = new_string_table()
    found = form.read(text, strings, "x", "stop")
    assert tuples_of(join_texts([found], strings)) == trees
    assert (len(found.tree_place), len(found.node_place)) == (treebank.n_trees, treebank.n_nodes)
    tree_of_line = [number for number, tree in enumerate(written) for _ in range(tree.count("\n") + 1)]
    for places, numbers in ((found.tree_place, range(len(trees))), (found.node_place, treebank.tree_of_node())):
        assert [tree_of_line[line - 1] for line in form.lines(text, found, places)] == list(numbers)


def test_an_ending_tells_one_format():
    for one, other in permutations(TREE_FORMATS.values(), 2):
        assert not any(suffix.endswith(other.suffixes) for suffix in one.suffixes)


@pytest.mark.parametrize(
    ("file", "name", "found"),
    [
        ("a/x.mrg", "auto", "brackets"),
        ("x.mrg.txt.gz", "auto", "brackets"),
        ("x.discbracket", "auto", "discbracket"),
        ("x.dbr.gz", "auto", "discbracket"),
        ("x.dbr/y", "auto", "brackets"),
        ("<stdin>", "auto", "brackets"),
        ("x.mrg", "discbracket", "discbracket"),
        ("x.dbr", "brackets", "brackets"),
    ],
)
def test_a_file_has_the_format_that_is_named_or_that_its_ending_tells(file, name, found):
    assert format_of_file(file, name).name == found


def test_formats_that_are_not_there_are_refused():
    message = rf"^read\.format is 'bracket'; expected one of auto, {FORMS}\. Did you mean brackets\?$"
    with pytest.raises(ConfigError, match=message):
        ReadSettings(format="bracket")
    for act in (lambda form: format_of_file("x", form), suffixes_of, lambda form: find_tree_files(["."], None, form)):
        with pytest.raises(ConfigError, match=rf"^read\.format is 'ptb'; expected one of {FORMS}\.$"):
            act("ptb")


@pytest.fixture
def folder(tmp_path):
    """A file of each format, one packed, and one of neither."""
    (tmp_path / "a.mrg").write_text(TEXTS["brackets"])
    (tmp_path / "b.dbr.gz").write_bytes(gzip.compress(TEXTS["discbracket"].encode()))
    (tmp_path / "c.discbracket").write_text(TEXTS["discbracket"])
    (tmp_path / "d.txt").write_text("")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("auto", ["a.mrg", "b.dbr.gz", "c.discbracket"]),
        ("brackets", ["a.mrg"]),
        ("discbracket", ["b.dbr.gz", "c.discbracket"]),
    ],
)
def test_folders_are_searched_for_the_files_of_a_format(folder, name, found):
    files = search_tree_files([folder], form=name)
    assert [path.name for path in files.paths] == found
    assert {path.name for path in [*files.paths, *files.unread]} == {path.name for path in folder.iterdir()}


def test_files_of_several_formats_become_one_treebank_with_places(folder):
    files = read_tree_files(find_tree_files([folder]))
    assert tuples_of(files.trees) == TWO * 3
    assert files.trees_per_file == [2, 2, 2]
    prefix = f"{folder}/"
    assert [place.removeprefix(prefix) for place in places_of_trees(files, [5, 1, 2])] == [
        "c.discbracket:3", "a.mrg:3", "b.dbr.gz:1",
    ]  # fmt: skip
    # the second word of a tree stands on the second line in brackets, on the first in the other files
    assert [place.removeprefix(prefix) for place in places_of_nodes(files, [1, 2, 5, 6])] == [
        "a.mrg:1", "a.mrg:2", "b.dbr.gz:2", "b.dbr.gz:1",
    ]  # fmt: skip


def test_a_format_that_is_named_wins_over_the_ending(tmp_path):
    path = tmp_path / "x.mrg"
    path.write_text(TEXTS["discbracket"])
    assert tuples_of(read_tree_files([path], ReadSettings(format="discbracket")).trees) == TWO
    assert tuples_of(read_tree_files([path]).trees)[1] == ("C", "0=c")


def test_a_text_in_brackets_stays_as_it_is_and_others_are_written_so(folder):
    read = ReadSettings()
    assert bracket_text(folder / "a.mrg", read) == TEXTS["brackets"]
    assert bracket_text(folder / "b.dbr.gz", read) == "(S (A a) (B b))\n(C c)\n"
    with pytest.raises(SyntaxProblem, match=r"a\.mrg:1:4: a word without its number"):
        bracket_text(folder / "a.mrg", ReadSettings(format="discbracket"))
    assert bracket_text(folder / "a.mrg", ReadSettings(format="discbracket", on_error="skip")) == ""


@given(st.sampled_from(sorted(suffixes_of("auto"))))
def test_every_ending_is_searched_for(suffix):
    assert format_of_file(f"x{suffix}").suffixes.count(suffix) == 1
