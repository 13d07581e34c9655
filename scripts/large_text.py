"""Do models of a large text fit into memory?  A text is generated, a model learnt, time and memory told.

    python scripts/large_text.py --words 100_000_000 --vocabulary 235_000 --folder /tmp/large
    python scripts/large_text.py --model embed --words 100_000_000 --folder /tmp/large -- -j 2

The words have Zipf's frequencies; a word's class, one of 64, depends on the word before.  The text is written once.
"""

from __future__ import annotations

import argparse
import gzip
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

CLASSES = 64
LENGTH = 20
SENTENCES = 20_000
"""Classes of words, words of a sentence, and sentences that are drawn at a time."""

FAITHFUL = 0.7
"""Probability that the class is the one that the word before asks for."""


def draw(rng: np.random.Generator, cumulative: np.ndarray) -> np.ndarray:
    """Numbers of words, shape (SENTENCES, LENGTH)."""
    n = len(cumulative)
    found = np.empty((SENTENCES, LENGTH), np.int64)
    before = np.zeros(SENTENCES, np.int64)
    for k in range(LENGTH):
        word = np.searchsorted(cumulative, rng.random(SENTENCES))
        asked = (before * 7 + 3) % CLASSES
        moved = word - word % CLASSES + asked
        word = np.where((rng.random(SENTENCES) < FAITHFUL) & (moved < n), moved, word)
        found[:, k] = before = np.minimum(word, n - 1)
    return found


def write(path: Path, words: int, vocabulary: int, seed: int) -> None:
    """Write the text, compressed."""
    rng = np.random.default_rng(seed)
    p = 1 / np.arange(1, vocabulary + 1)
    cumulative = np.cumsum(p / p.sum())
    names = np.array([f"w{k}" for k in range(vocabulary)], object)
    with gzip.open(path, "wt", compresslevel=1) as file:
        for _ in range(max(words // (SENTENCES * LENGTH), 1)):
            file.writelines(f"{' '.join(line)}\n" for line in names[draw(rng, cumulative)].tolist())


def main() -> None:
    """Generate, train, report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=int, default=10_000_000)
    parser.add_argument("--vocabulary", type=int, default=235_000)
    parser.add_argument("--folder", type=Path, default=Path("large-text"))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--model", choices=("lm", "embed"), default="lm")
    parser.add_argument("options", nargs="*", help="Options of lpcfg lm train or lpcfg embed train, after --.")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    text = given.folder / f"{given.words}-{given.vocabulary}.txt.gz"
    dev = given.folder / f"dev-{given.vocabulary}.txt.gz"
    for path, words, seed in ((text, given.words, given.seed), (dev, 400_000, given.seed + 1)):
        if not path.exists():
            write(path, words, given.vocabulary, seed)
    if given.model == "lm":
        options = ["--dev", dev, *(given.options or ["-m", "128", "--learner", "pivot+em"])]
    else:
        options = given.options
    output = given.folder / f"x.{given.model}.npz"
    command = ["-m", "lpcfg_cli", given.model, "train", text, "-o", output, "-v", *options]
    began = time.perf_counter()
    subprocess.run([sys.executable, *map(str, command)], check=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{time.perf_counter() - began:.0f} s, CPU {used.ru_utime + used.ru_stime:.0f} s")
    print(f"largest process: {used.ru_maxrss / 2**20:.2f} GiB")


if __name__ == "__main__":
    main()
