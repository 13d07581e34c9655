"""Training from the command line: stages, skipping, equal bytes, errors."""

from __future__ import annotations

import json
import shutil

import pytest
from command_line import fail, run_installed, succeed

STAGES = ["binarize", "tagger", "features", "svd", "estimate"]
FILES = {
    "features.npz",
    "log.json",
    "model.lpcfg.npz",
    "projections.npz",
    "settings.json",
    "symbols.json",
    "tagger.npz",
    "trees.bin.mrg",
}


def contents(run):
    """The bytes of all files but the log, which may differ."""
    return {path.name: path.read_bytes() for path in run.iterdir() if path.name != "log.json"}


@pytest.fixture
def copy(trained, tmp_path):
    """A copy of the run directory, to be damaged."""
    return shutil.copytree(trained, tmp_path / "run")


def test_training_writes_the_files_of_all_stages_and_a_journal(trained):
    assert {path.name for path in trained.iterdir()} == FILES
    journal = json.loads((trained / "log.json").read_text())
    assert [entry["stage"] for entry in journal] == STAGES
    assert all(entry["seconds"] >= 0 and entry["peak_megabytes"] > 0 for entry in journal)


def test_stages_one_by_one_give_the_same_bytes_under_another_hash_seed(
    trained, tiny_treebank, small_settings, tmp_path
):
    run = tmp_path / "anderswo é" / "run"
    steps = [("binarize", tiny_treebank, run), ("tagger", run), ("features", run), ("svd", run), ("estimate", run)]
    outcomes = {
        step[0]: succeed(*step, "-c", small_settings, run=run_installed, PYTHONHASHSEED="4711") for step in steps
    }
    assert contents(run) == contents(trained)
    assert {stage for stage, outcome in outcomes.items() if outcome.out} == {"svd"}
    assert outcomes["svd"].out.startswith("symbol")
    assert "2 files, 21 trees, 120 words" in outcomes["binarize"].err


def test_training_again_skips_what_is_unchanged(copy, tiny_treebank, small_settings):
    before = contents(copy)
    outcome = succeed("train", tiny_treebank, "-o", copy, "-c", small_settings)
    assert outcome.out == ""
    assert [line for line in outcome.err.splitlines() if "skipped" in line] == [
        f"{stage}: unchanged, skipped" for stage in STAGES
    ]
    assert contents(copy) == before


def test_training_runs_again_what_a_setting_or_a_lost_file_asks_for(copy, tiny_treebank, small_settings):
    def stages_run(*options):
        out = succeed("train", tiny_treebank, "-o", copy, "-c", small_settings, "--json", *options).out
        return [stage for stage, report in json.loads(out).items() if report]

    before = contents(copy)
    assert stages_run("-m", 2) == ["svd", "estimate"]
    assert stages_run("-m", 4, "--decoder", "signed") == ["svd", "estimate"]
    (copy / "features.npz").write_bytes(before["features.npz"][:1000])
    assert stages_run() == ["features", "estimate"]
    assert contents(copy) == before


def test_training_notices_a_changed_treebank(copy, tiny_treebank, small_settings, tmp_path):
    treebank = shutil.copytree(tiny_treebank, tmp_path / "trees")
    with open(treebank / "b.mrg", "a") as file:
        file.write("(S (NP (PRP It)) (VP (VBD burned)))\n")
    outcome = succeed("train", treebank, "-o", copy, "-c", small_settings)
    assert "22 trees" in outcome.err
    assert "skipped" not in outcome.err


def test_reports_are_json_on_standard_output(tiny_treebank, small_settings, tmp_path):
    outcome = succeed("train", tiny_treebank, "-o", tmp_path / "run", "-c", small_settings, "--json")
    report = json.loads(outcome.out)
    assert list(report) == STAGES
    assert (report["binarize"]["files"], report["binarize"]["trees"], report["binarize"]["words"]) == (2, 21, 120)
    assert report["binarize"]["cleaning"] == {
        "traces": 5, "emptied": 3, "null_trees": [], "self_loops": 0, "unlabelled": 0,
        "bare_traces": 0, "dropped": {},
    }  # fmt: skip
    assert all(len(s["singular_values"]) == s["states"] for s in report["svd"]["spectra"])


def test_a_broken_treebank_ends_training_with_file_and_line_and_no_model(tmp_path):
    (tmp_path / "a.mrg").write_text("(S (NN a) (VB b))\n(S (NN a) (VB b)\n")
    message = fail(3, "train", "a.mrg", "-o", "run", folder=tmp_path, run=run_installed)
    assert message.startswith("lpcfg: a.mrg:2:1: a tree that starts here and is not closed")
    assert not (tmp_path / "run" / "model.lpcfg.npz").exists()


def test_what_training_cannot_use_is_told_with_an_exit_code(tmp_path, tiny_treebank):
    (tmp_path / "empty").mkdir()
    (tmp_path / "null.mrg").write_text("(())\n( (-NONE- *) )\n")
    (tmp_path / "bad.toml").write_text("[svd]\nstate = 3\n")
    (tmp_path / "file").write_text("")
    cases = [
        (3, ("empty", "-o", "run"), "lpcfg: no trees found in empty (looked for *.mrg, "),
        (3, ("absent", "-o", "run"), "lpcfg: absent: no such file or directory. Check the path of the treebank."),
        (3, ("null.mrg", "-o", "run"), "lpcfg: no tree with words in null.mrg."),
        (2, (tiny_treebank, "-o", "run", "-c", "bad.toml"), "Did you mean svd.states?"),
        (2, (tiny_treebank, "-o", "run", "--unaries", "none"), "expected one of latent, collapse."),
        (2, (tiny_treebank, "-o", "run", "--seed", "-1"), "options: seed is -1"),
        (2, (tiny_treebank,), "Missing option '-o'"),
        (3, (tiny_treebank, "-o", "file"), "lpcfg: file: the directory cannot be created"),
        (
            3,
            (tiny_treebank, "-o", "run", "--head-rules", "german"),
            "The built-in head rules are neutral, english, penn2malt.",
        ),
    ]
    for code, arguments, message in cases:
        assert message in fail(code, "train", *arguments, folder=tmp_path)
        assert not (tmp_path / "run" / "model.lpcfg.npz").exists()


def test_stages_out_of_order_tell_which_comes_first(tmp_path, trained):
    run = tmp_path / "run"
    run.mkdir()
    assert "Run `lpcfg binarize` to make it." in fail(3, "features", run)
    for name in ("symbols.json", "trees.bin.mrg"):
        shutil.copy(trained / name, run)
    assert "Run `lpcfg features` to make it." in fail(3, "svd", run)
    shutil.copy(trained / "features.npz", run)
    assert "Run `lpcfg svd` to make it." in fail(3, "estimate", run)


def test_files_that_do_not_belong_together_are_refused(copy):
    trees = copy / "trees.bin.mrg"
    trees.write_text(trees.read_text().split("\n", 1)[1])
    assert "symbols.json: was made from another trees.bin.mrg" in (message := fail(4, "features", copy))
    assert "Run `lpcfg binarize` again." in message
    assert "features.npz: was made from another trees.bin.mrg" in fail(4, "svd", copy)


def test_what_was_skipped_is_told_with_its_place(tmp_path):
    (tmp_path / "a.mrg").write_text("(S (NN a) (VB b))\n(())\n")
    (tmp_path / "b.mrg").write_text("\n")
    (tmp_path / "c.mrg").write_text("(S (NN a) (VB b))\n( (NP (-NONE- *)) )\n( (S ((X (NN a))) (VB b)))")
    lines = [line.strip() for line in succeed("binarize", ".", "run", folder=tmp_path).err.splitlines()]
    assert "skipped: 2 trees without words: a.mrg:2, c.mrg:2" in lines
    assert "replaced by their children: 1 phrase without a label" in lines
    assert "warning: no trees in b.mrg" in lines


def test_sections_choose_folders(tmp_path):
    for section in ("00", "02"):
        (tmp_path / "wsj" / section).mkdir(parents=True)
        (tmp_path / "wsj" / section / "a.mrg").write_text("(S (NN a) (VB b))")
    report = json.loads(succeed("binarize", tmp_path / "wsj", tmp_path / "run", "--sections", "01-21", "--json").out)
    assert report["files"] == 1
    assert "in sections 24" in fail(3, "binarize", tmp_path / "wsj", tmp_path / "run", "--sections", "24")


def test_help_and_version_are_results(tmp_path):
    assert succeed("--version", run=run_installed).out.startswith("lpcfg, version ")
    assert "binarize" in succeed("--help", run=run_installed).out
    outcome = run_installed("trian")
    assert (outcome.code, outcome.out) == (2, "")
    assert "No such command 'trian'" in outcome.err
