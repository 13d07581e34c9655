"""The file form of models of similarity: what is read is what was written, and crafted files are refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from test_wordnet import toy_wordnet
from toy_pairs import toy_embeddings, toy_pairs

from lpcfg_cli.config import SimilaritySettings
from lpcfg_cli.errors import InputError, TruncatedArtefactError
from lpcfg_cli.storage.artefacts import Array, pack_strings, read_arrays, write_arrays
from lpcfg_cli.sts import archive
from lpcfg_cli.sts.archive import SIMILARITY, load_similarity, save_similarity
from lpcfg_cli.sts.training import resources_of, train_similarity

PAIRS = [("abab mnmn.", "abab 12 baba"), ("Cats!", "the dog"), ("", "x")]


def model_of(groups=("surface", "vectors"), terms="squares", sets=("a", "b")):
    settings = SimilaritySettings(groups=groups, terms=terms)
    read = [toy_pairs(seed, 20, name) for seed, name in enumerate(sets)]
    resources = resources_of(read, replace(settings, groups=("surface",)), toy_embeddings())
    return train_similarity(read, settings, replace(resources, wordnet=toy_wordnet()))


def rewritten(path, header, arrays):
    named = {name: Array(np.asarray(v, order="C"), tuple("x" * np.ndim(v))) for name, v in arrays.items()}
    write_arrays(path, SIMILARITY, named, header.settings, header.seed, header.inputs)


@pytest.mark.parametrize("groups", [("surface",), ("vectors",), ("surface", "vectors")])
@pytest.mark.parametrize("terms", ["linear", "squares", "interactions"])
def test_what_is_read_is_what_was_written(tmp_path, groups, terms):
    model = model_of(groups, terms)
    for name in ("x", "y"):
        save_similarity(model, tmp_path / name, {"sts": {"terms": terms}}, 7, {"a": "0" * 64})
    header, again = load_similarity(tmp_path / "x")
    assert (header.seed, header.settings, header.inputs) == (7, {"sts": {"terms": terms}}, {"a": "0" * 64})
    assert (tmp_path / "x").read_bytes() == (tmp_path / "y").read_bytes()
    assert list(again.regressions) == ["a", "b", "all"] and again.metrics == model.metrics
    assert (again.resources.embeddings is None) == ("vectors" not in groups)
    for name in ("a", "b", "other"):
        assert again.predict(PAIRS, name).tobytes() == model.predict(PAIRS, name).tobytes()
    assert len({model.predict(PAIRS, name).tobytes() for name in ("a", "b", "other")}) == 3


def test_models_with_wordnet_need_it_again(tmp_path, monkeypatch):
    model = model_of(("surface", "wordnet"))
    save_similarity(model, tmp_path / "x", {}, 0, {})
    monkeypatch.setattr(archive, "open_wordnet", lambda count: replace(toy_wordnet(), count=count))
    again = load_similarity(tmp_path / "x")[1]
    known = replace(model.resources, wordnet=replace(toy_wordnet(), count=model.resources.frequencies.count))
    pairs = [("dog", "pet"), ("poodle", "rex runs")]
    assert again.predict(pairs).tolist() == replace(model, resources=known).predict(pairs).tolist()
    monkeypatch.setattr(archive, "open_wordnet", lambda count: None)
    with pytest.raises(InputError, match="trained with WordNet, which is not on this machine"):
        load_similarity(tmp_path / "x")


def test_crafted_files_are_refused(tmp_path):
    path = tmp_path / "x.sts.npz"
    save_similarity(model_of(), path, {}, 0, {})
    header, arrays = read_arrays(path, SIMILARITY)
    for name, array in arrays.items():
        other_type = array.astype(np.float32 if array.dtype == np.float64 else np.float64)
        # other bytes of strings are other strings, and vectors may have any length
        wrong = [] if name.endswith("_data") else [array[:-1], other_type]
        wrong += [array[..., :-1]] if array.ndim > 1 and name != "vectors" else []
        for changed in (*wrong, None):
            others = {key: changed if key == name else value for key, value in arrays.items()}
            rewritten(path, header, {key: value for key, value in others.items() if value is not None})
            with pytest.raises(TruncatedArtefactError, match="damaged"):
                load_similarity(path)
    rewritten(path, header, arrays)
    load_similarity(path)


@pytest.mark.parametrize(
    ("name", "strings"),
    [("metrics", ["words"] * 2), ("sets", ["a", "b", "c"]), ("sets", ["a", "a", "all"]), ("vector_words", ["a"])],
)
def test_lists_of_strings_that_fit_nothing_are_refused(tmp_path, name, strings):
    path = tmp_path / "x.sts.npz"
    save_similarity(model_of(), path, {}, 0, {})
    header, arrays = read_arrays(path, SIMILARITY)
    data, offsets = pack_strings(strings)
    rewritten(path, header, {**arrays, f"{name}_data": data.values, f"{name}_offsets": offsets.values})
    with pytest.raises(TruncatedArtefactError, match="damaged"):
        load_similarity(path)


@pytest.mark.parametrize("terms", [-1, 3, 0.5])
def test_unknown_terms_are_refused(tmp_path, terms):
    path = tmp_path / "x.sts.npz"
    save_similarity(model_of(), path, {}, 0, {})
    header, arrays = read_arrays(path, SIMILARITY)
    arrays["numbers"][-1] = terms
    rewritten(path, header, arrays)
    with pytest.raises(TruncatedArtefactError, match="damaged"):
        load_similarity(path)
