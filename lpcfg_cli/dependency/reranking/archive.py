"""The files of a reranking parser: a folder with the parser, the latent-variable model, and the reranker."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from lpcfg_cli.dependency.latent.archive import load_tree_model, save_tree_model
from lpcfg_cli.dependency.parser.archive import load_parser, save_parser
from lpcfg_cli.dependency.reranking.features import FeatureSpace
from lpcfg_cli.dependency.reranking.jackknife import ListMaker
from lpcfg_cli.dependency.reranking.linear import LinearReranker
from lpcfg_cli.dependency.reranking.reranking_parser import RerankingParser
from lpcfg_cli.dependency.trees.punctuation import PUNCTUATION
from lpcfg_cli.errors import WrongParentError
from lpcfg_cli.execution.workers import FileValue
from lpcfg_cli.storage.artefacts import Array, Kind, pack_strings, read_arrays, unpack_strings, write_arrays
from lpcfg_cli.storage.files import make_directory, sha256_of_file
from lpcfg_cli.storage.parts import Layout, check_arrays, fitting_parts

RERANKER = Kind("lpcfg-dependency-reranker", 1, 1, "dep train-reranker")

PARSER_FILE, MODEL_FILE, RERANKER_FILE = "parser.depparser.npz", "model.dep.npz", "reranker.npz"

LAYOUT: Layout = {
    "triples": ("t", np.int64), "edges": ("e", np.float64), "weights": ("w", np.float64), "numbers": ("2", np.float64),
}  # fmt: skip
"""The arrays; ``numbers`` has the weights of the parser's score and of ln p."""


def save_reranking_parser(
    parser: RerankingParser, folder: Path, settings: dict[str, Any], seed: int, inputs: dict[str, str]
) -> None:
    """Write the three files.

    Parameters
    ----------
    parser : RerankingParser
    folder : Path
        Made if need be.
    settings : dict
        Those that shaped the parser, JSON-ready.
    seed : int
    inputs : dict of str to str
        SHA-256 of each treebank.
    """
    make_directory(folder)
    maker, linear = parser.maker, parser.linear
    assert maker.model is not None, "the reranker was learnt with a model"
    save_parser(maker.parser, folder / PARSER_FILE, settings, seed, inputs)
    save_tree_model(maker.model, folder / MODEL_FILE, settings, seed, inputs)
    data, offsets = pack_strings(list(maker.tags))
    arrays = {
        "triples": Array(linear.space.triples, ("triple",)),
        "edges": Array(linear.space.edges, ("edge",)),
        "weights": Array(linear.weights, ("feature",)),
        "numbers": Array(np.array([linear.score_weight, linear.log_weight]), ("number",)),
        "tags_data": data,
        "tags_offsets": offsets,
    }
    own = {"candidates": maker.candidates, "punctuation": maker.punctuation}
    parents = {name: sha256_of_file(folder / name) for name in (PARSER_FILE, MODEL_FILE)}
    write_arrays(folder / RERANKER_FILE, RERANKER, arrays, {**settings, "reranker": own}, seed, {**inputs, **parents})


def open_reranking_parser(folder: Path) -> FileValue:
    """The parser of a folder, for workers; raises as `load_reranking_parser` does."""
    return FileValue.load(load_reranking_parser, folder / RERANKER_FILE)


def load_reranking_parser(path: Path) -> RerankingParser:
    """The parser of a folder's file `RERANKER_FILE`.

    Raises
    ------
    InputError
        A file cannot be read.
    ArtefactError
        A file is not what it should be, is damaged, has another version, or the files are not from one training.
    """
    header, arrays = read_arrays(path, RERANKER)
    folder = path.parent
    for name in (PARSER_FILE, MODEL_FILE):
        if sha256_of_file(folder / name) != header.inputs.get(name):
            raise WrongParentError(
                f"{path}: was made with another {name} than that in its folder. Run `lpcfg {RERANKER.command}` again."
            )
    with fitting_parts(path, RERANKER):
        own = header.settings["reranker"]
        candidates, punctuation = own["candidates"], own["punctuation"]
        if type(candidates) is not int or candidates < 1 or punctuation not in PUNCTUATION:
            raise ValueError(f"the reranker is {own}")
        tags = tuple(unpack_strings(arrays["tags_data"], arrays["tags_offsets"]))
        linear = _linear(arrays, len(tags) + 2)
    models = load_parser(folder / PARSER_FILE), load_tree_model(folder / MODEL_FILE)
    return RerankingParser(ListMaker(*models, tags, candidates, punctuation), linear)


def _linear(arrays: dict[str, np.ndarray], n_tags: int) -> LinearReranker:
    """The reranker; raises a `ValueError` unless its arrays fit together."""
    check_arrays(arrays, LAYOUT)
    triples, edges, weights = (arrays[name] for name in ("triples", "edges", "weights"))
    if len(weights) != len(triples) + len(edges) or not (np.diff(triples) > 0).all():
        raise ValueError("the weights are not those of the triples and edges")
    return LinearReranker(FeatureSpace(n_tags, triples, edges), weights, *arrays["numbers"].tolist())
