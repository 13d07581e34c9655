"""``lpcfg eval`` as a user runs it: output, messages and exit codes."""

from __future__ import annotations

import json

import pytest

TREE = "(TOP (S (NP (DT the) (NN cat)) (VP (VBD sat)) (. .)))"
OTHER = "(TOP (S (NP (DT the) (NN cat) (VBD sat)) (. .)))"
LDC = "\n( (S \n    (NP-SBJ (DT the) (NN cat) )\n    (VP (VBD sat) )\n    (. .) ))\n"


@pytest.fixture
def score(write, run_eval):
    def run(gold, test, *options):
        return run_eval(write("gold.mrg", gold), write("test.mrg", test), *options)

    return run


def figure(result, name):
    line = next(line for line in result.stdout.splitlines() if line.startswith(name))
    return line.split("=")[1].split()[0]


def test_fail_under_has_its_own_exit_code(score):
    assert score(TREE, OTHER, "--fail-under", "40").exit_code == 0
    assert figure(score(TREE, OTHER), "Bracketing FMeasure") == "40.00"
    result = score(TREE, OTHER, "--fail-under", "40.01")
    assert result.exit_code == 10
    assert "F1 40.00 is below 40.01" in result.stderr


@pytest.mark.parametrize(
    "broken, message",
    [
        (TREE[:-1], "a bracket is not closed"),
        (TREE + ")", "a closing bracket closes nothing"),
        ("no parse", "'no' where a bracket is expected"),
        ("(TOP (S (NN two words)))", "'two' where a bracket is expected"),
    ],
)
def test_a_broken_line_is_an_error_sentence_named_with_its_line(score, broken, message):
    result = score(f"{TREE}\n" * 8, f"{TREE}\n{broken}\n" + f"{TREE}\n" * 6)
    assert result.exit_code == 0
    assert (figure(result, "Number of Error"), figure(result, "Number of Valid")) == ("1", "7")
    assert figure(result, "Bracketing FMeasure") == "100.00"
    assert f"  2 : {message}" in result.stderr and "test.mrg:2)" in result.stderr


def test_a_broken_gold_line_is_named_too(score):
    result = score(f"{TREE}\n" * 7 + TREE[:-2], f"{TREE}\n" * 8)
    assert "gold.mrg:8)" in result.stderr and "2 brackets are not closed" in result.stderr
    assert figure(result, "Number of Valid") == "7"


def test_unequal_numbers_of_trees_are_partial_scores(score):
    result = score(f"{TREE}\n{TREE}\n{TREE}\n", f"{TREE}\n{OTHER}\n")
    assert result.exit_code == 11
    assert "3 trees in gold" in result.stderr and "2 in test" in result.stderr
    assert result.stdout.count("PARTIAL") == 1
    assert figure(result, "Number of sentence") == "2"


def test_blank_lines_at_the_end_of_one_file_are_no_trees(score):
    result = score(f"{TREE}\n\n\n", f"{TREE}\n")
    assert result.exit_code == 0
    assert figure(result, "Number of sentence") == "1"


def test_first_differing_word_is_named(score):
    test = TREE.replace("(NN cat)", "(NN ca) (NN t)")
    result = score(f"{TREE}\n{TREE}\n", f"{test}\n{TREE}\n")
    assert "1 : Length unmatch (3|4), first different word 2: gold 'cat', test 'ca'" in result.stderr


def test_nothing_valid(score):
    result = score(TREE, "(())")
    assert result.exit_code == 12
    assert figure(result, "Bracketing FMeasure") == "n/a"
    assert "no parse in the test file" in result.stderr
    assert json.loads(score(TREE, "(())", "--json").stdout)["all"]["f1"] is None


def test_evalb_would_have_stopped(score):
    """EVALB tolerates MAX_ERROR + 1 errors."""
    wrong = TREE.replace("cat", "dog")
    text = f"{TREE}\n" * 14
    within, beyond = (score(text, f"{wrong}\n" * n + f"{TREE}\n" * (14 - n)) for n in (11, 12))
    assert "MAX_ERROR" not in within.stderr
    assert "would have stopped without a summary at sentence 12 (MAX_ERROR 10)" in beyond.stderr
    assert figure(beyond, "Number of Valid") == "2"


def test_more_than_evalb_can_hold_is_scored(score):
    long = "(TOP (S " + " ".join("(NP (NN word))" for _ in range(3000)) + "))"
    result = score(long, long)
    assert figure(result, "Brackets, matched") == "3001"
    assert "overflow at 1 of the sentences" in result.stderr


def test_trees_over_lines_against_one_tree_a_line(score):
    result = score(LDC * 3, f"{TREE}\n" * 3)
    assert figure(result, "Brackets, gold") == figure(result, "Brackets, matched") == "9"
    assert "trees span lines" in result.stderr


def test_directories_are_paired_in_order(write, run_eval, tmp_path):
    write("gold/00/b.mrg", LDC)
    write("gold/00/a.mrg", LDC + LDC.replace("cat", "dog"))
    test = write("test", f"{TREE}\n{TREE.replace('cat', 'dog')}\n{TREE}\n")
    result = run_eval(str(tmp_path / "gold"), test)
    assert (result.exit_code, figure(result, "Number of Valid")) == (0, "3")


def test_an_unlabelled_root_counts_as_in_evalb_where_evalb_can_read_it(score):
    wrapped = "( (S (NP (DT the) (NN cat)) (VP (VBD sat)) (. .)) )"
    assert figure(score(wrapped, TREE), "Bracketing Recall") == "75.00"


def test_labels_unknown_to_gold_are_named(score):
    result = score(f"{TREE}\n", TREE.replace("TOP", "ROOT"))
    assert "brackets with labels that gold never has count as wrong: ROOT 1." in result.stderr
    assert figure(result, "Bracketing Precision") == "75.00"
    rare = f"{TREE}\n" * 50 + OTHER.replace("NP", "XP") + "\n"
    assert "gold never has" not in score(f"{TREE}\n" * 51, rare).stderr


def test_sections(score):
    plain = score(TREE, OTHER).stdout
    full = score(TREE, OTHER, "--full", "--per-sentence", "--align").stdout
    assert full.startswith(plain.rstrip())
    for title in ("Other scores", "By label", "By sentence length", "Most frequent errors", "Sentences\n"):
        assert title not in plain and title in full
    assert "By character spans (not EVALB's figures)" in full
    assert max(map(len, full.splitlines()[3:])) <= 80


def test_two_parses(write, run_eval):
    files = [write("g", f"{TREE}\n" * 20), write("a", f"{OTHER}\n" * 20), write("b", f"{TREE}\n" * 20)]
    result = run_eval(*files, "--samples", "199")
    assert "Difference B - A           =     60.00" in result.stdout
    assert "p = 0.0050" in result.stdout
    report = json.loads(run_eval(*files, "--samples", "199", "--json").stdout)
    assert report["significance"]["difference"] == pytest.approx(60)
    assert (report["a"]["all"]["f1"], report["b"]["all"]["f1"]) == (pytest.approx(40), 100)
    assert run_eval(*files, "--format", "evalb").exit_code == 2


def test_json_has_everything(score):
    report = json.loads(score(f"{TREE}\n{TREE}\n", f"{OTHER}\n\n", "--json", "--align").stdout)
    assert report["labels"][0] == {
        "label": "NP", "gold": 1, "test": 1, "matched": 0, "matched_test": 0,
        "recall": 0.0, "precision": 0.0, "f1": 0.0,
    }  # fmt: skip
    assert report["problems"][0]["kind"] == "skipped" and report["problems"][0]["sentence"] == 2
    assert [row["status"] for row in report["sentences"]] == [0, 2]
    assert report["lengths"][0]["shortest"] == 1
    assert report["crossings"] == []
    assert report["aligned"]["tokens"]["same"] == 4


def test_standard_input(write, run_eval):
    from click.testing import CliRunner

    from lpcfg_cli.cli.eval_command import command

    result = CliRunner().invoke(command, [write("gold", TREE), "-"], input=f"{TREE}\n")
    assert result.exit_code == 0
    assert "100.00" in result.stdout


def test_doubts_about_the_parameter_file_are_notes(score, write):
    result = score(TREE, TREE, "-p", write("x.prm", "DELETE_LABLE TOP\n"))
    assert "x.prm:1: unknown keyword 'DELETE_LABLE'" in result.stderr
    assert figure(result, "Brackets, gold") == "4"
