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

from lpcfg_cli.parsing.spans.gate_kernels import fill_cells, fill_gate_slopes

GATES = 4
"""Input, forget, output and candidate, in this order; the first three are logistic functions, the last is tanh."""


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
    cells, squashed, hidden = (np.empty((len(inputs), states), inputs.dtype) for _ in range(3))
    before = slice(0, 0)
    for first, stop in pairwise(starts.tolist()):
        now, size = slice(first, stop), stop - first
        own = gates[now]
        if before.stop:
            own += hidden[before][:size] @ recurrent
        own[:, : 3 * states] *= 0.5  # 1 / (1 + exp(−x)) is (1 + tanh(x / 2)) / 2
        np.tanh(own, out=own)
        fill_cells(own, cells[before], cells[now])
        np.tanh(cells[now], out=squashed[now])
        np.multiply(own[:, 2 * states : 3 * states], squashed[now], out=hidden[now])
        before = now
    return LstmTrace(gates, cells, squashed, hidden)


def lstm_gradient(slope: np.ndarray, trace: LstmTrace, starts: np.ndarray, recurrent: np.ndarray) -> np.ndarray:
    """The gradient with respect to `inputs`, from that with respect to ``trace.hidden``.

    That of `recurrent` is `recurrent_gradient` of the result.  Parameters as for `lstm`; float32, (n_rows, 4 · states).
    """
    of_inputs = np.empty_like(trace.gates)
    of_hidden = np.zeros((starts[1] - starts[0], len(recurrent)), slope.dtype)
    of_cell = np.zeros_like(of_hidden)
    back = np.ascontiguousarray(recurrent.T)  # products of few rows take half the time by it
    places = [slice(0, 0), *(slice(first, stop) for first, stop in pairwise(starts.tolist()))]
    for before, now in reversed(list(pairwise(places))):
        own = of_inputs[now]
        fill_gate_slopes(
            slope[now], trace.gates[now], trace.squashed[now], trace.cells[before], of_hidden, of_cell, own
        )
        np.matmul(own, back, out=of_hidden[: len(own)])
    return of_inputs


def recurrent_gradient(of_inputs: np.ndarray, trace: LstmTrace, starts: np.ndarray) -> np.ndarray:
    """The gradient with respect to the recurrent parameters of an LSTM; float32, (states, 4 · states)."""
    first = int(starts[1])  # rows of the first place have none before them
    row = np.arange(first, len(of_inputs))
    place = np.searchsorted(starts, row, "right") - 1
    earlier = starts[place - 1] + row - starts[place]
    return trace.hidden[earlier].T @ of_inputs[first:]
