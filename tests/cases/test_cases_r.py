"""R: reading a treebank."""

from __future__ import annotations

import pytest
from command_line import run_here, run_installed
from oracles import leaves, phrases, read_trees

FERRY = "(S (NP (DT the) (NN ferry)) (VP (VBD arrived) (PP (IN in) (NP (DT the) (NN harbour)))) (. .))"
FOUR = [
    "(S (NP (DT the) (NN baker)) (VP (VBD slept)) (. .))",
    "(S (NP (NNS clocks)) (VP (VBD ticked) (ADVP (RB slowly))) (. .))",
    "(S (NP (PRP she)) (VP (VBD mended) (NP (DT a) (NN lamp))) (. .))",
    FERRY,
]


def sizes(run):
    return [len(leaves(read_trees(line)[0])) for line in run.trees]


def refused(run, *parts):
    assert run.outcome.code == 3
    for part in parts:
        assert part in run.message
    assert not run.has_model


def test_r01_an_escaped_bracket_is_a_word(train):
    run = train("R01")
    assert run.trees == ["(S (NP (DT the) (NN mark)) (VP (VBD was) (NP (SYM \\)))) (. .))", *FOUR]
    assert sizes(run) == [5, 4, 4, 5, 7]


def test_r02_tags_with_hyphens_and_dollars_survive(train):
    run = train("R02")
    assert [tag for tag, _ in leaves(read_trees(run.trees[0])[0])] == [
        "DT",
        "NN",
        "-LRB-",
        "PRP$",
        "NN",
        "-RRB-",
        "VBD",
        ".",
    ]
    assert [label for label, _ in phrases(read_trees(run.trees[0])[0])] == ["S", "NP", "NP", "PRN", "NP", "VP"]
    assert {"-LRB-", "-RRB-", "PRP$"} <= run.tags
    assert not {"", "LRB", "PRP"} & (run.tags - {"PRP"} | run.categories)


def test_r04_functions_after_other_characters_are_kept_and_found(train, case, tmp_path):
    run = train("R04")
    assert {"NP*SUB", "NP*OBJ", "NP"} <= run.categories
    known = train("R04", "--rare-below", "1")
    outcome = run_here("parse", known.folder, stdin="the/DT boat/NN sank/VBD ./.\na/DT boat/NN sank/VBD rope/NN ./.")
    assert outcome.out.count("(NP*SUB (") == 2
    assert outcome.out.count("(NP*OBJ (NN rope))") == 1
    assert "NP*SUB looks like NP with a function after '*'" in run_here("check", case("R04", "train")).out


def test_r05_any_wrapper_is_the_same(train):
    run = train("R05")
    assert len(run.trees) == 5
    assert len(set(run.trees)) == 1
    assert run.categories == {"S", "NP", "VP"}
    assert run_here("parse", run.folder, stdin="the/DT mill/NN stopped/VBD ./.").out.startswith("(TOP (S ")


def test_r07_null_trees_are_skipped_and_counted(train):
    run = train("R07")
    assert run.trees == FOUR
    assert "skipped: 2 trees without words:" in run.message
    assert "a.mrg:2" in run.message
    assert "a.mrg:4" in run.message
    assert "" not in run.categories


def test_r08_a_file_that_ends_inside_a_tree(train):
    refused(train("R08"), "a.mrg:5:1: a tree that starts here and is not closed")
    skipped = train("R08", "--on-error", "skip")
    assert skipped.trees == FOUR
    assert "skipped: 1 part of" in skipped.message
    assert "a.mrg:5:1: skipped" in skipped.message


def test_r08_the_error_comes_at_once(case, tmp_path):
    outcome = run_installed("train", case("R08", "train"), "-o", tmp_path / "run")
    assert outcome.code == 3
    assert "a.mrg:5:1" in outcome.err


def test_r10_too_many_closing_brackets(train):
    refused(train("R10"), "a.mrg:2:50: a closing bracket that closes nothing")
    skipped = train("R10", "--on-error", "skip")
    assert skipped.trees == FOUR
    assert "a.mrg:2:1: skipped" in skipped.message
    assert ": 2:50: a closing bracket that closes nothing" in skipped.message


def test_r12_an_empty_line_inside_a_tree(train):
    assert sizes(train("R12")) == [5, 4]


def test_r13_several_trees_on_one_line(train):
    assert train("R13").trees == FOUR


def test_r14_two_words_in_one_tag(train):
    refused(train("R14"), "a.mrg:1:23: a second word under one tag: 'Quay)")
    skipped = train("R14", "--on-error", "skip")
    assert skipped.trees == FOUR
    assert "a.mrg:1:1: skipped" in skipped.message


def test_r15_windows_line_ends(train, case, parse, tmp_path):
    run = train("R15")
    plain = tmp_path / "plain"
    plain.mkdir()
    for path in case("R15", "train").iterdir():
        (plain / path.name).write_bytes(path.read_bytes().replace(b"\r\n", b"\n"))
    run_here("train", plain, "-o", tmp_path / "run")
    assert (run.folder / "trees.bin.mrg").read_bytes() == (tmp_path / "run" / "trees.bin.mrg").read_bytes()
    assert not any("\r" in string for string in run.tags | run.categories | run.words)
    lines = parse("R15", "R15").out
    tagged = tmp_path / "tagged.txt"
    tagged.write_bytes(case("R15", "tagged.txt").read_bytes().replace(b"\r\n", b"\n"))
    assert run_here("parse", tmp_path / "run", tagged).out == lines
    assert lines.count("\n") == 2


def test_r18_remarks_and_mark_up_between_trees(train):
    run = train("R18")
    assert run.trees == FOUR[:3]
    assert "a.mrg:1: 5 lines of remarks between trees" in run.message
    assert not {"newdoc", "header"} & run.words


def test_r19_word_and_phrase_as_sisters(train):
    refused(train("R19"), "a.mrg:1:", "a word with no tag next to a phrase", "Give the word a tag of its own")
    assert train("R19", "--on-error", "skip").trees == FOUR


def test_r21_a_tag_without_a_word(train):
    refused(train("R21"), "a.mrg:1:", "a label with neither word nor children: '(NN ))")
    assert train("R21", "--on-error", "skip").trees == FOUR


def test_r22_words_in_brackets_of_their_own(train):
    refused(train("R22"), "a.mrg:1:", "a label with neither word nor children: '(the))", "remove the inner ones")


def test_r23_any_blanks(train):
    run = train("R23")
    assert sizes(run) == [4, 4, 5, 7]
    assert run.trees == FOUR


def test_r24_traces_and_what_they_empty(train):
    run = train("R24")
    first, second, _ = run.trees
    assert [word for _, word in leaves(read_trees(first)[0])] == ["she", "asked", "what", "they", "wanted", "."]
    assert "(SBAR (WHNP (WP what)) (S (NP (PRP they)) (VP (VBD wanted))))" in first
    assert second == "(S (NP (PRP he)) (VP (VBD knew)) (. .))"
    assert "-NONE-" not in run.tags
    assert "removed: 3 traces" in run.message


def test_r27_labels_with_a_bar(train, parse):
    run = train("R27")
    assert {"ADVP|PRT", "PRT|ADVP"} <= run.categories
    assert run.trees[0] == "(S (NP (NNS lamps)) (ADVP|PRT (RB slowly)) (VP (VBD went) (PRT|ADVP (RB out))) (. .))"
    assert parse("R27", "R27").out == f"(TOP {run.trees[0]})\n"


def test_r30_only_tree_files_are_read(train):
    run = train("R30")
    assert "binarize: 2 files, 4 trees" in run.message
    assert len(run.trees) == 4
    assert "XX" not in run.categories | run.tags
    assert "not read: 4 other files:" in run.message
    for name in ("readme.txt", ".hidden.mrg", "c.mrg~", "c.mrg.bak"):
        assert name in run.message


def test_r31_tags_that_are_punctuation(train):
    run = train("R31")
    tags = [tag for tag, _ in leaves(read_trees(run.trees[0])[0])]
    assert tags == ["``", "PRP", "VBD", "$", "CD", ":", "#", "CD", ",", "''", "PRP", "VBD", "."]
    assert {"``", "$", ",", ":", "#", "''"} <= run.tags


@pytest.mark.parametrize("name", ["R01", "R12", "R13", "R23", "R31"])
def test_reading_again_what_was_written_changes_nothing(train, tmp_path, name):
    run = train(name)
    (tmp_path / "again.mrg").write_text("\n".join(run.trees) + "\n")
    run_here("binarize", tmp_path / "again.mrg", tmp_path / "again")
    assert (tmp_path / "again" / "trees.bin.mrg").read_bytes() == (run.folder / "trees.bin.mrg").read_bytes()
