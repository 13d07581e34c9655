"""Text that is ignored between trees, and text that is skipped with ``on_error = "skip"``."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import tuples_of, write_tree
from strategies import treebanks

from lpcfg_cli.config import ReadSettings
from lpcfg_cli.errors import InputError, SyntaxProblem
from lpcfg_cli.treebank.brackets import bracket_strings, join_texts, lines_of_tokens, new_string_table, parse_brackets
from lpcfg_cli.treebank.files import read_tree_files
from lpcfg_cli.treebank.finding import find_tree_files, search_tree_files
from lpcfg_cli.treebank.lines import read_lines, stream_lines
from lpcfg_cli.treebank.places import places_of_nodes, places_of_trees

GOOD = [("S", (("NN", "a"), ("VB", "b")))]
SKIP = ReadSettings(on_error="skip")


def read(text, on_error="stop"):
    """Trees, notes and skipped parts of a text."""
    strings = new_string_table()
    found = parse_brackets(text, strings, "a.mrg", on_error)
    return tuples_of(join_texts([found], strings)), found.notes, found.skipped


REMARKS = [
    "# newdoc id = demo",
    "#58 CP10-5 Uma (quase) revista :-(",
    ";; note )",
    "%% note",
    "<S ID=1>",
    "  </S>\r",
    "<?xml version='1.0'?>",
    "<!-- (S (NN a)) -->",
    "*x* header text *x*",
    "*x*x*x*x*x*x*",
]


@pytest.mark.parametrize("remark", REMARKS)
@pytest.mark.parametrize("form", ["{0}\n{1}", "{1}\n{0}\n{1}", "{1}\n\n{0}", "{0}\n{0}\n{1}\n{0}"])
def test_remarks_between_trees_are_passed_over_with_a_note(remark, form):
    text = form.format(remark, "(S (NN a)\n (VB b))")
    trees, notes, skipped = read(text)
    assert trees == GOOD * form.count("{1}")
    assert [(note.count, note.what) for note in notes] == [(form.count("{0}"), "remarks between trees")]
    assert notes[0].line == text[: text.index(remark)].count("\n") + 1
    assert skipped == ()


def test_what_begins_like_a_remark_inside_a_tree_is_part_of_it():
    trees, notes, _ = read("(S (NN\n# )\n (VB\n;) (X\n<b> ) (# \n%))\n# remark (")
    assert trees == [("S", (("NN", "#"), ("VB", ";"), ("X", "<b>"), ("#", "%")))]
    assert (len(notes), notes[0].line) == (1, 7)


def test_indentation_by_other_blanks_is_indentation():
    trees, notes, _ = read("(S\n\u00a0(NN a)\n \u00a0\u00a0 (VB b))\n")
    assert trees == GOOD
    assert str(notes[0]) == "a.mrg:2: 2 lines of indentation by non-ASCII blanks"


def test_a_problem_after_remarks_has_its_place_in_the_file():
    with pytest.raises(SyntaxProblem, match=r"^a\.mrg:3:8: a second word"):
        read("# one (\n#\n(NN a  b)")


CASES = [
    # text, trees kept, places and problems of what is skipped
    ("{g}\n(S (NN a b))\n{g}", 2, [(2, 1, "2:10: a second word under one tag: 'b)) (S (")]),
    ("{g} (S (NN a b)) {g}", 2, [(1, 19, "a second word")]),
    ("{g}\n(S (NN a)\n{g}\n{g}", 3, [(2, 1, "not closed")]),
    ("{g}\n(S (NN a b)\n{g}\n{g}", 3, [(2, 1, "a second word")]),
    ("{g}\n{g} )\n{g}", 2, [(2, 1, "2:19: a closing bracket that closes nothing")]),
    (")\n{g}", 1, [(1, 1, "a closing bracket")]),
    ("{g}\nheader (x)\n{g}", 2, [(2, 1, "text outside a tree")]),
    ("{g}\n(S (NN))\n{g}\n(S (NN a) b)\n{g}", 3, [(2, 1, "neither word"), (4, 1, "no tag next to a phrase")]),
    ("{g}\n( (S\n(NN a))\n{g}\n( (S\n(NN a)\n(VB b)))\n", 3, [(2, 1, "not closed"), (3, 1, "a closing")]),
    ("  {g}\n  (S (NN a)\n    (VB b)\n  {g}\n", 2, [(2, 3, "not closed")]),
    ("(S (NN", 0, [(1, 1, "not closed")]),
    ("{g} (S (NN a)", 1, [(1, 19, "not closed")]),
]


@pytest.mark.parametrize(("text", "n_kept", "expected"), CASES)
def test_skipping_leaves_out_what_is_wrong_and_says_where(text, n_kept, expected):
    good = "(S (NN a) (VB b))"
    trees, _, skipped = read(text.format(g=good), "skip")
    assert [tree[1][0] if tree[0] == "" else tree for tree in trees] == GOOD * n_kept
    assert [(part.line, part.column) for part in skipped] == [(line, column) for line, column, _ in expected]
    for part, (_, _, problem) in zip(skipped, expected, strict=True):
        assert problem in part.problem
        assert str(part).startswith(f"a.mrg:{part.line}:{part.column}: skipped '")


@given(treebanks(max_size=6), st.data())
def test_one_bad_tree_costs_no_other_tree(trees, data):
    lines = [write_tree(tree) for tree in trees]
    place = data.draw(st.integers(0, len(lines)))
    bad = data.draw(st.sampled_from(["(S (NN a b))", "(S (NN a) b)", "(S (NN))", "(S (NN a)", "(S (NN a b)"]))
    found, _, skipped = read("\n".join([*lines[:place], bad, *lines[place:]]), "skip")
    assert found == trees
    assert [part.line for part in skipped] == [place + 1]


@given(st.text("()# \n\\a%<>\u00a0", max_size=60))
def test_skipping_always_ends_and_accounts_for_what_it_does(text):
    trees, notes, skipped = read(text, "skip")
    try:
        assert read(text) == (trees, notes, ())
        assert skipped == ()
    except SyntaxProblem:
        assert skipped


def test_many_bad_trees_among_many_take_no_time():
    text = "(S (NN a) (VB b))\n(S (NN a b))\n" * 4_000
    trees, _, skipped = read(text, "skip")
    assert (len(trees), len(skipped)) == (4_000, 4_000)
    assert skipped[-1].line == 8_000


def test_long_trees_are_read_beyond_the_first_window():
    text = "(S (NN a b))\n(S " + "(NN a) " * 30_000 + ")\n(S (NN a"
    trees, _, skipped = read(text, "skip")
    assert ([len(tree[1]) for tree in trees], len(skipped)) == ([30_000], 2)


@pytest.mark.parametrize("n_words", range(1, 12))
def test_no_tree_is_lost_where_a_window_ends_between_two(n_words):
    tree = "(S " + "(NN a) " * n_words + ")"
    trees, _, skipped = read("(S (NN a b))\n" + f"{tree}\n" * 200 + "(S (NN a b))\n" + f"{tree}\n" * 300, "skip")
    assert (len(trees), len(skipped)) == (500, 2)


def test_files_are_found_by_their_endings_and_strangers_named(tmp_path):
    wanted = ["a.mrg", "b.mrg.txt", "c.tree", "d.ptb", "e.psd", "f.tbf", "g.bracket", "h.parse", "i.mrg.gz", "j.ptb.gz"]
    strange = ["README", "a.mrg.bak", "a.mrg~", "x.mrg.zip", "notes.txt", "z.gz", ".hidden.mrg"]
    for name in [*wanted, *strange]:
        (tmp_path / name).write_text("(X a)")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "x.mrg").write_text("(X a)")
    found = search_tree_files([tmp_path])
    assert [path.name for path in found.paths] == wanted
    assert sorted(path.name for path in found.unread) == sorted(strange)


@pytest.mark.parametrize("name", ["a.mrg.gz", "a.mrg"])
def test_packed_files_are_read_whatever_their_name(tmp_path, name):
    (tmp_path / name).write_bytes(gzip.compress("(NN é)\n(NN b)".encode()))
    files = read_tree_files(find_tree_files([tmp_path]))
    assert tuples_of(files.trees) == [("NN", "é"), ("NN", "b")]
    assert places_of_trees(files, [1]) == [f"{tmp_path / name}:2"]
    assert list(read_lines(tmp_path / name)) == list(stream_lines(tmp_path / name)) == ["(NN é)", "(NN b)"]


@pytest.mark.parametrize("cut", [5, 20, -5])
def test_a_damaged_packed_file_is_told(tmp_path, cut):
    path = tmp_path / "a.mrg.gz"
    path.write_bytes(gzip.compress(b"(NN a)" * 100)[:cut])
    for act in (lambda: read_tree_files([path]), lambda: list(read_lines(path)), lambda: list(stream_lines(path))):
        with pytest.raises(InputError, match=r"a\.mrg\.gz: a gzip file that is damaged or cut off"):
            act()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "latin-1", "cp1252", "utf-16-le"])
def test_encodings_are_read_with_or_without_their_mark(tmp_path, encoding):
    path = tmp_path / "a.mrg"
    path.write_bytes("(NN é)\r\n(NN b)\n".encode(encoding))
    named = ReadSettings("utf-8" if encoding in ("utf-8-sig", "utf-16", "utf-32") else encoding)
    assert tuples_of(read_tree_files([path], named).trees) == [("NN", "é"), ("NN", "b")]


def test_nodes_are_placed_in_their_files(tmp_path):
    (tmp_path / "a.mrg").write_text("# remark (\n(())\n(S (NN a)\n (VB b))\n")
    (tmp_path / "b.mrg").write_text("(S (NN a b))\n\n( (S (NN a)\n\n (VB b)))\n")
    files = read_tree_files(find_tree_files([tmp_path]), SKIP)
    names = [place.removeprefix(f"{tmp_path}/") for place in places_of_nodes(files, range(files.trees.n_nodes))]
    assert names == ["a.mrg:3", "a.mrg:3", "a.mrg:4", "b.mrg:3", "b.mrg:3", "b.mrg:3", "b.mrg:5"]
    assert [place.removeprefix(f"{tmp_path}/") for place in places_of_trees(files, [0, 1, 2])] == [
        "a.mrg:2", "a.mrg:3", "b.mrg:3",
    ]  # fmt: skip
    assert [part.path for part in files.skipped] == [str(tmp_path / "b.mrg")]


def test_lines_before_a_wrong_byte_are_yielded(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbfone\r\ntwo\nthr\xe9\nfour")
    lines = stream_lines(path)
    assert [next(lines), next(lines)] == ["one\r", "two"]
    with pytest.raises(InputError, match=r"a\.txt:3: byte 0xe9 at offset 15 is not utf-8\."):
        next(lines)
    path.write_bytes(path.read_bytes()[3:])  # the mark would win over the name
    assert list(stream_lines(path, "latin-1"))[2:] == ["thré", "four"]
    with pytest.raises(InputError, match="'klingon' is not a known encoding"):
        list(stream_lines(path, "klingon"))
    path.write_text("one\ntwo", "utf-16")
    assert list(stream_lines(path, "utf-16")) == list(stream_lines(path, "latin-1")) == ["one", "two"]


def test_a_file_with_nul_characters_is_no_text(tmp_path):
    path = tmp_path / "a.mrg"
    path.write_bytes("(S (NN a))".encode("utf-16-le"))
    with pytest.raises(InputError, match=r"a\.mrg:1:2: a NUL character\. This is not text, .*--encoding\.$"):
        read_tree_files([path])
    assert tuples_of(read_tree_files([path], ReadSettings("utf-16-le")).trees) == [("S", (("NN", "a"),))]


SEARCHED = """/*
PREFACE: (IP* iDoms NP-SBJ))
*/
/~*
a man slept (X,1)
*~/
( (IP (N man) (V slept)))
  /* 1 IP: ( 2 */
( (IP (N it)
  (X /*) (Y */)))
/* FOOTER */
"""


def test_comments_of_several_lines_are_remarks_whatever_is_in_them():
    strings = new_string_table()
    found = parse_brackets(SEARCHED, strings, "x")
    trees = list(bracket_strings(join_texts([found], strings)))
    assert trees == ["( (IP (N man) (V slept)))", "( (IP (N it) (X /*) (Y */)))"]
    assert [str(note) for note in found.notes] == ["x:1: 8 lines of remarks between trees"]
    assert lines_of_tokens(SEARCHED, found, found.tree_place) == [7, 9]
    with pytest.raises(SyntaxProblem, match=r"^x:1:1: text outside a tree"):
        parse_brackets("/* never closed\n(S (A a))", new_string_table(), "x")
