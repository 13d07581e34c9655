"""The file forms of span models: ``spans.npz`` or a part of model files, and one network by itself."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import numpy as np

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.parsing.spans.learning import sizes_of
from lpcfg_cli.parsing.spans.parameters import LAYERS, shapes_of
from lpcfg_cli.parsing.spans.span_model import SpanModel
from lpcfg_cli.parsing.spans.vocabulary import Vocabulary
from lpcfg_cli.storage.artefacts import Array, Kind, pack_strings, read_arrays, read_header, unpack_strings
from lpcfg_cli.storage.parts import Layout, check_arrays, check_range, fitting_parts

SPANS_FILE, NETWORK_FILE = "spans.npz", "network.npz"

SPANS = Kind("lpcfg-spans", 3, 2, "spans", is_packed=True)
NETWORK = Kind("lpcfg-span-network", 1, 1, "spans", is_packed=True)

_PREFIX = "spans_"

_LAYOUT: Layout = {
    f"{_PREFIX}first_label": (("chains and one",), np.int64),
    f"{_PREFIX}states": (("layers",), np.int64),
    f"{_PREFIX}networks": (("networks", "parameters"), np.float32),
}

_NETWORK_LAYOUT: Layout = {"parameters": (("parameters",), np.float32), "likelihood": (("passes",), np.float64)}


def span_arrays(model: SpanModel) -> dict[str, Array]:
    """The arrays of a span model."""
    known = model.vocabulary
    labels = [label for chain in known.chains for label in chain]
    found = {
        "networks": Array(model.networks, ("network", "parameter")),
        "states": Array(np.array(model.states), ("layer",)),
    }
    found["first_label"] = Array(starts([len(chain) for chain in known.chains]), ("chain and end",))
    for name, strings in (("word", known.words), ("tag", known.tags), ("spelling", known.spellings), ("label", labels)):
        found[f"{name}s"], found[f"{name}_start"] = pack_strings(list(strings))
    return {f"{_PREFIX}{name}": array for name, array in found.items()}


def load_spans(path: Path, kind: Kind) -> SpanModel | None:
    """Read the span model of a model file or of ``spans.npz``; None if there is none.

    Raises
    ------
    InputError, ArtefactError
        The file cannot be used.
    """
    names = [name for name in read_header(path, kind).arrays if name.startswith(_PREFIX)]
    if not names:
        return None
    _, arrays = read_arrays(path, kind, names)
    with fitting_parts(path, kind):
        check_arrays(arrays, _LAYOUT)

        def strings(name: str) -> tuple[str, ...]:
            return tuple(unpack_strings(arrays[f"{_PREFIX}{name}s"], arrays[f"{_PREFIX}{name}_start"]))

        labels, first = strings("label"), arrays[f"{_PREFIX}first_label"]
        if len(first) == 0 or first[0] != 0 or first[-1] != len(labels) or (np.diff(first) < 1).any():
            raise ValueError(f"{_PREFIX}first_label does not rise from 0 to {len(labels)}")
        chains = tuple(labels[a:b] for a, b in pairwise(first.tolist()))
        vocabulary = Vocabulary(strings("word"), strings("tag"), strings("spelling"), chains)
        check_range(f"{_PREFIX}states", arrays[f"{_PREFIX}states"], 1)
        states = tuple(arrays[f"{_PREFIX}states"].tolist())
        states *= LAYERS if len(states) == 1 else 1  # all layers of models of format 5 have as many
        if len(states) != LAYERS:
            raise ValueError(f"{_PREFIX}states has {len(states)} numbers; expected one of each of {LAYERS} layers")
        model = SpanModel(vocabulary, states, arrays[f"{_PREFIX}networks"])
        size = sum(math.prod(shape) for shape in shapes_of(sizes_of(vocabulary, model.states)).values())
        if model.networks.shape[1] != size or not len(model.networks):
            raise ValueError(f"{_PREFIX}networks has {model.networks.shape} numbers; expected {size} of each network")
        return model


def network_arrays(parameters: np.ndarray, likelihood: list[float]) -> dict[str, Array]:
    """The arrays of one network, and the likelihood of the trees in each pass."""
    return {"parameters": Array(parameters, ("parameter",)), "likelihood": Array(np.array(likelihood), ("pass",))}


def load_network(path: Path) -> tuple[np.ndarray, list[float]]:
    """Read what `network_arrays` gives; raises `InputError` or `ArtefactError`."""
    _, arrays = read_arrays(path, NETWORK)
    with fitting_parts(path, NETWORK):
        check_arrays(arrays, _NETWORK_LAYOUT)
        return arrays["parameters"], arrays["likelihood"].tolist()
