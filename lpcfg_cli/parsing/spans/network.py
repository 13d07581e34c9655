"""The network that reads a sentence and scores its constituents.

Words are read from both sides by long short-term memories; a span is the difference of what was read at its two ends
(Wang and Chang 2016; Stern, Andreas and Klein 2017, §2, from whom this departs: spans have no binary rules, labels of
one span are a chain, and the loss is the likelihood of the tree, `lpcfg_cli.parsing.spans.learning`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lpcfg_cli.parsing.spans.batches import Batch, packed
from lpcfg_cli.parsing.spans.layers import LstmTrace, lstm, lstm_gradient, recurrent_gradient
from lpcfg_cli.parsing.spans.parameters import DIRECTIONS, INPUTS, LAYERS, WIDTH, Parameters, memories
from lpcfg_cli.parsing.spans.vector_kernels import add_vector_gradient, fill_vectors

LEFT_OUT = 51
"""Of 256 entries of the vectors of spans, those that are left out while learning."""

EVERYTHING = (np.empty((0, 0), np.uint8), np.float32(1.0))
"""What `Dropout.of_vectors` gives if nothing is left out."""


class Columns(NamedTuple):
    """What is known of the words of a sentence, as numbers.

    Attributes
    ----------
    word, tag, spelling : ndarray of int64, shape (n,)
    shares : ndarray of float32, shape (n, n_tags), or None
        If the tags of some words are open, the probability of each tag of each word, which counts instead of `tag`.
    """

    word: np.ndarray
    tag: np.ndarray
    spelling: np.ndarray
    shares: np.ndarray | None = None


class Reading(NamedTuple):
    """What the backward pass needs.

    Attributes
    ----------
    rows : dict of str to ndarray of int64, shape (n_rows,)
        Numbers of words, tags and spellings.
    inputs : list of ndarray
        Of each layer.
    traces : dict of str to LstmTrace
    gaps : ndarray of float32, shape (n_gaps, WIDTH)
    vectors : ndarray of float32, shape (n_spans, WIDTH)
        Of the spans.
    scale : ndarray of float32, shape (n_spans,)
        From `fill_vectors`.
    masks : list of ndarray or None
        Factors of dropout, of the inputs of each layer and of the last one's results.
    factor : float32
        That of the entries of vectors that are kept.
    """

    rows: dict[str, np.ndarray]
    inputs: list[np.ndarray]
    traces: dict[str, LstmTrace]
    gaps: np.ndarray
    vectors: np.ndarray
    scale: np.ndarray
    masks: list[np.ndarray | None]
    factor: np.float32


@dataclass(frozen=True)
class Dropout:
    """Shares of what is left out while learning.

    Attributes
    ----------
    rng : Generator
    memory : float
        Of the inputs and the results of memories; the same at all places of a sentence.
    tag : float
        Of the tags, which are then unknown.
    """

    rng: np.random.Generator
    memory: float
    tag: float = 0.0

    def of_inputs(self, shape: tuple[int, ...]) -> np.ndarray:
        """0 for what is left out, 1 / (1 − share) for the rest; float32."""
        kept = self.rng.random(shape, np.float32) >= self.memory
        return kept.astype(np.float32) / np.float32(1.0 - self.memory)

    def of_vectors(self, shape: tuple[int, int]) -> tuple[np.ndarray, np.float32]:
        """0 for a fifth of the entries of the vectors of spans, which are left out, else 1, uint8; and 1 / (1 − share).

        A random byte decides on each: numbers of single precision would take as long as the vectors.
        """
        byte = np.frombuffer(self.rng.bytes(shape[0] * shape[1]), np.uint8).reshape(shape)
        return (byte >= LEFT_OUT).view(np.uint8), np.float32(256 / (256 - LEFT_OUT))


def chain_scores(
    parameters: Parameters, columns: Sequence[Columns], batch: Batch, dropout: Dropout | None = None
) -> tuple[np.ndarray, Reading]:
    """The score of each chain over each span of some sentences.

    Parameters
    ----------
    parameters : mapping of str to ndarray
    columns : sequence of Columns
        One of each sentence, in their own order.
    batch : Batch
        Of their lengths.
    dropout : Dropout, optional

    Returns
    -------
    scores : ndarray of float32, shape (n_spans, n_chains)
    reading : Reading
        For `score_gradient`.
    """
    rows = {name: packed([getattr(one, name) for one in columns], 0, batch) for name in INPUTS}
    sentence = np.concatenate([np.arange(size) for size in np.diff(batch.starts)])
    vectors_of = {name: parameters[name][rows[name]] for name in INPUTS}
    _set_open_tags(vectors_of["tag"], parameters["tag"], columns, batch)
    values = np.concatenate(list(vectors_of.values()), axis=1)
    inputs, traces, masks = list[np.ndarray](), dict[str, LstmTrace](), list[np.ndarray | None]()
    for layer in range(LAYERS + 1):
        mask = None
        if dropout:
            mask = dropout.of_inputs((len(columns), values.shape[1]))[sentence]
            values = values * mask
        masks.append(mask)
        inputs.append(values)
        if layer < LAYERS:
            read = [_read(parameters, name, values, batch, traces) for name in memories(layer)]
            values = np.concatenate(read, axis=1)
    states = values.shape[1] // 2
    gaps = values[batch.gap_row, :states] @ parameters["gap forward"]
    gaps += values[batch.row_after, states:] @ parameters["gap backward"]
    vectors, scale = np.empty((len(batch.left), WIDTH), gaps.dtype), np.empty(len(batch.left), gaps.dtype)
    kept, factor = dropout.of_vectors((len(vectors), WIDTH)) if dropout else EVERYTHING
    gain, bias = parameters["gain"], parameters["bias"]
    fill_vectors(gaps, batch.left, batch.right, gain, bias, kept, factor, vectors, scale)
    scores = vectors @ parameters["out"] + parameters["chain"]
    return scores, Reading(rows, inputs, traces, gaps, vectors, scale, masks, factor)


def _set_open_tags(rows: np.ndarray, vectors: np.ndarray, columns: Sequence[Columns], batch: Batch) -> None:
    """Put the expected vector of its tag in the row of each word, in sentences with open tags.

    The best tag is wrong for one word in thirty; the expected vector brings two fifths of that loss back
    (scripts/accuracy.md).
    """
    for place, number in enumerate(batch.order.tolist()):
        shares = columns[number].shares
        if shares is not None:
            rows[batch.starts[1 : len(shares) + 1] + place] = shares @ vectors


def _read(
    parameters: Parameters, name: str, values: np.ndarray, batch: Batch, traces: dict[str, LstmTrace]
) -> np.ndarray:
    """What one memory makes of its inputs; a backward one reads from the end."""
    mirror = _mirror(name, batch)
    gates = values[mirror] @ parameters[f"{name} in"]
    gates += parameters[f"{name} bias"]
    traces[name] = lstm(gates, batch.starts, parameters[f"{name} recurrent"])
    return traces[name].hidden[mirror]


def _mirror(name: str, batch: Batch) -> np.ndarray | slice:
    """The rows in the order in which a memory reads them, which is the one back as well."""
    return batch.mirror if name.startswith("backward") else slice(None)


def score_gradient(
    slope: np.ndarray, parameters: Parameters, reading: Reading, batch: Batch, gradient: Parameters
) -> None:
    """Fill `gradient` with the gradient of the loss, from that with respect to the scores.

    Parameters
    ----------
    slope : ndarray of float32, shape (n_spans, n_chains)
    parameters, reading, batch
        As for `chain_scores`.
    gradient : mapping of str to ndarray
        Of the shapes of `parameters`; filled.
    """
    np.matmul(reading.vectors.T, slope, out=gradient["out"])
    np.sum(slope, axis=0, out=gradient["chain"])
    of_gaps, of_gain, of_bias = np.zeros_like(reading.gaps), gradient["gain"], gradient["bias"]
    of_gain[:], of_bias[:] = 0.0, 0.0
    add_vector_gradient(
        slope @ parameters["out"].T, reading.vectors, reading.scale, reading.gaps, batch.left, batch.right,
        parameters["gain"], reading.factor, of_gaps, of_gain, of_bias, np.empty(WIDTH, slope.dtype),
    )  # fmt: skip
    of_values = _gap_gradient(of_gaps, parameters, reading, batch, gradient)
    for layer in reversed(range(LAYERS)):
        states = of_values.shape[1] // 2
        halves = (of_values[:, :states], of_values[:, states:])
        parts = [
            _memory_gradient(half, name, layer, parameters, reading, batch, gradient)
            for name, half in zip(memories(layer), halves, strict=True)
        ]
        of_values = parts[0] + parts[1]
        if (mask := reading.masks[layer]) is not None:
            of_values *= mask
    first = 0
    for name, width in INPUTS.items():
        gradient[name][:] = _sums(of_values[:, first : first + width], reading.rows[name], len(gradient[name]))
        first += width


def _gap_gradient(
    of_gaps: np.ndarray, parameters: Parameters, reading: Reading, batch: Batch, gradient: Parameters
) -> np.ndarray:
    """The gradient with respect to the results of the last layer; each row is before one gap and after one at most."""
    values, mask = reading.inputs[LAYERS], reading.masks[LAYERS]
    states = values.shape[1] // 2
    of_values = np.zeros_like(values)
    sides = ((batch.gap_row, slice(0, states)), (batch.row_after, slice(states, None)))
    for direction, (rows, columns) in zip(DIRECTIONS, sides, strict=True):
        np.matmul(values[rows, columns].T, of_gaps, out=gradient[f"gap {direction}"])
        of_values[rows, columns] = of_gaps @ parameters[f"gap {direction}"].T
    return of_values if mask is None else of_values * mask


def _memory_gradient(
    slope: np.ndarray,
    name: str,
    layer: int,
    parameters: Parameters,
    reading: Reading,
    batch: Batch,
    gradient: Parameters,
) -> np.ndarray:
    """The gradient with respect to the inputs of one memory, whose parameters' gradients are filled."""
    mirror, trace, recurrent = _mirror(name, batch), reading.traces[name], parameters[f"{name} recurrent"]
    of_gates = lstm_gradient(slope[mirror], trace, batch.starts, recurrent)
    gradient[f"{name} recurrent"][:] = recurrent_gradient(of_gates, trace, batch.starts)
    np.matmul(reading.inputs[layer][mirror].T, of_gates, out=gradient[f"{name} in"])
    np.sum(of_gates, axis=0, out=gradient[f"{name} bias"])
    return (of_gates @ parameters[f"{name} in"].T)[mirror]


def _sums(values: np.ndarray, number: np.ndarray, size: int) -> np.ndarray:
    """The sum of the rows of each number; float32, (size, width)."""
    sums = np.zeros((size, values.shape[1]), values.dtype)
    order = np.argsort(number, kind="stable")
    present, first = np.unique(number[order], return_index=True)
    sums[present] = np.add.reduceat(values[order], first, axis=0)
    return sums
