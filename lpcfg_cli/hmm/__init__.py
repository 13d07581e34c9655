"""Hidden Markov models of sequences of symbols, learnt by spectral methods (D12 §2) or by EM.

>>> model = load("text.hmm.npz")                          # doctest: +SKIP
>>> model.logprob(["the", "cat", "sleeps"])               # doctest: +SKIP
-17.3
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lpcfg_cli.hmm.model import SequenceModel


def load(path: str | Path) -> SequenceModel:
    """A model, from the file that ``lpcfg hmm train`` writes; see `SequenceModel`.

    Raises
    ------
    InputError, ArtefactError
        The file cannot be read, is not a model, is damaged, or has another version.
    """
    from lpcfg_cli.hmm.archive import load_hmm  # imported here so that other rooms need not load all models

    return load_hmm(Path(path))[1]
