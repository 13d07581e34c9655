"""Ablations: each changes the settings that it names, to other values, and nothing else."""

from __future__ import annotations

import pytest

from lpcfg_cli.config import Settings, load_settings
from lpcfg_cli.errors import ConfigError
from lpcfg_cli.experiments.ablations import ABLATIONS, ablate, compared_with
from lpcfg_cli.experiments.experiment_grid import GridPoint, digest_of, grid, point_settings

# what C13 §4.3 leaves out, and what is ours
EXPECTED = {
    "no-smoothing": {"estimate.smooth_rules": False, "estimate.smooth_lexicon": False},
    "product": {"parse.decoder": "max-rule"},
    "magnitudes": {"parse.decoder": "sum"},
    "signed": {"parse.decoder": "signed"},
    "equal-m": {"svd.tolerance": 1e-9},
    "m-by-spectrum": {"svd.tolerance": 0.1},
    "no-scaling": {"features.scale": False},
    "simple-features": {"features.templates": "simple"},
    "word-identity": {"lexicon.rare_below": 1},
    "signature-classes": {"lexicon.classes": "signature", "lexicon.rare_below": 20},
    "collapsed-unaries": {"binarize.unaries": "collapse"},
}
BASE = load_settings(lexicon__classes="tag", lexicon__rare_below=50)


def flat(settings: Settings):
    return {
        f"{section}.{key}": value
        for section, values in settings.as_dict().items()
        if isinstance(values, dict)
        for key, value in values.items()
    }


def test_the_list_is_complete():
    assert list(EXPECTED) == list(ABLATIONS)


@pytest.mark.parametrize("name", EXPECTED)
def test_an_ablation_changes_exactly_what_it_names(name):
    before, after = flat(BASE), flat(ablate(BASE, name))
    assert {key: after[key] for key in before if after[key] != before[key]} == EXPECTED[name]


def test_no_name_changes_nothing_and_an_unknown_one_is_told():
    assert ablate(BASE, "") == BASE
    with pytest.raises(ConfigError, match=r"experiment\.ablations has 'no-smothing'.* Did you mean no-smoothing\?$"):
        ablate(BASE, "no-smothing")


def test_what_needs_another_ablation_brings_it_unless_the_settings_have_it():
    wanted = {"experiment__learners": ("pcfg",), "experiment__states": (8,), "experiment__ablations": ("signed",)}
    assert grid(load_settings(**wanted)) == [
        GridPoint("pcfg", 1, 0), GridPoint("spectral", 16, 0), GridPoint("spectral", 16, 0, "magnitudes"),
        GridPoint("spectral", 16, 0, "signed"),
    ]  # fmt: skip
    summed = load_settings(parse__decoder="sum", **wanted)
    assert grid(summed) == [
        GridPoint("pcfg", 1, 0),
        GridPoint("spectral", 16, 0),
        GridPoint("spectral", 16, 0, "signed"),
    ]
    assert compared_with(summed, "signed") == ""
    assert grid(load_settings(parse__decoder="signed", **wanted)) == [GridPoint("pcfg", 1, 0)]


def test_the_grid_runs_learners_without_states_or_chance_once():
    learners, ablations = ("pcfg", "spectral", "em"), ("no-scaling", "no-smoothing")
    settings = load_settings(
        experiment__learners=learners, experiment__states=(8, 16), experiment__seeds=(2, 1),
        experiment__ablations=ablations, experiment__ablation_states=(16, 24),
    )  # fmt: skip
    assert [cell.name for cell in grid(settings)] == [
        "pcfg", "spectral m=8", "spectral m=16",
        "em m=8 seed=0", "em m=16 seed=0", "em m=8 seed=1",
        "spectral m=24", "spectral m=16 no-scaling", "spectral m=24 no-scaling",
        "spectral m=16 no-smoothing", "spectral m=24 no-smoothing",
    ]  # fmt: skip


def test_a_result_is_kept_while_nothing_that_shapes_it_changes(tmp_path):
    for name in ("here.mrg", "elsewhere.mrg"):
        (tmp_path / name).write_text("(S (NN a))")

    def digest(cell, dev="here.mrg", hashes=("a",), **changes):
        dev = tmp_path / dev
        return digest_of(point_settings(load_settings(**changes), cell, dev), list(hashes))

    spectral, em = GridPoint("spectral", 8, 0), GridPoint("em", 8, 0)
    assert digest(spectral) == digest(spectral, em__iterations=3) == digest(spectral, experiment__seeds=(5,))
    assert digest(em) == digest(em, dev="elsewhere.mrg") == digest(em, svd__tolerance=0.5) == digest(em, em__refine=1)
    every = [
        digest(spectral), digest(em), digest(em, em__iterations=3),
        digest(GridPoint("em", 9, 0)), digest(GridPoint("em", 8, 1)),
        digest(GridPoint("spectral", 8, 0, "signed")), digest(spectral, parse__decoder="sum"),
        digest(spectral, hashes=("b",)), digest(spectral, seed=3),
    ]  # fmt: skip
    assert len(set(every)) == len(every)
