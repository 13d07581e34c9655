"""The files of a run directory: their names, kinds and contents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.config import LexiconSettings
from lpcfg_cli.errors import ConfigError, InputError, NotAnArtefactError
from lpcfg_cli.features.matrices import FeatureMatrices, NodeOrder
from lpcfg_cli.grammar.lexicon import Lexicon
from lpcfg_cli.grammar.model import BinaryRules, Grammar, LexicalRules, UnaryRules
from lpcfg_cli.grammar.validity import check_grammar, check_same_rules
from lpcfg_cli.spectral.projection import Projection
from lpcfg_cli.storage.artefacts import (
    Array,
    Header,
    Kind,
    check_parents,
    pack_strings,
    read_array_header,
    read_arrays,
    read_json,
    unpack_strings,
    write_arrays,
)
from lpcfg_cli.tagging.tagger import Tagger, check_tagger
from lpcfg_cli.tagging.text import TextConventions
from lpcfg_cli.treebank.binary import BinaryTreebank
from lpcfg_cli.treebank.binary_text import read_lines, tables_from_json
from lpcfg_cli.treebank.files import read_text
from lpcfg_cli.treebank.symbols import Symbol

TREES_FILE = "trees.bin.mrg"
SYMBOLS_FILE = "symbols.json"
FEATURES_FILE = "features.npz"
PROJECTIONS_FILE = "projections.npz"
TAGGER_FILE = "tagger.npz"
MODEL_FILE = "model.lpcfg.npz"
LOG_FILE = "log.json"

SYMBOLS = Kind("lpcfg-symbols", 1, 1, "binarize")
FEATURES = Kind("lpcfg-features", 2, 2, "features")
PROJECTIONS = Kind("lpcfg-projections", 1, 1, "svd")
TAGGER = Kind("lpcfg-tagger", 1, 1, "tagger")
MODEL = Kind("lpcfg-model", 2, 2, "train")


def load_binary_trees(run: Path) -> tuple[Header, BinaryTreebank]:
    """The binarized trees of a run directory; `WrongParentError` when the two files are not of one making."""
    header, content = read_json(run / SYMBOLS_FILE, SYMBOLS)
    check_parents(run / SYMBOLS_FILE, SYMBOLS, header)
    try:
        symbols, betweens = tables_from_json(content)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise NotAnArtefactError(
            f"{run / SYMBOLS_FILE}: its parts do not fit together ({error}). Run `lpcfg {SYMBOLS.command}` again."
        ) from error
    path = run / TREES_FILE
    return header, read_lines(read_text(path), symbols, betweens, str(path))


def feature_arrays(
    order: NodeOrder,
    phi: FeatureMatrices,
    psi: FeatureMatrices,
    tree: np.ndarray,
    entry: np.ndarray,
    lexicon: Lexicon,
) -> dict[str, Array]:
    """The arrays of ``features.npz``."""
    arrays = {
        "row_node": Array(order.node, ("row",)),
        "row_start": Array(order.row_start, ("symbol_plus_one",)),
        "node_tree": Array(tree.astype(np.int32), ("node",)),
        "node_entry": Array(entry.astype(np.int32), ("node",)),
        **lexicon_arrays(lexicon),
    }
    for side, matrices in (("phi", phi), ("psi", psi)):
        arrays[f"{side}_indptr"] = Array(matrices.indptr, ("row_plus_one",))
        arrays[f"{side}_indices"] = Array(matrices.indices, ("nonzero",))
        arrays[f"{side}_column_start"] = Array(matrices.column_start, ("symbol_plus_one",))
        arrays[f"{side}_count"] = Array(matrices.count, ("feature",))
        arrays[f"{side}_template"] = Array(matrices.template, ("feature",))
    return arrays


def features_from_arrays(arrays: dict[str, np.ndarray]) -> tuple[NodeOrder, FeatureMatrices, FeatureMatrices]:
    """Row order, inside and outside features from the arrays of ``features.npz``."""
    names = [field.name for field in fields(FeatureMatrices)]
    sides = [FeatureMatrices(*(arrays[f"{side}_{name}"] for name in names)) for side in ("phi", "psi")]
    return NodeOrder(arrays["row_node"], arrays["row_start"]), sides[0], sides[1]


def projection_arrays(projections: list[Projection]) -> dict[str, Array]:
    """The arrays of ``projections.npz``: matrices flattened row by row, symbol after symbol."""
    n_states = np.array([p.n_states for p in projections], np.int32)
    n_inside = np.array([len(p.inside) for p in projections], np.int64)
    n_outside = np.array([len(p.outside) for p in projections], np.int64)
    return {
        "n_states": Array(n_states, ("symbol",)),
        "n_inside": Array(n_inside, ("symbol",)),
        "n_outside": Array(n_outside, ("symbol",)),
        "n_discarded": Array(np.array([len(p.discarded) for p in projections], np.int64), ("symbol",)),
        "inside": Array(np.concatenate([p.inside.ravel() for p in projections]), ("number",)),
        "outside": Array(np.concatenate([p.outside.ravel() for p in projections]), ("number",)),
        "singular_values": Array(np.concatenate([p.singular_values for p in projections]), ("state",)),
        "discarded": Array(np.concatenate([p.discarded for p in projections]), ("number",)),
    }


def projections_from_arrays(arrays: dict[str, np.ndarray]) -> list[Projection]:
    """The inverse of `projection_arrays`."""
    m = arrays["n_states"].astype(np.int64)
    offsets = {
        "inside": starts(arrays["n_inside"] * m),
        "outside": starts(arrays["n_outside"] * m),
        "singular_values": starts(m),
        "discarded": starts(arrays["n_discarded"]),
    }
    parts = {name: np.split(arrays[name], start[1:-1]) for name, start in offsets.items()}
    return [
        Projection(
            parts["inside"][a].reshape(-1, m[a]),
            parts["outside"][a].reshape(-1, m[a]),
            parts["singular_values"][a],
            parts["discarded"][a],
        )
        for a in range(len(m))
    ]


def lexicon_arrays(lexicon: Lexicon) -> dict[str, Array]:
    """The arrays that hold a lexicon; its settings are in the header."""
    entries, entry_offsets = pack_strings(list(lexicon.entries))
    suffixes, suffix_offsets = pack_strings(list(lexicon.suffixes))
    return {
        "lexicon_entries": entries,
        "lexicon_entry_offsets": entry_offsets,
        "lexicon_suffixes": suffixes,
        "lexicon_suffix_offsets": suffix_offsets,
    }


def lexicon_from_arrays(arrays: dict[str, np.ndarray], settings: dict[str, Any]) -> Lexicon:
    """The inverse of `lexicon_arrays`."""
    entries = unpack_strings(arrays["lexicon_entries"], arrays["lexicon_entry_offsets"])
    suffixes = unpack_strings(arrays["lexicon_suffixes"], arrays["lexicon_suffix_offsets"])
    return Lexicon(tuple(entries), tuple(suffixes), LexiconSettings(**settings["lexicon"]))


_RULES = {"binary": BinaryRules, "unary": UnaryRules, "lexical": LexicalRules}
_VECTORS = (
    "n_states",
    "state_start",
    "root_probability",
    "root_vector",
    "unseen_probability",
    "unseen_vector",
)


_TAGGER_VECTORS = ("prior", "start", "tag", "weight")


def tagger_arrays(tagger: Tagger) -> dict[str, Array]:
    """The arrays that hold a tagger."""
    arrays = {f"tagger_{name}": Array(getattr(tagger, name), (f"tagger_{name}",)) for name in _TAGGER_VECTORS}
    arrays["tagger_tags"], arrays["tagger_tag_offsets"] = pack_strings(list(tagger.tags))
    arrays["tagger_features"], arrays["tagger_feature_offsets"] = pack_strings(list(tagger.features))
    return arrays


def _tagger_from_arrays(arrays: dict[str, np.ndarray]) -> Tagger:
    tagger = Tagger(
        tags=tuple(unpack_strings(arrays["tagger_tags"], arrays["tagger_tag_offsets"])),
        features=tuple(unpack_strings(arrays["tagger_features"], arrays["tagger_feature_offsets"])),
        **{name: arrays[f"tagger_{name}"] for name in _TAGGER_VECTORS},
    )
    check_tagger(tagger)
    return tagger


def load_tagger(path: Path, kind: Kind = MODEL) -> tuple[Tagger, TextConventions] | None:
    """The tagger in a model file or in ``tagger.npz``, and how the treebank writes text; None if it has none."""
    header = read_array_header(path, kind)
    names = [name for name in header.arrays if name.startswith("tagger_")]
    if not names:
        return None
    header, arrays = read_arrays(path, kind, names)
    try:
        return _tagger_from_arrays(arrays), TextConventions.from_dict(header.settings["text"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise NotAnArtefactError(
            f"{path}: the parts of its tagger do not fit together ({error}). Run `lpcfg {kind.command}` again."
        ) from error


def save_model(
    path: Path,
    members: Sequence[Grammar],
    settings: dict[str, Any],
    seed: int,
    inputs: dict[str, str],
    tagger: Tagger | None = None,
) -> None:
    """Write a model file: all that parsing needs, of one grammar or of several with the same rules."""
    arrays: dict[str, Array] = tagger_arrays(tagger) if tagger else {}
    for number, grammar in enumerate(members):
        arrays |= {f"{_prefix(number)}{name}": array for name, array in _grammar_arrays(grammar).items()}
    first = members[0]
    tables = {
        "symbols": [{"name": symbol.name, **symbol.as_json()} for symbol in first.symbols],
        "betweens": [list(labels) for labels in first.betweens],
        "lexicons": [asdict(grammar.lexicon.settings) for grammar in members],
    }
    write_arrays(path, MODEL, arrays, {**settings, "tables": tables}, seed, inputs)


def _prefix(member: int) -> str:
    """What the names of a member's arrays begin with: the first one's are as if it were alone."""
    return f"member{member}_" if member else ""


def _grammar_arrays(grammar: Grammar) -> dict[str, Array]:
    arrays = {name: Array(getattr(grammar, name), (name,)) for name in _VECTORS}
    for prefix, rules in _RULES.items():
        part = getattr(grammar, prefix)
        for field in fields(rules):
            arrays[f"{prefix}_{field.name}"] = Array(getattr(part, field.name), (f"{prefix}_{field.name}",))
    return {**arrays, **lexicon_arrays(grammar.lexicon)}


def model_file(path: Path) -> Path:
    """The model file meant by its own path or by its run directory; `InputError` when the latter has none."""
    if not path.is_dir():
        return path
    if not (path / MODEL_FILE).exists():
        hint = f"Run `lpcfg train` (or `lpcfg estimate {path}`) first."
        raise InputError(f"{path / MODEL_FILE}: no such file. {hint}")
    return path / MODEL_FILE


def load_model(path: Path) -> tuple[Header, Grammar]:
    """The grammar of a model file, the first one of several; otherwise as `load_members`."""
    header, members = load_members(path)
    return header, members[0]


def load_members(path: Path) -> tuple[Header, list[Grammar]]:
    """Read the grammars of a model file, or of the one in a run directory.

    Raises
    ------
    InputError, ArtefactError
        There is none, or it cannot be used.
    """
    path = model_file(path)
    header, arrays = read_arrays(path, MODEL)
    try:
        members = _members_from_arrays(arrays, header.settings["tables"])
        for member in members:
            check_grammar(member)
        check_same_rules(members)
    except (KeyError, TypeError, ValueError, AttributeError, ConfigError) as error:
        raise NotAnArtefactError(
            f"{path}: its parts do not fit together ({error}). Run `lpcfg {MODEL.command}` again."
        ) from error
    return header, members


def _members_from_arrays(arrays: dict[str, np.ndarray], tables: dict[str, Any]) -> list[Grammar]:
    symbols = [Symbol.from_json(entry) for entry in tables["symbols"]]
    betweens = [tuple(labels) for labels in tables["betweens"]]
    members = []
    for number, lexicon in enumerate(tables["lexicons"]):
        prefix = _prefix(number)
        own = {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
        parts: dict[str, Any] = {name: own[name] for name in _VECTORS}
        for kind_name, kind in _RULES.items():
            parts[kind_name] = kind(**{field.name: own[f"{kind_name}_{field.name}"] for field in fields(kind)})
        words = lexicon_from_arrays(own, {"lexicon": lexicon})
        members.append(Grammar(symbols=symbols, betweens=betweens, lexicon=words, **parts))
    if not members:
        raise ValueError("no lexicons")
    return members
