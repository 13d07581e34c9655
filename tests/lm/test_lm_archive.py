"""The file form of language models: crafted files are refused before anything is computed with them."""

from __future__ import annotations

import numpy as np
import pytest
from text_blocks import count, events, random_text

from lpcfg_cli.config import LmSettings
from lpcfg_cli.errors import NotAnArtefactError, SyntaxProblem
from lpcfg_cli.lm.archive import FORMS, LM, load_lm, save_lm
from lpcfg_cli.lm.arpa import read_arpa
from lpcfg_cli.lm.kneser_ney import fit_kneser_ney
from lpcfg_cli.lm.learner import LmData
from lpcfg_cli.lm.learners import learn_lm
from lpcfg_cli.lm.mixed import mix
from lpcfg_cli.storage.artefacts import Array, read_arrays, write_arrays

COUNTS = count(random_text(0, 60, 8), 3)
LATENT = learn_lm(LmData(COUNTS), LmSettings(learner="em", states=3, iterations=3), 0).model
BACKOFF = fit_kneser_ney(COUNTS)
MIXED = mix([LATENT, BACKOFF], COUNTS, events(random_text(1, 20, 8), COUNTS.vocabulary, 3))
MODELS = {"latent": LATENT, "backoff": BACKOFF, "mixed": MIXED}
REFUSED = r"x\.lm\.npz: its parts do not fit together .* Run `lpcfg lm train` again"


def stored(tmp_path, name):
    """The file of a model, its header and arrays."""
    path = tmp_path / "x.lm.npz"
    save_lm(MODELS[name], path, {}, 0, {})
    return path, *read_arrays(path, LM)


def write(path, header, arrays, **settings):
    named = {name: Array(v, tuple(f"{name}{k}" for k in range(v.ndim))) for name, v in arrays.items()}
    write_arrays(path, LM, named, {**header.settings, **settings}, 0, {})


@pytest.mark.parametrize("name", MODELS)
def test_arrays_of_other_sizes_or_types_and_missing_ones_are_refused(tmp_path, name):
    path, header, arrays = stored(tmp_path, name)
    free = {"model0_anchors"} if name != "backoff" else set()  # there may be none
    for changed in sorted(arrays):
        own = arrays[changed]
        others = [own.astype(np.float32), own[..., None], None]
        if changed not in free and own.size > 1:
            others.append(np.ascontiguousarray(own[..., :-1]))
        for other in others:
            rest = {k: v for k, v in arrays.items() if k != changed}
            if changed == "mix_weights" and other is None:
                continue  # without it, the file is one of two models, which the next test has
            write(path, header, rest if other is None else {**rest, changed: other})
            with pytest.raises(NotAnArtefactError, match=REFUSED):
                load_lm(path)
    write(path, header, arrays)
    assert type(load_lm(path)[1]) is type(MODELS[name])


@pytest.mark.parametrize(
    "names", [[], ["latent"], ["latent", "other"], ["latent", "backoff", "latent"], None, [[]], "latent", [None, 1]]
)
def test_other_names_of_forms_are_refused(tmp_path, names):
    path, header, arrays = stored(tmp_path, "mixed")
    assert {form.name for form in FORMS} == {"latent", "backoff"}
    write(path, header, arrays, models=names)
    with pytest.raises(NotAnArtefactError, match=REFUSED):
        load_lm(path)
    write(path, header, {k: v for k, v in arrays.items() if k != "mix_weights"})
    with pytest.raises(NotAnArtefactError, match=REFUSED):
        load_lm(path)


@pytest.mark.parametrize(
    ("name", "array", "place", "value"),
    [
        ("latent", "r", (0, 0), -0.5), ("latent", "r", (0, 0), 2.0), ("latent", "s", (4, 1), 0.9),
        ("latent", "weight", 0, 1.5), ("latent", "lag", 0, 0), ("latent", "lag", 0, 64), ("latent", "lag", 0, -1),
        ("backoff", "n_ngrams", 0, -1), ("backoff", "n_ngrams", 1, 10**9), ("backoff", "key", 0, 1),
        ("backoff", "key", -1, 10**12), ("backoff", "key", -1, -1), ("backoff", "key", -1, 3),
        ("backoff", "probability", 3, 1.5), ("backoff", "probability", 3, -1e-9), ("backoff", "backoff", 3, -0.1),
        ("mixed", "mix_class", 0, 99), ("mixed", "mix_class", 0, -1), ("mixed", "mix_weights", (0, 0), 7.0),
        ("latent", "words_data", 0, ord("x")), ("latent", "words_data", 0, 255), ("latent", "words_offsets", 0, 1),
        ("latent", "words_offsets", -1, 10**6), ("latent", "words_offsets", 1, 10**6),
    ],
)  # fmt: skip
def test_numbers_out_of_their_range_are_refused(tmp_path, name, array, place, value):
    path, header, arrays = stored(tmp_path, name)
    full = array if array in arrays else f"model0_{array}"
    arrays[full] = arrays[full].copy()
    arrays[full][place] = value
    write(path, header, arrays)
    with pytest.raises(NotAnArtefactError, match=REFUSED):
        load_lm(path)


def test_anchors_are_words(tmp_path):
    path, header, arrays = stored(tmp_path, "latent")
    for anchors, is_right in (([3, 4, 5], True), ([3, 4], False), ([3, 4, 99], False), ([-1, 3, 4], False)):
        write(path, header, {**arrays, "model0_anchors": np.array(anchors, np.int64)})
        if is_right:
            assert load_lm(path)[1].anchors.tolist() == anchors
        else:
            with pytest.raises(NotAnArtefactError, match=REFUSED):
                load_lm(path)


@pytest.mark.parametrize("number", ["nan", "0.5", "inf", "x"])
def test_numbers_of_arpa_files_that_are_no_logarithms_are_refused(tmp_path, number):
    path = tmp_path / "x.arpa"
    path.write_text(f"\\data\\\nngram 1=1\n\n\\1-grams:\n{number}\ta\n\\end\\\n")
    with pytest.raises(SyntaxProblem, match=r"x\.arpa:5:1: .*expected a logarithm ≤ 0, 1 word"):
        read_arpa(path)
    path.write_text(f"\\data\\\nngram 1=1\n\n\\1-grams:\n-1\ta\t{number.replace('0.5', '100')}\n\\end\\\n")
    with pytest.raises(SyntaxProblem, match=r"x\.arpa:5:1"):
        read_arpa(path)
    path.write_text("\\data\\\nngram 1=0\n\n\\1-grams:\n\\end\\\n")
    assert read_arpa(path).distribution([1]).tolist() == [0, 0, 0]
