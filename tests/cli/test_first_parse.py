"""The first parse after an installation, and the process that compiles kernels for it."""

from __future__ import annotations

import os
import subprocess
import sys

from command_line import run_installed, succeed

from lpcfg_cli.parsing.compile_ahead import LAST, LATE

HELPER = """
import sys
from pathlib import Path
from lpcfg_cli.parsing.compile_ahead import compile_late
from lpcfg_cli.parsing.corpora import open_parser
compile_late(open_parser(Path(sys.argv[1]), {}))
"""


def test_the_late_kernels_are_compiled_and_no_others(trained, tmp_path):
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    subprocess.run([sys.executable, "-c", HELPER, str(trained)], env={**os.environ, **cache}, check=True)
    compiled = {path.name.rpartition("-")[0] for path in (tmp_path / "cache").rglob("*.nbi")}
    assert {"outside_kernels.outside_pass", "posterior_kernels.fill_shares", LAST} <= compiled
    assert {name.partition(".")[0] for name in compiled} <= {*LATE, "product_kernels", "tensor_kernels"}
    first = run_installed("parse", trained, "--raw", stdin="Hush .", **cache)
    assert first.out == succeed("parse", trained, "--raw", stdin="Hush .").out
