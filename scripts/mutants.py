"""Which small changes to the program does no test notice?  Mutants of some modules, each held against its tests.

    python scripts/mutants.py [--only PATH ...] [--sample 40 --seed 0] [--jobs 2] [--results FILE] [--again]

Works on copies of the tree in a temporary folder.  A mutant that a test fails on, or that runs for ever, is killed;
survivors are printed as ``file:line: before → after``.  Those of scripts/mutants.toml are known to do no harm.
A results file is gone on with: mutants of a module that has not changed are not run again, with --again only those
that were killed are not.

mutmut leaves decorated functions alone, which all kernels are, and changes no constants of modules; cosmic-ray tries
a dozen other operators in each place, and neither knows which compiled kernels go stale with a module.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import random
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue
from typing import Any

from mutant_runs import OUTCOMES, Tree
from mutation_operators import Mutant, mutants_of

HERE = Path(__file__).resolve().parent
PACKAGE = "lpcfg_cli"

TESTS = {
    "spectral": ["tests/spectral", "tests/learning/test_pivot.py", "tests/learning/test_spectral.py", "tests/stages"],
    "em": ["tests/em", "tests/learning/test_em.py", "tests/cli/test_learners.py", "tests/experiments"],
    "learning": ["tests/learning", "tests/spectral", "tests/em", "tests/experiments", "tests/cli/test_learners.py"],
    "embeddings": ["tests/embeddings", "tests/test_lexicon.py"],
    "hmm": ["tests/hmm"],
    "lm": ["tests/lm"],
    "parsing": ["tests/parsing", "tests/cli/test_parse_and_eval.py", "tests/cli/test_ensemble.py"],
}
"""For each folder of the package the tests that matter, the nearest first."""

FIRST = {
    "embeddings/vectors": ["tests/embeddings/test_word_pairs.py"],
    "embeddings/word_pairs": ["tests/embeddings/test_word_pairs.py"],
    "embeddings/word2vec": ["tests/embeddings/test_vector_files.py"],
    "hmm/archive": ["tests/hmm/test_hmm_archive.py"],
    "hmm/spectral": ["tests/hmm/test_models.py"],
    "hmm/projections": ["tests/hmm/test_models.py"],
    "lm/archive": ["tests/lm/test_lm_archive.py"],
    "lm/kneser_ney": ["tests/lm/test_kneser_ney.py"],
    "parsing/scores": ["tests/parsing/test_decoding.py", "tests/parsing/test_expected_brackets.py"],
    "parsing/expected_brackets": ["tests/parsing/test_expected_brackets.py"],
    "parsing/forest_posteriors": ["tests/parsing/test_expected_brackets.py"],
    "parsing/coarse_kernels": ["tests/parsing/test_inside_outside.py", "tests/parsing/test_pruning.py"],
    "parsing/forest_kernels": ["tests/parsing/test_inside_outside.py", "tests/parsing/test_pruning.py"],
    "parsing/prefix": ["tests/parsing/test_prefix.py"],
    "parsing/prefix_items": ["tests/parsing/test_prefix.py"],
    "parsing/prefix_kernels": ["tests/parsing/test_prefix.py"],
    "parsing/prefix_words": ["tests/cli/test_surprisal_command.py"],
    "parsing/surprisal": ["tests/cli/test_surprisal_command.py", "tests/parsing/test_prefix.py"],
    "parsing/tensor_kernels": ["tests/parsing/test_inside_outside.py"],
    "parsing/parts": ["tests/parsing/test_parts.py", "tests/parsing/test_inside_outside.py"],
    "parsing/inside_kernels": ["tests/parsing/test_inside_outside.py"],
    "parsing/outside_kernels": ["tests/parsing/test_inside_outside.py"],
    "parsing/spans/gate_kernels": ["tests/parsing/test_span_kernels.py"],
    "parsing/spans/span_kernels": ["tests/parsing/test_span_kernels.py"],
    "parsing/spans/step_kernels": ["tests/parsing/test_span_kernels.py"],
    "parsing/spans/vector_kernels": ["tests/parsing/test_span_kernels.py"],
    "parsing/spans/layers": ["tests/parsing/test_span_networks.py"],
    "parsing/spans/learning": ["tests/parsing/test_span_networks.py"],
    "parsing/spans/network": ["tests/parsing/test_span_networks.py"],
    "parsing/spans/span_model": ["tests/parsing/test_span_models.py"],
    "parsing/corpora": ["tests/cli/test_parse_and_eval.py", "tests/cli/test_jobs.py", "tests/cli/test_raw_text.py"],
    "parsing/folders": ["tests/cli/test_shards.py"],
    "parsing/output": ["tests/parsing/test_decoding.py", "tests/cli/test_parser_input.py"],
    "learning/tree_em": ["tests/learning/test_em.py"],
    "learning/tree_em_kernels": ["tests/learning/test_em.py"],
    "learning/clusters": ["tests/learning/test_clusters.py"],
    "learning/pivot": ["tests/learning/test_pivot.py"],
    "learning/smoothing": ["tests/learning/test_smoothing.py"],
}
"""For some modules the tests to begin with: most mutants fail there, and sooner."""

OF_KERNELS = "tests/test_without_compiler.py"
"""Comes before all others for kernels: nothing needs to be compiled for it."""


def main() -> int:
    """Run what is asked for; the exit status tells whether a mutant survived that is not known."""
    given = _options().parse_args()
    known = known_survivors()
    for file, scope, before, after in outdated(given.root, known):
        print(f"no mutant any more, remove it from mutants.toml: {file} {scope}: {before}  →  {after}")
    chosen = sampled(given.root, given.only, given.sample, given.seed)
    done = previous(given.results, given.root, given.again)
    open_ones = [mutant for mutant in chosen if identity(mutant) not in known and mutant not in done]
    print(f"{len(chosen)} mutants, {len(open_ones)} to run", flush=True)
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        for mutant, outcome in run_all(open_ones, given, Path(folder)):
            done[mutant] = outcome
            note(given.results, given.root, mutant, outcome)
            print(f"{outcome['outcome']:9} {outcome['seconds']:6.1f} s  {told(mutant)}", flush=True)
    return report([mutant for mutant in chosen if mutant in done], done, len(chosen))


def _options() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--root", type=Path, default=HERE.parent, help="the tree to work on a copy of")
    options.add_argument(
        "--only",
        nargs="+",
        default=[f"{PACKAGE}/{name}" for name in TESTS],
        help="files, folders; with commas: one sample",
    )
    options.add_argument("--tests", nargs="+", help="run these, for every mutant")
    options.add_argument("--sample", type=int, help="so many mutants of each path, drawn at random")
    options.add_argument("--seed", type=int, default=0, help="of the sample")
    options.add_argument("--jobs", type=int, default=1, help="mutants at a time")
    options.add_argument("--seconds-more", type=float, default=30.0, help="for each, beside twice the tests' time")
    options.add_argument("--results", type=Path, help="one line of JSON a mutant; gone on with if it is there")
    options.add_argument("--again", action="store_true", help="run survivors of the results file again")
    return options


def sampled(root: Path, paths: Iterable[str], size: int | None, seed: int) -> list[Mutant]:
    """All mutants of some files and folders, or so many of each; the same seed, the same mutants.

    Paths that are joined by commas count as one.
    """
    chosen: list[Mutant] = []
    for path in paths:
        files = [file for part in path.split(",") for file in python_files(root / part)]
        found = [m for file in files for m in mutants_of(file.relative_to(root).as_posix(), file.read_bytes())]
        if size is not None and size < len(found):
            places = random.Random(f"{seed} {path}").sample(range(len(found)), size)
            found = [found[place] for place in sorted(places)]
        chosen += found
    return chosen


def python_files(path: Path) -> list[Path]:
    """The file, or all that are in the folder."""
    return [path] if path.is_file() else sorted(path.rglob("*.py"))


Identity = tuple[str, str, str, str]


def identity(mutant: Mutant) -> Identity:
    """What a mutant is known by when lines have moved."""
    return mutant.file, mutant.scope, mutant.before, mutant.after


def known_survivors(path: Path = HERE / "mutants.toml") -> dict[Identity, str]:
    """Why each known survivor does no harm."""
    entries = tomllib.loads(path.read_text("utf-8")).get("survivor", []) if path.exists() else []
    return {(one["file"], one["scope"], one["before"], one["after"]): one["reason"] for one in entries}


def outdated(root: Path, known: Iterable[Identity]) -> list[Identity]:
    """Known survivors that are no mutants of the program as it is."""
    known = set(known)
    files = [file for file in sorted({file for file, *_ in known}) if (root / file).is_file()]
    return sorted(known - {identity(mutant) for mutant in sampled(root, files, None, 0)})


# --- runs -------------------------------------------------------------------------------------------------


def run_all(mutants: list[Mutant], given: argparse.Namespace, folder: Path) -> Iterator[tuple[Mutant, dict[str, Any]]]:
    """Each mutant's outcome, in order."""
    if not mutants:
        return
    tests = {mutant: given.tests or nearest_tests(given.root, mutant.file) for mutant in mutants}
    idle: Queue[Tree] = Queue()
    for job in range(given.jobs):
        idle.put(Tree(given.root, folder / str(job), given.seconds_more))

    def run(mutant: Mutant) -> dict[str, Any]:
        tree = idle.get()
        try:
            return tree.run(mutant, tests[mutant], stale_kernels(given.root, mutant.file))
        finally:
            idle.put(tree)

    with ThreadPoolExecutor(given.jobs) as pool:
        every_test = {path for chosen in tests.values() for path in chosen}
        list(pool.map(lambda tree: tree.warm(every_test), list(idle.queue)))
        yield from zip(mutants, pool.map(run, mutants), strict=True)


def nearest_tests(root: Path, file: str) -> list[str]:
    """The tests that matter for a module, the nearest first."""
    module = file.removeprefix(f"{PACKAGE}/").removesuffix(".py")
    kernels = [OF_KERNELS] if module.endswith("_kernels") else []
    wanted = [*kernels, *FIRST.get(module, []), *TESTS.get(module.split("/")[0], ["tests"])]
    return [path for path in dict.fromkeys(wanted) if (root / path).exists()]


def stale_kernels(root: Path, file: str) -> list[str]:
    """Modules of kernels that may hold a compiled copy of what is in a module: those that import it, however far."""
    uses = {path.relative_to(root).as_posix(): _imported(root, path) for path in (root / PACKAGE).rglob("*.py")}
    stale, grows = {file}, True
    while grows:
        more = {user for user, used in uses.items() if used & stale}
        grows = not more <= stale
        stale |= more
    return sorted(path for path in stale if path.endswith("_kernels.py"))


def _imported(root: Path, path: Path) -> set[str]:
    """Files of the package that a module imports at its top."""
    found = set()
    for node in ast.parse(path.read_bytes()).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            below = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            found |= {f"{name.replace('.', '/')}.py" for name in below}
    return {name for name in found if (root / name).is_file()}


# --- results ----------------------------------------------------------------------------------------------


def previous(path: Path | None, root: Path, again: bool) -> dict[Mutant, dict[str, Any]]:
    """Outcomes of an earlier run, for modules that are as they were."""
    found = {}
    for line in path.read_text("utf-8").splitlines() if path and path.exists() else []:
        outcome = json.loads(line)
        mutant = Mutant(*outcome.pop("mutant"))
        mutant = mutant._replace(new=mutant.new.encode())  # type: ignore[attr-defined]
        if outcome["module"] == _fingerprint(root, mutant.file):
            found[mutant] = outcome
    return {mutant: one for mutant, one in found.items() if not (again and one["outcome"] == "survived")}


def note(path: Path | None, root: Path, mutant: Mutant, outcome: dict[str, Any]) -> None:
    """One more line of the results file."""
    if path:
        fields = mutant._replace(new=mutant.new.decode())  # type: ignore[arg-type]
        line = json.dumps({"mutant": fields, "module": _fingerprint(root, mutant.file), **outcome}, ensure_ascii=False)
        with path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")


def _fingerprint(root: Path, file: str) -> str:
    return hashlib.sha256((root / file).read_bytes()).hexdigest()


def told(mutant: Mutant) -> str:
    """A mutant in one line."""
    return f"{mutant.file}:{mutant.line}: {mutant.before}  →  {mutant.after}"


def report(run: list[Mutant], done: dict[Mutant, dict[str, Any]], n_chosen: int) -> int:
    """Print the survivors and how many mutants ended how, for each folder."""
    survivors = [mutant for mutant in run if done[mutant]["outcome"] == "survived"]
    print("\nSurvivors:" if survivors else "\nNo survivors.")
    for mutant in survivors:
        print(f"  {told(mutant)}")
    counts = Counter((mutant.file.rsplit("/", 1)[0], done[mutant]["outcome"]) for mutant in run)
    for folder in sorted({folder for folder, _ in counts}):
        print(f"{folder}: " + ", ".join(f"{counts[folder, outcome]} {outcome}" for outcome in OUTCOMES))
    print(f"{len(run)} run, {len(survivors)} survived, {n_chosen - len(run)} known to do no harm")
    return int(bool(survivors))


if __name__ == "__main__":
    sys.exit(main())
