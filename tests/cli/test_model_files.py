"""Model files whose parts do not fit together: an untrusted file must not reach the kernels."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from command_line import fail, succeed

from lpcfg_cli.errors import ArtefactTooNewError
from lpcfg_cli.grammar.archive import MODEL, MODEL_FILE, load_model
from lpcfg_cli.storage.artefacts import Array, read_arrays, read_header, write_arrays

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


def as_format_3(source, path):
    """Write a model as programs before format 4 did: arrays plain."""
    header, values = read_arrays(source, MODEL)
    old = {name: Array(values[name], ("x",)) for name in values}
    kind = replace(MODEL, version=3, is_packed=False)
    write_arrays(path, kind, old, header.settings, header.seed, header.inputs)


def test_a_model_of_format_3_is_read_and_is_larger(trained, tmp_path):
    as_format_3(trained / MODEL_FILE, tmp_path / "old")
    assert succeed("parse", tmp_path / "old", stdin=SENTENCE).out == succeed("parse", trained, stdin=SENTENCE).out
    assert (tmp_path / "old").stat().st_size > 1.5 * (trained / MODEL_FILE).stat().st_size


def test_programs_for_format_3_are_told_that_the_file_is_newer(trained):
    with pytest.raises(
        ArtefactTooNewError, match=r"lpcfg-model format 6; this program reads 2 to 3\. Update lpcfg, or"
    ):
        read_arrays(trained / MODEL_FILE, replace(MODEL, version=3, is_packed=False))


@pytest.mark.parametrize("is_old", [False, True])
def test_a_stored_correction_keeps_the_format_of_the_file(trained, tmp_path, is_old):
    model, gold = tmp_path / "model", tmp_path / "gold.mrg"
    if is_old:
        as_format_3(trained / MODEL_FILE, model)
    else:
        model.write_bytes((trained / MODEL_FILE).read_bytes())
    size = model.stat().st_size
    gold.write_text("(S (NP (DT The) (NN keeper)) (VP (VBD lit) (NP (DT the) (NN lamp))) (. .))\n" * 3)
    succeed("calibrate", model, gold, "--save")
    assert read_header(model, MODEL).version == (3 if is_old else MODEL.version)
    assert model.stat().st_size == pytest.approx(size, abs=3000)
    if is_old:  # programs for that format can still read it
        read_arrays(model, replace(MODEL, version=3, is_packed=False))


def test_parameters_have_the_bits_that_were_asked_for(tiny_treebank, small_settings, trained, tmp_path):
    config = tmp_path / "few.toml"
    config.write_text(small_settings.read_text() + "[estimate]\nbits = 8\n")
    for name in ("run", "again"):
        succeed("train", tiny_treebank, "-o", tmp_path / name, "-c", config)
    file = tmp_path / "run" / MODEL_FILE
    assert file.read_bytes() == (tmp_path / "again" / MODEL_FILE).read_bytes()
    assert file.stat().st_size < (trained / MODEL_FILE).stat().st_size
    with np.load(file) as few, np.load(trained / MODEL_FILE) as full:
        for name in full.files:
            if name == "header.json":
                continue
            if name in ("binary_values", "unary_values", "lexical_values"):
                assert (few[name].dtype, full[name].dtype) == (np.float32, np.float64)
                assert not (few[name].view(np.uint32) & 0xFFFF).any()  # 24 bits less 8 are zero
                assert (np.abs(few[name] - full[name]) <= 2.0**-8 * np.abs(full[name])).all()
                assert (few[name] != full[name]).any()
            else:
                np.testing.assert_array_equal(few[name], full[name])
    found = [json.loads(succeed("parse", run, "--to", "jsonl", stdin=SENTENCE).out) for run in (file, trained)]
    assert found[0]["tree"] == found[1]["tree"]
