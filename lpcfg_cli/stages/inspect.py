"""inspect: the contents of a run directory or a model file, read without any change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from lpcfg_cli.features.archive import FEATURES, FEATURES_FILE
from lpcfg_cli.grammar.archive import MODEL, MODEL_FILE, load_members, model_file
from lpcfg_cli.grammar.model import Grammar
from lpcfg_cli.parsing.reranking.archive import load_reranker, reranker_file
from lpcfg_cli.parsing.reranking.numbers import TREE_NUMBERS
from lpcfg_cli.parsing.spans.archive import load_spans
from lpcfg_cli.spectral.archive import PROJECTIONS, PROJECTIONS_FILE, projections_from_arrays
from lpcfg_cli.spectral.spectra import RankWarning, SymbolSpectrum, rank_warnings, spectra_of
from lpcfg_cli.storage.artefacts import Header, read_arrays, read_header
from lpcfg_cli.storage.files import sha256_of_file


@dataclass(frozen=True)
class MemberSummary:
    """The figures of one model of a file.

    Attributes
    ----------
    learner : str
        The learner that trained it.
    states : int
        m, the largest number of states of a nonterminal.
    mean_states : float
        Mean number of states over nonterminals.
    binary_rules, unary_rules, lexical_rules : int
    words : int
        Number of entries of its lexicon, classes included.
    parameters : int
        Number of its parameters.
    """

    learner: str
    states: int
    mean_states: float
    binary_rules: int
    unary_rules: int
    lexical_rules: int
    words: int
    parameters: int


@dataclass(frozen=True)
class SpansSummary:
    """The figures of a model's span model.

    Attributes
    ----------
    networks, parameters : int
        Number of networks, and of the parameters of each.
    words, chains : int
        Number of words and of chains of labels that it knows.
    """

    networks: int
    parameters: int
    words: int
    chains: int


@dataclass(frozen=True)
class RerankerSummary:
    """The figures of a model's reranker.

    Attributes
    ----------
    file : str
    bytes : int
    trees : int
        Number of trees of a list.
    features : int
    numbers : dict of str to float
        Weights of what the parser says of a tree.
    heaviest : list of (str, float)
        The features with the largest |weights|, heaviest first, with their weights.
    held_out : dict of str to float
        As in `RerankedLists`: F1 and share of trees all correct, before and after, of training lists.
    """

    file: str
    bytes: int
    trees: int
    features: int
    numbers: dict[str, float]
    heaviest: list[tuple[str, float]]
    held_out: dict[str, float]


@dataclass(frozen=True)
class InspectReport:
    """The contents of a model file, and the spectra from its run directory if they are there.

    Attributes
    ----------
    file : str
    bytes : int
    seed : int
    symbols : int
        Number of nonterminals.
    members : list of MemberSummary
    has_tagger : bool
        Whether it has a tagger, so that it can parse raw text.
    spans : SpansSummary or None
        Its span model, if it has one.
    settings : dict
        The settings it was trained with.
    spectra : list of SymbolSpectrum
        Spectra of the first member; without singular values if its projections are not available.
    warnings : list of RankWarning
    reranker : RerankerSummary or None
    """

    file: str
    bytes: int
    seed: int
    symbols: int
    members: list[MemberSummary]
    has_tagger: bool
    spans: SpansSummary | None
    settings: dict[str, Any]
    spectra: list[SymbolSpectrum]
    warnings: list[RankWarning]
    reranker: RerankerSummary | None


def inspect(path: Path) -> InspectReport:
    """Summarise a model file or a run directory; writes nothing.

    Raises
    ------
    InputError, ArtefactError
        There is no model, or it cannot be used.
    """
    file = model_file(path)
    header, grammars = load_members(file)
    settings = {name: value for name, value in header.settings.items() if name not in ("tables", "text")}
    learners = [part["estimate"]["learner"] for part in settings.get("members", [settings])]
    first = grammars[0]
    spectra = spectra_of_grammar(*origin(file, header), first)
    return InspectReport(
        str(file),
        file.stat().st_size,
        header.seed,
        first.n_symbols,
        [_summary(learner, grammar) for learner, grammar in zip(learners, grammars, strict=True)],
        any(name.startswith("tagger_") for name in header.arrays),
        _spans_summary(file),
        settings,
        spectra,
        rank_warnings(spectra),
        _reranker_summary(file),
    )


def _reranker_summary(model: Path) -> RerankerSummary | None:
    found = load_reranker(model)
    if found is None:
        return None
    _, reranker = found
    path = reranker_file(model)
    return RerankerSummary(
        str(path),
        path.stat().st_size,
        reranker.n_trees,
        len(reranker.features),
        dict(zip(TREE_NUMBERS, reranker.numbers.tolist(), strict=True)),
        list(zip(reranker.names, reranker.weights[reranker.heaviest].tolist(), strict=True)),
        reranker.held_out,
    )


def origin(file: Path, header: Header) -> tuple[Path, dict[str, str]]:
    """The run directory in which the first member of a model file was trained, and the hashes of its inputs."""
    first = next((name for name in header.inputs if name.endswith(f"/{MODEL_FILE}")), None)
    if first is None or not (file.parent / first).exists():
        return file.parent, {} if first else header.inputs
    path = file.parent / first
    return path.parent, read_header(path, MODEL).inputs


def _summary(learner: str, grammar: Grammar) -> MemberSummary:
    return MemberSummary(
        learner,
        int(grammar.n_states.max()),
        float(grammar.n_states.mean()),
        len(grammar.binary),
        len(grammar.unary),
        len(grammar.lexical),
        len(grammar.lexicon.entries),
        grammar.n_parameters,
    )


def _spans_summary(file: Path) -> SpansSummary | None:
    model = load_spans(file, MODEL)
    if model is None:
        return None
    (networks, parameters), known = model.networks.shape, model.vocabulary
    return SpansSummary(networks, parameters, len(known.words), len(known.chains))


def spectra_of_grammar(run: Path, inputs: Mapping[str, str], grammar: Grammar) -> list[SymbolSpectrum]:
    """The spectra of the nonterminals of a model, with its m_a.

    Parameters
    ----------
    run : Path
        The run directory in which the model was trained.
    inputs : mapping of str to str
        Hashes of the model's inputs.
    grammar : Grammar

    Returns
    -------
    list of SymbolSpectrum
        With 0 examples, or without singular values, if the features or the projections with the hash in `inputs` are
        not in `run`.
    """

    def is_there(name: str) -> bool:
        path = run / name
        return name in inputs and path.exists() and sha256_of_file(path) == inputs[name]

    names = [symbol.shown for symbol in grammar.symbols]
    examples = np.zeros(len(names), np.int64)
    if is_there(FEATURES_FILE):
        _, features = read_arrays(run / FEATURES_FILE, FEATURES, ("row_start",))
        examples = np.diff(features["row_start"])
    if is_there(PROJECTIONS_FILE):
        _, arrays = read_arrays(run / PROJECTIONS_FILE, PROJECTIONS)
        spectra = spectra_of(names, examples, projections_from_arrays(arrays))
    else:
        spectra = [SymbolSpectrum(name, n, 0, 0, 1, [], []) for name, n in zip(names, examples.tolist(), strict=True)]
    return [replace(spectrum, states=int(m)) for spectrum, m in zip(spectra, grammar.n_states, strict=True)]
