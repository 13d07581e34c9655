"""The README: short, its Python runs, and its map is the package's."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
README = (REPOSITORY / "README.md").read_text("utf-8")


def test_it_is_read_in_five_minutes():
    lines = README.splitlines()
    assert len(lines) <= 160
    assert max(len(line) for line in lines if not line.startswith(("    (TOP", "| ", "(TOP"))) <= 120


def test_its_python_holds(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    test = doctest.DocTestParser().get_doctest(code, {}, "README", "README.md", 0)
    results = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test)
    assert results.attempted > 10 and results.failed == 0


def test_its_map_has_every_folder():
    rows = re.findall(r"^\| (`[a-z]+/`.*?|`api\.py`) \|", README, re.MULTILINE)
    told = {name for row in rows for name in re.findall(r"`([a-z]+)/`", row)}
    assert told == {path.parent.name for path in (REPOSITORY / "lpcfg_cli").glob("*/__init__.py")}
