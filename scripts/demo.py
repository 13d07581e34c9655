"""A demonstration of one minute: sample a treebank, train parsers on it, parse held-out sentences, score them.

Runs the commands that it prints, in ``demo-run/`` below the current directory.
"""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

from nltk import Tree

LPCFG = Path(sys.executable).with_name("lpcfg")
RUN = Path("demo-run")
WIDTH = 80
TRAIN, HELD_OUT = 3000, 300
MODELS = {
    "plain": ("plain PCFG", ["-m", "1", "--templates", "constant"]),
    "latent4": ("latent, m = 4", ["-m", "4"]),
    "latent16": ("latent, m = 16", ["-m", "16"]),
}
LATENT = [name for name in MODELS if name != "plain"]
DRAWN_WORDS = range(7, 13)


def main() -> None:
    began = time.perf_counter()
    shutil.rmtree(RUN, ignore_errors=True)
    RUN.mkdir()
    headline("1. Sample a treebank from the embedded grammar, and other sentences to parse")
    lpcfg("synth", "-n", TRAIN, "--seed", 1, "-o", RUN / "train.mrg")
    # the plain PCFG runs in the background: it is the first to use each command, which compiles its kernels
    plain_training = start(train_words("plain"))
    lpcfg("synth", "-n", HELD_OUT, "--seed", 2, "-o", RUN / "gold.mrg")
    lpcfg("synth", "-n", HELD_OUT, "--seed", 2, "--tagged", "-o", RUN / "test.tagged")
    with open(RUN / "test.tagged", encoding="utf-8") as file:
        print(f"\n  {file.readline()}", end="")
    headline("2. Train: a plain PCFG, and L-PCFGs with m latent states a nonterminal")
    finish(plain_training, shows=-1)
    plain_parsing = start(parse_words("plain"))
    for name in LATENT:
        finish(start(train_words(name)), shows=-1)
    headline("3. Parse the held-out sentences")
    finish(plain_parsing, shows=0)
    plain_scoring = start(score_words("plain"))
    for name in LATENT:
        finish(start(parse_words(name)), shows=0)
    headline("4. Score the parses against the trees that were sampled")
    reports = [finish(plain_scoring), *(finish(start(score_words(name))) for name in LATENT)]
    print("\n" + score_table([json.loads(report)["all"] for report in reports]))
    headline("5. A held-out sentence")
    draw_example()
    print(f"{time.perf_counter() - began:.0f} s in all; the files are in {RUN}/. Now try, with trees of your own:\n")
    print(f"  {shown_command()} train TREEBANK -o run\n  {shown_command()} parse run SENTENCES\n")


def headline(text: str) -> None:
    print(f"\n\033[1m{text}\033[0m\n" if sys.stdout.isatty() else f"\n{text}\n", flush=True)


def shown_command() -> str:
    """The command as the user would type it here."""
    on_path = shutil.which("lpcfg")
    if on_path is not None and Path(on_path).resolve() == LPCFG.resolve():
        return "lpcfg"
    return str(LPCFG.relative_to(Path.cwd())) if LPCFG.is_relative_to(Path.cwd()) else str(LPCFG)


def train_words(name: str) -> list[str]:
    return ["train", str(RUN / "train.mrg"), "-o", str(RUN / name), *MODELS[name][1]]


def parse_words(name: str) -> list[str]:
    return ["parse", str(RUN / name), str(RUN / "test.tagged"), "-o", str(RUN / f"{name}.mrg")]


def score_words(name: str) -> list[str]:
    return ["eval", str(RUN / "gold.mrg"), str(RUN / f"{name}.mrg"), "--json"]


def lpcfg(*arguments: object, shows: int | None = None) -> str:
    """Run a command; see `finish`."""
    return finish(start([str(argument) for argument in arguments]), shows)


def start(words: list[str]) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    return subprocess.Popen([str(LPCFG), *words], stdout=pipe, stderr=pipe, text=True, encoding="utf-8")


def finish(process: subprocess.Popen[str], shows: int | None = None) -> str:
    """Print a command and wait for its output; print all of its notes, or only the one at the given position."""
    assert isinstance(process.args, list)
    print(f"  $ lpcfg {' '.join(map(str, process.args[1:]))}", flush=True)
    output, notes = process.communicate()
    if process.returncode:
        sys.exit(f"{notes}\ndemo: this command ended with status {process.returncode}")
    lines = notes.splitlines()
    for line in lines if shows is None else lines[shows:][:1]:
        print(f"    {line}", flush=True)
    return output


def score_table(scores: list[dict[str, float]]) -> str:
    """The figures of ``lpcfg eval`` over all sentences, one row for each model."""
    columns = {"recall": "recall", "precision": "precision", "f1": "F1", "complete_match": "all correct"}
    lines = [f"  {'':16}" + "".join(f"{title:>13}" for title in columns.values())]
    lines.append("  " + "─" * (len(lines[0]) - 2))
    for (title, _), figures in zip(MODELS.values(), scores, strict=True):
        lines.append(f"  {title:16}" + "".join(f"{figures[key]:13.2f}" for key in columns))
    return "\n".join(lines)


def draw_example() -> None:
    """Draw a short sentence that the latent model gets right and the plain PCFG wrong, parsed by both."""
    gold, plain, latent = (read_trees(name) for name in ("gold", "plain", "latent16"))
    told_apart = [k for k, tree in enumerate(gold) if latent[k] == tree != plain[k]]
    drawable = [k for k in told_apart if len(gold[k].leaves()) in DRAWN_WORDS and fits(gold[k]) and fits(plain[k])]
    telling = [k for k in drawable if "with" in gold[k].leaves()]
    best = (telling or drawable or told_apart or [0])[0]
    print(f"  {' '.join(gold[best].leaves())}\n")
    print(f"  The latent model, as it should be:\n\n{drawing(latent[best])}\n")
    print(f"  The plain PCFG, which sees nothing but the tags:\n\n{drawing(plain[best])}\n")


def read_trees(name: str) -> list[Tree]:
    """The trees of one file, without the root TOP."""
    with open(RUN / f"{name}.mrg", encoding="utf-8") as file:
        return [Tree.fromstring(line)[0] for line in file]


def drawing(tree: Tree) -> str:
    """The tree drawn as text, with the root at the top."""
    text = io.StringIO()
    tree.pretty_print(unicodelines=True, stream=text)
    return "\n".join(f"  {line.rstrip()}" for line in text.getvalue().rstrip().splitlines())


def fits(tree: Tree) -> bool:
    return max(map(len, drawing(tree).splitlines())) <= WIDTH


if __name__ == "__main__":
    main()
