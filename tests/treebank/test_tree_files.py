"""Finding and reading treebank files."""

from __future__ import annotations

import pytest
from oracles import tuples_of

from lpcfg_cli.errors import InputError, SyntaxProblem
from lpcfg_cli.treebank.files import read_text, read_tree_files
from lpcfg_cli.treebank.finding import find_tree_files
from lpcfg_cli.treebank.places import places_of_trees


@pytest.fixture
def treebank(tmp_path):
    """An LDC-like folder with other files in it."""
    root = tmp_path / "wsj"
    for name in (
        "00/wsj_0001.mrg", "02/wsj_0200.mrg", "02/wsj_0201.mrg", "21/deep/wsj_2100.mrg", "22/wsj_2200.mrg",
        "README", "02/.wsj_0202.mrg", "02/wsj_0203.mrg~", "02/wsj_0204.mrg.bak", ".git/x.mrg", "notes/a.mrg",
    ):  # fmt: skip
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"(X {name})")
    return root


def names(paths, root):
    return [path.relative_to(root).as_posix() for path in paths]


def test_folders_are_searched_in_sorted_order_without_hidden_or_other_files(treebank):
    assert names(find_tree_files([treebank]), treebank) == [
        "00/wsj_0001.mrg", "02/wsj_0200.mrg", "02/wsj_0201.mrg", "21/deep/wsj_2100.mrg", "22/wsj_2200.mrg",
        "notes/a.mrg",
    ]  # fmt: skip


def test_a_treebank_below_a_hidden_folder_is_found(tmp_path):
    folder = tmp_path / ".data" / "wsj"
    folder.mkdir(parents=True)
    (folder / "a.mrg").write_text("(X a)")
    assert find_tree_files([folder]) == [folder / "a.mrg"]


def test_files_named_outright_are_taken_whatever_their_name(treebank):
    files = [treebank / "README", treebank / "02" / ".wsj_0202.mrg"]
    assert find_tree_files(files) == files


def test_several_paths_keep_their_order(treebank):
    found = find_tree_files([treebank / "22", treebank / "02"])
    assert names(found, treebank) == ["22/wsj_2200.mrg", "02/wsj_0200.mrg", "02/wsj_0201.mrg"]


@pytest.mark.parametrize(
    ("sections", "found"),
    [
        ("02-21", ["02/wsj_0200.mrg", "02/wsj_0201.mrg", "21/deep/wsj_2100.mrg"]),
        ("0", ["00/wsj_0001.mrg"]),
        ("22, 00", ["00/wsj_0001.mrg", "22/wsj_2200.mrg"]),
        ("00,21-22", ["00/wsj_0001.mrg", "21/deep/wsj_2100.mrg", "22/wsj_2200.mrg"]),
    ],
)
def test_sections_pick_two_digit_folders(treebank, sections, found):
    assert names(find_tree_files([treebank], sections), treebank) == found


def test_sections_are_known_from_inside_the_folder_too(treebank, monkeypatch):
    monkeypatch.chdir(treebank / "02")
    assert len(find_tree_files(["."], "02")) == 2


@pytest.mark.parametrize(
    ("sections", "message"),
    [
        ("two", r"^sections 'two': 'two' is neither a number nor a range\. Write for instance 02-21 or 00,22\.$"),
        ("02-21,", r"'' is neither a number nor a range"),
        ("02-210", r"'02-210' is neither"),
        ("21-02", r"^sections '21-02': '21-02' ends before it begins\. Write for instance 02-21 or 00,22\.$"),
        ("05", r"^no trees found in .*wsj in sections 05 \(looked for \*\.mrg, .*\)\. Name a directory"),
    ],
)
def test_bad_sections_are_explained(treebank, sections, message):
    with pytest.raises(InputError, match=message):
        find_tree_files([treebank], sections)


def test_a_missing_path_is_named(tmp_path):
    with pytest.raises(InputError, match=r"no/such: no such file or directory\. Check the path of the treebank\.$"):
        find_tree_files([tmp_path / "no" / "such"])


def test_a_folder_without_tree_files_tells_what_was_looked_for(tmp_path):
    (tmp_path / "a.txt").write_text("(X a)")
    with pytest.raises(
        InputError, match=r"^no trees found in .* \(looked for \*\.mrg, \*\.mrg\.txt, .*\)\. Name a directory"
    ):
        find_tree_files([tmp_path])


def test_files_are_read_into_one_treebank_and_empty_ones_are_named(tmp_path):
    texts = {"a.mrg": "(X a)\n(X b)", "b.mrg": "", "c.mrg": " \n", "d.mrg": "(()) (Y a)"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    files = read_tree_files(find_tree_files([tmp_path]))
    assert tuples_of(files.trees) == [("X", "a"), ("X", "b"), None, ("Y", "a")]
    assert files.trees_per_file == [2, 0, 0, 2]
    assert files.empty_files == [tmp_path / "b.mrg", tmp_path / "c.mrg"]
    places = [place.removeprefix(f"{tmp_path}/") for place in places_of_trees(files, range(4))]
    assert places == ["a.mrg:1", "a.mrg:2", "d.mrg:1", "d.mrg:1"]


def test_a_problem_names_the_file_it_is_in(tmp_path):
    (tmp_path / "a.mrg").write_text("(X a)")
    (tmp_path / "b.mrg").write_text("(X a)\n (X b c)")
    with pytest.raises(SyntaxProblem, match=r"b\.mrg:2:7: a second word under one tag"):
        read_tree_files(find_tree_files([tmp_path]))


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path):
    path = tmp_path / "a.mrg"
    path.write_bytes(b"\xef\xbb\xbf(X \xc3\xa9\xef\xbb\xbf)")
    assert read_text(path) == "(X é\ufeff)"


def test_a_wrong_encoding_is_told_with_byte_and_line(tmp_path):
    path = tmp_path / "a.mrg"
    path.write_bytes(b"(X a)\n(X \xe9)")
    message = r"a\.mrg:2: byte 0xe9 at offset 9 is not utf-8\. Name the file's encoding with --encoding, "
    with pytest.raises(InputError, match=message):
        read_text(path)
    assert read_text(path, "latin-1") == "(X a)\n(X é)"


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        read_text(tmp_path)


def test_a_hair_space_stays_in_its_word(shared):
    trees = read_tree_files([shared / "data" / "quirks" / "craft_hairspace.tree"]).trees
    assert "Xpd\u200aTTD" in trees.strings


def test_a_no_break_space_used_as_indentation_is_a_blank(shared):
    files = read_tree_files([shared / "data" / "quirks" / "117CWL009.mrg.txt"])
    assert (files.trees.n_trees, [str(note).split(": ")[1] for note in files.notes]) == (
        13, ["127 lines of indentation by non-ASCII blanks"],
    )  # fmt: skip
    assert "\u00a0" not in {files.trees.strings[k] for k in files.trees.word}
