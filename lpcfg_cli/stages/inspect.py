"""inspect: what a run directory or a model file holds.  It only looks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from lpcfg_cli.features.archive import FEATURES, FEATURES_FILE
from lpcfg_cli.grammar.archive import MODEL, MODEL_FILE, load_members, model_file
from lpcfg_cli.grammar.model import Grammar
from lpcfg_cli.spectral.archive import PROJECTIONS, PROJECTIONS_FILE, projections_from_arrays
from lpcfg_cli.spectral.spectra import RankWarning, SymbolSpectrum, rank_warnings, spectra_of
from lpcfg_cli.storage.artefacts import Header, read_arrays, read_header
from lpcfg_cli.storage.files import sha256_of_file


@dataclass(frozen=True)
class MemberSummary:
    """One model of a file in numbers.

    Attributes
    ----------
    learner : str
        How its parameters were found.
    states : int
        m, the most states of a nonterminal.
    mean_states : float
        Over nonterminals.
    binary_rules, unary_rules, lexical_rules : int
    words : int
        Entries of its lexicon, classes included.
    parameters : int
        Numbers in the model.
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
class InspectReport:
    """What a model file says of itself, and the spectra behind it if they are beside it.

    Attributes
    ----------
    file : str
    bytes : int
    seed : int
    symbols : int
        Nonterminals.
    members : list of MemberSummary
    has_tagger : bool
        Whether it reads raw text.
    settings : dict
        How it was made.
    spectra : list of SymbolSpectrum
        Of the first member; without singular values where its projections are not at hand.
    warnings : list of RankWarning
    """

    file: str
    bytes: int
    seed: int
    symbols: int
    members: list[MemberSummary]
    has_tagger: bool
    settings: dict[str, Any]
    spectra: list[SymbolSpectrum]
    warnings: list[RankWarning]


def inspect(path: Path) -> InspectReport:
    """Look at a model file or a run directory; writes nothing.

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
    spectra = spectra_of_grammar(*_origin(file, header), first)
    return InspectReport(
        str(file),
        file.stat().st_size,
        header.seed,
        first.n_symbols,
        [_summary(learner, grammar) for learner, grammar in zip(learners, grammars, strict=True)],
        any(name.startswith("tagger_") for name in header.arrays),
        settings,
        spectra,
        rank_warnings(spectra),
    )


def _origin(file: Path, header: Header) -> tuple[Path, dict[str, str]]:
    """The run directory in which the first member of a model file was made, and the hashes of what it was made from."""
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


def spectra_of_grammar(run: Path, inputs: Mapping[str, str], grammar: Grammar) -> list[SymbolSpectrum]:
    """The spectra behind a model, with its m_a.

    Parameters
    ----------
    run : Path
        The run directory in which it was made.
    inputs : mapping of str to str
        Hashes of the files that it was made from; without projections among them there are no singular values.
    grammar : Grammar

    Returns
    -------
    list of SymbolSpectrum
        Without examples, or without singular values, where those files are not there.
    """

    def is_there(name: str) -> bool:
        path = run / name
        return name in inputs and path.exists() and sha256_of_file(path) == inputs[name]

    names = [symbol.name for symbol in grammar.symbols]
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
