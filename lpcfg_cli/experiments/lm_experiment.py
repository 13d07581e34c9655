"""lm experiment: language models of one text by learner and m, as in CC14 Table 2.

Results are stored, and not computed again.  The first half of the dev text chooses the number of EM steps and the
weights of mixtures; perplexities are those of the second half, and of the test text.  Unknown words are left out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from lpcfg_cli.config import Settings
from lpcfg_cli.errors import InputError
from lpcfg_cli.execution.progress import Progress, no_progress
from lpcfg_cli.execution.stopwatch import NO_TIME, Spent, Stopwatch
from lpcfg_cli.execution.workers import Mapper
from lpcfg_cli.experiments.results_file import RESULTS_FILE, ResultsFile
from lpcfg_cli.lm.description import parts_of
from lpcfg_cli.lm.kneser_ney import KNESER_NEY
from lpcfg_cli.lm.latent import LatentBigram
from lpcfg_cli.lm.learner import LmData
from lpcfg_cli.lm.learners import LM_LEARNERS, learn_lm
from lpcfg_cli.lm.mixed import mix
from lpcfg_cli.lm.model import LanguageModel
from lpcfg_cli.lm.scoring import score_events
from lpcfg_cli.storage.files import make_directory, sha256_of_file
from lpcfg_cli.text.counting import count_ngrams
from lpcfg_cli.text.events import Events
from lpcfg_cli.text.reading import blocks_of, read_events


@dataclass(frozen=True)
class LmPoint:
    """A model to learn and score.

    Attributes
    ----------
    learner : str
    states : int
        m; 0 without latent states.
    order : int
        Order of Kneser-Ney, alone or mixed with the latent model; 0 for a latent model alone.
    """

    learner: str
    states: int
    order: int

    @property
    def name(self) -> str:
        """Its name in tables, without m."""
        n = f"{self.order}-grams"
        return f"{KNESER_NEY.name} {n}" if not self.states else f"{self.learner} + {n}" if self.order else self.learner


@dataclass(frozen=True)
class LmResult:
    """The result of a point.

    Attributes
    ----------
    point : LmPoint
    digest : str
        Hash of all settings and texts.
    dev : float
        Perplexity of the second half of the dev text.
    test : float or None
        Perplexity of the test text; None without one.
    chosen : int or None
        The chosen iteration of EM.
    found_states : int
        Number of states of the model: fewer than m if the text has no more anchors.
    training : Spent
        Time of learning up to the chosen iteration, without counting; for mixtures that of the latent model.
    step : Spent or None
        Mean time of a step of EM.
    """

    point: LmPoint
    digest: str
    dev: float
    test: float | None
    chosen: int | None
    found_states: int
    training: Spent
    step: Spent | None

    def as_dict(self) -> dict[str, Any]:
        """The result, JSON-ready."""
        values = asdict(self)
        return {**values.pop("point"), **values}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> LmResult:
        """The inverse of `as_dict`; raises `KeyError` or `TypeError` for anything else."""
        point = LmPoint(**{name: values.pop(name) for name in ("learner", "states", "order")})
        training, step = Spent(**values.pop("training")), values.pop("step")
        return cls(point, training=training, step=Spent(**step) if step else None, **values)


@dataclass(frozen=True)
class LmTexts:
    """The texts of an experiment."""

    train: list[Path]
    dev: Path
    test: Path | None

    def hashes(self) -> list[str]:
        """SHA-256 of each file."""
        return [sha256_of_file(path) for path in [*self.train, self.dev, *([self.test] if self.test else [])]]


def lm_grid(settings: Settings) -> list[LmPoint]:
    """The points of an experiment: Kneser-Ney, latent models by learner and m, and mixtures of both."""
    wanted = settings.lm_experiment
    baselines = [LmPoint(KNESER_NEY.name, 0, order) for order in wanted.orders]
    latent = [name for name in wanted.learners if LM_LEARNERS[name].has_states]
    mixed = wanted.orders if wanted.mixed else ()
    return [*baselines, *(LmPoint(name, m, n) for m in wanted.states for name in latent for n in (0, *mixed))]


class _Experiment:
    """The work that points share: counts, events and Kneser-Ney models, made when they are first needed."""

    def __init__(self, texts: LmTexts, settings: Settings, mapper: Mapper, progress: Progress):
        self.texts, self.settings, self.mapper, self.progress = texts, settings, mapper, progress
        self.hashes = texts.hashes()

    def digest(self, point: LmPoint) -> str:
        """Hash of what a point's result depends on."""
        values = replace(self.settings.lm, learner=point.learner, states=max(point.states, 1), order=point.order or 2)
        told = [asdict(replace(values, dev="")), asdict(point), self.settings.seed, self.settings.read.encoding]
        return hashlib.sha256(json.dumps([told, self.hashes], sort_keys=True).encode()).hexdigest()

    @cached_property
    def data(self) -> LmData:
        orders = (2, *self.settings.lm_experiment.orders)
        encoding = self.settings.read.encoding
        blocks = blocks_of(self.texts.train, encoding)
        counts = count_ngrams(blocks, max(orders), self.settings.lm.rare_below, self.mapper, self.progress)
        events = read_events([self.texts.dev], counts.vocabulary, counts.order, encoding)
        if len(events) < 2:
            raise InputError(f"{self.texts.dev}: no words: nothing can be chosen on it.")
        self.dev = events.second_half()
        return LmData(counts, events.first_half())

    @cached_property
    def test(self) -> Events | None:
        counts, encoding = self.data.counts, self.settings.read.encoding
        return read_events([self.texts.test], counts.vocabulary, counts.order, encoding) if self.texts.test else None

    @cached_property
    def baselines(self) -> dict[int, LanguageModel]:
        return {n: self.learn(LmPoint(KNESER_NEY.name, 0, n)).model for n in self.settings.lm_experiment.orders}

    def learn(self, point: LmPoint) -> Any:
        settings = replace(self.settings.lm, learner=point.learner, states=max(point.states, 1), order=point.order or 2)
        return learn_lm(self.data, settings, self.settings.seed)

    def run(self, points: Sequence[LmPoint]) -> Iterator[LmResult]:
        """Results of points that share a model: it alone, and mixed with Kneser-Ney."""
        data = self.data
        watch = Stopwatch()
        learnt = self.learn(points[0])
        spent = learnt.training or watch.lap()
        steps = [record.spent for record in learnt.records[1:]]
        total = sum(steps, NO_TIME)
        step = Spent(total.seconds / len(steps), total.cpu_seconds / len(steps)) if steps else None
        for point in points:
            model = learnt.model
            if point.states and point.order:
                assert data.dev is not None
                model = mix([model, self.baselines[point.order]], data.counts, data.dev)
            states = sum(part.n_states for part in parts_of(model) if isinstance(part, LatentBigram))
            dev, test = self.perplexity(model, self.dev), self.perplexity(model, self.test) if self.test else None
            yield LmResult(point, self.digest(point), dev, test, learnt.chosen, states, spent, step)

    @staticmethod
    def perplexity(model: LanguageModel, events: Events) -> float:
        return score_events(model, events).tally.without_unknown.perplexity


def run_lm_experiment(
    texts: LmTexts,
    folder: Path,
    settings: Settings,
    mapper: Mapper = map,
    progress: Progress = no_progress,
    tell: Callable[[LmResult, bool], None] = lambda result, is_new: None,
) -> list[LmResult]:
    """Learn and score every model without a result; return all results in the order of the grid.

    Parameters
    ----------
    texts : LmTexts
    folder : Path
        Folder of the file of results.
    settings : Settings
        Sections ``lm`` and ``lm_experiment``.
    mapper : callable like map
        Spreads the counting over workers.
    progress : Progress
    tell : function of (LmResult, is new)
        Called with the result of each point.

    Raises
    ------
    InputError, SyntaxProblem
        A text cannot be read or has no words.
    """
    experiment = _Experiment(texts, settings, mapper, progress)
    points = lm_grid(settings)
    make_directory(folder)
    file = ResultsFile(folder / RESULTS_FILE, LmResult.from_dict)
    known = file.read()
    before = set(known)
    results = []
    for point in points:
        digest = experiment.digest(point)
        if digest not in known:
            same = [p for p in points if (p.learner, p.states) == (point.learner, point.states)]
            shared = same if point.states else [point]
            known |= {result.digest: result for result in experiment.run(shared)}
            file.write(known)
        results.append(known[digest])
        tell(known[digest], digest not in before)
    return results
