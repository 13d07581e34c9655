"""Layers of a neural network on arrays of single precision, each with its gradient.

A forward function returns its result, and what its backward function needs again; that one takes the gradient of the
loss with respect to the result, and returns those with respect to the inputs and parameters.

Sentences of a batch are packed: row ``starts[t] + s`` of an array is place t of sentence s.  Sentences are ordered by
length, the longest first, so that those which have a place t are the first ones.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

GATES = 4
"""Input, forget, output and candidate, in this order; the first three are logistic functions, the last is tanh."""

SMALLEST_VARIANCE = 1e-5


class LstmTrace(NamedTuple):
    """What the backward pass of an LSTM needs.

    Attributes
    ----------
    gates : ndarray of float32, shape (n_rows, 4 · states)
        After their functions.
    cells, squashed, hidden : ndarray of float32, shape (n_rows, states)
        The cells, their tanh, and the results.
    """

    gates: np.ndarray
    cells: np.ndarray
    squashed: np.ndarray
    hidden: np.ndarray


def lstm(inputs: np.ndarray, starts: np.ndarray, recurrent: np.ndarray) -> LstmTrace:
    """A long short-term memory (Hochreiter and Schmidhuber 1997, with forget gates) over packed sentences.

    Parameters
    ----------
    inputs : ndarray of float32, shape (n_rows, 4 · states)
        The gates' sums of inputs and biases.
    starts : ndarray of int64, shape (n_places + 1,)
        The first row of each place.
    recurrent : ndarray of float32, shape (states, 4 · states)

    Returns
    -------
    LstmTrace
    """
    states = len(recurrent)
    gates = inputs.copy()
    cells, squashed, hidden = (np.empty((len(inputs), states), np.float32) for _ in range(3))
    before = slice(0, 0)
    for first, stop in pairwise(starts.tolist()):
        now, size = slice(first, stop), stop - first
        own = gates[now]
        if before.stop:
            own += hidden[before][:size] @ recurrent
        _squash(own, states)
        entering, kept, leaving, candidate = _by_gate(own, states)
        cell = np.multiply(entering, candidate, out=cells[now])
        if before.stop:
            cell += kept * cells[before][:size]
        np.tanh(cell, out=squashed[now])
        np.multiply(leaving, squashed[now], out=hidden[now])
        before = now
    return LstmTrace(gates, cells, squashed, hidden)


def lstm_gradient(slope: np.ndarray, trace: LstmTrace, starts: np.ndarray, recurrent: np.ndarray) -> np.ndarray:
    """The gradient with respect to `inputs`, from that with respect to ``trace.hidden``.

    That of `recurrent` is `recurrent_gradient` of the result.  Parameters as for `lstm`; float32, (n_rows, 4 · states).
    """
    states = len(recurrent)
    of_inputs = np.empty_like(trace.gates)
    places = list(pairwise(starts.tolist()))
    of_hidden = np.zeros((starts[1] - starts[0], states), np.float32)
    of_cell = np.zeros_like(of_hidden)
    for place in reversed(range(len(places))):
        now = slice(*places[place])
        size = now.stop - now.start
        own, squashed = of_inputs[now], trace.squashed[now]
        entering, kept, leaving, candidate = _by_gate(trace.gates[now], states)
        hidden = slope[now] + of_hidden[:size]
        cell = of_cell[:size]
        cell += hidden * leaving * (1.0 - squashed * squashed)
        parts = _by_gate(own, states)
        np.multiply(cell, candidate * entering * (1.0 - entering), out=parts[0])
        if place:
            earlier = trace.cells[slice(*places[place - 1])][:size]
            np.multiply(cell, earlier * kept * (1.0 - kept), out=parts[1])
        else:
            parts[1][:] = 0.0
        np.multiply(hidden, squashed * leaving * (1.0 - leaving), out=parts[2])
        np.multiply(cell, entering * (1.0 - candidate * candidate), out=parts[3])
        cell *= kept
        of_hidden[:size] = own @ recurrent.T
    return of_inputs


def recurrent_gradient(of_inputs: np.ndarray, trace: LstmTrace, starts: np.ndarray) -> np.ndarray:
    """The gradient with respect to the recurrent parameters of an LSTM; float32, (states, 4 · states)."""
    first = int(starts[1])  # rows of the first place have none before them
    row = np.arange(first, len(of_inputs))
    place = np.searchsorted(starts, row, "right") - 1
    earlier = starts[place - 1] + row - starts[place]
    return trace.hidden[earlier].T @ of_inputs[first:]


def _squash(gates: np.ndarray, states: int) -> None:
    """Apply the gates' functions in place; 1 / (1 + exp(−x)) is (1 + tanh(x / 2)) / 2."""
    logistic = gates[:, : 3 * states]
    logistic *= 0.5
    np.tanh(gates, out=gates)
    logistic *= 0.5
    logistic += 0.5


def _by_gate(gates: np.ndarray, states: int) -> list[np.ndarray]:
    return [gates[:, gate * states : (gate + 1) * states] for gate in range(GATES)]


class NormTrace(NamedTuple):
    """What the backward pass of `rectified_norm` needs: standardized rows, their deviations, and what was kept.

    Attributes
    ----------
    standard : ndarray of float32, shape (n_rows, width)
    scale : ndarray of float32, shape (n_rows, 1)
        One over the deviation.
    kept : ndarray of float32, shape (n_rows, width)
        Factor of each entry, 0 if it is negative or dropped.
    """

    standard: np.ndarray
    scale: np.ndarray
    kept: np.ndarray


def rectified_norm(
    rows: np.ndarray, gain: np.ndarray, bias: np.ndarray, kept: np.ndarray | None
) -> tuple[np.ndarray, NormTrace]:
    """max(0, gain · standardized row + bias): layer normalization (Ba, Kiros and Hinton 2016) and a rectifier.

    Parameters
    ----------
    rows : ndarray of float32, shape (n_rows, width)
    gain, bias : ndarray of float32, shape (width,)
    kept : ndarray of float32, shape (n_rows, width), optional
        Factors of the results, for dropout.
    """
    centred = rows - rows.mean(axis=1, keepdims=True)
    variance = np.einsum("ij,ij->i", centred, centred)[:, None] / rows.shape[1]
    scale = 1.0 / np.sqrt(variance + np.float32(SMALLEST_VARIANCE))
    centred *= scale
    result = centred * gain
    result += bias
    factor = (result > 0).astype(np.float32)
    if kept is not None:
        factor *= kept
    result *= factor
    return result, NormTrace(centred, scale, factor)


def rectified_norm_gradient(
    slope: np.ndarray, trace: NormTrace, gain: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The gradients with respect to `rows`, `gain` and `bias`, from that with respect to the result."""
    slope = slope * trace.kept
    of_bias, of_gain = slope.sum(axis=0), np.einsum("ij,ij->j", slope, trace.standard)
    slope *= gain
    along = np.einsum("ij,ij->i", slope, trace.standard)[:, None] / np.float32(slope.shape[1])
    slope -= slope.mean(axis=1, keepdims=True)
    slope -= trace.standard * along
    slope *= trace.scale
    return slope, of_gain, of_bias
