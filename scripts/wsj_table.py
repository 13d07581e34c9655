"""The table of results on the Penn Treebank sample: the shipped settings, and each thing left out in turn.

    python scripts/wsj_table.py ../shared/data/wsj [--json FILE] [--only NAME ...]

Trains on wsj_0001 to wsj_0159 and scores the parses of wsj_0160 to wsj_0179, gold tags, COLLINS.prm.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from lpcfg_cli.config import Settings, load_settings
from lpcfg_cli.grammar.model import Grammar
from lpcfg_cli.stages.evaluate import evaluate
from lpcfg_cli.stages.parse import ParseReport, parse_all
from lpcfg_cli.stages.run_directory import load_model
from lpcfg_cli.stages.sentences import read_sentences
from lpcfg_cli.stages.train import run_train
from lpcfg_cli.treebank.files import find_tree_files

CONFIG = Path(__file__).parent.parent / "configs" / "wsj-sample.toml"
FIRST_DEV_FILE = 160

PLAIN = {"svd__states": 1, "features__templates": "constant"}

VARIANTS: list[tuple[str, dict[str, Any]]] = [
    ("configs/wsj-sample.toml (m = 16)", {}),
    ("m = 8", {"svd__states": 8}),
    ("m = 24", {"svd__states": 24}),
    ("m = 32", {"svd__states": 32}),
    ("decoding by the sum of |µ|", {"parse__decoder": "sum"}),
    ("the same, m = 24", {"parse__decoder": "sum", "svd__states": 24}),
    ("signed decoding (sum of µ)", {"parse__decoder": "signed"}),
    ("no smoothing", {"estimate__smooth_rules": False, "estimate__smooth_lexicon": False}),
    ("no scaling of features", {"features__scale": False}),
    ("simple features", {"features__templates": "simple"}),
    ("word identity only", {"lexicon__rare_below": 1}),
    ("signature classes, rare < 20", {"lexicon__classes": "signature", "lexicon__rare_below": 20}),
    ("collapsed unaries", {"binarize__unaries": "collapse"}),
    ("plain PCFG", PLAIN),
    ("plain PCFG, collapsed unaries", {**PLAIN, "binarize__unaries": "collapse"}),
]


def split_files(treebank: Path) -> tuple[list[Path], list[Path]]:
    """Training and dev files by their numbers."""
    numbered = [(int(path.stem.removeprefix("wsj_")), path) for path in find_tree_files([treebank])]
    train = [path for number, path in numbered if number < FIRST_DEV_FILE]
    return train, [path for number, path in numbered if number >= FIRST_DEV_FILE]


def run_variant(name: str, settings: Settings, train: list[Path], dev: list[Path], folder: Path) -> dict[str, Any]:
    """Train, parse and score one variant."""
    began, cpu = time.perf_counter(), time.process_time()
    run_train(train, folder / "run", settings)
    train_seconds, train_cpu = time.perf_counter() - began, time.process_time() - cpu
    _, grammar = load_model(folder / "run")
    gold, test = folder / "gold.mrg", folder / "test.mrg"
    gold.write_text("".join(path.read_text("utf-8") for path in dev), "utf-8")
    lines, report = parse_file(grammar, settings, gold)
    test.write_text("\n".join(lines) + "\n", "utf-8")
    scores = evaluate(gold, test).scores.all
    return {
        "name": name,
        "f1": round(scores.f1, 2),
        "precision": round(scores.precision, 2),
        "recall": round(scores.recall, 2),
        "trees": len(lines),
        "fallbacks": report.fallbacks,
        "negative": report.negative_totals,
        "train_seconds": round(train_seconds, 1),
        "train_cpu_seconds": round(train_cpu, 1),
        "sentences_per_second": round(report.sentences / report.seconds, 1),
        "peak_megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1000,
    }


def parse_file(grammar: Grammar, settings: Settings, gold: Path) -> tuple[list[str], ParseReport]:
    """Parse the words and tags of gold trees, after one sentence that only loads the kernels."""
    sentences = list(read_sentences(gold.read_text("utf-8"), "trees", str(gold)))
    parse_all(grammar, settings.parse, sentences[:1])
    return parse_all(grammar, settings.parse, sentences)


def main() -> None:
    """Run the variants and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("treebank", type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--only", nargs="*", help="names of variants")
    options = parser.parse_args()
    train, dev = split_files(options.treebank)
    print(f"train {len(train)} files, dev {len(dev)} files", file=sys.stderr)
    print(f"{'':34} {'F1':>6} {'P':>6} {'R':>6} {'Z<0':>4} {'train s':>8} {'sent/s':>7}")
    rows = []
    for name, changes in VARIANTS:
        if options.only and name not in options.only:
            continue
        settings = load_settings(CONFIG, **changes)
        with tempfile.TemporaryDirectory() as folder:
            row = run_variant(name, settings, train, dev, Path(folder))
        rows.append(row)
        print(
            f"{name:34} {row['f1']:6.2f} {row['precision']:6.2f} {row['recall']:6.2f} {row['negative']:4} "
            f"{row['train_seconds']:8.1f} {row['sentences_per_second']:7.1f}",
            flush=True,
        )
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
