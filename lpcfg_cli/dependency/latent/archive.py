"""The file form of models of dependency trees, ``*.dep.npz``."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from lpcfg_cli.dependency.latent.model import HiddenTreeModel, TreeModel, TreeParameters
from lpcfg_cli.dependency.latent.observable import Observable, SpectralTreeModel
from lpcfg_cli.storage.artefacts import Array, Header, Kind, read_arrays, write_arrays
from lpcfg_cli.storage.parts import check_arrays, check_range, fitting_parts
from lpcfg_cli.text.archive import vocabulary_arrays, vocabulary_from_arrays
from lpcfg_cli.text.vocabulary import Vocabulary

TREE_MODEL = Kind("lpcfg-dependency-model", 1, 1, "dep train")

COMMON = {"frequency": "n"}

HIDDEN = {"initial": "1m", "transitions": "2mm", "emission": "nm"}

OBSERVABLE = {"start": "m", "transitions": "2mm", "product": "mmm", "weights": "nm", "singular_values": "s"}
"""The shape of each array: n symbols, m states or dimensions, s singular values."""

SECTION, SYMBOLS = "dependency", "symbols"
"""Where the header's settings tell what nodes emit."""


def save_tree_model(model: TreeModel, path: Path, settings: dict[str, Any], seed: int, inputs: dict[str, str]) -> None:
    """Write a model.

    Parameters
    ----------
    model : TreeModel
    path : Path
    settings : dict
        That shaped the model, JSON-ready.
    seed : int
    inputs : dict of str to str
        SHA-256 of each file.
    """
    arrays = {**vocabulary_arrays(model.vocabulary), "frequency": Array(model.frequency, ("symbol",))}
    if isinstance(model, SpectralTreeModel):
        own = model.observable
        arrays |= {name: Array(getattr(own, name), _axes(shape)) for name, shape in OBSERVABLE.items()}
        arrays["chance"] = Array(np.array([own.chance]), ("one",))
    elif isinstance(model, HiddenTreeModel):
        arrays |= {name: Array(getattr(model.parameters, name), _axes(shape)) for name, shape in HIDDEN.items()}
    section = {**settings.get(SECTION, {}), SYMBOLS: model.symbols}
    write_arrays(path, TREE_MODEL, arrays, {**settings, SECTION: section}, seed, inputs)


def _axes(shape: str) -> tuple[str, ...]:
    names = {"n": "symbol", "m": "state", "s": "singular_value", "1": "one", "2": "side"}
    return tuple(f"{names[letter]}{k}" if letter == "m" else names[letter] for k, letter in enumerate(shape))


def load_tree_model(path: Path) -> TreeModel:
    """A model; raises as `read_tree_model` does."""
    return read_tree_model(path)[1]


def read_tree_model(path: Path) -> tuple[Header, TreeModel]:
    """A model and its header.

    Raises
    ------
    InputError
        The file cannot be read.
    ArtefactError
        It is not a model file, is damaged, or has another version.
    """
    header, arrays = read_arrays(path, TREE_MODEL)
    with fitting_parts(path, TREE_MODEL):
        symbols = header.settings[SECTION][SYMBOLS]
        if symbols not in ("forms", "tags"):
            raise ValueError(f"{SYMBOLS} is {symbols!r}")
        vocabulary = vocabulary_from_arrays(arrays)
        parts = OBSERVABLE | {"chance": "1"} if "product" in arrays else HIDDEN
        layout = {name: (shape, np.float64) for name, shape in (COMMON | parts).items()}
        check_arrays(arrays, layout, n=len(vocabulary))
        check_range("frequency", arrays["frequency"], 0)
        return header, _model(vocabulary, symbols, arrays)


def _model(vocabulary: Vocabulary, symbols: str, arrays: dict[str, np.ndarray]) -> TreeModel:
    frequency = arrays["frequency"]
    if "product" in arrays:
        observable = Observable(**{name: arrays[name] for name in OBSERVABLE}, chance=float(arrays["chance"][0]))
        return SpectralTreeModel(vocabulary, frequency, symbols, observable)
    parameters = TreeParameters(**{field.name: arrays[field.name] for field in fields(TreeParameters)})
    return HiddenTreeModel(vocabulary, frequency, symbols, parameters)
