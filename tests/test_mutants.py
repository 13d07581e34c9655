"""The mutation tool: which changes it makes, which kernels go stale with them, and how runs end."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))

from mutants import identity, known_survivors, nearest_tests, outdated, sampled, stale_kernels
from mutation_operators import mutants_of

ROOT = Path(__file__).resolve().parents[1]


def changes(source):
    """The module after each change, without its line end."""
    text = source.encode()
    return {mutant.applied_to(text).decode() for mutant in mutants_of("a.py", text)}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = (a) < (b)", {"x = (a) <= (b)"}),
        ("x = a is not b", set()),
        ("x = a in b", {"x = a not in b"}),
        ("x = (a + b) * -c", {"x = (a - b) * -c", "x = (a + b) / -c", "x = (a + b) * c"}),
        ("x += -(a - b)", {"x -= -(a - b)", "x += -(a + b)", "x += (a - b)", "pass"}),
        ("x = a and b", {"x = a or b"}),
        ("x = not (a or b)", {"x = (a or b)", "x = not (a and b)"}),
        ("x = a if b else c", {"x = a if (not (b)) else c"}),
        ("x = [a for a in b if a]", {"x = [a for a in b if (not (a))]"}),
        ("F = 0.5", {"F = 0.25", "F = 1.0"}),
        ("x: int = 3", {"x: int = 4"}),
        ("x = True", {"x = False"}),
        ("x = v.argmin(a)", {"x = v.argmax(a)"}),
        ("x = np.log(a)", {"x = a"}),
        ("x[a] = b", {"pass"}),
        ("f(a)", {"pass"}),
        ("while a: break", {"while (not (a)): break", "while a: pass"}),
        ('"""1 < 2"""', set()),
        ("assert a < b", set()),
        ("x = zip(a, b, strict=True)", set()),
        ("# é中\nx = a < b", {"# é中\nx = a <= b"}),
    ],
)
def test_changes(source, expected):
    assert changes(source) == expected


def test_own_functions_of_one_argument_are_left_out():
    source = "def own(a):\n    return a\nx = own(b)\ny = other(b)\nz = own(b, c)"
    assert changes(source) == {source.replace("= own(b)", "= b")}


def test_mutants_know_their_place():
    (mutant,) = mutants_of("a.py", b"class A:\n    def f(self):\n        return (a <\n            b)\n")
    assert (mutant.line, mutant.scope) == (3, "A.f")
    assert (mutant.before, mutant.after) == ("return (a <", "return (a <=")


def test_all_mutants_of_the_package_are_programs():
    mutants = sampled(ROOT, ["lpcfg_cli/parsing", "lpcfg_cli/spectral"], 100, seed=0)
    assert len(mutants) == len(set(mutants)) == 200
    assert mutants == sampled(ROOT, ["lpcfg_cli/parsing", "lpcfg_cli/spectral"], 100, seed=0)
    assert mutants != sampled(ROOT, ["lpcfg_cli/parsing", "lpcfg_cli/spectral"], 100, seed=1)
    for mutant in mutants:
        text = (ROOT / mutant.file).read_bytes()
        changed = mutant.applied_to(text)
        assert changed != text
        compile(changed, mutant.file, "exec")


def test_known_survivors_have_reasons_and_are_told_when_they_are_no_mutants_any_more():
    known = known_survivors()
    assert known and all(reason.strip() for reason in known.values())
    mutant = next(iter(sampled(ROOT, ["lpcfg_cli/em/loop.py"], 1, 0)))
    gone = ("lpcfg_cli/em/loop.py", mutant.scope, "a = 1", "a = 2")
    assert outdated(ROOT, {identity(mutant): "equivalent", gone: "equivalent"}) == [gone]


def test_kernels_go_stale_with_what_they_import():
    assert stale_kernels(ROOT, "lpcfg_cli/parsing/tensor_kernels.py") == [
        f"lpcfg_cli/parsing/{name}_kernels.py" for name in ("inside", "outside", "prefix", "tensor")
    ]
    assert "lpcfg_cli/parsing/inside_kernels.py" in stale_kernels(ROOT, "lpcfg_cli/parsing/layout.py")
    assert stale_kernels(ROOT, "lpcfg_cli/parsing/parser.py") == []


def test_every_module_has_tests():
    for folder in ("spectral", "em", "learning", "parsing"):
        for path in (ROOT / "lpcfg_cli" / folder).glob("*.py"):
            tests = nearest_tests(ROOT, path.relative_to(ROOT).as_posix())
            assert f"tests/{folder}" in tests
            assert (tests[0] == "tests/test_without_compiler.py") == path.stem.endswith("_kernels")
            assert all((ROOT / test).exists() for test in tests)


PRODUCT = """def larger(a, b):
    return a if a > b else b


def count(n):
    while n > 0:
        n = n - 1
    return n
"""

TEST = """from lpcfg_cli.parsing.product import count, larger


def test_product():
    assert larger(2, 1) == 2
    assert count(3) == 0
"""


def test_a_run_kills_what_tests_notice_and_goes_on_where_it_was(tmp_path):
    tree, results = tmp_path / "tree", tmp_path / "results.jsonl"
    for name, text in (("lpcfg_cli/parsing/product.py", PRODUCT), ("tests/test_product.py", TEST)):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)
    command = [sys.executable, ROOT / "scripts" / "mutants.py", "--root", tree, "--results", results]
    options = ["--only", "lpcfg_cli/parsing", "--tests", "tests", "--jobs", "2", "--seconds-more", "2"]
    first, second, again = (
        subprocess.run([*command, *options, *more], capture_output=True, text=True, check=False)
        for more in ([], [], ["--again"])
    )
    assert first.returncode == second.returncode == 1, first.stderr
    outcomes = {one["mutant"][4]: one["outcome"] for one in map(json.loads, results.read_text().splitlines())}
    assert outcomes == {
        "return a if a >= b else b": "survived",
        "return a if (not (a > b)) else b": "killed",
        "while n >= 0:": "killed",
        "while (not (n > 0)):": "killed",
        "while n > 1:": "killed",
        "n = n + 1": "timed out",
        "n = n - 2": "killed",
    }
    assert "product.py:2: return a if a > b else b  →  return a if a >= b else b" in first.stdout
    assert "lpcfg_cli/parsing: 5 killed, 1 timed out, 1 survived" in first.stdout
    assert "7 mutants, 7 to run" in first.stdout
    assert "7 mutants, 0 to run" in second.stdout
    assert "7 mutants, 1 to run" in again.stdout
    assert (tree / "lpcfg_cli/parsing/product.py").read_text() == PRODUCT
