"""Raw text that a teacher parses: what is learnt from it, currency, resumption, errors."""

from __future__ import annotations

import gzip
import json
import shutil

import numpy as np
import pytest
from command_line import fail, succeed

from lpcfg_cli.config import TaggerSettings, TeachSettings, load_settings
from lpcfg_cli.errors import ArtefactError, ConfigError
from lpcfg_cli.experiments.cross_validation import cross_validate
from lpcfg_cli.grammar.archive import load_model
from lpcfg_cli.parsing.spans.archive import SPANS, load_spans
from lpcfg_cli.stages.teach import TEACHER_MODELS, lesson_of, teacher_settings
from lpcfg_cli.storage.artefacts import read_header, read_json, write_json
from lpcfg_cli.tagging.archive import TAGGER
from lpcfg_cli.treebank.archive import load_binary_trees
from lpcfg_cli.treebank.brackets import bracket_strings, treebank_from_text
from lpcfg_cli.treebank.taught import TAUGHT, joined, load_taught_trees

SURE = ("--text-confidence", 0.9)
TEACHER = """
[svd]
states = 2
dropout = 0.2
[ensemble]
members = 2
[tagger]
epochs = 2
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A treebank of 60 trees, a text of 40 sentences with a word of its own, and settings."""
    folder = tmp_path_factory.mktemp("teach")
    lines = succeed("synth", "-n", 100, "--seed", 5, "--max-words", 20).out.splitlines()
    (folder / "gold.mrg").write_text("".join(f"{line}\n" for line in lines[:60]))
    text = [" ".join(word for word, _ in s) for s in treebank_from_text("\n".join(lines[60:])).tagged_sentences()]
    (folder / "text.txt").write_text("".join(f"{line}\n" for line in [*text, "Zinc admires them and him ."] * 3))
    (folder / "teacher.toml").write_text(TEACHER)
    (folder / "student.toml").write_text(
        f"[svd]\nstates = 3\n[lexicon]\nrare_below = 3\n[tagger]\nepochs = 2\n"
        f'[teach]\nteacher = "{folder}/teacher.toml"\nshortest = 3\nlongest = 20\n'
    )
    return folder


def train(files, run, *options, text="text.txt"):
    return succeed(
        "train", files / "gold.mrg", "-o", run, "-c", files / "student.toml", "--text", files / text, *options
    )


@pytest.fixture(scope="module")
def taught(files, tmp_path_factory):
    """A run directory of a student, and what the command said."""
    run = tmp_path_factory.mktemp("taught") / "run"
    return run, json.loads(train(files, run, "--json", "--text-weight", 0.5).out)


@pytest.fixture
def copy(taught, tmp_path):
    return shutil.copytree(taught[0], tmp_path / "run")


def contents(run):
    """All files but logs, and parses of the teacher, which name their place."""
    return {
        path.relative_to(run).as_posix(): path.read_bytes()
        for path in run.rglob("*")
        if path.is_file() and path.name != "log.json" and path.parent.name != "parsed"
    }


def test_trees_of_text_join_the_treebank_with_their_weight(taught):
    run, report = taught
    _, trees = load_binary_trees(run)
    found = load_taught_trees(run, ("TOP",))
    assert 20 < found.trees.n_trees == trees.n_taught == report["binarize"]["taught"] == report["teach"]["trees"]
    assert trees.n_trees == 60 + trees.n_taught
    assert set(trees.weight[:60]) == {1.0}
    assert set(trees.weight[60:]) == {0.5}
    assert report["binarize"]["taught_weight"] == trees.n_taught / 2
    assert report["teach"]["parsed"] == report["teach"]["left_out"] + trees.n_taught  # one tree each
    assert report["binarize"]["trees"] == 60
    _, teacher = load_binary_trees(run / "teacher")
    assert (teacher.n_trees, teacher.n_taught) == (60, 0)


def test_words_of_the_text_are_known_words(taught):
    run, _ = taught
    _, grammar = load_model(run)
    _, teacher = load_model(run / "teacher" / "member-0")
    known = [{*one.lexicon.entries, *(word.lower() for word in one.lexicon.rare.words)} for one in (grammar, teacher)]
    assert "zinc" in known[0]
    assert "zinc" not in known[1]


def test_networks_learn_from_the_treebank_only(copy, files, tmp_path):
    (tmp_path / "small.toml").write_text("[spans]\nnetworks = 1\nstates = 4\npasses = 1\n")
    said = succeed("spans", copy, "-c", tmp_path / "small.toml").err
    assert "\nspans: 60 sentences, " in said
    known = load_spans(copy / "spans.npz", SPANS).vocabulary.words
    assert "Zinc" not in known
    gold = treebank_from_text((files / "gold.mrg").read_text())
    assert {word for sentence in gold.tagged_sentences() for word, _ in sentence} == set(known)


def test_the_conventions_of_text_are_those_of_the_treebank(taught):
    run, _ = taught
    own, teacher = (read_header(folder / "tagger.npz", TAGGER).settings["text"] for folder in (run, run / "teacher"))
    assert own == teacher


def test_the_same_bytes_for_any_number_of_jobs(taught, files, tmp_path):
    train(files, tmp_path / "two", "-j", 2, "--text-weight", 0.5)
    assert contents(tmp_path / "two") == contents(taught[0])


def test_compressed_text_gives_the_same(taught, files, tmp_path):
    (files / "text.gz").write_bytes(gzip.compress((files / "text.txt").read_bytes()))
    train(files, tmp_path / "run", "--text-weight", 0.5, text="text.gz")
    for name in ("taught.mrg", "trees.bin.mrg"):
        assert (tmp_path / "run" / name).read_bytes() == (taught[0] / name).read_bytes()


def test_an_interrupted_run_goes_on_with_finished_files(copy, taught, files):
    parsed = sorted((copy / "teacher" / "parsed").iterdir())
    before = parsed[0].stat().st_mtime_ns
    for name in ("taught.json", "symbols.json"):
        (copy / name).unlink()
    said = train(files, copy, "--text-weight", 0.5).err
    assert "teach: unchanged" not in said
    assert parsed[0].stat().st_mtime_ns == before  # not parsed again
    assert contents(copy) == contents(taught[0])
    parsed[0].write_text("damaged")
    (copy / "taught.json").unlink()
    train(files, copy, "--text-weight", 0.5)
    assert contents(copy) == contents(taught[0])


def test_running_text_is_split_as_in_the_treebank(copy, files):
    (files / "running.txt").write_text("Oscar admires them. The king\nadmires Oscar.\n\nIvan, a clown, hides.\n")
    train(files, copy, "--text-format", "text", text="running.txt")
    sample = (copy / "teacher" / "sample" / "00000000.txt").read_text()
    assert sample == "Oscar admires them .\nThe king admires Oscar .\nIvan , a clown , hides .\n"


def test_weight_and_confidence_need_no_new_parses(copy, files):
    taught_trees = (copy / "taught.mrg").read_bytes()
    outcome = train(files, copy, "--text-weight", 0.25, "--text-confidence", 0.99, "--json")
    assert "teach: unchanged, skipped" in outcome.err
    report = json.loads(outcome.out)
    assert report["teach"] is None
    assert (copy / "taught.mrg").read_bytes() == taught_trees
    found = load_taught_trees(copy, ("TOP",)).confident(0.99)
    assert 0 < report["binarize"]["taught"] == found.trees.n_trees < load_taught_trees(copy, ()).trees.n_trees
    assert report["binarize"]["taught_weight"] == found.trees.n_trees / 4


def test_what_the_trees_depend_on_makes_them_stale(copy, files):
    assert "teach: unchanged" in train(files, copy, "--text-weight", 0.5).err
    for change in (["--text-longest", 12], ["--seed", 3]):
        assert "teach: unchanged" not in train(files, copy, *change).err
    assert "teach: unchanged" in train(files, copy, *change).err
    (files / "more.txt").write_text("They passed the harbour .\n" * 4)
    assert "teach: unchanged" not in train(files, copy, *change, text="more.txt").err


def test_without_text_nothing_is_taught(copy, files, tmp_path):
    for run in (copy, tmp_path / "fresh"):
        said = succeed("train", files / "gold.mrg", "-o", run, "-c", files / "student.toml").err
        assert "teach" not in said
    names = ("trees.bin.mrg", "symbols.json", "features.npz", "tagger.npz", "model.lpcfg.npz")
    assert all((copy / name).read_bytes() == (tmp_path / "fresh" / name).read_bytes() for name in names)
    assert "taught" not in (copy / "symbols.json").read_text()


def test_several_trees_share_the_weight_of_their_sentence(files, tmp_path):
    config = tmp_path / "soft.toml"
    config.write_text((files / "student.toml").read_text() + "trees = 3\n")
    succeed("train", files / "gold.mrg", "-o", tmp_path / "run", "-c", config, "--text", files / "text.txt")
    found = load_taught_trees(tmp_path / "run", ("TOP",))
    sentences = [[word for word, _ in tagged] for tagged in found.trees.tagged_sentences()]
    is_first = [k == 0 or sentences[k - 1] != sentences[k] for k in range(len(sentences))]
    assert sum(is_first) < found.trees.n_trees <= 3 * sum(is_first)
    np.testing.assert_allclose(np.add.reduceat(found.share, np.flatnonzero(is_first)), 1, atol=1e-12)


def test_cross_validation_teaches_each_fold_from_the_other_folds_only(files, tmp_path):
    settings = load_settings(files / "student.toml", teach__files=(str(files / "text.txt"),))
    (fold,) = cross_validate([files / "gold.mrg"], tmp_path, settings, 4, only=[1])
    _, teacher = load_binary_trees(tmp_path / "run" / "teacher")
    _, student = load_binary_trees(tmp_path / "run")
    assert teacher.n_trees == fold.training_trees == 45
    assert student.n_trees == 45 + student.n_taught > 60
    assert not (tmp_path / "run" / "tagger.npz").exists()  # words come with their tags, but the teacher needs one
    assert (tmp_path / "run" / "teacher" / "tagger.npz").exists()


def record(**changes):
    tree = {"tree": "(TOP (A a))", "posterior": 0.6}
    brackets = [{"posterior": 0.5}, {"posterior": 1.0}]
    base = {"status": "parsed", "is_negative": False, **tree, "brackets": brackets}
    return {**base, "nbest": [tree, {"tree": "(TOP (B a))", "posterior": 0.2}], **changes}


def test_lessons_have_shares_by_posterior_and_the_confidence_of_the_best_tree():
    one, two = lesson_of(record(), 1), lesson_of(record(), 2)
    assert (one.trees, one.shares, one.confidence) == (["(TOP (A a))"], [1.0], 0.75)
    assert two.trees == ["(TOP (A a))", "(TOP (B a))"]
    assert two.shares == pytest.approx([0.75, 0.25])
    assert lesson_of(record(brackets=[]), 1).confidence == 1.0
    assert lesson_of(record(posterior=None), 1).shares == [1.0]


@pytest.mark.parametrize("change", [{"status": "coarse"}, {"status": "unpruned"}, {"is_negative": True}])
def test_no_lesson_from_an_unsure_tree(change):
    assert lesson_of(record(**change), 1) is None


def test_the_teacher_reads_and_cleans_as_the_student_and_has_a_tagger():
    student = load_settings(None, seed=7, clean__drop_tags=("X",), tagger__epochs=0, teach__files=("a.txt",))
    alone = teacher_settings(student)
    assert (alone.ensemble.members, alone.svd.dropout, alone.seed) == (TEACHER_MODELS, 0.5, 7)
    named = teacher_settings(load_settings(base=student, teach__teacher="wsj-sample-best"))
    assert named.ensemble == load_settings("wsj-sample-best").ensemble
    for found in (alone, named):
        assert (found.clean.drop_tags, found.teach, found.tagger.epochs) == (
            ("X",),
            TeachSettings(),
            TaggerSettings().epochs,
        )


def test_joining_treebanks_keeps_both():
    first, second = (treebank_from_text(text) for text in ("(A (B b)) (())", "(C (B c) (A b))"))
    assert list(bracket_strings(joined(first, second))) == ["(A (B b))", "(())", "(C (B c) (A b))"]
    assert joined(first, treebank_from_text("")) is first


@pytest.mark.parametrize(
    ("content", "options", "expected"),
    [
        ("", (), "no text. Name files with sentences."),
        (" \n\n", (), "no text. Name files with sentences."),
        ("It rains .\n", ("--text-longest", 3), "teach.longest is 3; expected a finite number, at least 5"),
    ],
)
def test_text_without_sentences_is_an_error_before_any_work(files, tmp_path, content, options, expected):
    (tmp_path / "a.txt").write_text(content)
    given = ("train", files / "gold.mrg", "-o", tmp_path / "run", "--text", tmp_path / "a.txt", *options)
    assert expected in fail(2 if options else 3, *given)
    assert not (tmp_path / "run" / "teacher").exists()


def test_a_missing_text_and_standard_input_are_errors(files, tmp_path):
    given = ("train", files / "gold.mrg", "-o", tmp_path / "run", "--text")
    assert "nowhere.txt" in fail(3, *given, tmp_path / "nowhere.txt")
    assert "cannot be read twice" in fail(3, *given, "-", stdin="It rains .\n")


def test_no_sentence_that_fits_or_is_sure_enough_is_an_error(copy, files, tmp_path):
    (tmp_path / "a.txt").write_text("Hush !\n")
    config = ("-c", files / "student.toml")
    message = fail(3, "train", files / "gold.mrg", "-o", copy, *config, "--text", tmp_path / "a.txt")
    assert "no sentence of 3 to 20 words among 1" in message
    header, content = read_json(copy / "taught.json", TAUGHT)
    low = {**content, "confidence": [0.5] * len(content["confidence"])}
    write_json(copy / "taught.json", TAUGHT, low, header.settings, header.seed, header.inputs, header.stage_version)
    message = fail(3, "train", files / "gold.mrg", "-o", copy, *config, "--text", files / "text.txt", *SURE)
    assert "no sentence of the text has a confidence of 0.9 or more; the largest is 0.500" in message


def test_trees_that_do_not_belong_to_their_record_are_refused(copy):
    (copy / "taught.mrg").write_text("(TOP (A a))\n")
    with pytest.raises(ArtefactError, match="taught"):
        load_taught_trees(copy, ())


@pytest.mark.parametrize("change", [{"weight": 0.0}, {"weight": -1.0}, {"confidence": 2.0}, {"form": "slash"}])
def test_settings_out_of_range_are_refused(change):
    with pytest.raises(ConfigError, match=f"teach.{next(iter(change))}"):
        TeachSettings(**change)
