"""The script that generates a large text: its words have the frequencies and the order that it tells."""

from __future__ import annotations

import gzip
import os
import re
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]


def test_a_text_is_generated_and_learnt(tmp_path):
    command = [sys.executable, "scripts/large_text.py", "--words", "400_000", "--vocabulary", "500"]
    options = ["--", "-m", "2", "--learner", "em", "--iterations", "1"]
    done = subprocess.run(
        [*command, "--folder", tmp_path, *options],
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "text: 20,000 sentences, 400,000 words" in done.stderr
    assert re.search(r"largest process: 0\.\d\d GiB", done.stdout)
    lines = gzip.decompress((tmp_path / "400000-500.txt.gz").read_bytes()).decode().splitlines()
    numbers = [[int(word[1:]) for word in line.split()] for line in lines]
    assert {len(line) for line in numbers} == {20} and {word for line in numbers for word in line} == set(range(500))
    pairs = Counter(b % 64 == (7 * a + 3) % 64 for line in numbers for a, b in pairwise(line))
    assert 0.6 < pairs[True] / pairs.total() < 0.75
