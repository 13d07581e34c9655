"""The interface of similarity metrics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lpcfg_cli.sts.comparison import Comparison, Resources


@dataclass(frozen=True)
class MetricGroup:
    """Metrics that need the same resources.

    Attributes
    ----------
    name : str
    summary : str
        One line for help pages.
    is_available : function of Resources to bool
    """

    name: str
    summary: str
    is_available: Callable[[Resources], bool]


@dataclass(frozen=True)
class Metric:
    """A measure of how similar two sentences are, or of what bears on it.

    Attributes
    ----------
    name : str
    summary : str
        One line for help pages.
    group : str
        Name of its `MetricGroup`.
    measure : function of Comparison to float
        Finite for all sentences, also for those without words.
    """

    name: str
    summary: str
    group: str
    measure: Callable[[Comparison], float]
