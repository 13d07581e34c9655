"""From texts to a model: counting, learning, mixing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from lpcfg_cli.config import LmSettings, Settings
from lpcfg_cli.em.monitor import OnStep, ignore_record
from lpcfg_cli.errors import ConfigError, InputError
from lpcfg_cli.execution.progress import Progress, no_progress
from lpcfg_cli.execution.workers import Mapper
from lpcfg_cli.lm.arpa import is_arpa
from lpcfg_cli.lm.kneser_ney import KNESER_NEY
from lpcfg_cli.lm.learner import LmData, LmLearnt
from lpcfg_cli.lm.learners import LM_LEARNERS, learn_lm
from lpcfg_cli.lm.mixed import mix
from lpcfg_cli.lm.model import LanguageModel
from lpcfg_cli.text.counting import count_ngrams
from lpcfg_cli.text.counts import NgramCounts
from lpcfg_cli.text.events import Events
from lpcfg_cli.text.reading import blocks_of, read_events


def longest(settings: LmSettings) -> int:
    """Length of the n-grams that are counted: the learner, and the models to mix with, determine it."""
    uses_order = settings.interpolate or not LM_LEARNERS.named(settings.learner, "lm.learner").has_states
    return max(settings.lag + 1, settings.order if uses_order else 2)


def read_data(
    texts: Sequence[str | Path],
    settings: Settings,
    others: Sequence[LanguageModel] = (),
    mapper: Mapper = map,
    progress: Progress = no_progress,
) -> LmData:
    """Count the n-grams of texts, and read the first half of the dev text.

    Parameters
    ----------
    texts : sequence of path
        Files, possibly compressed by gzip, or `STDIN`.
    settings : Settings
    others : sequence of LanguageModel
        Models to mix with: the n-grams are long enough for them.
    mapper : callable like map
        Spreads blocks of the texts over workers; results do not depend on it.
    progress : Progress

    Raises
    ------
    InputError, SyntaxProblem
        A text cannot be read, has no words, or has a mark for start or end amid a line.
    """
    wanted, encoding = settings.lm, settings.read.encoding
    order = max([longest(wanted), *(model.order for model in others)])
    counts = count_ngrams(blocks_of(texts, encoding), order, wanted.rare_below, mapper, progress)
    return LmData(counts, read_dev(wanted.dev, counts, encoding) if wanted.dev else None)


def read_dev(path: str, counts: NgramCounts, encoding: str) -> Events:
    """The first half of the dev text; raises `InputError` if the text has no words."""
    events = read_events([path], counts.vocabulary, counts.order, encoding)
    if not len(events):
        raise InputError(f"{path}: no words: nothing can be chosen on it. Give text with one sentence a line.")
    return events.first_half()


def learn_and_mix(
    data: LmData,
    settings: Settings,
    others: Sequence[LanguageModel] = (),
    on_step: OnStep = ignore_record,
) -> LmLearnt:
    """Learn a model, and mix it with Kneser-Ney if the settings say so, and with other models.

    Raises
    ------
    ConfigError
        Mixing needs a dev text, or the models have different vocabularies.
    NumericalError
        EM failed.
    """
    wanted = settings.lm
    if mixes(wanted, others) and data.dev is None:
        raise ConfigError("the weights of a mixture are chosen on a dev text. Name one with --dev.")
    learnt = learn_lm(data, wanted, settings.seed, on_step)
    if not mixes(wanted, others):
        return learnt
    models = [learnt.model, *others]
    if wanted.interpolate and wanted.learner != KNESER_NEY.name:
        models.append(learn_lm(data, replace(wanted, learner=KNESER_NEY.name), settings.seed).model)
    assert data.dev is not None
    return replace(learnt, model=mix(models, data.counts, data.dev))


def mixes(settings: LmSettings, others: Sequence[LanguageModel | Path]) -> bool:
    """Whether the model is a mixture: with Kneser-Ney, unless it is one itself, or with other models."""
    return bool(others) or (settings.interpolate and settings.learner != KNESER_NEY.name)


def check_output(path: Path, settings: LmSettings, others: Sequence[LanguageModel | Path]) -> None:
    """Raise a `ConfigError` if the model cannot be written in the form that its name asks for."""
    has_states = LM_LEARNERS.named(settings.learner, "lm.learner").has_states
    if is_arpa(path) and (has_states or mixes(settings, others)):
        raise ConfigError(
            f"{path}: only Kneser-Ney models can be ARPA files. Add --learner {KNESER_NEY.name}, or give a name that "
            "ends in .lm.npz."
        )
