"""Output compared with that of the EVALB program, and figures worked out by hand."""

from __future__ import annotations

import json
import re

import pytest

CASES = [f"E{n:02}" for n in (1, 2, 3, 4, 8, 9, 11, 13, 15, 16, 18, 20, 21, 23, 25, 26, 27, 28, 29)]


@pytest.mark.parametrize("case", CASES)
def test_output_is_that_of_evalb_on_the_case(shared, run_eval, case):
    folder = shared / "cases" / "cases" / case
    result = run_eval(str(folder / "gold.mrg"), str(folder / "test.mrg"), "-p", str(folder / "eval.prm"),
                      "--format", "evalb")  # fmt: skip
    expected = re.split(r"^\[(?:stderr|exit)", (folder / "evalb_out.txt").read_text(), flags=re.M)[0]
    assert result.stdout.rstrip() == expected.rstrip()


@pytest.mark.parametrize("case", CASES)
def test_table_has_the_figures_of_evalb_on_the_case(shared, run_eval, case):
    folder = shared / "cases" / "cases" / case
    evalb = json.loads((folder / "case.json").read_text())["evalb"]
    result = run_eval(str(folder / "gold.mrg"), str(folder / "test.mrg"), "-p", str(folder / "eval.prm"))
    for name, value in evalb["all"].items():
        shown = re.search(rf"^{re.escape(name)}\s+=\s+(\S+)\s+(\S+)$", result.stdout, flags=re.M)
        expected = ["n/a" if "nan" in v else v for v in (value, evalb["len40"][name])]
        assert [shown[1], shown[2]] == expected, name


def rows_of(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines() if re.match(r"\s*\d+\s+\d+\s+\d\s", line)]


def summary_of(text: str) -> list[str]:
    return text.split("=== Summary ===")[1].strip().splitlines()


@pytest.fixture
def score_shipped(shared, run_eval):
    """Score one of EVALB's own sets under a parameter file."""

    def score(name: str, rules: str):
        folder = shared / "data" / "evalb"
        files = [str(folder / name / f"{name}.{end}") for end in ("gld", "tst")]
        return run_eval(*files, "-p", str(folder / rules), "--format", "evalb")

    return score


def test_sample_set(shared, score_shipped):
    printed = score_shipped("sample", "sample/sample.prm").stdout
    shipped = (shared / "data" / "evalb" / "sample" / "sample.rsl").read_text()
    for row, expected in zip(rows_of(printed), rows_of(shipped), strict=True):
        # the shipped result is an older program's, which printed words for sentences it did not score
        assert row == expected if expected[2] == "0" else row[:9] == expected[:9]
    assert set(summary_of(shipped)) < set(summary_of(printed))
    assert "Bracketing FMeasure       =  89.12" in summary_of(printed)


def test_bug_set_with_quotation_marks_repaired(shared, score_shipped):
    printed = score_shipped("bug", "new.prm").stdout
    shipped = (shared / "data" / "evalb" / "bug" / "bug.rsl-new").read_text()
    assert rows_of(printed) == rows_of(shipped)
    assert summary_of(printed) == summary_of(shipped)


def test_bug_set_without_repair(shared, score_shipped):
    result = score_shipped("bug", "sample/sample.prm")
    shipped = (shared / "data" / "evalb" / "bug" / "bug.rsl-old").read_text()
    assert rows_of(result.stdout) == rows_of(shipped)
    for message in re.findall(r"\d : Length unmatch \(\d+\|\d+\)", shipped):
        assert message in result.stderr
    assert result.exit_code == 12


def test_collins_is_the_default(shared, run_eval):
    folder = shared / "data" / "evalb"
    files = [
        str(folder / "sample" / "sample.gld"),
        str(folder / "sample" / "sample.tst"),
        "--format",
        "evalb",
    ]
    assert run_eval(*files).stdout == run_eval(*files, "-p", str(folder / "COLLINS.prm")).stdout


GOLD = """\
(TOP (S (NP (DT the) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (DT the) (NN mat)))) (. .)))
(TOP (S (NP (PRP we)) (VP (VBD left))))
"""
TEST = """\
(TOP (S (NP (DT the) (NN cat)) (VP (VBD sat) (PRT (IN on)) (NP (DT the) (JJ mat))) (. .)))
(TOP (S (NP (PRP we)) (VP (VBD left))))
"""


def test_figures_worked_out_by_hand(write, run_eval):
    """Gold 5 + 3 brackets, test 5 + 3; S, NP, VP, NP of the first match, and PP against PRT does not."""
    result = run_eval(write("gold", GOLD), write("test", TEST), "--json")
    report = json.loads(result.stdout)
    assert result.exit_code == 0
    figures = {name: report["all"][name] for name in ("matched", "gold", "test", "words", "correct_tags")}
    assert figures == {"matched": 7, "gold": 8, "test": 8, "words": 8, "correct_tags": 7}
    assert report["all"]["f1"] == pytest.approx(100 * 7 / 8)
    assert report["all"]["tagging_accuracy"] == pytest.approx(100 * 7 / 8)
    assert [row["length"] for row in report["sentences"]] == [7, 2]


DEBUG_EXPECTED = """\
   1    3    0   50.00  50.00     1      2    2      0      2     1    50.00
-<1>---(wn1=  2, bn1=  4)-           -<2>---(wn2=  2, bn2=  4)-
  0 : 0 : DT      a                       0 : 0 : DT-X    a
  1 : 1 : NN      cat                     1 : 1 : NN      cat

  0 : 5 :   0    2  TOP           0 : 5 :   0    2  TOP
  1 : 1 :   0    2  S             1 : 1 :   0    2  S
  2 : 0 :   0    2  NP            2 : 0 :   0    1  NP
  3 : 5 :   2    2  X-Y           3 : 5 :   2    2  X-Y

========
   2    2    1    0.00   0.00     0      0    0      0      0     0     0.00
-<1>---(wn1=  2, bn1=  1)-           -<2>---(wn2=  1, bn2=  1)-
  0 : 9 : DT      a                       0 : 9 : NN      cat
  1 : 9 : NN      cat

  0 : 9 :   0    2  S-A           0 : 9 :   0    1  S

========
"""
"""EVALB's listing, without the blanks at the ends of its lines."""


def test_debug_lists_words_and_brackets(write, run_eval):
    gold = "(TOP (S (NP-1 (DT a) (NN cat)) (X-Y (. .))))\n(S-A (DT a) (NN cat))\n"
    test = "(TOP (S (NP (DT-X a)) (NN cat) (X-Y (. .))))\n(S (NN cat))\n"
    rules = write("x.prm", "DEBUG 1\nDELETE_LABEL TOP\nDELETE_LABEL .\n")
    printed = run_eval(write("g", gold), write("t", test), "-p", rules, "--format", "evalb").stdout
    body = printed.split("=" * 76 + "\n")[1]
    assert [line.rstrip() for line in body.splitlines()] == DEBUG_EXPECTED.splitlines()
    assert run_eval(write("g", gold), write("t", test), "-p", rules).stdout.count("wn1") == 0
