"""The parameters of a network: their shapes, by name, in one array."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from lpcfg_cli.parsing.spans.layers import GATES

LAYERS = 2
"""Number of layers of memories, each in both directions."""

FIRST_LAYER = 0.5
"""States of a memory of the first layer as a share of those of one of the last: learning takes two thirds of the time,
and held-out trees are as likely as with as many (scripts/accuracy.md)."""

DIRECTIONS = ("forward", "backward")

INPUTS = {"word": 100, "tag": 50, "spelling": 50}
"""Length of the vectors of what is known of a word."""

WIDTH = 250
"""Length of the vector of a span, before its chains are scored."""

Parameters = Mapping[str, np.ndarray]
"""The arrays of a network, by name; float32."""


class Sizes(NamedTuple):
    """Sizes of a network.

    Attributes
    ----------
    word, tag, spelling : int
        Number of different ones.
    chains : int
    states : tuple of int
        Of each memory of each layer.
    """

    word: int
    tag: int
    spelling: int
    chains: int
    states: tuple[int, ...]


def states_of_layers(states: int) -> tuple[int, ...]:
    """The states of the memories of each layer, if the last one's have so many."""
    return (*(LAYERS - 1) * (max(1, round(FIRST_LAYER * states)),), states)


def shapes_of(sizes: Sizes) -> dict[str, tuple[int, ...]]:
    """The shape of each array of a network, in the order in which they are drawn."""
    shapes: dict[str, tuple[int, ...]] = {name: (getattr(sizes, name), width) for name, width in INPUTS.items()}
    width = sum(INPUTS.values())
    for layer, states in enumerate(sizes.states):
        gates = GATES * states
        for name in memories(layer):
            shapes |= {f"{name} in": (width, gates), f"{name} bias": (gates,), f"{name} recurrent": (states, gates)}
        width = len(DIRECTIONS) * states
    shapes |= {f"gap {direction}": (sizes.states[-1], WIDTH) for direction in DIRECTIONS}
    return shapes | {"gain": (WIDTH,), "bias": (WIDTH,), "out": (WIDTH, sizes.chains), "chain": (sizes.chains,)}


def memories(layer: int) -> Iterator[str]:
    """The names of the memories of a layer."""
    return (f"{direction} {layer}" for direction in DIRECTIONS)


def initial_parameters(sizes: Sizes, rng: np.random.Generator) -> np.ndarray:
    """All parameters of a network in one array, drawn at random: float32, (n_parameters,)."""
    spread = {"word": 0.1, "tag": 0.3, "spelling": 0.3}
    fixed = {"gain": 1.0, "bias": 0.0, "chain": -2.0}
    parts = []
    for name, shape in shapes_of(sizes).items():
        if name in spread:
            part = rng.standard_normal(shape, np.float32) * spread[name]
        elif name in fixed:
            part = np.full(shape, fixed[name])
        else:
            bound = 1.0 / math.sqrt(shape[-1] / GATES if name.startswith(DIRECTIONS) else shape[0])
            part = rng.uniform(-bound, bound, shape)
        parts.append(part.astype(np.float32).ravel())
    return np.concatenate(parts)


def named(flat: np.ndarray, sizes: Sizes) -> dict[str, np.ndarray]:
    """Views of an array of all parameters, by name."""
    views, first = {}, 0
    for name, shape in shapes_of(sizes).items():
        size = math.prod(shape)
        views[name] = flat[first : first + size].reshape(shape)
        first += size
    return views
