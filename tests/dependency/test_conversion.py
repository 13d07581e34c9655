"""Dependencies of constituency trees, against a recursion over the tree."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from command_line import fail, succeed
from hypothesis import given
from hypothesis import strategies as st
from oracles import leaves, write_tree
from strategies import trees

from lpcfg_cli.dependency.trees.conversion import dependencies_of_trees
from lpcfg_cli.dependency.trees.files import read_dependency_files
from lpcfg_cli.dependency.trees.projectivity import is_projective
from lpcfg_cli.treebank.brackets import treebank_from_text
from lpcfg_cli.treebank.heads import Clause, HeadRules

DATA = Path(os.environ.get("LPCFG_SHARED", Path(__file__).resolve().parents[3] / "shared")) / "data"

TREE = (
    "(S (NP-SBJ-1 (NP (DT The) (NN board)) (PP (IN of) (NP (NNP Savin)))) (VP (MD will) (VP (VB say)"
    " (SBAR (-NONE- 0) (S (NP (PRP it)) (VP (VBZ pays)))))) (. .))"
)
CONLL = """\
1	The	_	DT	DT	_	2	DT	_	_
2	board	_	NN	NN	_	5	NP	_	_
3	of	_	IN	IN	_	2	PP	_	_
4	Savin	_	NNP	NNP	_	3	NP	_	_
5	will	_	MD	MD	_	0	ROOT	_	_
6	say	_	VB	VB	_	5	VP	_	_
7	it	_	PRP	PRP	_	8	NP	_	_
8	pays	_	VBZ	VBZ	_	6	SBAR	_	_
9	.	_	.	.	_	5	.	_	_

"""

few = st.sampled_from(["A", "B", "C", "A-X", "B=1"])
plain = st.sampled_from(["A", "B", "C", "*"])
clauses = st.builds(Clause, st.sampled_from(["left", "right", "right-any", "left-except"]), st.tuples(plain))
rule_sets = st.dictionaries(plain, st.lists(clauses, min_size=1, max_size=2)).map(HeadRules)


def converted(tree, rules):
    """Heads and relations of a tree as its oracle form, a tuple of label and children or word."""
    numbers = iter(range(1, 1000))
    arcs = {}

    def visit(node):
        """The number of the node's head word, after setting the arcs below the node."""
        label, below = node
        if isinstance(below, str):
            return next(numbers)
        heads = [visit(child) for child in below]
        labels = [child[0] if isinstance(child[1], str) else child[0].split("-")[0].split("=")[0] for child in below]
        best = rules(label.split("-")[0].split("=")[0], labels)
        for k, child in enumerate(below):
            if k != best:
                index_free = child[0].removesuffix("=1")
                arcs[heads[k]] = heads[best], index_free
        return heads[best]

    arcs[visit(tree)] = 0, "ROOT"
    return [arcs[k] for k in sorted(arcs)]


@given(rule_sets, st.lists(trees(label=few, tag=plain, word=st.just("w"), max_leaves=9), min_size=1, max_size=3))
def test_heads_are_those_of_a_recursion(rules, forest):
    treebank = treebank_from_text("\n".join(map(write_tree, forest)))
    for tree, sentence in zip(forest, dependencies_of_trees(treebank, rules), strict=True):
        assert list(zip(sentence.heads.tolist(), sentence.relations, strict=True)) == converted(tree, rules)
        assert list(zip(sentence.tags, sentence.forms, strict=True)) == leaves(tree)
        assert is_projective(sentence.heads)


def test_a_tree_is_converted(tmp_path):
    path = tmp_path / "x.mrg"
    path.write_text(f"({TREE})")
    assert succeed("dep", "from-trees", path).out == CONLL
    kept = succeed("dep", "from-trees", path, "--keep-functions").out
    assert kept == CONLL.replace("5\tNP", "5\tNP-SBJ")
    none = succeed("dep", "from-trees", path, "--relations", "none").out
    assert {line.split("\t")[7] for line in none.splitlines() if line} == {"dep", "ROOT"}


def test_conllu_has_the_text_and_no_universal_tags(tmp_path):
    out = succeed("dep", "from-trees", "-", "--format", "conllu", stdin=TREE).out
    assert out.startswith(
        "# sent_id = 1\n# text = The board of Savin will say it pays .\n1\tThe\t_\t_\tDT\t_\t2\tDT\t_\t_\n"
    )
    assert "\t0\troot\t" in out


def test_other_head_rules_and_an_output_file(tmp_path):
    rules, output = tmp_path / "last.rules", tmp_path / "x.conll"
    rules.write_text("* right *\n")
    succeed("dep", "from-trees", "-", "--head-rules", rules, "-o", output, stdin="(S (A a) (B (C b) (D c)))")
    (sentence,) = read_dependency_files([output])
    assert sentence.heads.tolist() == [3, 3, 0]


def test_trees_without_words_are_named_and_left_out():
    outcome = succeed("dep", "from-trees", "-", stdin="(S (A a))\n\n(S (-NONE- *))\n")
    assert "1 tree without words left out: <stdin>:3" in outcome.err
    assert "1 tree, 1 word" in outcome.err
    assert "no tree with words" in fail(3, "dep", "from-trees", "-", stdin="(())")


def test_the_penn_treebank_has_the_dependencies_of_papers():
    gold = [DATA / "dep_wsj" / name for name in ("train.conll", "dev.conll")]
    if not gold[0].exists():
        pytest.skip(f"no data at {DATA}; set LPCFG_SHARED")
    out = succeed("dep", "from-trees", DATA / "wsj", "--relations", "none").out
    assert out == "".join(path.read_text() for path in gold)
