"""The file form of language models, ``*.lm.npz``, and the loading of any model file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.lm.arpa import is_arpa, read_arpa, write_arpa
from lpcfg_cli.lm.backoff import BackoffModel, Level
from lpcfg_cli.lm.latent import LatentBigram, LatentParameters
from lpcfg_cli.lm.mixed import MixedModel
from lpcfg_cli.lm.model import LanguageModel
from lpcfg_cli.storage.artefacts import Array, Header, Kind, pack_strings, read_arrays, unpack_strings, write_arrays
from lpcfg_cli.text.vocabulary import Vocabulary

LM = Kind("lpcfg-lm", 1, 1, "lm train")

Arrays = dict[str, np.ndarray]

MODELS = "models"
"""Key of the header's settings with the forms of the model's parts."""


@dataclass(frozen=True)
class Form:
    """How models of one class are stored.

    Attributes
    ----------
    name : str
    of : type
    pack : function of model to dict of str to Array
    unpack : function of (vocabulary, arrays) to model
    """

    name: str
    of: type
    pack: Callable[[Any], dict[str, Array]]
    unpack: Callable[[Vocabulary, Arrays], LanguageModel]


def _pack_latent(model: LatentBigram) -> dict[str, Array]:
    return {
        "r": Array(model.parameters.r, ("word", "state")),
        "s": Array(model.parameters.s, ("word", "state")),
        "weight": Array(model.weight, ("state",)),
        "anchors": Array(model.anchors.astype(np.int64), ("anchor",)),
        "lag": Array(np.array([model.lag], np.int64), ("one",)),
    }


def _unpack_latent(vocabulary: Vocabulary, arrays: Arrays) -> LatentBigram:
    parameters = LatentParameters(arrays["r"], arrays["s"])
    return LatentBigram(vocabulary, parameters, arrays["weight"], arrays["anchors"], int(arrays["lag"][0]))


def _pack_backoff(model: BackoffModel) -> dict[str, Array]:
    parts = {name: [getattr(level, name) for level in model.levels] for name in ("key", "probability", "backoff")}
    packed = {name: Array(np.concatenate(values), ("ngram",)) for name, values in parts.items()}
    return {"n_ngrams": Array(np.array([len(level) for level in model.levels], np.int64), ("level",)), **packed}


def _unpack_backoff(vocabulary: Vocabulary, arrays: Arrays) -> BackoffModel:
    cuts = starts(arrays["n_ngrams"])[1:-1]
    columns = (np.split(arrays[name], cuts) for name in ("key", "probability", "backoff"))
    return BackoffModel(vocabulary, tuple(Level(*parts) for parts in zip(*columns, strict=True)))


FORMS = (
    Form("latent", LatentBigram, _pack_latent, _unpack_latent),
    Form("backoff", BackoffModel, _pack_backoff, _unpack_backoff),
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
    data, offsets = pack_strings(list(model.vocabulary.words))
    arrays = {"words_data": data, "words_offsets": offsets}
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
    vocabulary = Vocabulary(tuple(unpack_strings(arrays["words_data"], arrays["words_offsets"])))
    by_name = {form.name: form for form in FORMS}
    models = tuple(
        by_name[name].unpack(vocabulary, _own(arrays, f"model{k}_")) for k, name in enumerate(header.settings[MODELS])
    )
    if "mix_weights" not in arrays:
        return header, models[0]
    return header, MixedModel(vocabulary, models, arrays["mix_weights"], arrays["mix_class"])


def _own(arrays: Arrays, prefix: str) -> Arrays:
    return {name.removeprefix(prefix): values for name, values in arrays.items() if name.startswith(prefix)}
