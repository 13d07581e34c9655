"""The file form of language models, ``*.lm.npz``, and the loading of any model file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.lm.arpa import is_arpa, read_arpa, write_arpa
from lpcfg_cli.lm.backoff import BackoffModel, Level
from lpcfg_cli.lm.latent import LatentBigram, LatentParameters
from lpcfg_cli.lm.mixed import MixedModel
from lpcfg_cli.lm.model import LanguageModel
from lpcfg_cli.storage.artefacts import Array, Header, Kind, read_arrays, write_arrays
from lpcfg_cli.storage.parts import ROUNDING, Layout, check_arrays, check_distributions, check_range, fitting_parts
from lpcfg_cli.text.archive import vocabulary_arrays, vocabulary_from_arrays
from lpcfg_cli.text.vocabulary import Vocabulary

LM = Kind("lpcfg-lm", 1, 1, "lm train")

Arrays = dict[str, np.ndarray]

MODELS = "models"
"""Key of the header's settings with the forms of the model's parts."""

MOST_WORDS = 64
"""Largest order of a model that is read: a longer one would need as much memory for each word of a text."""


@dataclass(frozen=True)
class Form:
    """How models of one class are stored.

    Attributes
    ----------
    name : str
    of : type
    pack : function of model to dict of str to Array
    unpack : function of (vocabulary, arrays) to model
        Raises `ValueError` if a number is out of its range.
    layout : Layout
        Of its arrays: n words, m states, a anchors; l levels of g n-grams in all.
    """

    name: str
    of: type
    pack: Callable[[Any], dict[str, Array]]
    unpack: Callable[[Vocabulary, Arrays], LanguageModel]
    layout: Layout


def _pack_latent(model: LatentBigram) -> dict[str, Array]:
    return {
        "r": Array(model.parameters.r, ("word", "state")),
        "s": Array(model.parameters.s, ("word", "state")),
        "weight": Array(model.weight, ("state",)),
        "anchors": Array(model.anchors.astype(np.int64), ("anchor",)),
        "lag": Array(np.array([model.lag], np.int64), ("one",)),
    }


def _unpack_latent(vocabulary: Vocabulary, arrays: Arrays) -> LatentBigram:
    for name, axis in (("r", 1), ("s", 0), ("weight", 0)):
        check_distributions(name, arrays[name], axis)
    n_states, n_anchors, lag = len(arrays["weight"]), len(arrays["anchors"]), int(arrays["lag"][0])
    if not n_states or n_anchors not in (0, n_states):
        raise ValueError(f"{n_states} states and {n_anchors} anchors")
    check_range("anchors", arrays["anchors"], 0, len(vocabulary) - 1)
    check_range("lag", arrays["lag"], 1, MOST_WORDS - 1)
    return LatentBigram(
        vocabulary, LatentParameters(arrays["r"], arrays["s"]), arrays["weight"], arrays["anchors"], lag
    )


def _pack_backoff(model: BackoffModel) -> dict[str, Array]:
    parts = {name: [getattr(level, name) for level in model.levels] for name in ("key", "probability", "backoff")}
    packed = {name: Array(np.concatenate(values), ("ngram",)) for name, values in parts.items()}
    return {"n_ngrams": Array(np.array([len(level) for level in model.levels], np.int64), ("level",)), **packed}


def _unpack_backoff(vocabulary: Vocabulary, arrays: Arrays) -> BackoffModel:
    sizes = arrays["n_ngrams"]
    check_range("n_ngrams", sizes, 0, len(arrays["key"]))
    if not 1 <= len(sizes) <= MOST_WORDS or sizes.sum() != len(arrays["key"]):
        raise ValueError(f"{len(sizes)} levels of {sizes.sum()} n-grams, expected {len(arrays['key'])} n-grams")
    columns = (np.split(arrays[name], starts(sizes)[1:-1]) for name in ("key", "probability", "backoff"))
    levels = tuple(Level(*parts) for parts in zip(*columns, strict=True))
    _check_levels(levels, len(vocabulary))
    return BackoffModel(vocabulary, levels)


def _check_levels(levels: Sequence[Level], n_words: int) -> None:
    """Raise a `ValueError` unless level 1 has all words, others n-grams of the one below, and all are in order."""
    if not np.array_equal(levels[0].key, np.arange(n_words)):
        raise ValueError("the single words are not those of the vocabulary")
    for shorter, level in pairwise(levels):
        check_range("key", level.key, 0, len(shorter) * n_words - 1)
        if not (np.diff(level.key) > 0).all():
            raise ValueError("the n-grams are not in order")
    for level in levels:
        check_range("probability", level.probability, 0, 1 + ROUNDING)
        check_range("backoff", level.backoff, 0)


LATENT: Layout = {
    "r": ("nm", np.float64),
    "s": ("nm", np.float64),
    "weight": ("m", np.float64),
    "anchors": ("a", np.int64),
    "lag": ("1", np.int64),
}

BACKOFF: Layout = {
    "n_ngrams": ("l", np.int64),
    "key": ("g", np.int64),
    "probability": ("g", np.float64),
    "backoff": ("g", np.float64),
}

MIXTURE: Layout = {"mix_weights": ("ck", np.float64), "mix_class": ("n", np.int32)}
"""c classes of words, k models."""

FORMS = (
    Form("latent", LatentBigram, _pack_latent, _unpack_latent, LATENT),
    Form("backoff", BackoffModel, _pack_backoff, _unpack_backoff, BACKOFF),
)


def save_lm(model: LanguageModel, path: Path, settings: dict[str, Any], seed: int, inputs: dict[str, str]) -> None:
    """Write a model; as an ARPA file if its name ends so, which only a backoff model can be.

    Parameters
    ----------
    model : LanguageModel
    path : Path
    settings : dict
        That shaped the model, JSON-ready.
    seed : int
    inputs : dict of str to str
        SHA-256 of each text.

    Raises
    ------
    InputError
        The model cannot be an ARPA file.
    """
    if is_arpa(path):
        write_arpa(model, path)
        return
    arrays = vocabulary_arrays(model.vocabulary)
    parts = model.models if isinstance(model, MixedModel) else (model,)
    if isinstance(model, MixedModel):
        arrays |= {
            "mix_weights": Array(model.weights, ("class", "model")),
            "mix_class": Array(model.class_of, ("word",)),
        }
    forms = [next(form for form in FORMS if isinstance(part, form.of)) for part in parts]
    for k, (form, part) in enumerate(zip(forms, parts, strict=True)):
        arrays |= {f"model{k}_{name}": array for name, array in form.pack(part).items()}
    told = {**settings, MODELS: [form.name for form in forms]}
    write_arrays(path, LM, arrays, told, seed, inputs)


def load_lm(path: Path) -> tuple[Header | None, LanguageModel]:
    """A model and its header, which an ARPA file does not have.

    Raises
    ------
    InputError
        The file cannot be read.
    ArtefactError
        It is not a model file, is damaged, or has another version.
    SyntaxProblem
        An ARPA file has a line that is not as the format requires.
    """
    if is_arpa(path):
        return None, read_arpa(path)
    header, arrays = read_arrays(path, LM)
    with fitting_parts(path, LM):
        return header, _model(arrays, header.settings[MODELS])


def _model(arrays: Arrays, names: list[str]) -> LanguageModel:
    """The model whose parts have the forms of these names; raises what `fitting_parts` catches."""
    vocabulary = vocabulary_from_arrays(arrays)
    by_name, models = {form.name: form for form in FORMS}, []
    for k, name in enumerate(names):
        form, own = by_name[name], _own(arrays, f"model{k}_")
        check_arrays(own, form.layout, n=len(vocabulary))
        models.append(form.unpack(vocabulary, own))
    if "mix_weights" not in arrays:
        (model,) = models
        return model
    check_arrays(arrays, MIXTURE, n=len(vocabulary), k=len(models))
    check_distributions("mix_weights", arrays["mix_weights"])
    check_range("mix_class", arrays["mix_class"], 0, len(arrays["mix_weights"]) - 1)
    return MixedModel(vocabulary, tuple(models), arrays["mix_weights"], arrays["mix_class"])


def _own(arrays: Arrays, prefix: str) -> Arrays:
    return {name.removeprefix(prefix): values for name, values in arrays.items() if name.startswith(prefix)}
