"""The map of DESIGN.md §1: which folder may import which, and where files, click and numba may be used."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "lpcfg_cli"

FLOORS = (
    ("__main__",),
    ("cli",),
    ("experiments", "serving", "adaptors"),
    ("api",),
    ("tree_api",),
    ("stages",),
    ("learning",),
    ("parsing",),
    ("grammar",),
    ("hmm", "lm", "dependency", "sts"),
    ("embeddings",),
    ("tagging", "features", "evaluation", "text"),
    ("treebank",),
    ("spectral",),
    ("em", "reranking"),
    ("execution",),
    ("config", "storage"),
    ("arrays", "errors", "wording", "__init__"),
)
"""From the top down: a folder, or a module beside the folders, imports from the floors below its own only."""

BEING_BUILT: set[str] = set()
"""Rooms on the map that nobody has moved into yet."""

FLOOR = {folder: number for number, floor in enumerate(FLOORS) for folder in floor}

ONLY_IN = {
    "click": {"cli"},
    "tqdm": {"cli"},
    "flask": {"serving"},
    "waitress": {"serving"},
    "spacy": {"adaptors"},
    "pickle": set(),
    "marshal": set(),
    "shelve": set(),
}
NUMBA_IN = "arrays/kernel_options"
COMPILED_QUICKLY_IN, LOWERED_QUICKLY_IN = {"arrays/quick_compiling", "arrays/quick_unboxing"}, "arrays/quick_lowering"
VECTOR_CODE_IN, LLVM_CODE_IN = {"arrays/lanes", "arrays/entrywise"}, "arrays/vector_code"
"""Kernels take ``njit`` from there, which keeps what is compiled from the present sources apart from all else."""

FILE_METHODS = {"read_text", "read_bytes", "write_text", "write_bytes", "open"}
MAY_OPEN = {"treebank", "storage", "config"}

MODULES = {
    path.relative_to(PACKAGE).with_suffix("").as_posix(): ast.parse(path.read_text("utf-8"))
    for path in sorted(PACKAGE.rglob("*.py"))
}


def folder_of(module):
    return module.split("/")[0]


def imports(tree):
    """Dotted names of all modules that a module imports, also inside functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide where a name comes from"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def own_imports(tree):
    """The first folder or module below the package of each import of our own; the root module is __init__."""
    for name in imports(tree):
        parts = name.split(".")
        if parts[0] == PACKAGE.name:
            is_module = (PACKAGE / parts[1]).is_dir() or (PACKAGE / f"{parts[1]}.py").is_file()
            yield parts[1] if is_module else "__init__"


def calls(tree):
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def opens_files(tree):
    for call in calls(tree):
        function = call.func
        if isinstance(function, ast.Name) and function.id == "open":
            yield call.lineno
        if isinstance(function, ast.Attribute) and function.attr in FILE_METHODS:
            is_device = isinstance(function.value, ast.Name) and function.value.id == "os"
            if not is_device:
                yield call.lineno


def test_every_folder_has_its_place_on_the_map():
    assert {folder_of(module) for module in MODULES} | BEING_BUILT == set(FLOOR)


def test_the_package_itself_hands_on_the_api_without_importing_it():
    outside = [node for node in MODULES["__init__"].body if not isinstance(node, ast.If)]
    assert set(own_imports(ast.Module(outside, []))) == set()


@pytest.mark.parametrize("module", [module for module in MODULES if module != "__init__"])
def test_modules_import_only_from_floors_below(module):
    own = folder_of(module)
    for other in set(own_imports(MODULES[module])) - {own}:
        assert FLOOR[other] > FLOOR[own], f"{module} imports from {other}"


def test_modules_do_not_import_each_other_in_circles():
    edges = {}
    for module, tree in MODULES.items():
        names = {name.removeprefix(f"{PACKAGE.name}.").replace(".", "/") for name in imports(tree)}
        edges[module] = {other for name in names for other in (name, name.rpartition("/")[0]) if other in MODULES} - {
            module
        }
    ready: set[str] = set()
    while more := {module for module in edges.keys() - ready if edges[module] <= ready}:
        ready |= more
    assert edges.keys() - ready == set()


@pytest.mark.parametrize("library", ONLY_IN)
def test_libraries_are_used_only_where_they_belong(library):
    users = {folder_of(m) for m, tree in MODULES.items() if library in {name.split(".")[0] for name in imports(tree)}}
    assert users <= ONLY_IN[library]


def test_kernels_use_numba_and_little_else():
    for module, tree in MODULES.items():
        names = set(imports(tree))
        roots = {name.split(".")[0] for name in names}
        is_kernels = module.endswith("_kernels")
        assert (f"{PACKAGE.name}.{NUMBA_IN.replace('/', '.')}.njit" in names) == is_kernels, module
        uses_llvm = module in {LLVM_CODE_IN} | COMPILED_QUICKLY_IN
        assert ("numba" in roots) == (uses_llvm or module in {NUMBA_IN, LOWERED_QUICKLY_IN} | VECTOR_CODE_IN), module
        assert ("llvmlite" in roots) == uses_llvm, module
        if is_kernels:
            assert roots <= {"__future__", "math", "numpy", "typing", PACKAGE.name}, module


def test_printing_is_left_to_the_command_line():
    printers = {
        module
        for module, tree in MODULES.items()
        for call in calls(tree)
        if isinstance(call.func, ast.Name) and call.func.id == "print"
    }
    assert {folder_of(module) for module in printers} <= {"cli"}


def test_files_are_opened_by_readers_storage_and_settings_only():
    found = [
        f"{module}:{line}"
        for module, tree in MODULES.items()
        if folder_of(module) not in MAY_OPEN
        for line in opens_files(tree)
    ]
    assert found == []


def test_no_hidden_randomness():
    for module, tree in MODULES.items():
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Attribute)
                and node.value.attr == "random"
            ):
                assert node.attr in {"Generator", "SeedSequence", "default_rng", "PCG64"}, f"{module}:{node.lineno}"
        assert "random" not in {name.split(".")[0] for name in imports(tree)}, module
