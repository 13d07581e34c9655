"""The ablations of ``lpcfg experiment``: named changes of single settings (C13 §4.3)."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, replace
from typing import Any

from lpcfg_cli.config import Settings
from lpcfg_cli.errors import ConfigError


@dataclass(frozen=True)
class Ablation:
    """A change of the spectral learner's settings.

    Attributes
    ----------
    title : str
        Title of its row in the table.
    section : str
        Section whose settings are changed.
    changes : dict
        Setting → value.
    against : str
        The ablation that it is compared with; empty for the unchanged settings.
    """

    title: str
    section: str
    changes: dict[str, Any]
    against: str = ""

    def apply(self, settings: Settings) -> Settings:
        """The settings with the change."""
        changed = replace(getattr(settings, self.section), **self.changes)
        return replace(settings, **{self.section: changed})


ABLATIONS = {
    "no-smoothing": Ablation("no smoothing", "estimate", {"smooth_rules": False, "smooth_lexicon": False}),
    "product": Ablation("decoding by Π|µ|", "parse", {"decoder": "max-rule"}),
    "magnitudes": Ablation("decoding by Σ|µ|", "parse", {"decoder": "sum"}),
    "signed": Ablation("by signed Σµ, against Σ|µ|", "parse", {"decoder": "signed"}, against="magnitudes"),
    "equal-m": Ablation("m wherever Ω has it", "svd", {"tolerance": 1e-9}),
    "m-by-spectrum": Ablation("m by the spectrum", "svd", {"tolerance": 0.1}),
    "no-scaling": Ablation("no scaling of features", "features", {"scale": False}),
    "simple-features": Ablation("simple features", "features", {"templates": "simple"}),
    "word-identity": Ablation("no word classes", "lexicon", {"rare_below": 1}),
    "signature-classes": Ablation("signature classes, < 20", "lexicon", {"classes": "signature", "rare_below": 20}),
    "collapsed-unaries": Ablation("collapsed unaries", "binarize", {"unaries": "collapse"}),
}
"""Ablations that change late stages come first, so that models with the same features are trained one after the other.

The number of states of a nonterminal is the number of singular values of its Ω above a share, `SvdSettings.tolerance`,
of the largest, and at most m.  ``equal-m`` counts all singular values that are not zero up to rounding, which on finite
data is closest to the papers' single m for all; ``m-by-spectrum`` gives fewer states to nonterminals whose spectrum
falls fast.
"""


def named_ablation(name: str) -> Ablation:
    """The ablation with a name; raises `ConfigError` for an unknown name."""
    if name not in ABLATIONS:
        near = difflib.get_close_matches(name, ABLATIONS, 1)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise ConfigError(f"experiment.ablations has {name!r}; expected names among {', '.join(ABLATIONS)}.{hint}")
    return ABLATIONS[name]


def compared_with(settings: Settings, name: str) -> str:
    """The name of the ablation that an ablation is compared with; empty if that would not change the settings."""
    against = named_ablation(name).against
    return against if ablate(settings, against) != settings else ""


def ablate(settings: Settings, name: str) -> Settings:
    """The settings changed by an ablation; unchanged for an empty name."""
    return named_ablation(name).apply(settings) if name else settings
