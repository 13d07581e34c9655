"""Ten-fold cross-validation of several configurations, each tested against the first: a Markdown table.

    python scripts/cross_validation_table.py TREEBANK -o FOLDER CONFIG CONFIG ... [--only 0,5] [--jobs 2]

Parses are stored in the folder, so that a configuration can be added without parsing again for the others.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from lpcfg_cli.evaluation.evaluate import EvaluationOptions, compare, evaluate

LPCFG = Path(sys.executable).with_name("lpcfg")
LINES = EvaluationOptions(layout="lines")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("treebank", type=Path)
    parser.add_argument("configs", nargs="+", type=Path)
    parser.add_argument("-o", "--output", required=True, type=Path)
    parser.add_argument("--folds", default="10")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", default="1")
    given = parser.parse_args()
    given.output.mkdir(parents=True, exist_ok=True)
    print("| configuration | F1 | precision | recall | against the first | p |\n| --- | --- | --- | --- | --- | --- |")
    for config in given.configs:
        print(row(config, given), flush=True)


def row(config: Path, given: argparse.Namespace) -> str:
    gold, parsed = cross_parses(config, given)
    scores = evaluate(gold, parsed, LINES).scores.all
    cells = [config.stem, f"{scores.f1:.2f}", f"{scores.precision:.2f}", f"{scores.recall:.2f}"]
    if config == given.configs[0]:
        return f"| {' | '.join([*cells, '', ''])} |"
    _, first = cross_parses(given.configs[0], given)
    found = compare(gold, first, parsed, LINES).significance
    return f"| {' | '.join([*cells, f'{found.difference:+.2f}', f'{found.p_value:.4f}'])} |"


def cross_parses(config: Path, given: argparse.Namespace) -> tuple[Path, Path]:
    gold, parsed = given.output / "gold.mrg", given.output / f"{config.stem}.mrg"
    done = given.output / f"{config.stem}.done"
    if not done.exists():
        only = ["--only", given.only] if given.only else []
        files = [given.treebank, "-o", parsed, "--gold", gold, "-c", config]
        subprocess.run([LPCFG, "crossval", *files, "--folds", given.folds, *only, "-j", given.jobs], check=True)
        done.touch()
    return gold, parsed


if __name__ == "__main__":
    main()
