"""Train on each of seven treebanks with default settings, parse its dev set with and without tags, and report scores.

    python scripts/seven_treebanks.py [../shared/data] [--only NAME ...] [--all] [--sample N] [--json FILE]

Runs the installed command as a user does.  Parses the first 300 dev sentences of each treebank, or all with --all.
--sample trains on so few trees, drawn at random.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from lpcfg_cli.config import CleanSettings
from lpcfg_cli.treebank.brackets import bracket_strings
from lpcfg_cli.treebank.clean import clean, with_named_roots
from lpcfg_cli.treebank.files import read_tree_files

LPCFG = Path(sys.executable).with_name("lpcfg")
NAMES = ("wsj", "craft", "icepahc", "gum", "sinica", "idn", "cess_esp")
FIRST_DEV_FILE = 160
FEW = 300


def main() -> int:
    """Run the selected treebanks; the exit status is 0 if every sentence got a tree."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("data", nargs="?", type=Path, default=Path(__file__).parents[2] / "shared" / "data")
    options.add_argument("--only", nargs="+", choices=NAMES, default=NAMES, help="these treebanks")
    options.add_argument("--all", action="store_true", help=f"parse all dev sentences, not the first {FEW}")
    options.add_argument("--sample", type=int, help="train on so many trees, drawn with seed 0")
    options.add_argument("--json", type=Path, help="also write the figures here")
    given = options.parse_args()
    rows = []
    for name in given.only:
        with tempfile.TemporaryDirectory() as folder:
            limit = None if given.all else FEW
            rows.append(run_treebank(name, given.data / name, Path(folder), limit, given.sample))
        print(json.dumps(rows[-1], ensure_ascii=False), flush=True)
        if given.json:
            given.json.write_text(json.dumps(rows, ensure_ascii=False, indent=1) + "\n", "utf-8")
    print(table(rows))
    return int(any(row["trees_out"] != row["sentences_in"] for row in rows))


def run_treebank(name: str, treebank: Path, folder: Path, limit: int | None, sample: int | None) -> dict[str, Any]:
    """Train, parse and score one treebank."""
    train, dev = split(treebank)
    if sample is not None:
        train = [write_sample(train, folder / "sample.mrg", sample)]
    print(f"== {name}", flush=True)
    began = time.perf_counter()
    log = lpcfg("train", *train, "-o", folder / "run")
    train_seconds = time.perf_counter() - began
    print(log, end="", flush=True)
    gold = folder / "gold.mrg"
    n_sentences = write_gold(dev, gold, limit)
    began = time.perf_counter()
    parsed = lpcfg("parse", folder / "run", gold, "-f", "trees", "-o", folder / "test.mrg", "--json", result=True)
    parse_seconds = time.perf_counter() - began
    print(parsed, end="", flush=True)
    n_trees = len((folder / "test.mrg").read_text("utf-8").splitlines())
    scores = json.loads(lpcfg("eval", gold, folder / "test.mrg", "--json", result=True))
    raw, plain = run_raw(gold, folder), run_plain(train, gold, folder)
    return {
        "treebank": name,
        "sentences_in": n_sentences,
        "trees_out": n_trees,
        "statuses": json.loads(parsed)["statuses"],
        "plain_f1": round(plain["all"]["f1"], 2),
        "f1": round(scores["all"]["f1"], 2),
        "tagging": round(scores["all"]["tagging_accuracy"], 2),
        "raw_f1": round(raw["all"]["f1"], 2),
        "raw_tagging": round(raw["all"]["tagging_accuracy"], 2),
        "raw_errors": raw["all"]["errors"],
        "train_seconds": round(train_seconds, 1),
        "parse_seconds": round(parse_seconds, 1),
        "model_megabytes": round((folder / "run" / "model.lpcfg.npz").stat().st_size / 1e6, 1),
        "skipped": [line.strip() for line in log.splitlines() if is_about_loss(line)],
    }


def run_raw(gold: Path, folder: Path) -> dict[str, Any]:
    """Parse the words of the gold trees without their tags, and score them."""
    trees, _ = clean(read_tree_files([gold]).trees, CleanSettings())
    lines = (" ".join(word for word, _ in sentence) for sentence in trees.tagged_sentences())
    (folder / "raw.txt").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    lpcfg("parse", folder / "run", folder / "raw.txt", "--raw", "-o", folder / "raw.mrg")
    return json.loads(lpcfg("eval", gold, folder / "raw.mrg", "--json", result=True))


def run_plain(train: list[Path], gold: Path, folder: Path) -> dict[str, Any]:
    """Train a plain PCFG, parse the words and tags of the gold trees, and score them."""
    lpcfg("train", *train, "-o", folder / "plain", "--learner", "pcfg", "--no-tagger")
    lpcfg("parse", folder / "plain", gold, "-f", "trees", "-o", folder / "plain.mrg")
    return json.loads(lpcfg("eval", gold, folder / "plain.mrg", "--json", result=True))


def split(treebank: Path) -> tuple[list[Path], list[Path]]:
    """Training and dev files: by name, or for the Penn sample by number."""
    if (treebank / "train.mrg").exists():
        return [treebank / "train.mrg"], [treebank / "dev.mrg"]
    files = sorted(treebank.rglob("wsj_*.mrg"))
    numbers = [int(path.stem.removeprefix("wsj_")) for path in files]
    train = [path for path, number in zip(files, numbers, strict=True) if number < FIRST_DEV_FILE]
    return train, [path for path in files if path not in train]


def write_sample(train: list[Path], target: Path, size: int) -> Path:
    """Write some of the training trees, drawn at random, as annotated; returns the file."""
    trees = read_tree_files(train).trees
    drawn = np.sort(np.random.default_rng(0).permutation(trees.n_trees)[:size])
    target.write_text("".join(f"{line}\n" for line in bracket_strings(trees.subset(drawn))), "utf-8")
    return target


def write_gold(dev: list[Path], gold: Path, limit: int | None) -> int:
    """Write the first dev trees with words, as annotated, one on each line; returns their number."""
    trees = read_tree_files(dev).trees
    _, report = clean(trees, CleanSettings())
    kept = np.setdiff1d(np.arange(trees.n_trees), report.null_trees)[:limit]
    lines = list(bracket_strings(with_named_roots(trees.subset(kept))))
    gold.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return len(lines)


def lpcfg(*arguments: object, result: bool = False) -> str:
    """Run the command; returns its standard error, or its result."""
    done = subprocess.run([LPCFG, *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{LPCFG} {arguments[0]} ended with {done.returncode}:\n{done.stderr}")
    return done.stdout if result else done.stderr


def is_about_loss(line: str) -> bool:
    """Whether a line of the log reports something skipped, removed or repaired."""
    words = ("skipped", "left out", "removed", "ignored", "not read", "replaced", "warning", "fallbacks", "flat")
    return any(word in line for word in words)


def table(rows: list[dict[str, Any]]) -> str:
    """The figures, one line for each treebank."""
    columns = [key for key in rows[0] if key not in {"skipped", "statuses"}]
    lines = ["  ".join(f"{key:>{len(key)}}" for key in columns)]
    lines += ["  ".join(f"{row[key]:>{len(key)}}" for key in columns) for row in rows]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
