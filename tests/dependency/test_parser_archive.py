"""The file form of parsers: what is read is what was written, and crafted files are refused."""

from __future__ import annotations

import numpy as np
import pytest
from small_treebank import treebank

from lpcfg_cli.config import DependencyParserSettings, TaggerSettings
from lpcfg_cli.dependency.parser.archive import DEPENDENCY_PARSER, STRINGS, TYPES, load_parser, save_parser
from lpcfg_cli.dependency.parser.training import train_parser
from lpcfg_cli.errors import ArtefactError, ArtefactTooOldError, NotAnArtefactError, TruncatedArtefactError
from lpcfg_cli.storage.artefacts import Array, read_arrays, write_arrays

SETTINGS = DependencyParserSettings(order="first", bits=14, epochs=4, relation_count=1)
CHANGES = {
    "place": lambda v: np.concatenate([[-1], v[1:]]),
    "start": lambda v: np.concatenate([v[:-1], [v[-1] + 1]]),
    "label": lambda v: v + 1000,
    "known": lambda v: v[::-1],
    "is_allowed": np.zeros_like,
}
"""Values that a kernel must not get, or that could not be decoded; arrays have their length."""


@pytest.fixture(scope="module")
def parser():
    return train_parser(treebank(), SETTINGS, tagger=TaggerSettings())


@pytest.fixture
def written(parser, tmp_path):
    """A file, and a function that writes it again with other arrays or settings."""
    path = tmp_path / "x.depparser.npz"
    save_parser(parser, path, {"seed": 1}, 7, {"a.conll": "0" * 64})
    header, arrays = read_arrays(path, DEPENDENCY_PARSER)

    def write(changed=None, settings=None, left_out=()):
        values = {**arrays, **(changed or {})}
        described = {k: Array(v, tuple(map(str, range(v.ndim)))) for k, v in values.items() if k not in left_out}
        write_arrays(path, DEPENDENCY_PARSER, described, {**header.settings, **(settings or {})}, 7, {})

    return path, arrays, header, write


def test_what_is_read_is_what_was_written(parser, tmp_path):
    for name in "ab":
        save_parser(parser, tmp_path / name, {}, 7, {})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    again = load_parser(tmp_path / "a")
    assert again.weight.tobytes() == parser.weight.tobytes()
    assert (again.order, again.has_one_root, again.coarse) == ("first", True, {})
    assert again.conventions == parser.conventions
    for sentence in treebank():
        (one, score), (two, other) = parser.k_best(sentence, 1)[0], again.k_best(sentence, 1)[0]
        assert (one.tolist(), score) == (two.tolist(), other)
        assert again.labelled(sentence, one).relations == parser.labelled(sentence, one).relations
        assert again.tagged(sentence).tags == sentence.tags


def test_only_weights_that_are_not_zero_are_stored(written, parser):
    _, arrays, _, _ = written
    assert len(arrays["weight"]) == np.count_nonzero(parser.weight) < len(parser.weight)
    assert np.abs(arrays["weight"]).min() >= SETTINGS.least_weight * np.abs(parser.weight).max()


@pytest.mark.parametrize("name", [*TYPES, *STRINGS])
def test_arrays_of_other_sizes_and_types_are_refused_before_a_kernel_reads_beyond_them(written, name):
    path, arrays, _, write = written
    own = arrays[name]
    shorter = own[..., :-1] if own.size else np.zeros(1, own.dtype)
    for changed in (shorter, own.astype(np.float64), own[None]):
        if changed.dtype == own.dtype or name not in ("labels", "fine", "coarse"):
            write({name: np.ascontiguousarray(changed)})
            if name in ("labels", "fine", "coarse") and changed.ndim == 1:
                continue  # a name that is cut off is a name
            with pytest.raises(ArtefactError, match="damaged"):
                load_parser(path)
    write(left_out=(name,))
    with pytest.raises(TruncatedArtefactError):
        load_parser(path)


@pytest.mark.parametrize("name", CHANGES)
def test_values_out_of_range_are_refused(written, name):
    path, arrays, _, write = written
    write({name: np.ascontiguousarray(CHANGES[name](arrays[name]).astype(arrays[name].dtype))})
    with pytest.raises(TruncatedArtefactError, match="damaged"):
        load_parser(path)


def test_other_settings_are_refused(written):
    path, _, header, write = written
    shape = header.settings["parser"]
    for changed in ({"order": "third"}, {"places": 3}, {"places": 1 << 60}, {"has_one_root": 1}, {"order": ["first"]}):
        write(settings={"parser": {**shape, **changed}})
        with pytest.raises(TruncatedArtefactError):
            load_parser(path)
    write(settings={"features": {**header.settings["features"], "arc": ["head.word"]}})
    with pytest.raises(ArtefactTooOldError, match="other features"):
        load_parser(path)
    write(settings={"text": {}})
    with pytest.raises((TruncatedArtefactError, NotAnArtefactError)):
        load_parser(path)
    write()
    assert load_parser(path).order == "first"


def test_a_file_that_is_cut_off_is_refused(written):
    path, *_ = written
    data = path.read_bytes()
    for size in (0, 10, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:size])
        with pytest.raises(ArtefactError):
            load_parser(path)
