"""The file form of models of similarity, ``*.sts.npz``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from lpcfg_cli.config.similarity import TERMS
from lpcfg_cli.embeddings.vectors import Embeddings
from lpcfg_cli.errors import InputError, TruncatedArtefactError
from lpcfg_cli.storage.artefacts import Array, Header, Kind, pack_strings, read_arrays, unpack_strings, write_arrays
from lpcfg_cli.storage.parts import Layout, check_arrays
from lpcfg_cli.sts.comparison import Resources
from lpcfg_cli.sts.metric import Metric
from lpcfg_cli.sts.metrics import METRICS
from lpcfg_cli.sts.model import ALL, SimilarityModel
from lpcfg_cli.sts.regression import Regression, n_terms
from lpcfg_cli.sts.wordnet import INSTALL, open_wordnet
from lpcfg_cli.sts.words import WordFrequencies

SIMILARITY = Kind("lpcfg-similarity", 1, 1, "sts train")

LAYOUT: Layout = {
    "word_count": (("word",), np.int64),
    "numbers": (("number",), np.float64),
    "largest": (("set", "metric"), np.float64),
    "centre": (("set", "term"), np.float64),
    "spread": (("set", "term"), np.float64),
    "weights": (("set", "term"), np.float64),
    "fitted": (("set", "fitted"), np.float64),
}
"""Each array besides the strings."""

VECTORS: Layout = {"vectors": (("vector_word", "dimension"), np.float32), "lowercase": (("one",), np.bool_)}
"""The arrays of models with vectors."""

STRINGS = {"words": "word", "metrics": "metric", "sets": "set", "vector_words": "vector_word"}
"""Lists of strings, each as NAME_data and NAME_offsets, and the dimension that they number."""

FITTED = ("intercept", "low", "high", "strength", "error")
"""Columns of ``fitted``: the numbers of a `Regression`."""

ROWS = ("largest", "centre", "spread", "weights")
"""Arrays with a row for each `Regression`."""

NUMBERS = 5
"""Length of ``numbers``: sentences, share of frequent words, letters of base forms, whether cosines are cut, terms."""

Arrays = dict[str, np.ndarray]


def save_similarity(
    model: SimilarityModel, path: Path, settings: dict[str, Any], seed: int, inputs: dict[str, str]
) -> None:
    """Write a model; parameters besides the first two as for `write_arrays`."""
    known, fitted = model.resources, list(model.regressions.values())
    words = known.frequencies
    numbers = [words.sentences, words.frequent_share, known.base_letters, known.cut, TERMS.index(fitted[0].terms)]
    found: Arrays = {
        "word_count": np.array(list(words.count.values()), np.int64),
        "numbers": np.array(numbers, np.float64),
        "fitted": np.array([[getattr(one, name) for name in FITTED] for one in fitted]),
        **{name: np.stack([getattr(one, name) for one in fitted]) for name in ROWS},
    }
    strings = {
        "words": list(words.count),
        "metrics": [metric.name for metric in model.metrics],
        "sets": list(model.regressions),
    }
    if known.embeddings is not None and _needs(model.metrics, "vectors"):
        found |= {"vectors": known.embeddings.vectors.astype(np.float32, copy=False)}
        found |= {"lowercase": np.array([known.embeddings.lowercase])}
        strings["vector_words"] = list(known.embeddings.words)
    arrays = {name: Array(values, tuple({**LAYOUT, **VECTORS}[name][0])) for name, values in found.items()}
    for name, items in strings.items():
        arrays[f"{name}_data"], arrays[f"{name}_offsets"] = pack_strings(items)
    write_arrays(path, SIMILARITY, arrays, settings, seed, inputs)


def load_similarity(path: Path) -> tuple[Header, SimilarityModel]:
    """A model and its header.

    Raises
    ------
    InputError
        The file cannot be read, or the model needs WordNet, which is not installed.
    ArtefactError
        It is not a model of similarity, is damaged, or has another version.
    """
    header, arrays = read_arrays(path, SIMILARITY)
    try:
        strings, metrics, terms = _parts(arrays)
    except (LookupError, TypeError, ValueError) as error:
        raise TruncatedArtefactError(f"{path}: damaged or cut off. Run `lpcfg {SIMILARITY.command}` again.") from error
    sentences, share, letters, cut, _ = arrays["numbers"].tolist()
    count = dict(zip(strings["words"], arrays["word_count"].tolist(), strict=True))
    resources = Resources(
        WordFrequencies(count, int(sentences), share),
        int(letters),
        _embeddings(arrays, strings["vector_words"]) if _needs(metrics, "vectors") else None,
        open_wordnet(count) if _needs(metrics, "wordnet") else None,
        bool(cut),
    )
    if _needs(metrics, "wordnet") and resources.wordnet is None:
        raise InputError(f"{path}: was trained with WordNet, which is not on this machine. {INSTALL}")
    regressions = {
        name: Regression(
            terms,
            **{part: arrays[part][k] for part in ROWS},
            **dict(zip(FITTED, arrays["fitted"][k].tolist(), strict=True)),
        )
        for k, name in enumerate(strings["sets"])
    }
    return header, SimilarityModel(resources, metrics, regressions)


def _needs(metrics: list[Metric], group: str) -> bool:
    return any(metric.group == group for metric in metrics)


def _parts(arrays: Arrays) -> tuple[dict[str, list[str]], list[Metric], str]:
    """The lists of strings, the metrics, and the terms; an error unless all arrays fit them."""
    strings = {
        name: unpack_strings(arrays[f"{name}_data"], arrays[f"{name}_offsets"])
        for name in STRINGS
        if f"{name}_data" in arrays or name != "vector_words"
    }
    if ALL not in strings["sets"] or any(len(set(items)) < len(items) for items in strings.values()):
        raise ValueError("a list of strings has one twice, or lacks the set of all")
    metrics = [METRICS[name] for name in strings["metrics"]]
    if ("vector_words" in strings) != _needs(metrics, "vectors"):
        raise ValueError("vectors are there if and only if metrics need them")
    numbers = arrays["numbers"]
    if numbers.shape != (NUMBERS,) or numbers[-1] not in range(len(TERMS)):
        raise ValueError("the last number does not name terms")
    terms = TERMS[int(numbers[-1])]
    sizes = {dimension: len(strings[name]) for name, dimension in STRINGS.items() if name in strings}
    sizes |= {"number": NUMBERS, "fitted": len(FITTED), "one": 1, "term": n_terms(len(metrics), terms)}
    check_arrays(arrays, {**LAYOUT, **VECTORS} if "vector_words" in strings else LAYOUT, **sizes)
    return strings, metrics, terms


def _embeddings(arrays: Arrays, words: list[str]) -> Embeddings:
    return Embeddings(tuple(words), arrays["vectors"], lowercase=bool(arrays["lowercase"][0]))
