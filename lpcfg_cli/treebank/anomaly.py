"""An anomaly of a treebank."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Anomaly:
    """Nodes that look like annotation errors of one kind.

    Attributes
    ----------
    kind : str
        Identifier of the kind, for programs.
    text : str
        Description, for people.
    nodes : ndarray of int64, shape (n,)
        All nodes concerned.
    remedy : str
        The option that removes the anomaly, if there is one; the description names it too.
    """

    kind: str
    text: str
    nodes: np.ndarray
    remedy: str = ""
