"""S: files and system."""

from __future__ import annotations

import json
import locale

import pytest
from command_line import run_here, run_installed, succeed


def test_s01_a_file_that_is_no_model(case):
    outcome = run_here("parse", case("S01", "notamodel.txt"), case("S01", "tagged.txt"))
    assert (outcome.code, outcome.out) == (4, "")
    assert "notamodel.txt: is not a file of kind lpcfg-model. Run `lpcfg train` to make one." in outcome.err
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_s03_several_workers(train, case, method):
    model, tagged = train("_base").folder, case("S03", "tagged.txt")
    one = succeed("parse", model, tagged, "-j", 1)
    two = succeed("parse", model, tagged, "-j", 2, run=run_installed, LPCFG_START_METHOD=method)
    assert one.out == two.out
    assert one.out.count("\n") == len(tagged.read_text().splitlines())


def test_s03_an_error_in_one_sentence_does_not_hang_the_workers(train):
    outcome = run_installed("parse", train("_base").folder, "-j", 2, stdin="the/DT baker/NN slept/VBD ./.\nbad\n")
    assert outcome.code == 3
    assert "<stdin>:2:1: 'bad' has no tag" in outcome.err
    assert outcome.out == "(TOP (S (NP (DT the) (NN baker)) (VP (VBD slept)) (. .)))\n"


def german() -> str:
    for name in ("de_DE.UTF-8", "de_DE.utf8", "de_DE"):
        try:
            locale.setlocale(locale.LC_NUMERIC, name)
        except locale.Error:
            continue
        locale.setlocale(locale.LC_NUMERIC, "C")
        return name
    return "de_DE.UTF-8"  # not installed: falls back to C, and must work all the same


def test_s04_a_locale_with_a_decimal_comma(case, tmp_path):
    outputs = {}
    for name in (german(), "C"):
        run = tmp_path / name
        environment = {"LC_ALL": name, "LANG": name}
        succeed("train", case("_base", "train"), "-o", run, run=run_installed, **environment)
        tagged, out = case("S04", "tagged.txt"), tmp_path / f"{name}.mrg"
        report = succeed("parse", run, tagged, "-o", out, "--json", run=run_installed, **environment)
        scores = succeed("eval", out, out, run=run_installed, **environment)
        assert isinstance(json.loads(report.out)["seconds"], float)
        outputs[name] = ((run / "model.lpcfg.npz").read_bytes(), out.read_bytes(), scores.out)
    first, second = outputs.values()
    assert first[:2] == second[:2]
    assert "100.00" in first[2]
    assert "100,00" not in first[2]


def test_s06_paths_with_spaces_and_other_letters(case, tmp_path):
    run = tmp_path / "my model é"
    trained = succeed("train", case("S06", "my bank é"), "-o", run, run=run_installed)
    assert str(run / "model.lpcfg.npz") in trained.err
    out = succeed("parse", run, case("S06", "tagged.txt"), run=run_installed, folder=tmp_path).out
    assert out == "(TOP (S (NP (DT the) (NN baker)) (VP (VBD slept)) (. .)))\n"
