"""Time and memory of training and parsing by size, and compared with the project's requirements.

    python scripts/bench.py [--data ../shared/data] [--only figures sizes states lengths flops start] [--repeats 3]

Each measurement runs in its own process, with one thread of linear algebra, ``--repeats`` times; the results are
medians.  Writes ``results/bench.jsonl`` (one measurement on each line), ``results/bench.md`` and, with matplotlib, PNG
plots.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

from bench_report import Figure, growth, write_plots, write_tables

HERE = Path(__file__).parent
ONE_THREAD = {name: "1" for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")}
FIRST_DEV_FILE = 160
JOBS_SENTENCES = 3000
LENGTHS = ((5, 10), (10, 15), (15, 20), (20, 30), (30, 40), (40, 60), (60, 90), (90, 250))


@dataclass
class Bench:
    """The state that all measurements share.

    Attributes
    ----------
    data, folder, output : Path
        Treebanks, a temporary folder, and the file of results.
    repeats : int
    rows : list of dict
        All results so far.
    """

    data: Path
    folder: Path
    output: Path
    repeats: int
    rows: list[dict[str, Any]] = field(default_factory=list)

    def measure(self, name: str, command: list[str], repeats: int | None = None, **facts: Any) -> dict[str, Any]:
        """Run a command several times; returns a row with its median times, largest memory and last output."""
        runs = [run(command) for _ in range(repeats or self.repeats)]
        printed = [json.loads(one.pop("printed") or "{}") for one in runs]
        row = {"name": name, **facts, "repeats": len(runs)}
        row |= {key: round(median(one[key] for one in runs), 3) for key in ("wall", "cpu")}
        row["megabytes"] = max(one["megabytes"] for one in runs)
        for key, value in printed[-1].items():
            values = [one.get(key) for one in printed]
            row[key] = median(values) if all(isinstance(v, int | float) for v in values) else value
        self.note(row)
        return row

    def task(self, name: str, task: str, repeats: int | None = None, facts: dict[str, Any] | None = None, **given: Any):
        """Run a function of bench_tasks.py."""
        command = [sys.executable, str(HERE / "bench_tasks.py"), task, json.dumps(given)]
        return self.measure(name, command, repeats, **(facts or {}))

    def train(self, name: str, files: list[Path], m: int, jobs: int, repeats: int | None = None, **facts: Any):
        """Train a new model, in the run directory `model_of` (name, m)."""
        run_folder = self.model_of(name, m)
        script = "import shutil, sys; shutil.rmtree(sys.argv[1], ignore_errors=True); "
        script += "sys.argv = ['lpcfg', *sys.argv[2:]]; from lpcfg_cli.cli.main import main; main()"
        arguments = ["train", *map(str, files), "-o", str(run_folder), "-m", str(m), "-j", str(jobs)]
        command = [sys.executable, "-c", script, str(run_folder), *arguments]
        row = self.measure(f"train {name}", command, repeats, m=m, jobs=jobs, **facts)
        row["model_megabytes"] = round((run_folder / "model.lpcfg.npz").stat().st_size / 1e6, 1)
        return row

    def model_of(self, name: str, m: int) -> Path:
        """The run directory of a model."""
        return self.folder / f"{name}-{m}"

    def note(self, row: dict[str, Any]) -> None:
        """Store a row and print it."""
        row["load"] = round(os.getloadavg()[0], 1)
        self.rows.append(row)
        print(json.dumps(row), flush=True)

    def head(self, treebank: str, part: str, n: int) -> Path:
        """A file with the first trees of a treebank that has one tree on each line."""
        path = self.folder / f"{treebank}-{part}-{n}.mrg"
        if not path.exists():
            with open(self.data / treebank / f"{part}.mrg", encoding="utf-8") as source:
                path.write_text("".join(islice(source, n)), "utf-8")
        return path

    def wsj(self) -> tuple[list[Path], Path]:
        """Training files of the WSJ sample, and its dev trees in one file."""
        files = sorted((self.data / "wsj").rglob("*.mrg"))
        is_dev = {path: int(path.stem.split("_")[1]) >= FIRST_DEV_FILE for path in files}
        dev = self.folder / "wsj-dev.mrg"
        dev.write_text("".join(path.read_text("utf-8") for path in files if is_dev[path]), "utf-8")
        return [path for path in files if not is_dev[path]], dev


def run(command: list[str]) -> dict[str, Any]:
    """Wall and CPU seconds, largest memory of one process, and the last line it printed."""
    began = time.perf_counter()
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        process = subprocess.Popen(command, stdout=out, stderr=err, env={**os.environ, **ONE_THREAD})
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.perf_counter() - began
        out.seek(0)
        err.seek(0)
        if process.returncode:
            sys.exit(f"{' '.join(command)}\n{err.read()}")
        lines = [line for line in out.read().splitlines() if line.startswith("{")]
    cpu = used.ru_utime + used.ru_stime
    return {
        "wall": wall,
        "cpu": cpu,
        "megabytes": used.ru_maxrss * 1024 // 10**6,
        "printed": lines[-1] if lines else "",
    }


def figures(bench: Bench) -> list[Figure]:
    """Measure what the project asks of itself: training and parsing the WSJ sample, craft and icepahc."""
    found: list[Figure] = []
    files, dev = bench.wsj()
    craft, icepahc = ([bench.data / name / "train.mrg"] for name in ("craft", "icepahc"))
    for name, trees, m, most in (
        ("wsj", files, 16, 8),
        ("wsj", files, 32, 20),
        ("craft", craft, 16, 40),
        ("craft", craft, 32, 90),
        ("icepahc", icepahc, 16, 90),
    ):
        row = bench.train(name, trees, m, jobs=2)
        found.append(Figure(f"train {name}, m = {m}, --jobs 2", row["wall"], "s", most, cpu=row["cpu"]))
        found.append(Figure(f"… peak memory of a process, m = {m}", row["megabytes"], "MB", 4000))
        if (name, m) == ("craft", 32):
            found.append(Figure("… model file", row["model_megabytes"], "MB", 300))
    for m, least in ((16, 80), (32, 40)):
        row = bench.task("parse wsj dev", "parse", facts={"m": m}, model=str(bench.model_of("wsj", m)), source=str(dev))
        found.append(
            Figure(f"parse WSJ dev, m = {m}, one core", row["sentences_per_cpu_second"], "sentences/CPU s", least, True)
        )
    found += [*longest_sentence(bench, files), *jobs_ratio(bench)]
    return found


def longest_sentence(bench: Bench, files: list[Path]) -> list[Figure]:
    """The 249-word sentence of the WSJ sample."""
    source = bench.folder / "wsj-train.mrg"
    source.write_text("".join(path.read_text("utf-8") for path in files), "utf-8")
    given = {"source": str(source), "shortest": 249, "longest": 249, "most": 1}
    row = bench.task("249 words", "length", facts={"m": 16}, model=str(bench.model_of("wsj", 16)), **given)
    return [
        Figure("249-word sentence, m = 16", row["cpu_seconds"], "CPU s", 10),
        Figure("… peak memory", row["megabytes"], "MB", 2000),
    ]


def jobs_ratio(bench: Bench) -> list[Figure]:
    """Time of parsing with one process divided by that with two.

    Of a thousand sentences a tenth of the time is start-up, which the two do not share; so there are more.
    """
    source, seconds = bench.head("craft", "dev", JOBS_SENTENCES), {}
    for jobs in (1, 2):
        out = str(bench.folder / "out.mrg")
        script = "import sys, json; sys.argv[0] = 'lpcfg'; from lpcfg_cli.cli.main import main; main()"
        arguments = ["parse", str(bench.model_of("craft", 16)), str(source), "-f", "trees", "-o", out, "-j", str(jobs)]
        row = bench.measure(
            "parse craft dev", [sys.executable, "-c", script, *arguments], m=16, jobs=jobs, sentences=JOBS_SENTENCES
        )
        seconds[jobs] = row
    ratio = seconds[1]["wall"] / seconds[2]["wall"]
    extra = seconds[2]["cpu"] / seconds[1]["cpu"]
    return [
        Figure(f"--jobs 2 against one, {JOBS_SENTENCES:,} craft sentences, with start-up", ratio, "times", 1.8, True),
        Figure("… CPU time of two jobs against one", extra, "times", 1.11),
    ]


def sizes(bench: Bench) -> list[Figure]:
    """Training by number of trees."""
    found = []
    for name, counts in (("craft", (1000, 4000, 16000, 25095)), ("icepahc", (1000, 4000, 16000, 54560))):
        rows = [
            bench.train(f"{name}-{n}", [bench.head(name, "train", n)], 16, 1, 1, treebank=name, trees=n) for n in counts
        ]
        found.append(Figure(f"training time grows with trees, {name}: exponent", growth(rows, "trees", "cpu"), ""))
        found.append(Figure(f"memory grows with trees, {name}: exponent", growth(rows, "trees", "megabytes"), ""))
    return found


def states(bench: Bench) -> list[Figure]:
    """Training and parsing by m, on 4,000 trees of craft."""
    trees, dev = bench.head("craft", "train", 4000), bench.head("craft", "dev", 100)
    training, parsing = [], []
    for m in (8, 16, 32, 64):
        training.append(bench.train("states", [trees], m, 1, 1))
        given = {"model": str(bench.model_of("states", m)), "source": str(dev)}
        parsing.append(bench.task("parse states", "parse", 1, {"m": m}, **given))
    return [
        Figure("training time grows with m: exponent", growth(training, "m", "cpu"), ""),
        Figure("parsing time grows with m: exponent", growth(parsing, "m", "cpu_seconds"), ""),
    ]


def lengths(bench: Bench) -> list[Figure]:
    """Parsing time and memory by sentence length, with m = 16 and a model of 4,000 trees of craft."""
    model = model_of_4000(bench)
    rows = []
    for shortest, longest in LENGTHS:
        given = {"source": str(bench.data / "craft" / "dev.mrg"), "shortest": shortest, "longest": longest, "most": 25}
        rows.append(bench.task("length", "length", 1, {"m": 16}, model=str(model), **given))
    rows = [row for row in rows if row["sentences"]]
    return [Figure("parsing time grows with words: exponent", growth(rows, "words", "cpu_seconds"), "")]


def flops(bench: Bench) -> list[Figure]:
    """Floating-point rate of the contractions, compared with a matrix product."""
    model_of_4000(bench)
    found = []
    for m in (16, 32):
        if not (model := bench.model_of("states", m)).exists():
            bench.train("states", [bench.head("craft", "train", 4000)], m, 1, 1)
        given = {"source": str(bench.head("craft", "dev", 100)), "last": 100}
        row = bench.task("contractions", "contractions", facts={"m": m}, model=str(model), **given)
        found.append(Figure(f"contractions, m = {m}, {row['dtype']}", row["flops"] / 1e9, "GFLOP/s"))
        found.append(Figure("… of a matrix product's speed", 100 * row["share_of_product"], "%"))
        found.append(Figure("… of the time of parsing", 100 * row["share_of_parsing"], "%"))
    return found


def start(bench: Bench) -> list[Figure]:
    """Start-up: help, one sentence, and the very first sentence with nothing compiled."""
    script = "import sys; sys.argv[0] = 'lpcfg'; from lpcfg_cli.cli.main import main; main()"
    one = bench.folder / "one"
    one.write_text("the/DT cell/NN divides/VBZ ./.\n")
    parsing = ["parse", str(model_of_4000(bench)), str(one), "-o", str(bench.folder / "out")]
    told = bench.measure("help", [sys.executable, "-c", script, "--help"])
    warm = bench.measure("one sentence", [sys.executable, "-c", script, *parsing])
    cache = tempfile.mkdtemp(dir=bench.folder)
    cold_script = f"import os; os.environ['NUMBA_CACHE_DIR'] = {cache!r}; {script}"
    cold = bench.measure("first sentence", [sys.executable, "-c", cold_script, *parsing], 1)
    shutil.rmtree(cache)
    return [
        Figure("lpcfg --help", told["wall"], "s", 0.25, cpu=told["cpu"]),
        Figure("one sentence, kernels compiled before", warm["wall"], "s", 1.5, cpu=warm["cpu"]),
        Figure("one sentence, nothing compiled", cold["wall"], "s", 8, cpu=cold["cpu"]),
    ]


def model_of_4000(bench: Bench) -> Path:
    """The model of 4,000 trees of craft with m = 16; it is trained if it does not exist."""
    if not (model := bench.model_of("states", 16)).exists():
        bench.train("states", [bench.head("craft", "train", 4000)], 16, 1, 1)
    return model


SUBSETS: dict[str, Callable[[Bench], list[Figure]]] = {
    "start": start,
    "figures": figures,
    "sizes": sizes,
    "states": states,
    "lengths": lengths,
    "flops": flops,
}


def machine() -> dict[str, Any]:
    """The machine on which the measurements run."""
    cpu = platform.processor()
    info = Path("/proc/cpuinfo")
    if info.exists():
        cpu = next((line.split(":")[1].strip() for line in info.read_text().splitlines() if "model name" in line), cpu)
    versions = {name: version(name) for name in ("lpcfg-cli", "numpy", "scipy", "numba")}
    return {
        "name": "machine",
        "cpu": cpu,
        "cores": os.cpu_count(),
        "threads": 1,
        "python": platform.python_version(),
        **versions,
    }


def main() -> None:
    """Run the measurements that the command line selects, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=HERE.parent.parent / "shared" / "data")
    parser.add_argument("--only", nargs="*", choices=SUBSETS, default=list(SUBSETS))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--output", type=Path, default=HERE.parent / "results")
    options = parser.parse_args()
    if not options.data.is_dir():
        sys.exit(f"{options.data}: no such folder. Name the folder of treebanks with --data.")
    options.output.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options.data, Path(folder), options.output / "bench.jsonl", options.repeats)
        bench.note(machine())
        found = [figure for name in options.only for figure in SUBSETS[name](bench)]
    bench.output.write_text("".join(json.dumps(row) + "\n" for row in bench.rows), "utf-8")
    print(write_tables(bench.rows, found, options.output / "bench.md"))
    for path in write_plots(bench.rows, options.output):
        print(path)


if __name__ == "__main__":
    main()
