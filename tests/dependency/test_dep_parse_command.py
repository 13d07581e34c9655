"""``lpcfg dep train-parser`` and ``lpcfg dep parse`` as a user runs them."""

from __future__ import annotations

import pytest
from command_line import fail, run_here, succeed
from dependency_files import sentences_of
from small_treebank import TREES, treebank, treebank_text

TRAINING = ("--bits", "14", "--epochs", "6", "--order", "first")


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("depparser")
    (folder / "train.conll").write_text(2 * treebank_text())  # what occurs once is no feature of relations
    outcome = succeed("dep", "train-parser", folder / "train.conll", "-o", folder / "x.depparser.npz", *TRAINING)
    assert outcome.out == ""
    assert "trees: 10 sentences, 34 words" in outcome.err
    assert "7 relations" in outcome.err
    return folder / "x.depparser.npz"


def test_the_treebank_is_parsed_as_it_is(model):
    """Heads and relations of the input are not read: others in their place change nothing."""
    wrong = treebank_text().replace("\tsubj\t", "\tobj\t").replace("\tdet\t", "\tx\t")
    without = "\n".join(
        "\t".join([*fields[:6], "_", "_", *fields[8:]]) if len(fields := line.split("\t")) > 1 else line
        for line in wrong.split("\n")
    )
    for text in (treebank_text(), wrong, without):
        outcome = succeed("dep", "parse", model, stdin=text)
        assert outcome.out == treebank_text()
        assert "parsed 5 sentences, 17 words" in outcome.err


def test_comments_and_lines_that_are_no_words_stay_and_graphs_do_not(model):
    text = (
        "# sent_id = 1\n1-2\tthedog\t_\t_\t_\t_\t_\t_\t_\t_\n"
        "1\tthe\tthe\tD\tD\tDef=Yes\t2\tx\t2:x\tSpaceAfter=No\n2\tdog\tdog\tN\tN\t_\t3\tx\t3:x\t_\n"
        "3\tsaw\tsee\tV\tV\t_\t0\tx\t0:x\t_\n4\tTom\tTom\tP\tP\t_\t3\tx\t3:x\t_\n\n"
    )
    lines = succeed("dep", "parse", model, stdin=text).out.split("\n")
    assert lines[:3] == [
        "# sent_id = 1",
        "1-2\tthedog\t_\t_\t_\t_\t_\t_\t_\t_",
        "1\tthe\tthe\tD\tD\tDef=Yes\t2\tdet\t_\tSpaceAfter=No",
    ]
    plain = succeed("dep", "parse", model, "--conll-x", stdin=text).out.split("\n")
    assert plain == lines[2:]


def test_raw_and_tagged_sentences_get_the_same_trees(model):
    raw = succeed("dep", "parse", model, "--raw", stdin="the dog saw Tom\n\nTom\n")
    assert raw.out == treebank_text([TREES[0], TREES[3]])
    assert "1 empty" in raw.err
    tagged = succeed("dep", "parse", model, "-f", "slash", stdin="the/D dog/N saw/V Tom/P\nTom/P\n")
    assert tagged.out == raw.out
    untagged = "1\tthe\t_\t_\t_\t_\t_\t_\t_\t_\n2\tdog\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    assert [sentence.tags for sentence in sentences_of(succeed("dep", "parse", model, stdin=untagged).out)] == [
        ("D", "N")
    ]
    wrong = treebank_text().replace("\tD\tD\t", "\tN\tN\t")
    assert succeed("dep", "parse", model, "--retag", stdin=wrong).out == treebank_text()


def test_n_best_lists_have_scores_in_order_and_begin_with_the_tree(model):
    first = treebank_text(TREES[:1])
    found = sentences_of(succeed("dep", "parse", model, "--nbest", "50", stdin=first).out)
    assert len(found) == 30, "trees of four words with one root"
    assert len({tuple(sentence.heads) for sentence in found}) == 30
    assert [sentence.comments[0] for sentence in found] == [f"# tree = {k}" for k in range(1, 31)]
    scores = [float(sentence.comments[1].removeprefix("# score = ")) for sentence in found]
    assert scores == sorted(scores, reverse=True)
    assert found[0].heads.tolist() == treebank()[0].heads.tolist()
    assert "CoNLL-X does not have" in fail(2, "dep", "parse", model, "--nbest", "2", "--conll-x", stdin=first)


def test_trees_and_models_do_not_depend_on_jobs(model, tmp_path):
    text = treebank_text() * 20
    alone = succeed("dep", "parse", model, stdin=text).out
    assert succeed("dep", "parse", model, "-j", "2", stdin=text).out == alone == text
    for jobs in (1, 2):
        succeed(
            "dep", "train-parser", model.with_name("train.conll"), "-o", tmp_path / f"{jobs}", *TRAINING,
            "--shards", "2", "-j", jobs,
        )  # fmt: skip
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes() != model.read_bytes()


def test_a_sentence_that_is_too_long_gets_a_flat_tree(model):
    outcome = succeed("dep", "parse", model, "--max-length", "3", stdin=treebank_text())
    heads = [sentence.heads.tolist() for sentence in sentences_of(outcome.out)]
    assert heads == [[0, 1, 2, 3]] * 3 + [[0], [0, 1, 2, 3]]
    assert "<stdin>:1: 4 words are more than --max-length 3: the tree is flat." in outcome.err
    assert "4 too long, flat" in outcome.err


def test_a_sentence_that_cannot_be_read_ends_the_run_or_is_left_out(model, tmp_path):
    blocks = [block + "\n\n" for block in treebank_text().split("\n\n")[:-1]]
    bad = [
        "1\ttoo\tfew\n",
        "1\tx\t_\tX\tX\t_\t9\t_\t_\t_\n2\ty\t_\tX\tX\t_\t1\t_\t_\t_\n",
        "3\tx\t_\tX\tX\t_\t0\tr\t_\t_\n",
    ]
    path = tmp_path / "in.conll"
    path.write_text("".join([blocks[0], bad[0] + "\n", blocks[1], bad[1] + "\n", bad[2] + "\n", *blocks[2:]]))
    outcome = succeed("dep", "parse", model, path, "--on-error", "skip")
    assert outcome.out == treebank_text()
    places = [line.split(": ")[0] for line in outcome.err.split("\n") if "left out" in line]
    assert places == [f"{path}:6:1", f"{path}:13:13", f"{path}:16:1"]
    assert "3 not readable" in outcome.err
    stopped = run_here("dep", "parse", model, path)
    assert stopped.code == 3
    assert stopped.out == blocks[0]
    assert "parsed 1 sentence" in stopped.err
    assert f"{path}:6:1" in stopped.err


def test_words_without_tags_need_a_tagger(model, tmp_path):
    succeed("dep", "train-parser", model.with_name("train.conll"), "-o", tmp_path / "x", *TRAINING, "--no-tagger")
    message = fail(3, "dep", "parse", tmp_path / "x", "--raw", stdin="Tom\n")
    assert "no tagger" in message
    assert succeed("dep", "parse", tmp_path / "x", stdin=treebank_text()).out == treebank_text()


def test_other_files_are_refused(model):
    assert "is not a file of kind" in fail(4, "dep", "parse", model.with_name("train.conll"), stdin="")
    assert "expected one of first, second" in fail(
        2, "dep", "train-parser", model.with_name("train.conll"), "-o", "x", "--order", "third"
    )
