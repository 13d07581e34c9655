"""The file form of models of dependency trees: what is read is what was written, and crafted files are refused."""

from __future__ import annotations

import numpy as np
import pytest
from tree_models import STRUCTURES, all_trees, arrays, exact_data, random_tree_model

from lpcfg_cli.config import DependencyModelSettings
from lpcfg_cli.dependency.latent.archive import COMMON, HIDDEN, OBSERVABLE, TREE_MODEL, load_tree_model, read_tree_model
from lpcfg_cli.dependency.latent.archive import save_tree_model as save
from lpcfg_cli.dependency.latent.learners import learn_trees
from lpcfg_cli.errors import NotAnArtefactError
from lpcfg_cli.storage.artefacts import Array, read_arrays, write_arrays

SHAPES = {"hidden": COMMON | HIDDEN, "observable": COMMON | OBSERVABLE}


def model_of(form):
    model = random_tree_model(0, 3, 4)
    if form == "hidden":
        return model
    return learn_trees(exact_data(model, STRUCTURES), DependencyModelSettings(states=3, kappa=0.1), 0).model


@pytest.mark.parametrize("form", list(SHAPES))
def test_what_is_read_is_what_was_written(tmp_path, form):
    model = model_of(form)
    for name in ("a", "b"):
        save(model, tmp_path / name, {"dependency": {"states": 3}}, 7, {"text": "0" * 64})
    header, again = read_tree_model(tmp_path / "a")
    assert (header.seed, header.settings) == (7, {"dependency": {"states": 3, "symbols": "forms"}})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert (type(again), again.vocabulary, again.symbols) == (type(model), model.vocabulary, "forms")
    trees = arrays(all_trees(model))
    assert again.values(trees).logs.tobytes() == model.values(trees).logs.tobytes()
    assert load_tree_model(tmp_path / "a").frequency.tobytes() == model.frequency.tobytes()


@pytest.mark.parametrize("form", list(SHAPES))
def test_arrays_of_other_sizes_are_refused_before_a_kernel_reads_beyond_them(tmp_path, form):
    path = tmp_path / "x.dep.npz"
    save(model_of(form), path, {}, 0, {})
    header, found = read_arrays(path, TREE_MODEL)
    kept = {name: Array(v, tuple(f"{name}{k}" for k in range(v.ndim))) for name, v in found.items()}
    for name in sorted(SHAPES[form].keys() - {"singular_values"}):
        for changed in (found[name][..., :-1], found[name].astype(np.float32)):
            values = np.ascontiguousarray(changed)
            write_arrays(path, TREE_MODEL, {**kept, name: Array(values, kept[name].dims)}, header.settings, 0, {})
            with pytest.raises(NotAnArtefactError, match="do not fit together"):
                load_tree_model(path)
        others = {other: array for other, array in kept.items() if other != name}
        write_arrays(path, TREE_MODEL, others, header.settings, 0, {})
        with pytest.raises(NotAnArtefactError, match="do not fit together"):
            load_tree_model(path)


@pytest.mark.parametrize("settings", [{}, {"dependency": 1}, {"dependency": {"symbols": "heads"}}])
def test_settings_that_do_not_tell_the_symbols_are_refused(tmp_path, settings):
    path = tmp_path / "x.dep.npz"
    save(model_of("hidden"), path, {}, 0, {})
    _, found = read_arrays(path, TREE_MODEL)
    kept = {name: Array(v, tuple(f"{name}{k}" for k in range(v.ndim))) for name, v in found.items()}
    write_arrays(path, TREE_MODEL, kept, settings, 0, {})
    with pytest.raises(NotAnArtefactError, match="do not fit together"):
        load_tree_model(path)
    frequency = Array(-found["frequency"], ("symbol",))
    write_arrays(path, TREE_MODEL, {**kept, "frequency": frequency}, {"dependency": {"symbols": "forms"}}, 0, {})
    with pytest.raises(NotAnArtefactError, match="do not fit together"):
        load_tree_model(path)
