"""All settings and their defaults; TOML files override them and flags override both."""

from __future__ import annotations

import codecs
import difflib
import math
import tomllib
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from lpcfg_cli.errors import ConfigError, InputError

MAY_BE_LISTS = ("templates",)
"""Settings that are a name or a list of names."""

LISTS_OF_TABLES = ("vary",)
"""Settings that are a list of tables of settings."""


@dataclass(frozen=True)
class ReadSettings:
    """How tree files are read.

    Attributes
    ----------
    encoding : str
        Name of a codec; a byte order mark wins over it.
    on_error : {"stop", "skip"}
        Whether a file that is not all trees ends the run, or what is no tree is left out and listed.
    """

    encoding: str = "utf-8"
    on_error: str = "stop"

    def __post_init__(self) -> None:
        _one_of("read.on_error", self.on_error, ("stop", "skip"))
        try:
            codecs.lookup(self.encoding)
        except LookupError as error:
            hint = "Name one that Python knows, such as utf-8 or latin-1."
            raise ConfigError(f"read.encoding is {self.encoding!r}, no known encoding. {hint}") from error


@dataclass(frozen=True)
class CleanSettings:
    """What is taken off the annotated trees.

    Attributes
    ----------
    strip_functions : bool
        Cut phrase labels at ``-`` and ``=``.
    wrappers : tuple of str
        Root labels that stand for no phrase, besides the empty one.
    """

    strip_functions: bool = True
    wrappers: tuple[str, ...] = ("TOP", "ROOT", "S1")


@dataclass(frozen=True)
class BinarizeSettings:
    """How trees become binary.

    Attributes
    ----------
    unaries : {"latent", "collapse"}
        A unary rule a span, or unary chains as atomic symbols (C13 §4).
    direction : {"left", "right", "head"}
        Which child an intermediate symbol leaves out first.
    horizontal : int
        How many of the children left out last an intermediate symbol remembers; -1 for all.
    vertical : int
        How many labels of its line of ancestors a phrase remembers, itself included.
    head_rules : str
        ``neutral``, ``english``, or the path of a head rule file.
    """

    unaries: str = "latent"
    direction: str = "left"
    horizontal: int = 0
    vertical: int = 1
    head_rules: str = "neutral"

    def __post_init__(self) -> None:
        _one_of("binarize.unaries", self.unaries, ("latent", "collapse"))
        _one_of("binarize.direction", self.direction, ("left", "right", "head"))
        _at_least("binarize.horizontal", self.horizontal, -1)
        _at_least("binarize.vertical", self.vertical, 1)


@dataclass(frozen=True)
class LexiconSettings:
    """When a word is replaced by its class, and what the classes are.

    Attributes
    ----------
    rare_below : int
        Words seen fewer times are replaced by their class; 1 keeps every training word.
    lowercase : bool
        Count and keep words lower-cased; classes see the word as written.
    classes : {"signature", "tag"}
        Classes by digits, case, hyphens and learnt suffixes, or one class for each tag.
    max_suffixes : int
        How many suffixes are learnt at most.
    suffix_length : int
        Longest suffix considered, in characters.
    """

    rare_below: int = 20
    lowercase: bool = True
    classes: str = "signature"
    max_suffixes: int = 40
    suffix_length: int = 4

    def __post_init__(self) -> None:
        _one_of("lexicon.classes", self.classes, ("signature", "tag"))
        _at_least("lexicon.rare_below", self.rare_below, 1)
        _at_least("lexicon.max_suffixes", self.max_suffixes, 0)
        _at_least("lexicon.suffix_length", self.suffix_length, 1)


@dataclass(frozen=True)
class FeatureSettings:
    """Which features describe inside and outside trees (C13 §3.1).

    Attributes
    ----------
    templates : str or tuple of str
        ``full``, ``simple``, ``constant``, or names of templates.
    scale : bool
        Multiply a feature by √(M / (count + κ)).
    kappa : float
        κ.
    """

    templates: str | tuple[str, ...] = "full"
    scale: bool = True
    kappa: float = 5.0

    def __post_init__(self) -> None:
        _at_least("features.kappa", self.kappa, 0.0)


@dataclass(frozen=True)
class SvdSettings:
    """How inside and outside trees are projected.

    Attributes
    ----------
    states : int
        m: the largest number of latent states of a nonterminal.
    tolerance : float
        Singular values below this share of the largest count as zero.
    dense_limit : int
        Matrices whose smaller side is at most this are decomposed densely.
    dropout : float
        Share of the features' values that are left out at random: members of an ensemble then differ.
    noise : float
        Standard deviation of random factors around 1 that the features' values are multiplied by, for the same end.
    """

    states: int = 16
    tolerance: float = 0.01
    dense_limit: int = 200
    dropout: float = 0.0
    noise: float = 0.0

    def __post_init__(self) -> None:
        _at_least("svd.states", self.states, 1)
        _at_least("svd.tolerance", self.tolerance, 0.0)
        _at_least("svd.dense_limit", self.dense_limit, 1)
        _at_least("svd.dropout", self.dropout, 0.0)
        _at_least("svd.noise", self.noise, 0.0)
        if self.dropout >= 1:
            raise ConfigError(f"svd.dropout is {self.dropout}; it is a share of the values, below 1.")


LEARNERS = ("spectral", "em", "cluster", "pivot", "pivot+em", "pcfg", "markov")
"""Ways to find parameters; `EstimateSettings` says which is which."""

WITHOUT_CHANCE = ("pcfg", "markov", "spectral")
"""Learners whose models do not depend on the seed."""

MARKOV: dict[str, Any] = {"vertical": 2, "horizontal": 1}
"""What the learner of that name asks of binarization (C13 §4.3)."""


@dataclass(frozen=True)
class EstimateSettings:
    """How parameters are found, and how moments are smoothed (C13 §3.2).

    Attributes
    ----------
    learner : {"spectral", "em", "cluster", "pivot", "pivot+em", "pcfg", "markov"}
        Moments of projected nodes; EM from a random start; EM from states that k-means finds among projected
        nodes; states found by pivot features (CC14); EM from there; relative frequencies; the same over symbols
        that remember a parent and a sibling.
    smooth_rules : bool
        Back binary and unary moments off to lower-order ones.
    binary_c, unary_c : float
        C in λ = √count / (C + √count), for binary and unary rules.
    smooth_lexicon : bool
        Back rare lexical vectors off to the tag's mean.
    lexical_nu : float
        ν, the weight that a rare lexical vector keeps.
    lexical_max_count : int
        The largest count that makes a lexical rule rare.
    """

    learner: str = "spectral"
    smooth_rules: bool = True
    binary_c: float = 25.0
    unary_c: float = 12.5
    smooth_lexicon: bool = True
    lexical_nu: float = 0.5
    lexical_max_count: int = 10

    def __post_init__(self) -> None:
        _one_of("estimate.learner", self.learner, LEARNERS)
        _at_least("estimate.binary_c", self.binary_c, 0.0)
        _at_least("estimate.unary_c", self.unary_c, 0.0)
        _at_least("estimate.lexical_nu", self.lexical_nu, 0.0)
        if self.lexical_nu > 1:
            raise ConfigError(f"estimate.lexical_nu is {self.lexical_nu}; it is a weight between 0 and 1.")


@dataclass(frozen=True)
class EmSettings:
    """How EM goes, for the learners ``em``, ``cluster`` and ``pivot+em``.

    Attributes
    ----------
    iterations : int
        Steps of the learner ``em``, at most.
    refine : int
        Steps of the learners ``cluster`` and ``pivot+em``, at most: their start is close to where they end.
    spread : float
        A random start multiplies each relative frequency by a factor between 1 / spread and spread.
    prior : float
        κ: every state starts with κ counts from the plain PCFG; 0 for maximum likelihood.  Also for ``pivot``.
    tolerance : float
        Without a dev treebank EM ends when its bound rises by a smaller share of its size.
    dev : str
        Trees on which the iteration is chosen, a file or directory; none if empty.
    every : int
        Steps of the learner ``em`` between two looks at them; the others look at every step.
    patience : int
        Looks without a better F1 after which EM ends.
    """

    iterations: int = 30
    refine: int = 5
    spread: float = 3.0
    prior: float = 1.0
    tolerance: float = 1e-4
    dev: str = ""
    every: int = 5
    patience: int = 4

    def __post_init__(self) -> None:
        for name, least in (("iterations", 0), ("refine", 0), ("spread", 1), ("prior", 0), ("tolerance", 0)):
            _at_least(f"em.{name}", getattr(self, name), least)
        _at_least("em.every", self.every, 1)
        _at_least("em.patience", self.patience, 1)


def _lexicons() -> tuple[dict[str, Any], ...]:
    return tuple(
        {"lexicon": {"classes": classes, "rare_below": rare}}
        for classes in ("tag", "signature")
        for rare in (5, 20, 50)
    )


@dataclass(frozen=True)
class TuneSettings:
    """What ``lpcfg train --tune`` chooses from, and on which held-out trees.

    Attributes
    ----------
    vary : tuple of dict
        Settings to try, each over the others; the best are those of the model.
    folds : int
        Parts of the treebank.
    only : tuple of int
        The parts that are held out in turn; all if empty.
    """

    vary: tuple[dict[str, Any], ...] = field(default_factory=_lexicons)
    folds: int = 10
    only: tuple[int, ...] = (0, 5)

    def __post_init__(self) -> None:
        _at_least("tune.folds", self.folds, 2)
        if not self.vary:
            raise ConfigError("tune.vary is empty: there is nothing to choose from.")


VARIED = ("lexicon", "features", "svd", "estimate", "em", "pivot")
"""Sections in which the members of an ensemble may differ: all but what their common rules follow from."""


@dataclass(frozen=True)
class EnsembleSettings:
    """Several models of the same rules that parse together.

    Attributes
    ----------
    members : int
        How many; each has a seed of its own, counted on from the run's.
    vary : tuple of dict
        Settings by which members differ besides: the first one takes the first entry, and so on in turn.
    """

    members: int = 1
    vary: tuple[dict[str, Any], ...] = ()

    def __post_init__(self) -> None:
        _at_least("ensemble.members", self.members, 1)
        for entry in self.vary:
            if odd := [section for section in entry if section not in VARIED]:
                raise ConfigError(f"ensemble.vary names {', '.join(odd)}; members may differ in {', '.join(VARIED)}.")


@dataclass(frozen=True)
class PivotSettings:
    """How the learners ``pivot`` and ``pivot+em`` find states (CC14).

    Attributes
    ----------
    anchor_count : float
        A feature may be a state's pivot if its count is at least this times the square root of its symbol's.
    shrink : float
        How many counts the mean of all nodes weighs in what is known of each feature.
    combinations : int
        How many combinations of templates each occurrence of a rule is seen through.
    rule_prior : float
        How many counts states that are independent of each other weigh in each rule.
    steps : int
        Steps, at most, of EM on the two convex problems: aligning inside with outside states, and each rule's states.
    tolerance : float
        It ends when the mean log-likelihood changes by less.
    """

    anchor_count: float = 0.3
    shrink: float = 0.0
    combinations: int = 4
    rule_prior: float = 1.0
    steps: int = 20
    tolerance: float = 1e-3

    def __post_init__(self) -> None:
        for name in ("anchor_count", "shrink", "rule_prior", "tolerance"):
            _at_least(f"pivot.{name}", getattr(self, name), 0.0)
        _at_least("pivot.combinations", self.combinations, 1)
        _at_least("pivot.steps", self.steps, 1)


@dataclass(frozen=True)
class TaggerSettings:
    """How the tagger for raw text is trained.

    Attributes
    ----------
    epochs : int
        Passes over the training words; 0 for no tagger.
    rate : float
        Length of a step.
    min_count : int
        Features seen less often are left out.
    """

    epochs: int = 6
    rate: float = 0.1
    min_count: int = 2

    def __post_init__(self) -> None:
        _at_least("tagger.epochs", self.epochs, 0)
        _at_least("tagger.rate", self.rate, 0.0)
        _at_least("tagger.min_count", self.min_count, 1)


@dataclass(frozen=True)
class ParseSettings:
    """How sentences are parsed.

    Attributes
    ----------
    threshold : float
        Chart items with a smaller coarse posterior are pruned (C13 §4).
    rule_threshold : float
        Applications of binary rules with a smaller coarse posterior are pruned.
    tag_threshold : float
        In raw text, a word keeps the tags whose probability is at least this share of the best one's; 1 for one
        tag a word.
    nbest : int
        How many trees to give for each sentence; more than 1 changes the form of the output.
    decoder : {"max-rule", "sum", "signed"}
        Maximise the product of |µ|/Z over the tree's rules, the sum of |µ|, or the sum of µ.
    """

    threshold: float = 5e-5
    rule_threshold: float = 1e-5
    tag_threshold: float = 0.1
    nbest: int = 1
    decoder: str = "sum"

    def __post_init__(self) -> None:
        _one_of("parse.decoder", self.decoder, ("max-rule", "sum", "signed"))
        _at_least("parse.threshold", self.threshold, 0.0)
        _at_least("parse.rule_threshold", self.rule_threshold, 0.0)
        _at_least("parse.tag_threshold", self.tag_threshold, 0.0)
        if self.tag_threshold > 1:
            raise ConfigError(f"parse.tag_threshold is {self.tag_threshold}; it is a share, between 0 and 1.")
        _at_least("parse.nbest", self.nbest, 1)


@dataclass(frozen=True)
class ExperimentSettings:
    """What ``lpcfg experiment`` compares.

    Attributes
    ----------
    learners : tuple of str
    states : tuple of int
        Values of m.
    seeds : tuple of int
        How many seeds learners with a random start are tried with, for each m; one number stands for all.
    train_sections, dev_sections, test_sections : str
        LDC sections, such as ``02-21``; empty for all.
    ablations : tuple of str
        Names of `lpcfg_cli.stages.ablations.ABLATIONS`, tried on the spectral learner.
    ablation_states : tuple of int
        Values of m that they are tried with.
    """

    learners: tuple[str, ...] = ("pcfg", "markov", "spectral", "em", "cluster", "pivot", "pivot+em")
    states: tuple[int, ...] = (8, 16, 24, 32)
    seeds: tuple[int, ...] = (1,)
    train_sections: str = ""
    dev_sections: str = ""
    test_sections: str = ""
    ablations: tuple[str, ...] = ()
    ablation_states: tuple[int, ...] = (16,)

    def __post_init__(self) -> None:
        for learner in self.learners:
            _one_of("experiment.learners", learner, LEARNERS)
        for states in (*self.states, *self.ablation_states):
            _at_least("experiment.states", states, 1)
        for seeds in self.seeds:
            _at_least("experiment.seeds", seeds, 1)
        if len(self.seeds) not in (1, len(self.states)):
            numbers = f"{len(self.seeds)} numbers for {len(self.states)} values of m"
            raise ConfigError(f"experiment.seeds has {numbers}; give one number, or one for each of experiment.states.")


@dataclass(frozen=True)
class ConsistencySettings:
    """What ``lpcfg consistency`` samples, learns and measures.

    Attributes
    ----------
    grammars : tuple of str
        Known L-PCFGs: names of shipped ones, or files in the text form of grammars (``*.grammar``).
    learners : tuple of str
        All but ``markov``, whose symbols are not those of the known grammar.
    smallest, largest : int
        M, the number of sampled trees, goes from one to the other.
    steps : int
        Sizes a decade.
    em_largest : int
        Learners that take steps of EM are given no larger samples: one sample costs them more than all else.
    seeds : int
        Independent samples of each size.
    starts : int
        Random starts of the learner ``em`` on each sample.
    iterations : int
        Steps of EM, at most.
    words : int
        Errors are summed over all trees of at most so many words.
    templates : str or tuple of str
        φ and ψ, as `FeatureSettings.templates`.
    """

    grammars: tuple[str, ...] = ("separable", "blurred", "hidden")
    learners: tuple[str, ...] = ("spectral", "pivot", "pivot+em", "em", "cluster", "pcfg")
    smallest: int = 1_000
    largest: int = 1_000_000
    steps: int = 2
    em_largest: int = 100_000
    seeds: int = 3
    starts: int = 4
    iterations: int = 100
    words: int = 4
    templates: str | tuple[str, ...] = "simple"

    def __post_init__(self) -> None:
        for learner in self.learners:
            _one_of("consistency.learners", learner, tuple(name for name in LEARNERS if name != "markov"))
        for name in ("smallest", "steps", "seeds", "starts", "iterations", "words"):
            _at_least(f"consistency.{name}", getattr(self, name), 1)
        _at_least("consistency.largest", self.largest, self.smallest)
        _at_least("consistency.em_largest", self.em_largest, 0)


@dataclass(frozen=True)
class Settings:
    """All settings of a run.

    Attributes
    ----------
    seed : int
        Start of every random stream.
    """

    seed: int = 0
    read: ReadSettings = field(default_factory=ReadSettings)
    clean: CleanSettings = field(default_factory=CleanSettings)
    binarize: BinarizeSettings = field(default_factory=BinarizeSettings)
    lexicon: LexiconSettings = field(default_factory=LexiconSettings)
    features: FeatureSettings = field(default_factory=FeatureSettings)
    svd: SvdSettings = field(default_factory=SvdSettings)
    estimate: EstimateSettings = field(default_factory=EstimateSettings)
    em: EmSettings = field(default_factory=EmSettings)
    pivot: PivotSettings = field(default_factory=PivotSettings)
    ensemble: EnsembleSettings = field(default_factory=EnsembleSettings)
    tune: TuneSettings = field(default_factory=TuneSettings)
    tagger: TaggerSettings = field(default_factory=TaggerSettings)
    parse: ParseSettings = field(default_factory=ParseSettings)
    experiment: ExperimentSettings = field(default_factory=ExperimentSettings)
    consistency: ConsistencySettings = field(default_factory=ConsistencySettings)

    def __post_init__(self) -> None:
        _at_least("seed", self.seed, 0)
        for member in range(len(self.ensemble.vary)):
            member_settings(self, member)

    def as_dict(self) -> dict[str, Any]:
        """Plain dictionary, ready for JSON."""
        return asdict(self)


def settings_for_learner(settings: Settings) -> Settings:
    """The settings with what the learner asks of earlier stages."""
    if settings.estimate.learner != "markov":
        return settings
    return replace(settings, binarize=replace(settings.binarize, **MARKOV))


def member_settings(settings: Settings, member: int) -> Settings:
    """The settings of one member of an ensemble, counted from 0; `ConfigError` if they are wrong.

    All members share the ensemble's tagger and have none of their own.
    """
    vary = settings.ensemble.vary
    no_tagger = replace(settings.tagger, epochs=0)
    alone = replace(settings, seed=settings.seed + member, ensemble=EnsembleSettings(), tagger=no_tagger)
    return _merge(alone, vary[member % len(vary)], "ensemble.vary") if vary else alone


def tuned_settings(settings: Settings, entry: dict[str, Any]) -> Settings:
    """The settings with one entry of ``tune.vary`` over them; `ConfigError` if it is wrong."""
    return _merge(settings, entry, "tune.vary")


def load_settings(path: Path | None = None, **overrides: Any) -> Settings:
    """Defaults, overridden by a TOML file, overridden by keywords.

    Parameters
    ----------
    path : Path, optional
        A file like those in ``configs/``.
    **overrides
        ``section__key=value`` or ``key=value``; None means "not given".

    Raises
    ------
    InputError
        The file cannot be read.
    ConfigError
        It is not TOML, or a key or value is wrong.
    """
    settings = Settings()
    if path is not None:
        settings = settings_from_dict(_read_toml(path), str(path))
    nested: dict[str, Any] = {}
    for name, value in overrides.items():
        if value is None:
            continue
        section, _, key = name.rpartition("__")
        (nested.setdefault(section, {}) if section else nested)[key] = value
    return _merge(settings, nested, "options")


def settings_from_dict(values: dict[str, Any], origin: str) -> Settings:
    """Settings from nested dictionaries; `origin` names them in errors (`ConfigError`)."""
    return _merge(Settings(), values, origin)


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not a TOML file: {error}.") from error


def _merge(settings: Any, values: dict[str, Any], origin: str, prefix: str = "") -> Any:
    known = {f.name: getattr(settings, f.name) for f in fields(settings)}
    defaults = type(settings)()
    changes = {}
    for key, value in values.items():
        name = f"{prefix}{key}"
        if key not in known:
            near = difflib.get_close_matches(key, known, 1)
            hint = f"Did you mean {prefix}{near[0]}?" if near else f"Known here: {', '.join(known)}."
            raise ConfigError(f"{origin}: unknown setting {name}. {hint}")
        if is_dataclass(known[key]):
            if not isinstance(value, dict):
                raise ConfigError(f"{origin}: {name} is a section; write [{name}] and settings below it.")
            changes[key] = _merge(known[key], value, origin, f"{name}.")
        else:
            kind = dict if key in LISTS_OF_TABLES else str
            changes[key] = _typed(value, getattr(defaults, key), f"{origin}: {name}", key in MAY_BE_LISTS, kind)
    try:
        return replace(settings, **changes)
    except ConfigError as error:
        raise ConfigError(f"{origin}: {error}") from error


def _typed(value: Any, default: Any, where: str, may_be_list: bool, kind: type = str) -> Any:
    """A value of the default's type; integers pass for floats.  `kind` is that of the items of a list."""
    if isinstance(value, list | tuple) and (isinstance(default, tuple) or may_be_list):
        kind = type(default[0]) if isinstance(default, tuple) and default else kind
        if not all(type(item) is kind for item in value):
            what = "names" if kind is str else "tables of settings" if kind is dict else "numbers"
            raise ConfigError(f"{where} is {list(value)!r}; expected a list of {what}.")
        return tuple(value)
    if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, bool) != isinstance(default, bool) or not isinstance(value, type(default)):
        example = list(default) if isinstance(default, tuple) else default
        raise ConfigError(f"{where} is {value!r}; expected a value like {example!r}.")
    return value


def _one_of(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        near = difflib.get_close_matches(str(value), choices, 1)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise ConfigError(f"{name} is {value!r}; expected one of {', '.join(choices)}.{hint}")


def _at_least(name: str, value: float, least: float) -> None:
    if not least <= value < math.inf:
        raise ConfigError(f"{name} is {value}; expected a finite number, at least {least}.")
