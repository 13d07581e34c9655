"""The file forms of span models, ``spans.npz`` or a part of model files, and of what they are learnt from."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.parsing.spans.constituents import Constituents
from lpcfg_cli.parsing.spans.learning import SpanExample
from lpcfg_cli.parsing.spans.span_model import SpanModel
from lpcfg_cli.storage.artefacts import Array, Kind, pack_strings, read_arrays, read_header, unpack_strings
from lpcfg_cli.storage.parts import Layout, check_arrays, check_range, fitting_parts

SPANS_FILE, EXAMPLES_FILE = "spans.npz", "examples.npz"

SPANS = Kind("lpcfg-spans", 1, 1, "spans", is_packed=True)
EXAMPLES = Kind("lpcfg-span-examples", 1, 1, "spans", is_packed=True)

_PREFIX = "spans_"

_LAYOUT: Layout = {
    f"{_PREFIX}units": (("slots",), np.int8),
    f"{_PREFIX}scale": ("2", np.float64),
    f"{_PREFIX}known": (("words",), np.uint64),
    f"{_PREFIX}member": ("1", np.int64),
}


_EXAMPLES_LAYOUT: Layout = {
    "first_word": (("examples",), np.int64),
    "first": (("examples",), np.int64),
    **{name: (("constituents",), np.int64) for name in ("start", "stop", "chain")},
    "probability": (("constituents",), np.float64),
    "is_gold": (("constituents",), np.bool_),
}


def span_arrays(model: SpanModel) -> dict[str, Array]:
    """The arrays of a span model."""
    return {
        f"{_PREFIX}units": Array(model.units, ("slot",)),
        f"{_PREFIX}scale": Array(np.array([model.unit, model.trust]), ("unit and trust",)),
        f"{_PREFIX}known": Array(model.known, ("word",)),
        f"{_PREFIX}member": Array(np.array([model.member]), ("one",)),
    }


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
        units, known = arrays[f"{_PREFIX}units"], arrays[f"{_PREFIX}known"]
        unit, trust = arrays[f"{_PREFIX}scale"].tolist()
        if len(units) == 0 or len(units) & (len(units) - 1):
            raise ValueError(f"{_PREFIX}units has {len(units)} weights; expected a power of 2")
        check_range(f"{_PREFIX}scale", np.array([unit]), 0)
        if (known[1:] <= known[:-1]).any():
            raise ValueError(f"{_PREFIX}known is not in order")
        check_range(f"{_PREFIX}member", arrays[f"{_PREFIX}member"], 0)
        return SpanModel(units, unit, trust, known, int(arrays[f"{_PREFIX}member"][0]))


def example_arrays(examples: Sequence[SpanExample]) -> dict[str, Array]:
    """The arrays of examples, whose chains have one table; words, tags and labels of all are one text each."""
    chains = examples[0].chains if examples else []
    words, word_start = pack_strings([word for example in examples for word in example.words])
    tags, tag_start = pack_strings([tag for example in examples for tag in example.tags])
    labels, label_start = pack_strings([label for chain in chains for label in chain])
    found = [example.found for example in examples]
    columns = {
        name: np.concatenate([np.zeros(0, dtype), *(getattr(one, name) for one in found)])
        for name, dtype in (("start", np.int64), ("stop", np.int64), ("chain", np.int64), ("probability", float))
    }
    return {
        "words": words, "word_start": word_start, "tags": tags, "tag_start": tag_start,
        "labels": labels, "label_start": label_start,
        "first_label": Array(starts([len(chain) for chain in chains]), ("chain and end",)),
        "first_word": Array(starts([len(example.words) for example in examples]), ("example and end",)),
        "first": Array(starts([len(one.start) for one in found]), ("example and end",)),
        "is_gold": Array(np.concatenate([np.zeros(0, bool), *(one.is_gold for one in examples)]), ("constituent",)),
        **{name: Array(values, ("constituent",)) for name, values in columns.items()},
    }  # fmt: skip


def load_examples(path: Path) -> list[SpanExample]:
    """Read examples; raises the errors of `read_arrays`, or `NotAnArtefactError` if parts do not fit together."""
    _, arrays = read_arrays(path, EXAMPLES)
    with fitting_parts(path, EXAMPLES):
        check_arrays(arrays, _EXAMPLES_LAYOUT)
        words = unpack_strings(arrays["words"], arrays["word_start"])
        tags = unpack_strings(arrays["tags"], arrays["tag_start"])
        labels = unpack_strings(arrays["labels"], arrays["label_start"])
        for name, values in (("first_label", labels), ("first_word", words), ("first", arrays["chain"])):
            _check_blocks(name, arrays[name], len(values))
        chains = [tuple(labels[a:b]) for a, b in pairwise(arrays["first_label"].tolist())]
        check_range("chain", arrays["chain"], 0, len(chains) - 1)
        columns = [arrays[name] for name in Constituents._fields]
        found = []
        blocks = (pairwise(arrays[name].tolist()) for name in ("first_word", "first"))
        for (a, b), (c, d) in zip(*blocks, strict=True):
            own = Constituents(*(column[c:d] for column in columns))
            found.append(SpanExample(words[a:b], tags[a:b], own, chains, arrays["is_gold"][c:d]))
        return found


def _check_blocks(name: str, start: np.ndarray, size: int) -> None:
    """Raise a `ValueError` unless blocks that begin there fill an array of this size."""
    if len(start) == 0 or start[0] != 0 or start[-1] != size or (np.diff(start) < 0).any():
        raise ValueError(f"{name} does not go from 0 to {size} without steps back")
