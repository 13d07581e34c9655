"""The file form of parsers of dependency trees, ``*.depparser.npz``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from lpcfg_cli.config.dependency import MOST_BITS
from lpcfg_cli.dependency.parser.dependency_parser import DependencyParser
from lpcfg_cli.dependency.parser.orders import ORDERS
from lpcfg_cli.dependency.parser.relations import RelationModel
from lpcfg_cli.dependency.parser.templates import ARC, BETWEEN, FIELDS, RELATION, SIBLING
from lpcfg_cli.errors import ArtefactTooOldError, TruncatedArtefactError
from lpcfg_cli.storage.artefacts import (
    Array,
    Header,
    Kind,
    pack_strings,
    read_arrays,
    read_header,
    unpack_strings,
    write_arrays,
)
from lpcfg_cli.storage.parts import Layout, check_arrays, check_range
from lpcfg_cli.tagging.archive import load_tagger, tagger_arrays
from lpcfg_cli.tagging.text import TextConventions

DEPENDENCY_PARSER = Kind("lpcfg-dependency-parser", 1, 1, "dep train-parser")

FEATURES = {
    "fields": list(FIELDS),
    "arc": list(ARC),
    "between": list(BETWEEN),
    "sibling": list(SIBLING),
    "relation": list(RELATION),
}
"""The features of this program: the weights of a model are of no use with others."""

STRINGS = ("labels", "fine", "coarse")
"""Lists of strings: relations, fine tags that have a coarse one, and these."""

TYPES: Layout = {
    "place": (("weight",), np.int32),
    "weight": (("weight",), np.float32),
    "is_allowed": (("2", "relation"), np.bool_),
    "known": (("feature",), np.uint64),
    "start": (("feature_plus_one",), np.int64),
    "label": (("relation_weight",), np.int32),
    "relation_weight": (("relation_weight",), np.float32),
}
"""The other arrays, but those of the tagger: weights that are not zero with their places, and those of relations."""


def save_parser(
    parser: DependencyParser, path: Path, settings: dict[str, Any], seed: int, inputs: dict[str, str]
) -> None:
    """Write a parser atomically: the weights that are not zero.

    Parameters
    ----------
    parser : DependencyParser
    path : Path
    settings : dict
        Those that shaped the parser, JSON-ready.
    seed : int
    inputs : dict of str to str
        SHA-256 of each treebank.
    """
    place = np.flatnonzero(parser.weight).astype(np.int32)
    relations = parser.relations
    arrays = {
        "place": Array(place, ("weight",)),
        "weight": Array(parser.weight[place], ("weight",)),
        "is_allowed": Array(relations.is_allowed, ("below_root", "relation")),
        "known": Array(relations.known, ("feature",)),
        "start": Array(relations.start, ("feature_plus_one",)),
        "label": Array(relations.label, ("relation_weight",)),
        "relation_weight": Array(relations.weight, ("relation_weight",)),
    }
    strings = (relations.labels, tuple(parser.coarse), tuple(parser.coarse.values()))
    for name, values in zip(STRINGS, strings, strict=True):
        arrays[name], arrays[f"{name}_offsets"] = pack_strings(list(values))
    shape = {"order": parser.order, "has_one_root": parser.has_one_root, "places": len(parser.weight)}
    told = {**settings, "parser": shape, "features": FEATURES, "text": asdict(parser.conventions)}
    tagger = tagger_arrays(parser.tagger) if parser.tagger else {}
    write_arrays(path, DEPENDENCY_PARSER, {**arrays, **tagger}, told, seed, inputs)


def load_parser(path: Path) -> DependencyParser:
    """Read a parser.

    Raises
    ------
    InputError
        The file cannot be read.
    ArtefactError
        It is not a model file, is damaged, has another version, or was learnt with other features.
    """
    header = read_header(path, DEPENDENCY_PARSER)
    if header.settings.get("features") != FEATURES:
        raise ArtefactTooOldError(
            f"{path}: was learnt with other features than this program has. Run `lpcfg {DEPENDENCY_PARSER.command}` "
            "again."
        )
    names = [*TYPES, *STRINGS, *(f"{name}_offsets" for name in STRINGS)]
    if not set(names) <= header.arrays.keys():
        raise _damaged(path)
    header, arrays = read_arrays(path, DEPENDENCY_PARSER, names)
    found = load_tagger(path, DEPENDENCY_PARSER)
    try:
        parser = _parser(header, arrays)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _damaged(path) from error
    return parser if found is None else DependencyParser(**{**vars(parser), "tagger": found[0]})


def _parser(header: Header, arrays: dict[str, np.ndarray]) -> DependencyParser:
    """The parser, without its tagger; raises a `ValueError` unless kernels can rely on the arrays."""
    shape = header.settings["parser"]
    order, has_one_root, n_places = shape["order"], shape["has_one_root"], shape["places"]
    labels, fine, coarse = (unpack_strings(arrays[name], arrays[f"{name}_offsets"]) for name in STRINGS)
    _check(type(has_one_root) is bool and order in ORDERS, "parser")
    _check(type(n_places) is int and n_places in {1 << bits for bits in range(MOST_BITS + 1)}, "places")
    _check(len(fine) == len(coarse), "coarse")
    _check_arrays(arrays, n_places, len(labels))
    weight = np.zeros(n_places, np.float32)
    weight[arrays["place"]] = arrays["weight"]
    relations = RelationModel(
        tuple(labels),
        arrays["is_allowed"],
        *(arrays[name] for name in ("known", "start", "label", "relation_weight")),
    )
    conventions = TextConventions.from_dict(header.settings["text"])
    return DependencyParser(
        order, has_one_root, weight, dict(zip(fine, coarse, strict=True)), relations, None, conventions
    )


def _check_arrays(arrays: dict[str, np.ndarray], n_places: int, n_labels: int) -> None:
    check_arrays(arrays, TYPES, relation=n_labels)
    place, start, label, known = (arrays[name] for name in ("place", "start", "label", "known"))
    _check(not len(place) or bool(place[0] >= 0 and place[-1] < n_places and (np.diff(place) > 0).all()), "place")
    _check(bool(arrays["is_allowed"].any(1).all()), "is_allowed")
    _check(bool((known[1:] > known[:-1]).all()) and len(start) == len(known) + 1, "known")
    n_weights = len(arrays["relation_weight"])
    _check(bool(start[0] == 0 and start[-1] == n_weights and (np.diff(start) >= 0).all()), "start")
    check_range("label", label, 0, n_labels - 1)


def _check(fits: bool, name: str) -> None:
    if not fits:
        raise ValueError(f"{name} does not fit the rest")


def _damaged(path: Path) -> TruncatedArtefactError:
    return TruncatedArtefactError(f"{path}: damaged or cut off. Run `lpcfg {DEPENDENCY_PARSER.command}` again.")
