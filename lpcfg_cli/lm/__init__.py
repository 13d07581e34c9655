"""The latent-variable language model of Saul and Pereira (CC14 §8), and Kneser-Ney models to compare it with.

>>> model = load("text.lm.npz")                           # doctest: +SKIP
>>> model.logprob(["the", "cat", "sleeps"])               # doctest: +SKIP
-17.3
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lpcfg_cli.lm.model import LanguageModel


def load(path: str | Path) -> LanguageModel:
    """A language model, from the file that ``lpcfg lm train`` writes or from an ARPA file; see `LanguageModel`.

    Raises
    ------
    InputError, ArtefactError
        The file cannot be read, is not a model, is damaged, or has another version.
    """
    from lpcfg_cli.lm.archive import load_lm  # imported here so that other rooms need not load all models

    return load_lm(Path(path))[1]
