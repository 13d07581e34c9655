"""Embeddings of words from running text: eigenwords, which CCA gives (D12 §2, J12), and what they are compared with.

>>> found = load("text.embed.npz")                        # doctest: +SKIP
>>> found.nearest("government", 2)                        # doctest: +SKIP
[('administration', 0.71), ('congress', 0.65)]
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lpcfg_cli.embeddings.vectors import Embeddings


def load(path: str | Path) -> Embeddings:
    """Embeddings, from the file that ``lpcfg embed train`` writes or from a file of word2vec; see `Embeddings`.

    Raises
    ------
    InputError, ArtefactError
        The file cannot be read, has no embeddings, is damaged, or has another version.
    """
    from lpcfg_cli.embeddings.archive import load_embeddings  # imported here so that other rooms need not load it

    return load_embeddings(Path(path))
