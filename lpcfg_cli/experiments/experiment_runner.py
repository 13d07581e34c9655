"""Running of one point of an experiment: training, parsing, scoring."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from lpcfg_cli.config import AUTO_FORMAT, Settings, load_settings
from lpcfg_cli.em.monitor import EmRecord, ignore_record
from lpcfg_cli.errors import ConfigError, InputError
from lpcfg_cli.evaluation.counts import Counts
from lpcfg_cli.evaluation.evaluate import EvaluationOptions, compare, evaluate, with_defined_f1
from lpcfg_cli.execution.progress import Progress, no_progress
from lpcfg_cli.execution.stopwatch import Spent
from lpcfg_cli.execution.workers import Mapper
from lpcfg_cli.experiments.experiment_grid import GridPoint, GridResult, digest_of, point_settings
from lpcfg_cli.experiments.experiment_summary import mean_time
from lpcfg_cli.grammar.archive import MODEL_FILE
from lpcfg_cli.grammar.synth import run_synth, tree_lines
from lpcfg_cli.learning.learners import LEARNERS
from lpcfg_cli.parsing.corpora import ParseReport, open_parser, parse_sentences
from lpcfg_cli.stages.binarize import source_hashes
from lpcfg_cli.stages.chain import train
from lpcfg_cli.stages.log import LOG_FILE, read_log
from lpcfg_cli.stages.stage import StageContext
from lpcfg_cli.storage.files import make_directory, sha256_of_bytes, sha256_of_file, write_text
from lpcfg_cli.tagging.sentence import InputSettings
from lpcfg_cli.tagging.sentences import open_sentences
from lpcfg_cli.treebank.brackets import BRACKETS
from lpcfg_cli.treebank.encodings import rereadable
from lpcfg_cli.treebank.finding import find_tree_files
from lpcfg_cli.treebank.gold import gold_text
from lpcfg_cli.treebank.presets import cleaning

WARM_UP_TREES = 60
WARM_UP_WORDS = 40


@dataclass(frozen=True)
class Treebanks:
    """The treebanks of an experiment.

    Attributes
    ----------
    train : list of Path
    dev : Path
        One file with all dev trees.
    test : Path or None
        One file with all test trees; None without test trees.
    hashes : list of str
        SHA-256 of the files on which models and dev scores depend.
    """

    train: list[Path]
    dev: Path
    test: Path | None
    hashes: list[str]


def gather(
    train: Sequence[Path], dev: Sequence[Path], test: Sequence[Path], folder: Path, settings: Settings
) -> Treebanks:
    """Find the treebanks, and write dev and test trees to one file each, in brackets.

    Raises
    ------
    ConfigError
        The settings ask for another tree format for all files, these too.
    """
    wanted, form = settings.experiment, settings.read.format
    if form not in (AUTO_FORMAT, BRACKETS.name):
        raise ConfigError(
            f"read.format is {form!r}, but an experiment also reads files that it writes in brackets. "
            "Leave it out: the format of each file is told by its ending."
        )

    def joined(name: str, roots: Sequence[Path], sections: str) -> Path:
        clean = cleaning(settings)
        texts = [gold_text(path, settings.read, clean) for path in find_tree_files(roots, sections or None, form)]
        make_directory(folder)
        write_text(folder / name, "\n".join(texts), rereadable(settings.read.encoding))
        return folder / name

    sources = find_tree_files(train, wanted.train_sections or None, form)
    dev_file = joined("dev.mrg", dev, wanted.dev_sections)
    test_file = joined("test.mrg", test, wanted.test_sections) if test else None
    return Treebanks(sources, dev_file, test_file, [*source_hashes(sources, settings), sha256_of_file(dev_file)])


@dataclass(frozen=True)
class Experiment:
    """Runs points.

    Attributes
    ----------
    treebanks : Treebanks
    folder : Path
        Folder for results, parses, and the run directories in which models are trained.
    settings : Settings
    mapper : callable like map
    progress : Progress
    on_step : function of EmRecord
        Called after each iteration of EM.
    """

    treebanks: Treebanks
    folder: Path
    settings: Settings
    mapper: Mapper = map
    progress: Progress = no_progress
    on_step: Callable[[EmRecord], None] = ignore_record

    def settings_of(self, point: GridPoint) -> Settings:
        """The settings of a point."""
        return point_settings(self.settings, point, self.treebanks.dev)

    def digest(self, point: GridPoint) -> str:
        """The hash that identifies the point's result."""
        return digest_of(self.settings_of(point), self.treebanks.hashes)

    def parses(self, point: GridPoint, gold: Path) -> Path:
        """The file of the point's parses of the sentences of the gold trees."""
        made_from = sha256_of_bytes(f"{self.digest(point)} {sha256_of_file(gold)}".encode())
        return self.folder / "parses" / f"{point.name.replace(' ', '-')}-{made_from[:8]}.{gold.name}"

    def is_done(self, point: GridPoint, known: dict[str, GridResult]) -> bool:
        """Whether the point has a result and the parses of the dev trees."""
        return self.digest(point) in known and self.parses(point, self.treebanks.dev).exists()

    def warm_up(self, learners: Iterable[str]) -> None:
        """Train each learner on a few trees, so that the time of no point includes loading and compiling."""
        with TemporaryDirectory() as name:
            folder = Path(name)
            trees, _ = run_synth(WARM_UP_TREES, 0, None, WARM_UP_WORDS)
            write_text(folder / "trees.mrg", "".join(f"{line}\n" for line in tree_lines(trees)))
            for learner in sorted(learners):
                settings = load_settings(
                    svd__states=2, estimate__learner=learner, em__iterations=1, em__refine=1, tagger__epochs=0
                )
                train(StageContext(folder / learner, settings, [folder / "trees.mrg"]))

    def run(self, point: GridPoint) -> GridResult:
        """Train, parse and score, in a run directory that points share, so that equal stages are run once."""
        run = self.folder / _run_name(point)
        trained = self._train(run, self.settings_of(point))
        report = self._parse(run, point, self.treebanks.dev)
        if self.treebanks.test is not None:
            self._parse(run, point, self.treebanks.test)
        scores, estimated = self.score(point, self.treebanks.dev), trained["estimate"]
        steps = [Spent(**record["spent"]) for record in estimated["em"][1:]]
        return GridResult(
            point=point,
            digest=self.digest(point),
            f1=scores.f1,
            precision=scores.precision,
            recall=scores.recall,
            sentences=report.sentences,
            negative_totals=report.negative_totals,
            fallbacks=report.fallbacks,
            chosen=estimated["chosen"],
            by_iteration={str(r["iteration"]): r["dev_score"] for r in estimated["em"] if r["dev_score"] is not None},
            stages={stage: _training_time(entry) for stage, entry in trained.items()},
            step=mean_time(steps) if steps else None,
            is_alone=self.mapper is map,
        )

    def _train(self, run: Path, settings: Settings) -> dict[str, dict[str, Any]]:
        """Train the model; returns the log entries of the stages that made it, now or in an earlier run."""
        for _ in range(2):
            context = StageContext(run, settings, self.treebanks.train, None, self.mapper, self.progress, self.on_step)
            outcomes = train(context)
            last = {entry["stage"]: entry for entry in read_log(run / LOG_FILE)}
            entries = {o.stage: last[o.stage] for o in outcomes if o.stage in last}
            if entries.get("estimate", {}).get("model") == sha256_of_file(run / MODEL_FILE):
                return entries
            (run / MODEL_FILE).unlink()  # an earlier run was killed before it wrote the log entry
        raise InputError(f"{run / LOG_FILE}: has no entry about the model. Is another process writing there?")

    def _parse(self, run: Path, point: GridPoint, gold: Path) -> ParseReport:
        report, path = ParseReport(), self.parses(point, gold)
        parser = open_parser(run / MODEL_FILE, {})
        reading = InputSettings(**vars(self.settings.read), clean=cleaning(self.settings))
        sentences = open_sentences(gold, "trees", reading)
        lines = [one.line for one in parse_sentences(parser, sentences, report, mapper=self.mapper)]
        parser.forget()
        make_directory(path.parent)
        write_text(path, "".join(f"{line}\n" for line in lines), rereadable(self.settings.read.encoding))
        return report

    def score(self, point: GridPoint, gold: Path) -> Counts:
        """EVALB's figures for the point's parses; raises as `with_defined_f1`."""
        options = EvaluationOptions(encoding=self.settings.read.encoding)
        return with_defined_f1(evaluate(gold, self.parses(point, gold), options)).scores.all

    def p_value(self, a: GridPoint, b: GridPoint) -> float:
        """The p-value of the difference in dev F1 between two points, by approximate randomization."""
        options = EvaluationOptions(encoding=self.settings.read.encoding)
        gold = self.treebanks.dev
        return compare(gold, self.parses(a, gold), self.parses(b, gold), options).significance.p_value


def _run_name(point: GridPoint) -> str:
    """Name of the run directory: points with other trees or features do not share that of the others."""
    if point.ablation:
        return "run-ablation"
    return f"run-{point.learner}" if LEARNERS[point.learner].binarization else "run"


def _training_time(entry: dict[str, Any]) -> Spent:
    found = entry.get("training", entry)
    return Spent(round(found["seconds"], 3), round(found["cpu_seconds"], 3))
