"""The file form of models of sequences: what is read is what was written, and crafted files are refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hmm_models import exact_counts, random_hmm

from lpcfg_cli.config import HmmSettings
from lpcfg_cli.errors import NotAnArtefactError
from lpcfg_cli.hmm.archive import FORMS, HMM, load_hmm, save_hmm
from lpcfg_cli.hmm.enumeration import all_values
from lpcfg_cli.hmm.learner import HmmData
from lpcfg_cli.hmm.learners import learn_hmm
from lpcfg_cli.storage.artefacts import Array, read_arrays, write_arrays


def model_of(form):
    model = random_hmm(0, 3, 4)
    if form == "hidden":
        return model
    learner = "spectral" if form == "reduced" else form
    settings = HmmSettings(learner=learner, states=3, kappa=1.0, floor=0.125)
    return learn_hmm(HmmData(exact_counts(model)), settings, 0).model


@pytest.mark.parametrize("form", ["hidden", "reduced", "full"])
def test_what_is_read_is_what_was_written(tmp_path, form):
    model = model_of(form)
    for name in ("a", "b"):
        save_hmm(model, tmp_path / name, {"hmm": {"states": 3}}, 7, {"text": "0" * 64})
    header, again = load_hmm(tmp_path / "a")
    assert (header.seed, header.settings) == (7, {"hmm": {"states": 3}, "form": form})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert (type(again), again.vocabulary, again.floor) == (type(model), model.vocabulary, model.floor)
    assert all_values(again, 3).tobytes() == all_values(model, 3).tobytes()
    numbers = np.array([3, 4, 2], np.int32)
    assert again.predict(numbers).probability.tobytes() == model.predict(numbers).probability.tobytes()


@pytest.mark.parametrize("form", ["hidden", "reduced", "full"])
def test_arrays_of_other_sizes_are_refused_before_a_kernel_reads_beyond_them(tmp_path, form):
    path = tmp_path / "x.hmm.npz"
    save_hmm(model_of(form), path, {}, 0, {})
    header, arrays = read_arrays(path, HMM)
    for name in sorted(next(one for one in FORMS if one.name == form).layout):
        axes = [f"axis{k}" for k in range(arrays[name].ndim)]
        for changed in (arrays[name][..., :-1], arrays[name].astype(np.float32)):
            others = {other: Array(v, tuple(f"{other}{k}" for k in range(v.ndim))) for other, v in arrays.items()}
            others[name] = Array(np.ascontiguousarray(changed), tuple(axes))
            write_arrays(path, HMM, others, header.settings, 0, {})
            with pytest.raises(NotAnArtefactError, match=r"do not fit together .* Run `lpcfg hmm train`"):
                load_hmm(path)
        del others[name]
        write_arrays(path, HMM, others, header.settings, 0, {})
        with pytest.raises(NotAnArtefactError):
            load_hmm(path)
    unchanged = {name: Array(v, tuple(f"{name}{k}" for k in range(v.ndim))) for name, v in arrays.items()}
    write_arrays(path, HMM, unchanged, {**header.settings, "form": "other"}, 0, {})
    with pytest.raises(NotAnArtefactError):
        load_hmm(path)
    write_arrays(path, HMM, unchanged, header.settings, 0, {})
    assert replace(load_hmm(path)[0], inputs={}).settings == header.settings


@pytest.mark.parametrize(
    ("form", "array", "place", "value"),
    [
        ("hidden", "initial", (0, 0), 2.0), ("hidden", "transition", (0, 0), -1.0), ("hidden", "emission", (4, 1), 1.0),
        ("hidden", "initial", slice(None), 0.0), ("full", "numbers", 1, 1.5), ("reduced", "numbers", 1, -0.1),
        ("full", "frequency", 3, -1.0), ("full", "words_data", 0, 255), ("reduced", "words_offsets", 1, 10**6),
    ],
)  # fmt: skip
def test_numbers_out_of_their_range_are_refused(tmp_path, form, array, place, value):
    path = tmp_path / "x.hmm.npz"
    save_hmm(model_of(form), path, {}, 0, {})
    header, arrays = read_arrays(path, HMM)
    arrays[array] = arrays[array].copy()
    arrays[array][place] = value
    named = {name: Array(v, tuple(f"{name}{k}" for k in range(v.ndim))) for name, v in arrays.items()}
    write_arrays(path, HMM, named, header.settings, 0, {})
    with pytest.raises(NotAnArtefactError, match=r"x\.hmm\.npz: its parts do not fit .* Run `lpcfg hmm train` again"):
        load_hmm(path)
