"""All settings: frozen dataclasses, which are the only place that defines defaults."""

from lpcfg_cli.config.data import (
    AUTO_FORMAT,
    CLUSTERS,
    DEFAULT_TREEBANK,
    EIGENWORDS,
    NEAREST,
    TEMPLATE_KINDS,
    BinarizeSettings,
    CleanSettings,
    FeatureSettings,
    LexiconSettings,
    ReadSettings,
)
from lpcfg_cli.config.dependency import DependencyModelSettings, DependencyParserSettings, DependencyRerankSettings
from lpcfg_cli.config.embeddings import EmbedSettings
from lpcfg_cli.config.fields import INFO, SettingInfo
from lpcfg_cli.config.hidden_markov import HmmSettings
from lpcfg_cli.config.language_model import LmExperimentSettings, LmSettings
from lpcfg_cli.config.learning import (
    EmSettings,
    EstimateSettings,
    PivotSettings,
    SvdSettings,
    TaggerSettings,
)
from lpcfg_cli.config.reranking import RerankSettings
from lpcfg_cli.config.settings import (
    Settings,
    load_settings,
    member_settings,
    settings_from_dict,
    shipped_configurations,
    tuned_settings,
)
from lpcfg_cli.config.similarity import SimilaritySettings
from lpcfg_cli.config.spans import SpanSettings
from lpcfg_cli.config.tables import TABLES, Table, known_name, known_names
from lpcfg_cli.config.teaching import TeachSettings
from lpcfg_cli.config.use import (
    VARIED,
    ConsistencySettings,
    EnsembleSettings,
    ExperimentSettings,
    ParseSettings,
    TuneSettings,
)

__all__ = [
    "AUTO_FORMAT",
    "CLUSTERS",
    "DEFAULT_TREEBANK",
    "EIGENWORDS",
    "INFO",
    "NEAREST",
    "TABLES",
    "TEMPLATE_KINDS",
    "VARIED",
    "BinarizeSettings",
    "CleanSettings",
    "ConsistencySettings",
    "DependencyModelSettings",
    "DependencyParserSettings",
    "DependencyRerankSettings",
    "EmSettings",
    "EmbedSettings",
    "EnsembleSettings",
    "EstimateSettings",
    "ExperimentSettings",
    "FeatureSettings",
    "HmmSettings",
    "LexiconSettings",
    "LmExperimentSettings",
    "LmSettings",
    "ParseSettings",
    "PivotSettings",
    "ReadSettings",
    "RerankSettings",
    "SettingInfo",
    "Settings",
    "SimilaritySettings",
    "SpanSettings",
    "SvdSettings",
    "Table",
    "TaggerSettings",
    "TeachSettings",
    "TuneSettings",
    "known_name",
    "known_names",
    "load_settings",
    "member_settings",
    "settings_from_dict",
    "shipped_configurations",
    "tuned_settings",
]
