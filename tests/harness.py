"""One way to test models that sum over derivations: a structure says what its derivations are, one by one, and what
the program computes; each check holds one quantity of the program against the sum, or the best, of them all.

A new model is one class: `derivations` and those of `total`, `marginals`, `best`, `k_best` and `samples` that it has.
See `test_harness.HiddenMarkov` for all of them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pytest

Part = Hashable
"""What a marginal is of: a rule application at its place, a state of a word, …"""


class Derivation(NamedTuple):
    """One way to derive the input.

    Attributes
    ----------
    parts : tuple of Part
        A part counts as often as it is there.
    value : float
        Its probability, if the parameters are genuine.
    name : Hashable
        What the program calls the derivation in `best`, `k_best` and `samples`.
    """

    parts: tuple[Part, ...]
    value: float
    name: Hashable


class Structure:
    """A model with an input.  What a model does not compute is left out, and not checked."""

    rtol = 1e-10
    """How near sums must come, as a share of the largest."""

    score_tolerance = 1e-10
    """How near scores of best derivations must come."""

    def derivations(self) -> Iterable[Derivation]:
        """All of them, each once, found without any chart."""
        raise NotImplementedError

    def scores(self, derivations: Sequence[Derivation]) -> list[float]:
        """What `best` and `k_best` maximise."""
        return [derivation.value for derivation in derivations]

    total: Callable[[], float]
    """The sum of all values."""

    marginals: Callable[[], Mapping[Part, float]]
    """For each part the sum of the values of the derivations that have it; without those that none has, or with 0."""

    best: Callable[[], Hashable]
    """The name of a derivation of the highest score."""

    k_best: Callable[[int], list[tuple[float, Hashable]]]
    """The highest scores and the names of their derivations, best first."""

    samples: Callable[[int, np.random.Generator], Iterable[Hashable]]
    """Names of derivations, drawn with probabilities that are their shares of the total."""


# --- by enumeration ---------------------------------------------------------------------------------------


def enumerated_total(derivations: Iterable[Derivation]) -> float:
    return sum(derivation.value for derivation in derivations)


def enumerated_marginals(derivations: Iterable[Derivation]) -> dict[Part, float]:
    found: dict[Part, float] = defaultdict(float)
    for derivation in derivations:
        for part in derivation.parts:
            found[part] += derivation.value
    return dict(found)


def expected_counts(structures: Iterable[Structure]) -> tuple[dict[Part, float], float]:
    """Of independent inputs: how often each part is expected, and the log-likelihood of all of them."""
    counts: dict[Part, float] = defaultdict(float)
    log_likelihood = 0.0
    for structure in structures:
        derivations = list(structure.derivations())
        total = enumerated_total(derivations)
        log_likelihood += np.log(total)
        for part, value in enumerated_marginals(derivations).items():
            counts[part] += value / total
    return dict(counts), float(log_likelihood)


# --- checks -----------------------------------------------------------------------------------------------


def check_total(structure: Structure) -> None:
    expected = enumerated_total(structure.derivations())
    assert structure.total() == pytest.approx(expected, rel=structure.rtol, abs=structure.rtol)


def check_marginals(structure: Structure) -> None:
    assert_same(structure.marginals(), enumerated_marginals(structure.derivations()), structure.rtol)


def check_best(structure: Structure) -> None:
    by_name = _scores_by_name(structure)
    assert by_name[structure.best()] == pytest.approx(max(by_name.values()), abs=structure.score_tolerance)


def check_k_best(structure: Structure, k: int) -> None:
    by_name = _scores_by_name(structure)
    found = structure.k_best(k)
    scores, names = [score for score, _ in found], [name for _, name in found]
    assert len(set(names)) == len(names) == min(k, len(by_name))
    tolerance = {"rel": structure.rtol, "abs": structure.score_tolerance}
    assert scores == pytest.approx(sorted(by_name.values(), reverse=True)[:k], **tolerance)
    assert scores == sorted(scores, reverse=True)
    assert [by_name[name] for name in names] == pytest.approx(scores, **tolerance)


def check_samples(structure: Structure, n: int = 5000, seed: int = 0) -> None:
    """Each frequency is near its probability, and so are all together (χ², five standard deviations)."""
    shares: dict[Hashable, float] = defaultdict(float)
    for derivation in structure.derivations():
        shares[derivation.name] += derivation.value
    total = sum(shares.values())
    shares = {name: value / total for name, value in shares.items()}
    stream = np.random.default_rng([seed, n])  # not one that a test may have made the model with
    counts = Counter(structure.samples(n, stream))
    assert counts.total() == n
    assert_same_distribution(counts, shares)


def assert_same_distribution(counts: Mapping[Hashable, int], shares: Mapping[Hashable, float]) -> None:
    n = sum(counts.values())
    assert {name for name, count in counts.items() if count} <= {name for name, share in shares.items() if share > 0}
    cells = np.array(sorted((n * share, counts.get(name, 0)) for name, share in shares.items()))
    together = cells[:, 0].cumsum() <= 10  # too rare to be seen one by one
    expected, seen = np.vstack([cells[together].sum(0), cells[~together]]).T
    deviations = (seen - expected) / np.sqrt(np.maximum(expected, 1))
    assert np.abs(deviations).max() < 4.5
    degrees = len(deviations) - 1
    assert (deviations**2).sum() - degrees < 5 * np.sqrt(2 * max(degrees, 1))


def _scores_by_name(structure: Structure) -> dict[Hashable, float]:
    derivations = list(structure.derivations())
    names = [derivation.name for derivation in derivations]
    assert len(set(names)) == len(names), "names tell derivations apart"
    return dict(zip(names, structure.scores(derivations), strict=True))


def assert_same(found: Mapping[Part, float], expected: Mapping[Part, float], rtol: float) -> None:
    scale = max((abs(value) for value in expected.values()), default=1.0)
    for part in set(found) | set(expected):
        assert found.get(part, 0.0) == pytest.approx(expected.get(part, 0.0), rel=rtol, abs=rtol * scale), part


CHECKS: dict[str, Callable[[Structure], None]] = {
    "total": check_total,
    "marginals": check_marginals,
    "best": check_best,
    "k_best": lambda structure: [check_k_best(structure, k) for k in (1, 2, 7, 1000)] and None,
    "samples": check_samples,
}


def check(structure: Structure) -> None:
    """Everything that the structure computes, which must be something."""
    computed = [name for name in CHECKS if hasattr(structure, name)]
    assert computed
    for name in computed:
        CHECKS[name](structure)
