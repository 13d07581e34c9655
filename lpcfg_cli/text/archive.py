"""The file form of vocabularies, as a part of model files."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from lpcfg_cli.storage.artefacts import Array, pack_strings, unpack_strings
from lpcfg_cli.text.vocabulary import MARKS, Vocabulary


def vocabulary_arrays(vocabulary: Vocabulary) -> dict[str, Array]:
    """The arrays of a vocabulary."""
    data, offsets = pack_strings(list(vocabulary.words))
    return {"words_data": data, "words_offsets": offsets}


def vocabulary_from_arrays(arrays: Mapping[str, np.ndarray]) -> Vocabulary:
    """The inverse of `vocabulary_arrays`.

    Raises
    ------
    LookupError, ValueError
        An array is missing, or they are not those of a vocabulary: words in UTF-8 that begin with `MARKS`.
    """
    words = tuple(unpack_strings(arrays["words_data"], arrays["words_offsets"]))
    for word in words:
        word.encode()  # half of a surrogate pair is no text
    if words[: len(MARKS)] != MARKS or len(set(words)) != len(words):
        raise ValueError(f"the words do not begin with {', '.join(MARKS)}, or one comes twice")
    return Vocabulary(words)
