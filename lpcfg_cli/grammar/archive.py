"""Model files: everything that parsing needs, as arrays and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from lpcfg_cli.config import NEAREST, LexiconSettings
from lpcfg_cli.embeddings.clusters import NO_CLUSTERS, WordClusters
from lpcfg_cli.errors import InputError, doing
from lpcfg_cli.grammar.lexicon import Lexicon
from lpcfg_cli.grammar.model import BinaryRules, Grammar, LexicalRules, UnaryRules
from lpcfg_cli.grammar.rare_words import NO_RARE_WORDS, RareWords
from lpcfg_cli.grammar.validity import check_grammar
from lpcfg_cli.storage.artefacts import Array, Header, Kind, pack_strings, read_arrays, unpack_strings, write_arrays
from lpcfg_cli.storage.parts import check_range, fitting_parts
from lpcfg_cli.tagging.archive import tagger_arrays
from lpcfg_cli.tagging.tagger import Tagger
from lpcfg_cli.treebank.symbols import Symbol

MODEL_FILE = "model.lpcfg.npz"

MODEL = Kind("lpcfg-model", 6, 2, "train", is_packed=True)

HIDDEN_BETWEEN = 2
"""The format whose files have another name for hidden labels; format 3 is format 4 with plain arrays; format 5
has another span model, and format 6 one whose layers differ in size."""

_RULES = {"binary": BinaryRules, "unary": UnaryRules, "lexical": LexicalRules}
_VECTORS = (
    "n_states",
    "state_start",
    "root_probability",
    "root_vector",
    "unseen_probability",
    "unseen_vector",
)


def lexicon_arrays(lexicon: Lexicon) -> dict[str, Array]:
    """The arrays of a lexicon; its settings are stored in the header."""
    entries, entry_offsets = pack_strings(list(lexicon.entries))
    suffixes, suffix_offsets = pack_strings(list(lexicon.suffixes))
    words, word_offsets = pack_strings(list(lexicon.clusters.words))
    clusters = {
        "lexicon_clustered": words,
        "lexicon_clustered_offsets": word_offsets,
        "lexicon_cluster": Array(lexicon.clusters.cluster, ("word",)),
        "lexicon_clusters_lowercase": Array(np.array([lexicon.clusters.lowercase]), ("one",)),
    }
    return {
        "lexicon_entries": entries,
        "lexicon_entry_offsets": entry_offsets,
        "lexicon_suffixes": suffixes,
        "lexicon_suffix_offsets": suffix_offsets,
        **(clusters if lexicon.clusters.words else {}),
        **(_rare_word_arrays(lexicon.rare) if len(lexicon.rare) else {}),
    }


def _rare_word_arrays(rare: RareWords) -> dict[str, Array]:
    words, word_offsets = pack_strings(list(rare.words))
    tags, tag_offsets = pack_strings(list(rare.tags))
    return {
        "lexicon_rare_words": words,
        "lexicon_rare_word_offsets": word_offsets,
        "lexicon_rare_tags": tags,
        "lexicon_rare_tag_offsets": tag_offsets,
        "lexicon_rare_count": Array(np.array(rare.counts, np.int64), ("rare_word",)),
    }


def lexicon_from_arrays(arrays: dict[str, np.ndarray], settings: dict[str, Any]) -> Lexicon:
    """The inverse of `lexicon_arrays`."""
    entries = unpack_strings(arrays["lexicon_entries"], arrays["lexicon_entry_offsets"])
    suffixes = unpack_strings(arrays["lexicon_suffixes"], arrays["lexicon_suffix_offsets"])
    clusters, own = NO_CLUSTERS, LexiconSettings(**settings["lexicon"])
    if "lexicon_cluster" in arrays:
        clusters = _clusters_from_arrays(arrays)
        if own.eigenwords == NEAREST:
            check_range("lexicon_cluster", clusters.cluster, 0, len(entries) - 1)
    rare = _rare_words_from_arrays(arrays) if "lexicon_rare_count" in arrays else NO_RARE_WORDS
    return Lexicon(tuple(entries), tuple(suffixes), own, clusters, rare)


def _rare_words_from_arrays(arrays: dict[str, np.ndarray]) -> RareWords:
    words = unpack_strings(arrays["lexicon_rare_words"], arrays["lexicon_rare_word_offsets"])
    tags = unpack_strings(arrays["lexicon_rare_tags"], arrays["lexicon_rare_tag_offsets"])
    counts = arrays["lexicon_rare_count"].tolist()
    if not len(words) == len(tags) == len(counts) or min(counts) < 1:
        raise ValueError("words, tags and counts of the lexicon do not agree")
    return RareWords(tuple(words), tuple(tags), tuple(counts))


def _clusters_from_arrays(arrays: dict[str, np.ndarray]) -> WordClusters:
    words = unpack_strings(arrays["lexicon_clustered"], arrays["lexicon_clustered_offsets"])
    if len(words) != len(arrays["lexicon_cluster"]):
        raise ValueError("clusters and words of the lexicon do not agree")
    return WordClusters(tuple(words), arrays["lexicon_cluster"], bool(arrays["lexicon_clusters_lowercase"][0]))


def save_model(
    path: Path,
    members: Sequence[Grammar],
    settings: dict[str, Any],
    seed: int,
    inputs: dict[str, str],
    stage_version: int = 0,
    tagger: Tagger | None = None,
    further: Mapping[str, Array] = MappingProxyType({}),
) -> None:
    """Write a model file with everything that parsing needs, for one grammar or an ensemble.

    Parameters
    ----------
    path : Path
    members : sequence of Grammar
        At least one.
    settings, seed, inputs, stage_version
        As for `write_arrays`.
    tagger : Tagger, optional
        For parsing of raw text.
    further : mapping of str to Array
        Of models that parsing uses beside the grammars.

    Raises
    ------
    NumericalError
        An array has NaN or infinity; nothing is written.
    """
    arrays: dict[str, Array] = {**(tagger_arrays(tagger) if tagger else {}), **further}
    for number, grammar in enumerate(members):
        arrays |= {f"{_prefix(number)}{name}": array for name, array in _grammar_arrays(grammar).items()}
    tables = {
        **_symbol_tables(members),
        "lexicons": [asdict(grammar.lexicon.settings) for grammar in members],
        "is_probabilistic": [grammar.is_probabilistic for grammar in members],
    }
    write_arrays(path, MODEL, arrays, {**settings, "tables": tables}, seed, inputs, stage_version)


def _symbol_tables(members: Sequence[Grammar]) -> dict[str, Any]:
    """The symbols and hidden labels of the first binarization, then those of others, and which one each member has."""
    different: list[dict[str, Any]] = []
    which = []
    for grammar in members:
        table = {
            "symbols": [{"name": symbol.name, **symbol.as_json()} for symbol in grammar.symbols],
            "hidden_labels": [list(labels) for labels in grammar.hidden_labels],
        }
        if table not in different:
            different.append(table)
        which.append(different.index(table))
    further = {"further_symbols": different[1:], "symbols_of_member": which}
    return {**different[0], **(further if different[1:] else {})}


def _symbols_from_tables(tables: dict[str, Any]) -> list[tuple[list[Symbol], list[tuple[str, ...]]]]:
    """The symbols and hidden labels of each member; the inverse of `_symbol_tables`."""
    different = [
        ([Symbol.from_json(entry) for entry in table["symbols"]], [tuple(labels) for labels in table["hidden_labels"]])
        for table in (tables, *tables.get("further_symbols", ()))
    ]
    which = tables.get("symbols_of_member", [0] * len(tables["lexicons"]))
    if not all(isinstance(k, int) and 0 <= k < len(different) for k in which):
        raise ValueError("symbols_of_member names tables of symbols that there are not")
    return [different[k] for k in which]


def _prefix(member: int) -> str:
    """Prefix of the names of a member's arrays; none for the first, whose names are those of a single grammar."""
    return f"member{member}_" if member else ""


def _grammar_arrays(grammar: Grammar) -> dict[str, Array]:
    arrays = {name: Array(getattr(grammar, name), (name,)) for name in _VECTORS}
    for prefix, rules in _RULES.items():
        part = getattr(grammar, prefix)
        for field in fields(rules):
            arrays[f"{prefix}_{field.name}"] = Array(getattr(part, field.name), (f"{prefix}_{field.name}",))
    return {**arrays, **lexicon_arrays(grammar.lexicon)}


def model_file(path: Path) -> Path:
    """The model file, given its path or its run directory; raises `InputError` if the directory has none."""
    if not path.is_dir():
        return path
    if not (path / MODEL_FILE).exists():
        hint = f"Run `lpcfg train` (or `lpcfg estimate {path}`) first."
        raise InputError(f"{path / MODEL_FILE}: no such file. {hint}")
    return path / MODEL_FILE


def load_model(path: Path) -> tuple[Header, Grammar]:
    """Read the grammar of a model file, or the first one of an ensemble; raises the errors of `load_members`."""
    header, members = load_members(path)
    return header, members[0]


def load_members(path: Path) -> tuple[Header, list[Grammar]]:
    """Read the grammars of a model file, given its path or its run directory.

    Raises
    ------
    InputError, ArtefactError
        There is no model, or it cannot be used.
    """
    path = model_file(path)
    with doing(f"reading {path}"):
        return _load(path)


def _load(path: Path) -> tuple[Header, list[Grammar]]:
    header, arrays = read_arrays(path, MODEL)
    with fitting_parts(path, MODEL):
        if header.version == HIDDEN_BETWEEN:
            arrays, header = _upgraded(arrays, header)
        members = _members_from_arrays(arrays, header.settings["tables"])
        for member in members:
            check_grammar(member)
    return header, members


def _upgraded(arrays: dict[str, np.ndarray], header: Header) -> tuple[dict[str, np.ndarray], Header]:
    """The contents of a file of format 2 under the names of later formats.

    Format 2 does not record whether parameters are probabilities: of its learners, only "spectral" gives moments.
    """
    named = {name.replace("unary_between", "unary_hidden"): array for name, array in arrays.items()}
    tables = dict(header.settings["tables"])
    tables["hidden_labels"] = tables.pop("betweens")
    makers = header.settings.get("members", [header.settings])
    tables["is_probabilistic"] = [part["estimate"]["learner"] != "spectral" for part in makers]
    return named, replace(header, settings={**header.settings, "tables": tables})


def _members_from_arrays(arrays: dict[str, np.ndarray], tables: dict[str, Any]) -> list[Grammar]:
    members = []
    for number, (lexicon, is_probabilistic, (symbols, hidden_labels)) in enumerate(
        zip(tables["lexicons"], tables["is_probabilistic"], _symbols_from_tables(tables), strict=True)
    ):
        prefix = _prefix(number)
        own = {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
        parts: dict[str, Any] = {name: own[name] for name in _VECTORS}
        for kind_name, kind in _RULES.items():
            parts[kind_name] = kind(**{field.name: own[f"{kind_name}_{field.name}"] for field in fields(kind)})
        words = lexicon_from_arrays(own, {"lexicon": lexicon})
        parts |= {"lexicon": words, "is_probabilistic": bool(is_probabilistic)}
        members.append(Grammar(symbols=symbols, hidden_labels=hidden_labels, **parts))
    if not members:
        raise ValueError("no lexicons")
    return members
