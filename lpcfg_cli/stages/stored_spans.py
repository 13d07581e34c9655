"""The span model of a run directory, for the model files that it becomes a part of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lpcfg_cli.config import Settings
from lpcfg_cli.parsing.spans.archive import SPANS, SPANS_FILE, load_spans, span_arrays
from lpcfg_cli.storage.artefacts import Array, check_parents, read_header
from lpcfg_cli.storage.files import sha256_of_file


@dataclass(frozen=True)
class StoredSpans:
    """The arrays of a span model, with their provenance.

    Attributes
    ----------
    arrays : mapping of str to Array
        Empty without a span model.
    settings : dict
        Those it was learnt with.
    inputs : dict of str to str
        The hash of its file.
    """

    arrays: Mapping[str, Array]
    settings: dict[str, Any]
    inputs: dict[str, str]


def stored_spans(run: Path, settings: Settings) -> StoredSpans:
    """The span model of a run directory; none if the settings exclude it or it has not been learnt."""
    path = run / SPANS_FILE
    if settings.spans.networks == 0 or not path.exists():
        return StoredSpans({}, {"spans": None}, {})
    header = read_header(path, SPANS)
    check_parents(path, SPANS, header)
    model = load_spans(path, SPANS)
    assert model is not None, "its file always has a span model"
    return StoredSpans(span_arrays(model), {"spans": header.settings["spans"]}, {SPANS_FILE: sha256_of_file(path)})


def span_settings(settings: Settings) -> dict[str, Any]:
    """The settings that a span model depends on, apart from those of grammars; None without one."""
    return {"spans": asdict(settings.spans) if settings.spans.networks else None}
