"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from lpcfg_cli.config import Settings, load_settings

Function = TypeVar("Function", bound=Callable[..., Any])

SETTING_OPTIONS: dict[str, list[Callable[[Any], Any]]] = {
    "common": [
        click.option(
            "-c",
            "--config",
            type=click.Path(path_type=Path),
            help="TOML file of settings; flags win over it.",
        ),
        click.option("--seed", type=int, help="Start of every random stream."),
    ],
    "read": [
        click.option(
            "--on-error",
            "read__on_error",
            help="stop at text that is not a tree, or skip it and list what was skipped.",
        ),
        click.option("--encoding", "read__encoding", metavar="NAME", help="Encoding of the tree files.  [utf-8]"),
    ],
    "binarize": [
        click.option("--unaries", "binarize__unaries", help="Unary chains: latent (a rule a span) or collapse."),
        click.option("--direction", "binarize__direction", help="Binarize left, right or head outward."),
        click.option("--horizontal", "binarize__horizontal", type=int, help="Siblings remembered; -1 for all."),
        click.option("--vertical", "binarize__vertical", type=int, help="Ancestors remembered, itself included."),
        click.option("--head-rules", "binarize__head_rules", help="neutral, english, or a rule file."),
    ],
    "features": [
        click.option("--templates", "features__templates", help="full, simple, constant, or names joined by commas."),
        click.option("--scale/--no-scale", "features__scale", default=None, help="Scale features by frequency."),
        click.option("--rare-below", "lexicon__rare_below", type=int, help="Words seen less often become classes."),
        click.option("--classes", "lexicon__classes", help="Word classes: signature or tag."),
    ],
    "svd": [click.option("-m", "--states", "svd__states", type=int, help="Latent states of a nonterminal, at most.")],
    "estimate": [
        click.option(
            "--learner", "estimate__learner", help="spectral, em, cluster, pivot, pivot+em, pcfg or markov.  [spectral]"
        ),
        click.option("--iterations", "em__iterations", type=int, help="Steps of EM from a random start, at most."),
        click.option("--dev", "em__dev", metavar="TREES", help="Trees on which EM's iteration is chosen."),
        click.option("--smooth/--no-smooth", "smooth", default=None, help="Smooth rules and lexicon."),
    ],
    "consistency": [
        click.option("--grammars", "consistency__grammars", help="Names or *.grammar files, joined by commas."),
        click.option("--learners", "consistency__learners", help="Names, joined by commas; all but markov by default."),
        click.option("--smallest", "consistency__smallest", type=int, help="Least M.  [1000]"),
        click.option("--largest", "consistency__largest", type=int, help="Largest M.  [1000000]"),
        click.option("--em-largest", "consistency__em_largest", type=int, help="Largest M for EM.  [100000]"),
        click.option("--seeds", "consistency__seeds", type=int, help="Samples of each size.  [3]"),
        click.option("--starts", "consistency__starts", type=int, help="Random starts of EM.  [4]"),
        click.option("--words", "consistency__words", type=int, help="Errors are over trees up to this long.  [4]"),
        click.option("--templates", "consistency__templates", help="Features: simple, full, or names.  [simple]"),
    ],
    "ensemble": [
        click.option(
            "--ensemble", "ensemble__members", type=int, metavar="K", help="Train K models that parse together."
        ),
        click.option("--dropout", "svd__dropout", type=float, help="Share of feature values left out before the SVD."),
        click.option("--noise", "svd__noise", type=float, help="Deviation of random factors on feature values."),
    ],
    "tagger": [
        click.option("--no-tagger", is_flag=True, help="Train no tagger: the model will read no raw text."),
    ],
    "parse": [
        click.option("--decoder", "parse__decoder", help="expected-f1, max-rule, sum or signed."),
        click.option("--threshold", "parse__threshold", type=float, help="Posterior below which items are pruned."),
    ],
}


def setting_options(*groups: str) -> Callable[[Function], Function]:
    """Decorator: the options of the named groups, in order, and those common to all."""

    def decorate(function: Function) -> Function:
        for group in reversed([*groups, "common"]):
            for option in reversed(SETTING_OPTIONS[group]):
                function = option(function)
        return function

    return decorate


def split_names(text: str) -> tuple[str, ...]:
    """Names that are joined by commas."""
    return tuple(name.strip() for name in text.split(","))


def resolve_settings(options: dict[str, Any]) -> Settings:
    """Settings from a command's options: defaults, then the config file, then flags."""
    given = dict(options)
    config = given.pop("config", None)
    smooth = given.pop("smooth", None)
    if smooth is not None:
        given["estimate__smooth_rules"] = given["estimate__smooth_lexicon"] = smooth
    if given.pop("no_tagger", False):
        given["tagger__epochs"] = 0
    for name in ("features__templates", "consistency__templates"):
        if "," in (given.get(name) or ""):
            given[name] = split_names(given[name])
    for name in ("consistency__grammars", "consistency__learners"):
        if given.get(name) is not None:
            given[name] = split_names(given[name])
    return load_settings(config, **given)
