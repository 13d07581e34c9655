"""D: dependency trees.  The files are so small that they are here too; those of ../shared/cases are the same."""

from __future__ import annotations

import pytest
from command_line import succeed

CROSSING = (
    "1\tthe\t_\tDT\tDT\t_\t2\tdet\t_\t_\n2\tbaker\t_\tNN\tNN\t_\t3\tsubj\t_\t_\n3\tslept\t_\tVBD\tVBD\t_\t0\troot\t_\t_\n\n"
    "1\tlamps\t_\tNNS\tNNS\t_\t2\tsubj\t_\t_\n2\tarrived\t_\tVBD\tVBD\t_\t0\troot\t_\t_\n"
    "3\ttoday\t_\tRB\tRB\t_\t2\tadv\t_\t_\n4\tbright\t_\tJJ\tJJ\t_\t1\tmod\t_\t_\n5\tagain\t_\tRB\tRB\t_\t3\tmod\t_\t_\n\n"
)
INSERTED = (
    "# sent_id = 1\r\n1-2\tthebaker\t_\t_\t_\t_\t_\t_\t_\t_\r\n1\tthe\t_\tDT\tDT\t_\t2\tdet\t_\t_\r\n"
    "2\tbaker\t_\tNN\tNN\t_\t3\tsubj\t_\t_\r\n3\tslept\t_\tVBD\tVBD\t_\t0\troot\t_\t_\r\n\r\n"
    "# sent_id = 2\r\n1\tthe\t_\tDT\tDT\t_\t2\tdet\t_\t_\r\n2\tbaker\t_\tNN\tNN\t_\t3\tsubj\t_\t_\r\n"
    "2.1\tgap\t_\t_\t_\t_\t_\t_\t_\t_\r\n3\tslept\t_\tVBD\tVBD\t_\t0\troot\t_\t_"
)


def test_the_cases_are_those_of_the_collection(case):
    assert case("D01", "train.conll").read_bytes().startswith(CROSSING.encode())
    assert case("D03", "train.conll").read_bytes() == INSERTED.encode()


@pytest.fixture
def trees(tmp_path):
    path = tmp_path / "train.conll"
    path.write_bytes(CROSSING.encode() + INSERTED.encode())
    return path


def test_d01_a_parser_says_which_tree_has_crossing_arcs_and_learns_from_all(trees, tmp_path):
    told = succeed("dep", "train-parser", trees, "-o", tmp_path / "x.depparser.npz", "--epochs", 1, "--no-tagger").err
    assert "4 sentences, 14 words" in told
    assert f"first sentence 2 at {trees}:5 (arcs 1-4 and 3-5)" in told


def test_d01_a_model_of_trees_learns_from_crossing_arcs_as_they_are(trees, tmp_path):
    told = succeed("dep", "train", trees, "-o", tmp_path / "x.dep.npz", "-m", 2, "--rare-below", 1).err
    assert "4 sentences, 14 words" in told


def test_d03_ranges_and_empty_nodes_are_no_words(tmp_path):
    path = tmp_path / "train.conllu"
    path.write_bytes(INSERTED.encode())
    drawn = succeed("dep", "draw", path).out
    assert drawn.count("sentence") == 2 and "gap" not in drawn and "thebaker" not in drawn
    table = succeed("dep", "eval", path, path).out.splitlines()
    assert [line.split()[-2:] for line in table if line.startswith(("Sentences", "Words"))] == [["2", "2"], ["6", "6"]]
