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
from lpcfg_cli.storage.artefacts import Array, Header, Kind, read_arrays, write_arrays
from lpcfg_cli.storage.parts import Layout, check_arrays, check_distributions, check_range, fitting_parts
from lpcfg_cli.text.archive import vocabulary_arrays, vocabulary_from_arrays
from lpcfg_cli.text.vocabulary import Vocabulary

HMM = Kind("lpcfg-hmm", 1, 1, "hmm train")

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
    layout : Layout
        Of its arrays: n words, m states or dimensions.
    """

    name: str
    of: type
    pack: Callable[[Any], dict[str, Array]]
    unpack: Callable[[Vocabulary, Arrays], SequenceModel]
    layout: Layout


def _pack_hidden(model: HiddenMarkov) -> dict[str, Array]:
    own = model.parameters
    return {
        "initial": Array(own.initial, ("one", "state")),
        "transition": Array(own.transition, ("state", "next")),
        "emission": Array(own.emission, ("word", "state")),
    }


def _unpack_hidden(vocabulary: Vocabulary, arrays: Arrays) -> HiddenMarkov:
    parameters = HmmParameters(arrays["initial"], arrays["transition"], arrays["emission"])
    check_distributions("initial", parameters.initial)
    check_distributions("transition", parameters.transition)
    check_distributions("emission", parameters.emission, 0)
    if not parameters.initial.any():
        raise ValueError("no state is the first one")
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
    check_range("the floor", arrays["numbers"][1:], 0, 1)
    if len(arrays["singular_values"]) not in (0, len(arrays["start"])):
        raise ValueError("singular_values has another length than start")
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


HIDDEN: Layout = {
    "initial": ("1m", np.float64),
    "transition": ("mm", np.float64),
    "emission": ("nm", np.float64),
}

OBSERVABLE: Layout = {
    "start": ("m", np.float64),
    "mean": ("m", np.float64),
    "total": ("m", np.float64),
    "weights": ("nm", np.float64),
    "singular_values": ("s", np.float64),
    "numbers": ("2", np.float64),
}

FORMS = (
    Form("hidden", HiddenMarkov, _pack_hidden, _unpack_hidden, HIDDEN),
    Form(
        "reduced",
        ReducedModel,
        _pack_reduced,
        _unpack_reduced,
        {**OBSERVABLE, "vectors": ("nm", np.float64), "tensor": ("mmm", np.float64)},
    ),
    Form("full", FullModel, _pack_full, _unpack_full, {**OBSERVABLE, "operators": ("nmm", np.float64)}),
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
    arrays = {**vocabulary_arrays(model.vocabulary), "frequency": Array(model.frequency, ("word",))}
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
    with fitting_parts(path, HMM):
        form = {form.name: form for form in FORMS}[header.settings[FORM]]
        vocabulary = vocabulary_from_arrays(arrays)
        sizes = check_arrays(arrays, {"frequency": ("n", np.float64), **form.layout}, n=len(vocabulary))
        if not sizes["m"]:
            raise ValueError("there are no states")
        check_distributions("frequency", arrays["frequency"])
        return header, form.unpack(vocabulary, arrays)
