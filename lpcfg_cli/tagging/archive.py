"""The file form of a tagger: ``tagger.npz``, or a part of model files."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from lpcfg_cli.errors import NotAnArtefactError
from lpcfg_cli.storage.artefacts import Array, Kind, pack_strings, read_arrays, read_header, unpack_strings
from lpcfg_cli.tagging.tagger import Tagger, check_tagger
from lpcfg_cli.tagging.text import TextConventions

TAGGER_FILE = "tagger.npz"

TAGGER = Kind("lpcfg-tagger", 2, 1, "tagger")

_TAGGER_VECTORS = ("prior", "start", "tag", "weight")


def tagger_arrays(tagger: Tagger) -> dict[str, Array]:
    """The arrays of a tagger."""
    arrays = {f"tagger_{name}": Array(getattr(tagger, name), (f"tagger_{name}",)) for name in _TAGGER_VECTORS}
    arrays["tagger_lift"] = Array(tagger.lift, ("tagger_tag_before", "tagger_prior"))
    arrays["tagger_tags"], arrays["tagger_tag_offsets"] = pack_strings(list(tagger.tags))
    arrays["tagger_features"], arrays["tagger_feature_offsets"] = pack_strings(list(tagger.features))
    return arrays


def _tagger_from_arrays(arrays: dict[str, np.ndarray]) -> Tagger:
    tags = tuple(unpack_strings(arrays["tagger_tags"], arrays["tagger_tag_offsets"]))
    no_lift = np.ones((len(tags) + 1, len(tags)))  # files of older versions: their taggers do not look at tags
    tagger = Tagger(
        tags=tags,
        lift=arrays.get("tagger_lift", no_lift),
        features=tuple(unpack_strings(arrays["tagger_features"], arrays["tagger_feature_offsets"])),
        **{name: arrays[f"tagger_{name}"] for name in _TAGGER_VECTORS},
    )
    check_tagger(tagger)
    return tagger


def load_tagger(path: Path, kind: Kind) -> tuple[Tagger, TextConventions] | None:
    """Read the tagger and the text conventions of a model file or of ``tagger.npz``; None if the file has no tagger.

    Raises
    ------
    InputError, ArtefactError
        The file cannot be used.
    """
    header = read_header(path, kind)
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
