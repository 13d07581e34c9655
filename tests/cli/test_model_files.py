"""Model files whose parts do not fit together: an untrusted file must not reach the kernels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from command_line import fail, succeed

from lpcfg_cli.grammar.archive import MODEL, MODEL_FILE, load_model
from lpcfg_cli.storage.artefacts import Array, read_arrays, write_arrays

SENTENCE = "The/DT keeper/NN lit/VBD the/DT lamp/NN ./.\n"
INDICES = [
    "n_states", "state_start", "binary_parent", "binary_left", "binary_right", "binary_rank", "binary_start",
    "unary_parent", "unary_child", "unary_hidden", "unary_start", "lexical_symbol", "lexical_entry_start",
    "lexical_start",
]  # fmt: skip
NUMBERS = [
    "binary_values", "binary_probability", "unary_values", "unary_probability", "lexical_values",
    "lexical_probability", "root_vector", "root_probability", "unseen_vector", "unseen_probability",
]  # fmt: skip


@pytest.fixture
def rewritten(trained, tmp_path):
    """Write the model again with some arrays and settings changed; returns the new file."""

    def write(arrays=None, **settings):
        header, values = read_arrays(trained / MODEL_FILE, MODEL)
        values |= arrays(values) if arrays else {}
        stored = {name: Array(array, ("x",) * array.ndim) for name, array in values.items() if array is not None}
        write_arrays(tmp_path / "model", MODEL, stored, header.settings | settings, header.seed, header.inputs)
        return tmp_path / "model"

    return write


def refused(path):
    message = fail(4, "parse", path, stdin=SENTENCE)
    assert "model: its parts do not fit together" in message
    assert "Run `lpcfg train` again." in message


def test_a_model_written_again_unchanged_is_read(rewritten, trained):
    again = succeed("parse", rewritten(), stdin=SENTENCE).out
    assert again == succeed("parse", trained, stdin=SENTENCE).out


@pytest.mark.parametrize("name", INDICES)
@pytest.mark.parametrize("place", ["first", "middle", "last"])
def test_positions_out_of_range_are_refused(rewritten, name, place):
    for wrong in (-1, 10**6, 2**31 - 1):

        def change(arrays, wrong=wrong):
            changed = arrays[name].copy()
            changed[{"first": 0, "middle": len(changed) // 2, "last": -1}[place]] = wrong
            return {name: changed}

        refused(rewritten(change))


@pytest.mark.parametrize("name", INDICES + NUMBERS)
def test_arrays_of_another_length_type_or_shape_or_none_are_refused(rewritten, name):
    types = ["f2"] if name.endswith("_values") else ["f2", "f4"]  # rule values may be in single precision
    retyped = [lambda a, wrong=wrong: a.astype(wrong) for wrong in types]
    for change in (lambda a: a[:-1], lambda a: np.append(a, a[-1:]), *retyped, lambda a: a[None]):
        refused(rewritten(lambda arrays, change=change: {name: change(arrays[name])}))
    refused(rewritten(lambda _: {name: None}))


@pytest.mark.parametrize("name", [name for name in NUMBERS if name.endswith("probability")])
@pytest.mark.parametrize("wrong", [-0.1, 1.5, 1e300])
def test_probabilities_that_are_none_are_refused(rewritten, name, wrong):
    def change(arrays):
        changed = arrays[name].copy()
        changed[len(changed) // 2] = wrong
        return {name: changed}

    refused(rewritten(change))


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_that_are_none_are_refused(rewritten, monkeypatch, name):
    monkeypatch.setattr(
        "lpcfg_cli.storage.artefacts.check_finite", lambda *_: None
    )  # a stranger's program has no such check
    for wrong in (np.nan, np.inf):
        refused(
            rewritten(
                lambda arrays, wrong=wrong: {name: np.where(np.arange(len(arrays[name])) == 0, wrong, arrays[name])}
            )
        )


@pytest.mark.parametrize(
    "change",
    [
        {"symbols": []}, {"symbols": [1]}, {"symbols": None}, {"hidden_labels": []}, {"hidden_labels": [1]},
        {"hidden_labels": [[1]]}, {"lexicons": [{"x": 1}]}, {"lexicons": [{"rare_below": 0}]}, {"lexicons": []},
    ],
)  # fmt: skip
def test_tables_that_do_not_fit_are_refused(rewritten, trained, change):
    tables = read_arrays(trained / MODEL_FILE, MODEL)[0].settings["tables"]
    refused(rewritten(tables=tables | change))
    refused(rewritten(tables=None))


@pytest.mark.parametrize("labels", [[], [1], [None]])
def test_symbols_without_proper_labels_are_refused(rewritten, trained, labels):
    tables = read_arrays(trained / MODEL_FILE, MODEL)[0].settings["tables"]
    tables["symbols"][0]["labels"] = labels
    refused(rewritten(tables=tables))


def test_settings_of_parsing_that_are_unknown_are_told(rewritten):
    assert "model: unknown setting parse.magic." in fail(2, "parse", rewritten(parse={"magic": 1}), stdin=SENTENCE)


@pytest.mark.parametrize("learner", ["spectral", "cluster"])
def test_a_model_of_format_2_is_read(tiny_treebank, small_settings, tmp_path, learner):
    """Format 2 has another name for hidden labels, and does not record whether parameters are probabilities."""
    run = tmp_path / "run"
    succeed("train", tiny_treebank, "-o", run, "-c", small_settings, "--learner", learner)
    header, values = read_arrays(run / MODEL_FILE, MODEL)
    old = {name.replace("unary_hidden", "unary_between"): Array(values[name], ("x",)) for name in values}
    tables = dict(header.settings["tables"])
    tables["betweens"] = tables.pop("hidden_labels")
    assert tables.pop("is_probabilistic") == [learner == "cluster"]
    settings = header.settings | {"tables": tables}
    write_arrays(tmp_path / "old", replace(MODEL, version=2), old, settings, header.seed, header.inputs)
    assert load_model(tmp_path / "old")[1].is_probabilistic == (learner == "cluster")
    assert succeed("parse", tmp_path / "old", stdin=SENTENCE).out == succeed("parse", run, stdin=SENTENCE).out
