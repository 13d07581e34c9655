"""All settings of a run: TOML files override the defaults, and flags override both."""

from __future__ import annotations

import difflib
import tomllib
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from lpcfg_cli.config.data import BinarizeSettings, CleanSettings, FeatureSettings, LexiconSettings, ReadSettings
from lpcfg_cli.config.dependency import DependencyModelSettings, DependencyParserSettings, DependencyRerankSettings
from lpcfg_cli.config.embeddings import EmbedSettings
from lpcfg_cli.config.fields import at_least, setting
from lpcfg_cli.config.hidden_markov import HmmSettings
from lpcfg_cli.config.language_model import LmExperimentSettings, LmSettings
from lpcfg_cli.config.learning import EmSettings, EstimateSettings, PivotSettings, SvdSettings, TaggerSettings
from lpcfg_cli.config.reranking import RerankSettings
from lpcfg_cli.config.similarity import SimilaritySettings
from lpcfg_cli.config.spans import SpanSettings
from lpcfg_cli.config.teaching import TeachSettings
from lpcfg_cli.config.use import ConsistencySettings, EnsembleSettings, ExperimentSettings, ParseSettings, TuneSettings
from lpcfg_cli.errors import ConfigError, InputError

_PACKAGE = Path(__file__).resolve().parent.parent
SHIPPED_FOLDERS = (_PACKAGE / "configs", _PACKAGE.parent / "configs")
"""Where shipped configurations are: installed with the package, or beside it in a checkout."""

MAY_BE_LISTS = ("templates",)
"""Settings whose value is a name or a list of names."""

LISTS_OF_TABLES = ("vary",)
"""Settings whose value is a list of tables of settings."""


@dataclass(frozen=True)
class Settings:
    """All settings of a run.

    Attributes
    ----------
    seed : int
        Seed of all random streams.
    """

    seed: int = setting(0, "Seed of all random streams.", "--seed")
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
    teach: TeachSettings = field(default_factory=TeachSettings)
    tune: TuneSettings = field(default_factory=TuneSettings)
    tagger: TaggerSettings = field(default_factory=TaggerSettings)
    spans: SpanSettings = field(default_factory=SpanSettings)
    rerank: RerankSettings = field(default_factory=RerankSettings)
    parse: ParseSettings = field(default_factory=ParseSettings)
    experiment: ExperimentSettings = field(default_factory=ExperimentSettings)
    consistency: ConsistencySettings = field(default_factory=ConsistencySettings)
    embed: EmbedSettings = field(default_factory=EmbedSettings)
    lm: LmSettings = field(default_factory=LmSettings)
    lm_experiment: LmExperimentSettings = field(default_factory=LmExperimentSettings)
    hmm: HmmSettings = field(default_factory=HmmSettings)
    dependency: DependencyModelSettings = field(default_factory=DependencyModelSettings)
    dependency_parser: DependencyParserSettings = field(default_factory=DependencyParserSettings)
    dependency_rerank: DependencyRerankSettings = field(default_factory=DependencyRerankSettings)
    sts: SimilaritySettings = field(default_factory=SimilaritySettings)

    def __post_init__(self) -> None:
        at_least("seed", self.seed, 0)
        if self.rerank.use and self.teach.files:
            raise ConfigError("rerank.use is for models of a treebank alone. Leave out --rerank or --text.")
        if self.rerank.use and self.spans.networks:
            raise ConfigError("rerank.use is for models without a span model. Leave out --rerank or give --spans 0.")
        for member in range(len(self.ensemble.vary)):
            member_settings(self, member)

    def as_dict(self) -> dict[str, Any]:
        """The settings as nested dictionaries, JSON-ready."""
        return asdict(self)


def member_settings(settings: Settings, member: int) -> Settings:
    """The settings of one member of an ensemble, counted from 0; raises `ConfigError` if they are not valid.

    Members have no tagger of their own; they share that of the ensemble.
    """
    vary = settings.ensemble.vary
    no_tagger = replace(settings.tagger, epochs=0)
    seed = _member_seed(settings.seed, member)
    alone = replace(settings, seed=seed, ensemble=EnsembleSettings(), tagger=no_tagger, spans=SpanSettings())
    return _merge(alone, vary[member % len(vary)], "ensemble.vary") if vary else alone


def _member_seed(seed: int, member: int) -> int:
    """Seed of a member: that of the ensemble for the first, so that it is the single model, else a derived one.

    Members of ensembles with other seeds have other seeds.
    """
    if member == 0:
        return seed
    from lpcfg_cli.arrays.streams import Purpose, derived_seed  # imported here because numpy is slow to import

    return derived_seed(seed, Purpose.MEMBER, member)


def tuned_settings(settings: Settings, entry: dict[str, Any]) -> Settings:
    """The settings overridden by one entry of ``tune.vary``; raises `ConfigError` if it is not valid."""
    return _merge(settings, entry, "tune.vary")


def load_settings(path: str | Path | None = None, base: Settings | None = None, **overrides: Any) -> Settings:
    """The default settings, overridden by a TOML file, overridden by keywords.

    Parameters
    ----------
    path : str or Path, optional
        A TOML file, or the name of a shipped configuration, as in `shipped_configurations`.
    base : Settings, optional
        Settings in place of the defaults.
    **overrides
        ``section__key=value`` or ``key=value``; None for no change.

    Raises
    ------
    InputError
        The file cannot be read.
    ConfigError
        The file is not TOML, or a key or value is not valid.
    """
    settings = base or Settings()
    if path is not None:
        file = find_configuration(path)
        settings = _merge(settings, _read_toml(file), str(file))
    nested: dict[str, Any] = {}
    for name, value in overrides.items():
        if value is None:
            continue
        section, _, key = name.rpartition("__")
        (nested.setdefault(section, {}) if section else nested)[key] = value
    return _merge(settings, nested, "options")


def shipped_configurations() -> dict[str, Path]:
    """The configurations that are installed with the program, or stand beside the package in a checkout, by name."""
    folder = next((folder for folder in SHIPPED_FOLDERS if (folder / "default.toml").is_file()), None)
    return {path.stem: path for path in sorted(folder.glob("*.toml"))} if folder else {}


def find_configuration(name: str | Path) -> Path:
    """The file given by its path or by the name of a shipped configuration.

    Raises
    ------
    InputError
        There is no such file and no shipped configuration with this name.
    """
    path = Path(name)
    if path.exists() or path.suffix or len(path.parts) > 1:
        return path
    shipped = shipped_configurations()
    if path.name in shipped:
        return shipped[path.name]
    near = difflib.get_close_matches(path.name, shipped, 1)
    hint = f" Did you mean {near[0]}?" if near else ""
    raise InputError(f"{name}: no such file, and no shipped configuration; those are {', '.join(shipped)}.{hint}")


def settings_from_dict(values: dict[str, Any], origin: str) -> Settings:
    """Settings from nested dictionaries; raises `ConfigError`, which names their `origin`, if they are not valid."""
    return _merge(Settings(), values, origin)


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        with open(path, "rb") as file:
            return tomllib.loads(file.read().decode("utf-8-sig"))  # editors of Windows write a byte order mark
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
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
    """The value, checked to have the type of the default; integers are allowed for floats.

    `kind` is the type of the items of a list.
    """
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
