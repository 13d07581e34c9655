"""Training: a regression a set and one for all, and the choice of how negative cosines count."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from toy_pairs import toy_embeddings, toy_pairs

from lpcfg_cli.config import SimilaritySettings
from lpcfg_cli.sts.metrics import measure
from lpcfg_cli.sts.regression import fit
from lpcfg_cli.sts.training import resources_of, scores_of, train_similarity

SETTINGS = SimilaritySettings(groups=("surface", "vectors"), terms="squares")


def trained(cosines, sets):
    resources = resources_of(sets, SETTINGS, toy_embeddings(dimensions=3))
    return train_similarity(sets, replace(SETTINGS, cosines=cosines), resources)


def error(model, sets):
    return sum(len(one) * model.regressions[one.name].error ** 2 for one in sets)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_better_of_cut_and_signed_cosines_is_chosen(seed):
    sets = [toy_pairs(10 * seed, 30, "a"), toy_pairs(10 * seed + 1, 40, "b")]
    cut, signed, chosen = (trained(cosines, sets) for cosines in ("cut", "signed", "choose"))
    assert (cut.resources.cut, signed.resources.cut) == (True, False)
    assert error(cut, sets) != error(signed, sets)
    better = min(cut, signed, key=lambda model: error(model, sets))
    assert chosen.resources.cut == better.resources.cut
    pairs = toy_pairs(99, 20).pairs
    for name in ("a", "b", "all"):
        assert chosen.predict(pairs, name).tobytes() == better.predict(pairs, name).tobytes()


def test_each_set_has_its_regression_and_others_that_of_all():
    sets = [toy_pairs(1, 30, "a"), toy_pairs(2, 40, "b")]
    model = trained("cut", sets)
    values = [measure(one.pairs, model.metrics, model.resources) for one in sets]
    expected = {
        "a": fit(values[0], sets[0].score, SETTINGS),
        "b": fit(values[1], sets[1].score, SETTINGS),
        "all": fit(np.concatenate(values), scores_of(sets), SETTINGS),
    }
    assert list(model.regressions) == list(expected)
    for name, regression in expected.items():
        assert model.regressions[name].weights.tobytes() == regression.weights.tobytes()
    assert [model.regression_for(name) for name in ("a", "b", "c", "")] == ["a", "b", "all", "all"]
    alone = trained("cut", sets[:1])
    assert alone.regressions["all"] is alone.regressions["a"]
