"""The file form of models of sequences, ``*.hmm.npz``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lpcfg_cli.hmm.hidden_markov import HiddenMarkov, HmmParameters
from lpcfg_cli.hmm.model import SequenceModel
from lpcfg_cli.hmm.operators import FullModel, Observable, ReducedModel, SpectralModel
from lpcfg_cli.storage.artefacts import Array, Header, Kind, pack_strings, read_arrays, unpack_strings, write_arrays
from lpcfg_cli.storage.shapes import check_shapes, damaged
from lpcfg_cli.text.vocabulary import Vocabulary

HMM = Kind("lpcfg-hmm", 1, 1, "hmm train")

SHAPES = {
    "frequency": "n",
    "initial": "1m",
    "transition": "mm",
    "emission": "nm",
    "start": "m",
    "mean": "m",
    "total": "m",
    "weights": "nm",
    "numbers": "2",
    "vectors": "nm",
    "tensor": "mmm",
    "operators": "nmm",
}
"""The shape of each array: n words, m states or dimensions."""

FORM = "form"
"""Key of the header's settings with the model's form."""

Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Form:
    """How models of one class are stored.

    Attributes
    ----------
    name : str
    of : type
    pack : function of model to dict of str to Array
    unpack : function of (vocabulary, arrays) to model
    arrays : frozenset of str
        Names of its arrays.
    """

    name: str
    of: type
    pack: Callable[[Any], dict[str, Array]]
    unpack: Callable[[Vocabulary, Arrays], SequenceModel]
    arrays: frozenset[str]


def _pack_hidden(model: HiddenMarkov) -> dict[str, Array]:
    own = model.parameters
    return {
        "initial": Array(own.initial, ("one", "state")),
        "transition": Array(own.transition, ("state", "next")),
        "emission": Array(own.emission, ("word", "state")),
    }


def _unpack_hidden(vocabulary: Vocabulary, arrays: Arrays) -> HiddenMarkov:
    parameters = HmmParameters(arrays["initial"], arrays["transition"], arrays["emission"])
    return HiddenMarkov(vocabulary, arrays["frequency"], parameters)


def _pack_observable(model: SpectralModel) -> dict[str, Array]:
    own = model.observable
    return {
        "start": Array(own.start, ("dimension",)),
        "mean": Array(own.mean, ("dimension",)),
        "total": Array(own.total, ("dimension",)),
        "weights": Array(own.weights, ("word", "dimension")),
        "singular_values": Array(own.singular_values, ("singular_value",)),
        "numbers": Array(np.array([own.chance, own.floor]), ("number",)),
    }


def _observable(arrays: Arrays) -> Observable:
    names = ("start", "mean", "total", "weights", "singular_values")
    chance, floor = arrays["numbers"].tolist()
    return Observable(**{name: arrays[name] for name in names}, chance=chance, floor=floor)


def _pack_reduced(model: ReducedModel) -> dict[str, Array]:
    tensor = Array(model.tensor, ("component", "dimension", "column"))
    return {**_pack_observable(model), "vectors": Array(model.vectors, ("word", "dimension")), "tensor": tensor}


def _unpack_reduced(vocabulary: Vocabulary, arrays: Arrays) -> ReducedModel:
    return ReducedModel(vocabulary, arrays["frequency"], _observable(arrays), arrays["vectors"], arrays["tensor"])


def _pack_full(model: FullModel) -> dict[str, Array]:
    return {**_pack_observable(model), "operators": Array(model.operators, ("word", "dimension", "column"))}


def _unpack_full(vocabulary: Vocabulary, arrays: Arrays) -> FullModel:
    return FullModel(vocabulary, arrays["frequency"], _observable(arrays), arrays["operators"])


OBSERVABLE = frozenset({"start", "mean", "total", "weights", "singular_values", "numbers"})

FORMS = (
    Form("hidden", HiddenMarkov, _pack_hidden, _unpack_hidden, frozenset({"initial", "transition", "emission"})),
    Form("reduced", ReducedModel, _pack_reduced, _unpack_reduced, OBSERVABLE | {"vectors", "tensor"}),
    Form("full", FullModel, _pack_full, _unpack_full, OBSERVABLE | {"operators"}),
)


def save_hmm(model: SequenceModel, path: Path, settings: dict[str, Any], seed: int, inputs: dict[str, str]) -> None:
    """Write a model.

    Parameters
    ----------
    model : SequenceModel
    path : Path
    settings : dict
        That shaped the model, JSON-ready.
    seed : int
    inputs : dict of str to str
        SHA-256 of each text.
    """
    form = next(form for form in FORMS if isinstance(model, form.of))
    data, offsets = pack_strings(list(model.vocabulary.words))
    arrays = {"words_data": data, "words_offsets": offsets, "frequency": Array(model.frequency, ("word",))}
    write_arrays(path, HMM, {**arrays, **form.pack(model)}, {**settings, FORM: form.name}, seed, inputs)


def load_hmm(path: Path) -> tuple[Header, SequenceModel]:
    """A model and its header.

    Raises
    ------
    InputError
        The file cannot be read.
    ArtefactError
        It is not a model file, is damaged, or has another version.
    """
    header, arrays = read_arrays(path, HMM)
    form = next((form for form in FORMS if form.name == header.settings.get(FORM)), None)
    names = {"words_data", "words_offsets", "frequency"}
    if form is None or not (names | form.arrays) <= arrays.keys():
        raise damaged(path, HMM)
    vocabulary = Vocabulary(tuple(unpack_strings(arrays["words_data"], arrays["words_offsets"])))
    m = arrays["start" if "start" in arrays else "initial"].size
    check_shapes(arrays, SHAPES, {"n": len(vocabulary), "m": m, "1": 1, "2": 2}, path, HMM)
    return header, form.unpack(vocabulary, arrays)
