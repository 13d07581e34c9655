"""The content of an installation: every folder of the package, its data files, and the configurations."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def members(tmp_path_factory):
    """The files of the wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "lpcfg_cli", "configs"):
        (source / name).symlink_to(REPOSITORY / name)
    options = ["--quiet", "--no-build-isolation", "--no-deps", "--wheel-dir", str(folder)]
    subprocess.run([sys.executable, "-m", "pip", "wheel", *options, str(source)], check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return set(zipfile.ZipFile(wheel).namelist())


def test_every_module_is_installed(members):
    modules = {path.relative_to(REPOSITORY).as_posix() for path in (REPOSITORY / "lpcfg_cli").rglob("*.py")}
    assert {name for name in members if name.endswith(".py")} == modules


def test_data_files_and_configurations_are_installed(members):
    data = {
        path.relative_to(REPOSITORY).as_posix()
        for suffix in ("*.txt", "*.grammar", "*.html", "py.typed")
        for path in (REPOSITORY / "lpcfg_cli").rglob(suffix)
    }
    configs = {f"lpcfg_cli/configs/{path.name}" for path in (REPOSITORY / "configs").glob("*.toml")}
    assert data | configs <= members
    assert "lpcfg_cli/configs/wsj-sample-best.toml" in members
