"""Spectra of nonterminals: low rank is reported only for frequent ones, and the spectra of a model can be read."""

from __future__ import annotations

import json
import shutil

import pytest
from command_line import succeed

from lpcfg_cli.cli.spectrum_table import spectrum_table, warning_lines
from lpcfg_cli.spectral.spectra import FREQUENT, RankWarning, SymbolSpectrum, rank_warnings


def spectrum(name, examples, kept, cut):
    return SymbolSpectrum(name, examples, 9, 9, len(kept), kept, cut)


SPECTRA = [
    spectrum("rare", FREQUENT - 1, [2.0], [1e-9, 0.0]),
    spectrum("short", FREQUENT, [2.0, 1.0, 0.5], [0.002]),
    spectrum("whole", 10 * FREQUENT, [2.0, 1.0, 0.5, 0.1], []),
    spectrum("flat", FREQUENT, [4.0], [1e-9, 0.0, 0.0]),
]


def test_frequent_nonterminals_without_rank_are_named_the_worst_first():
    found = rank_warnings(SPECTRA)
    assert found == [RankWarning("flat", FREQUENT, 1, 4, 2.5e-10), RankWarning("short", FREQUENT, 3, 4, 0.001)]
    (line,) = warning_lines(found)
    assert line.startswith("warning: 2 frequent nonterminals have singular values near zero")
    assert line.endswith("flat (1 of 4), short (3 of 4)")
    assert warning_lines([]) == []


def test_the_table_shows_the_first_value_that_was_cut_off():
    rows = {line.split()[0]: line.split()[1:] for line in spectrum_table(SPECTRA).splitlines()}
    assert rows["whole"] == ["5,000", "4", "2", "0.1", "0.050", "-"]
    assert rows["short"] == ["500", "3", "2", "0.5", "0.250", "0.002"]


def redundant_trees(n):
    """The inside and outside trees of A are independent: Ω has rank 1, although both sides have two features."""
    return "".join(f"(S (A a{k % 2}) (B{k // 2 % 2} b))\n" for k in range(n))


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run directory with a nonterminal of rank 1, and what `lpcfg train` said."""
    folder = tmp_path_factory.mktemp("spectra")
    (folder / "trees.mrg").write_text(redundant_trees(FREQUENT))
    options = ("-m", 2, "--rare-below", 1, "--templates", "simple")
    return folder / "run", succeed("train", folder / "trees.mrg", "-o", folder / "run", *options)


def row_of(name, table):
    """One row of a table, cut at the blanks."""
    (row,) = [line.split() for line in table.splitlines() if line.split()[:1] == [name]]
    return row


def test_training_warns_once_and_inspection_prints_spectra(run):
    folder, outcome = run
    assert outcome.err.count("A (1 of 2)") == 1
    row = row_of("A", succeed("inspect", folder).out)
    assert row[1:3] == ["500", "1"]
    assert row[-2] == "1.000" and float(row[-1]) < 1e-12


def test_svd_estimate_and_inspect_tell_the_same_spectra(run, tmp_path):
    folder = shutil.copytree(run[0], tmp_path / "run")
    svd = json.loads(succeed("svd", folder, "--json").out)
    estimated = succeed("estimate", folder, "--json")
    report = json.loads(estimated.out)
    assert report["spectra"] == svd["spectra"]
    assert report["warnings"] == svd["warnings"]
    assert [(w["name"], w["examples"], w["rank"], w["allowed"]) for w in report["warnings"]] == [("A", 500, 1, 2)]
    assert "A (1 of 2)" in estimated.err
    assert json.loads(succeed("inspect", folder, "--json").out)["spectra"] == svd["spectra"]


def test_learners_without_projections_report_their_states(run, tmp_path):
    folder = shutil.copytree(run[0], tmp_path / "run")
    report = json.loads(succeed("estimate", folder, "--learner", "em", "-m", 3, "--iterations", 1, "--json").out)
    by_name = {s["name"]: s for s in report["spectra"]}
    assert by_name["A"] == {
        "name": "A", "examples": 500, "inside_features": 0, "outside_features": 0, "states": 3,
        "singular_values": [], "discarded": [],
    }  # fmt: skip
    assert report["warnings"] == []
    succeed("estimate", folder, "--learner", "pcfg")
    assert row_of("A", succeed("inspect", folder).out)[-4:] == ["-"] * 4


def test_inspection_changes_no_byte_and_no_time(run):
    folder = run[0]
    before = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()}
    for path in (folder, folder / "model.lpcfg.npz"):
        succeed("inspect", path)
    assert {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()} == before


def test_a_model_alone_shows_its_states_without_singular_values(run, tmp_path):
    model = shutil.copy(run[0] / "model.lpcfg.npz", tmp_path)
    report = json.loads(succeed("inspect", model, "--json").out)
    assert (report["members"][0]["learner"], report["members"][0]["states"]) == ("spectral", 1)
    assert report["settings"]["svd"]["states"] == 2
    assert {s["name"]: (s["states"], s["singular_values"]) for s in report["spectra"]}["A"] == (1, [])
    # files of another run that lie beside it by chance are none of its own
    other = shutil.copytree(run[0], tmp_path / "other")
    succeed("features", other, "--templates", "full")
    shutil.copy(other / "features.npz", tmp_path)
    assert json.loads(succeed("inspect", model, "--json").out) == report
