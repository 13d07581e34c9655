"""Unusual files of real treebanks (../shared/data/QUIRKS.md): read correctly, or refused at the right place."""

from __future__ import annotations

import numpy as np
import pytest
from oracles import leaves, tuples_of

from lpcfg_cli.config import CleanSettings, ReadSettings
from lpcfg_cli.errors import InputError, SyntaxProblem
from lpcfg_cli.treebank.clean import clean
from lpcfg_cli.treebank.files import read_tree_files
from lpcfg_cli.treebank.finding import search_tree_files
from lpcfg_cli.treebank.survey import survey


@pytest.fixture
def quirk(shared):
    """The path of one of the files."""
    return lambda name: shared / "data" / "quirks" / name


READ = [
    # file, encoding, trees, notes, parts skipped
    ("GUM_reddit_pandas.ptb", "utf-8", 49, 0, 0),
    ("craft_hairspace.tree", "utf-8", 4, 0, 0),
    ("117CWL009.mrg.txt", "utf-8", 13, 1, 0),
    ("icepahc_1883.voggur.nar-fic.psd", "utf-8", 130, 0, 0),
    ("icepahc_homiliubok_head.psd", "utf-8", 4, 0, 1),
    ("keyaki_raw.psd", "utf-8", 129, 0, 0),
    ("masc_chZ.mrg", "utf-8", 40, 0, 0),
    ("wsj_9003.mrg", "utf-8", 9, 1, 0),
    ("wsj_9020.mrg", "utf-8", 10, 0, 0),
    ("wsj_9037.mrg", "utf-8", 18, 1, 0),
    ("wsj_X_at.mrg", "utf-8", 2, 0, 0),
    ("wsj_longest_249.mrg", "utf-8", 1, 0, 0),
    ("floresta_raw_latin1.ptb", "latin-1", 1, 1, 4),
    ("idn_raw.bracket", "utf-8", 0, 0, 8),
    ("10585_20000313.tbf", "latin-1", 0, 0, 11),
]


@pytest.mark.parametrize(("name", "encoding", "n_trees", "n_notes", "n_skipped"), READ)
def test_files_are_read_and_what_is_no_tree_is_listed(quirk, name, encoding, n_trees, n_notes, n_skipped):
    files = read_tree_files([quirk(name)], ReadSettings(encoding, "skip"))
    assert (files.trees.n_trees, len(files.notes), len(files.skipped)) == (n_trees, n_notes, n_skipped)
    if n_skipped == 0:
        strict = read_tree_files([quirk(name)], ReadSettings(encoding))
        assert np.array_equal(strict.trees.tree_start, files.trees.tree_start)


REFUSED = [
    (
        "10585_20000313.tbf",
        "utf-8",
        r"tbf:28: byte 0xf3 at offset 587 is not utf-8\. Name the file's encoding with --enc",
    ),
    ("10585_20000313.tbf", "latin-1", r"tbf:6:20: a second word under one tag: 'el\)\)"),
    ("floresta_raw_latin1.ptb", "utf-8", r"ptb:2: byte 0xe1 at offset 69 is not utf-8"),
    ("floresta_raw_latin1.ptb", "latin-1", r"ptb:24:10: a label with neither word nor children: '\(\.\)\)"),
    ("icepahc_homiliubok_head.psd", "utf-8", r"psd:101:1: a tree that starts here and is not closed"),
    (
        "idn_raw.bracket",
        "utf-8",
        r"bracket:1:12: a label with neither word nor children: '\(Kera\)\).*remove the inner ones",
    ),
]


@pytest.mark.parametrize(("name", "encoding", "message"), REFUSED)
def test_files_are_refused_at_the_right_place(quirk, name, encoding, message):
    with pytest.raises((InputError, SyntaxProblem), match=message):
        read_tree_files([quirk(name)], ReadSettings(encoding))


def test_all_endings_are_found_in_the_folder(shared):
    found = search_tree_files([shared / "data" / "quirks"])
    assert [path.name for path in found.unread] == ["sinica_raw.txt"]
    assert len(found.paths) == 17


def test_words_keep_odd_characters_and_signs_that_are_no_traces(quirk):
    words = {
        word
        for name in ("craft_hairspace.tree", "GUM_reddit_pandas.ptb", "wsj_X_at.mrg")
        for tree in tuples_of(clean(read_tree_files([quirk(name)]).trees, CleanSettings())[0])
        for _, word in leaves(tree)
    }
    assert {"Xpd\u200aTTD", "______", "___", "@"} <= words


def test_a_tree_of_249_words_and_one_word_trees(quirk):
    assert survey(read_tree_files([quirk("wsj_longest_249.mrg")]).trees, CleanSettings()).longest.size == 249
    assert [len(leaves(tree)) for tree in tuples_of(read_tree_files([quirk("wsj_X_at.mrg")]).trees)] == [1, 5]


@pytest.mark.parametrize("name", ["icepahc_1883.voggur.nar-fic.psd", "keyaki_raw.psd"])
def test_traces_without_their_tag_are_named_and_kept(quirk, name):
    trees = read_tree_files([quirk(name)]).trees
    found = [anomaly for anomaly in survey(trees, CleanSettings()).anomalies if anomaly.kind == "untagged-trace"]
    assert len(found) == 1
    assert len(found[0].nodes) > 10
    cleaned, report = clean(trees, CleanSettings())
    assert report.traces == 0
    assert cleaned.n_words == trees.n_words
