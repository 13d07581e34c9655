"""The files of reranking: a reranker beside its model, and the lists of a part of the treebank."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from lpcfg_cli.errors import WrongParentError
from lpcfg_cli.grammar.archive import MODEL, MODEL_FILE
from lpcfg_cli.parsing.reranking.lists import TreeLists
from lpcfg_cli.parsing.reranking.numbers import TREE_NUMBERS
from lpcfg_cli.parsing.reranking.reranker import TreeReranker
from lpcfg_cli.storage.artefacts import Array, Header, Kind, arrays_digest, pack_strings, read_arrays, unpack_strings
from lpcfg_cli.storage.parts import Layout, check_arrays, fitting_parts
from lpcfg_cli.treebank.heads import Clause, HeadRules

MODEL_SUFFIX, RERANKER_SUFFIX = ".lpcfg.npz", ".reranker.npz"

RERANKER_FILE = MODEL_FILE.removesuffix(MODEL_SUFFIX) + RERANKER_SUFFIX

RERANKER = Kind("lpcfg-reranker", 1, 1, "train --rerank", is_packed=True)

LISTS_FILE = "lists.npz"

LISTS = Kind("lpcfg-tree-lists", 1, 1, "train --rerank", is_packed=True)

RERANKER_LAYOUT: Layout = {
    "numbers": ("n", np.float64), "features": ("f", np.uint64), "weights": ("f", np.float64),
}  # fmt: skip

LISTS_LAYOUT: Layout = {
    "first": ("s", np.int64), "numbers": ("cn", np.float64),
    **{name: ("c", np.int64) for name in ("matched", "gold", "written")},
}  # fmt: skip


def reranker_file(model: Path) -> Path:
    """The file in which the reranker of a model file is, if it has one: ``x.reranker.npz`` beside ``x.lpcfg.npz``."""
    return model.with_name(model.name.removesuffix(MODEL_SUFFIX).removesuffix(".npz") + RERANKER_SUFFIX)


def reranker_arrays(reranker: TreeReranker) -> dict[str, Array]:
    """The arrays of a reranker; what else it has is in `reranker_settings`."""
    names, offsets = pack_strings(list(reranker.names))
    return {
        "numbers": Array(reranker.numbers, ("number",)),
        "features": Array(reranker.features, ("feature",)),
        "weights": Array(reranker.weights, ("feature",)),
        "names": names,
        "name_offsets": offsets,
    }


def reranker_settings(reranker: TreeReranker, model: Path) -> dict[str, Any]:
    """What else a reranker has, JSON-ready, and for which model file it is.

    The model is known by its arrays: a correction of posteriors that is stored in its header later changes nothing.
    """
    clauses = {parent: [[one.search, *one.labels] for one in lines] for parent, lines in reranker.rules.clauses.items()}
    own = {"numbers": list(TREE_NUMBERS), "trees": reranker.n_trees, "heads": clauses, "held_out": reranker.held_out}
    return {**own, "model": arrays_digest(model, MODEL)}


def load_reranker(model: Path) -> tuple[Header, TreeReranker] | None:
    """The reranker of a model file, with the header of its file; None if there is none.

    Raises
    ------
    InputError, ArtefactError
        The file cannot be used.
    WrongParentError
        It was made for another model.
    """
    path = reranker_file(model)
    if not path.exists():
        return None
    header, arrays = read_arrays(path, RERANKER)
    own = header.settings.get("reranker")
    if not isinstance(own, dict) or own.get("model") != arrays_digest(model, MODEL):
        raise WrongParentError(
            f"{path}: was made for another model than {model.name} beside it. Run `lpcfg {RERANKER.command}` again, "
            "or remove the file."
        )
    with fitting_parts(path, RERANKER):
        return header, _reranker(own, arrays)


def _reranker(own: dict[str, Any], arrays: dict[str, np.ndarray]) -> TreeReranker:
    """The reranker; raises a `ValueError` or `LookupError` unless its parts fit together."""
    if own["numbers"] != list(TREE_NUMBERS):
        raise ValueError(f"it weighs {own['numbers']}; this program has {list(TREE_NUMBERS)}")
    n_trees = own["trees"]
    if type(n_trees) is not int or n_trees < 1:
        raise ValueError(f"its lists have {n_trees!r} trees")
    check_arrays(arrays, RERANKER_LAYOUT, n=len(TREE_NUMBERS))
    features = arrays["features"]
    if not (features[1:] > features[:-1]).all():
        raise ValueError("its features do not rise")
    names = tuple(unpack_strings(arrays["names"], arrays["name_offsets"]))
    if len(names) > len(features):
        raise ValueError(f"{len(names)} names of {len(features)} features")
    rules = HeadRules({parent: [_clause(line) for line in lines] for parent, lines in own["heads"].items()})
    held_out = {name: float(value) for name, value in own["held_out"].items()}
    return TreeReranker(rules, n_trees, arrays["numbers"], features, arrays["weights"], names, held_out)


def _clause(line: list[str]) -> Clause:
    if len(line) < 2 or not all(isinstance(word, str) for word in line):
        raise ValueError(f"a head rule is {line}")
    return Clause(line[0], tuple(line[1:]))


def lists_arrays(lists: TreeLists) -> dict[str, Array]:
    """The arrays of some lists."""
    trees, offsets = pack_strings(lists.trees)
    columns = {name: Array(getattr(lists, name), ("tree",)) for name in ("matched", "gold", "written")}
    return {
        "first": Array(lists.first, ("list_plus_one",)),
        "trees": trees,
        "tree_offsets": offsets,
        "numbers": Array(lists.numbers, ("tree", "number")),
        **columns,
    }


def load_lists(path: Path) -> TreeLists:
    """The lists of a file; raises the errors of `read_arrays`."""
    _, arrays = read_arrays(path, LISTS)
    with fitting_parts(path, LISTS):
        trees = unpack_strings(arrays["trees"], arrays["tree_offsets"])
        check_arrays(arrays, LISTS_LAYOUT, c=len(trees), n=len(TREE_NUMBERS))
        first = arrays["first"]
        if first[0] != 0 or first[-1] != len(trees) or not (np.diff(first) > 0).all():
            raise ValueError("lists do not go from the first tree to the last")
        return TreeLists(first, trees, *(arrays[name] for name in ("numbers", "matched", "gold", "written")))
