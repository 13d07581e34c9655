"""The bench's own arithmetic: growth exponents, verdicts, counted operations."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "scripts"))

from bench_report import Figure, growth, write_plots, write_tables
from bench_tasks import count_flops

MACHINE = {
    "name": "machine",
    "cpu": "a",
    "cores": 2,
    "python": "3",
    "numpy": "2",
    "scipy": "1",
    "numba": "0",
    "load": 1,
}


@pytest.mark.parametrize("exponent", [0.5, 1.0, 2.3])
def test_growth_of_a_power_is_its_exponent(exponent):
    rows = [{"n": n, "time": 3 * n**exponent} for n in (10, 20, 70, 300)]
    assert growth(rows, "n", "time") == pytest.approx(exponent)


def test_verdicts():
    assert Figure("a", 1.9, "s", 2).verdict == "yes"
    assert Figure("a", 2.1, "s", 2).verdict == "no"
    assert Figure("a", 2.1, "times", 2, is_least=True).verdict == "yes"
    assert Figure("a", 2.1, "").verdict == ""


def test_tables_have_a_row_a_figure(tmp_path):
    table = write_tables([MACHINE], [Figure("a", 1234.5, "s", 2, cpu=1.0)], tmp_path / "t.md")
    assert "| a | 1,234.50 s | 1.00 | ≤ 2 | no |" in table
    assert (tmp_path / "t.md").read_text() == table


def test_no_plots_without_matplotlib(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert write_plots([MACHINE], tmp_path) == []
    assert "matplotlib" in capsys.readouterr().out


def test_operations_are_counted_as_the_kernels_do_them():
    states = np.array([2, 3, 5])
    rules = SimpleNamespace(
        n_states=states, parent=np.array([0, 0]), left=np.array([1, 2]), right=np.array([2, 1]), rank=np.array([0, 4])
    )
    forest = SimpleNamespace(group_rule=np.array([0, 1]), group_edge=np.array([0, 3, 5]))
    dense = 2 * (2 * 2 * 3 * 5) + 3 * (2 * 3 * 5 + 2 * 3 * 5 + 2 * 3 * 5)
    factored = 2 * (2 * 4 * 2) + 2 * 2 * (2 * 4 * (5 + 3))
    assert count_flops(forest, rules) == dense + factored
