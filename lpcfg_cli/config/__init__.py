"""All settings and their defaults: frozen dataclasses, each the only home of its defaults."""

from lpcfg_cli.config.data import (
    BinarizeSettings,
    CleanSettings,
    FeatureSettings,
    LexiconSettings,
    ReadSettings,
)
from lpcfg_cli.config.learning import (
    LEARNERS,
    MARKOV,
    WITHOUT_CHANCE,
    EmSettings,
    EstimateSettings,
    PivotSettings,
    SvdSettings,
    TaggerSettings,
)
from lpcfg_cli.config.settings import (
    Settings,
    load_settings,
    member_settings,
    settings_for_learner,
    settings_from_dict,
    tuned_settings,
)
from lpcfg_cli.config.use import (
    VARIED,
    ConsistencySettings,
    EnsembleSettings,
    ExperimentSettings,
    ParseSettings,
    TuneSettings,
)

__all__ = [
    "LEARNERS",
    "MARKOV",
    "VARIED",
    "WITHOUT_CHANCE",
    "BinarizeSettings",
    "CleanSettings",
    "ConsistencySettings",
    "EmSettings",
    "EnsembleSettings",
    "EstimateSettings",
    "ExperimentSettings",
    "FeatureSettings",
    "LexiconSettings",
    "ParseSettings",
    "PivotSettings",
    "ReadSettings",
    "Settings",
    "SvdSettings",
    "TaggerSettings",
    "TuneSettings",
    "load_settings",
    "member_settings",
    "settings_for_learner",
    "settings_from_dict",
    "tuned_settings",
]
