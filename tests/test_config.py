"""Settings: defaults, files, overrides, and what is refused."""

from __future__ import annotations

import math
import re
import tomllib
from dataclasses import FrozenInstanceError, fields, is_dataclass
from pathlib import Path

import pytest

from lpcfg_cli.config import Settings, load_settings, settings_from_dict
from lpcfg_cli.errors import ConfigError, InputError
from lpcfg_cli.parsing.decoders import DECODERS
from lpcfg_cli.treebank.formats import TREE_FORMATS

CONFIGS = sorted((Path(__file__).resolve().parents[1] / "configs").glob("*.toml"))


def refused(values):
    with pytest.raises(ConfigError) as caught:
        settings_from_dict(values, "my.toml")
    return str(caught.value)


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.name)
def test_every_shipped_file_loads(path):
    assert load_settings(path) == settings_from_dict(tomllib.loads(path.read_text()), path.name)


def test_the_file_of_defaults_spells_out_exactly_the_defaults():
    path = next(path for path in CONFIGS if path.name == "default.toml")
    written = tomllib.loads(path.read_text())
    defaults = Settings().as_dict()
    for section in defaults.values():
        if isinstance(section, dict):
            section |= {key: list(value) for key, value in section.items() if isinstance(value, tuple)}
    assert written == defaults
    assert load_settings(path) == Settings()


def test_settings_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        Settings().svd.states = 3  # type: ignore[misc]


def test_every_setting_is_described():
    sections = [f.default_factory for f in fields(Settings) if is_dataclass(f.default_factory)]
    for section in sections:
        for setting in fields(section):
            assert re.search(rf"^    (\w+, )*{setting.name}(, \w+)* : ", section.__doc__, re.M), setting.name


def test_a_file_overrides_defaults_and_keywords_override_the_file(tmp_path):
    path = tmp_path / "my.toml"
    path.write_text("seed = 4\n[svd]\nstates = 8\ntolerance = 0\n[features]\ntemplates = ['rule', 'word']\n")
    settings = load_settings(path, svd__states=24, seed=None, features__scale=False)
    assert (settings.seed, settings.svd.states, settings.svd.tolerance) == (4, 24, 0.0)
    assert isinstance(settings.svd.tolerance, float)
    assert (settings.features.templates, settings.features.scale) == (("rule", "word"), False)
    assert settings.lexicon == Settings().lexicon


def test_a_name_of_templates_overrides_a_list_of_them(tmp_path):
    path = tmp_path / "my.toml"
    path.write_text("[features]\ntemplates = ['rule', 'word']\n")
    assert load_settings(path, features__templates="full").features.templates == "full"


def test_settings_survive_their_plain_form():
    settings = load_settings(None, clean__wrappers=("X",), features__templates=("rule",), seed=3)
    assert settings_from_dict(settings.as_dict(), "again") == settings


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"svd": {"state": 3}}, "my.toml: unknown setting svd.state. Did you mean svd.states?"),
        ({"lexcon": {}}, "my.toml: unknown setting lexcon. Did you mean lexicon?"),
        (
            {"parse": {"zzz": 1}},
            "my.toml: unknown setting parse.zzz. Known here: threshold, rule_threshold, "
            "fine_threshold, tag_threshold, nbest, scores, output, decoder, bracket_threshold, tree_weight, "
            "span_weight, rerank.",
        ),
        ({"svd": 16}, "my.toml: svd is a section; write [svd] and settings below it."),
    ],
)
def test_unknown_keys_are_refused_with_a_suggestion(values, message):
    assert refused(values) == message


@pytest.mark.parametrize(
    ("section", "key", "value", "example"),
    [
        ("svd", "states", "16", "16"),
        ("svd", "states", 16.0, "16"),
        ("svd", "states", True, "16"),
        ("svd", "states", [16], "16"),
        ("features", "scale", 1, "True"),
        ("features", "scale", "yes", "True"),
        ("features", "kappa", "5", "5.0"),
        ("features", "templates", 5, "'full'"),
        ("parse", "decoder", ["sum"], "'expected-f1'"),
        ("clean", "wrappers", "TOP", "['TOP', 'ROOT', 'S1']"),
    ],
)
def test_values_of_another_type_are_refused_with_an_example(section, key, value, example):
    assert (
        refused({section: {key: value}}) == f"my.toml: {section}.{key} is {value!r}; expected a value like {example}."
    )


@pytest.mark.parametrize(("section", "key"), [("clean", "wrappers"), ("features", "templates")])
def test_lists_hold_names_only(section, key):
    assert refused({section: {key: ["a", 1]}}) == f"my.toml: {section}.{key} is ['a', 1]; expected a list of names."


def test_a_folder_called_templates_changes_nothing(tmp_path):
    path = tmp_path / "templates.toml"
    path.write_text("[svd]\nstates = [16]\n")
    with pytest.raises(ConfigError, match=r"svd\.states is \[16\]; expected a value like 16\."):
        load_settings(path)


@pytest.mark.parametrize(
    ("section", "key", "value", "least"),
    [
        ("svd", "states", 0, 1), ("svd", "tolerance", -0.1, 0.0), ("svd", "dense_limit", 0, 1),
        ("features", "kappa", -1, 0.0), ("features", "kappa", math.inf, 0.0), ("features", "kappa", math.nan, 0.0),
        ("binarize", "horizontal", -2, -1), ("binarize", "vertical", 0, 1), ("lexicon", "rare_below", 0, 1),
        ("lexicon", "max_suffixes", -1, 0), ("lexicon", "suffix_length", 0, 1), ("estimate", "binary_c", -1, 0.0),
        ("estimate", "unary_c", -1, 0.0), ("estimate", "lexical_nu", -0.1, 0.0),
    ],
)  # fmt: skip
def test_numbers_out_of_range_are_refused(section, key, value, least):
    shown = float(value) if isinstance(least, float) else value
    message = f"my.toml: {section}.{key} is {shown}; expected a finite number, at least {least}."
    assert refused({section: {key: value}}) == message


@pytest.mark.parametrize("bits", [-1, 1, 3, 25])
def test_bits_of_parameters_are_all_or_few(bits):
    message = f"my.toml: estimate.bits is {bits}; expected 0, or a number of bits from 4 to 24."
    assert refused({"estimate": {"bits": bits}}) == message


def test_a_negative_seed_is_refused():
    assert refused({"seed": -1}) == "my.toml: seed is -1; expected a finite number, at least 0."


@pytest.mark.parametrize("value", [-0.1, 1.1, math.nan])
def test_a_share_is_between_zero_and_one(value):
    assert (
        refused({"em": {"mix_words": value}}) == f"my.toml: em.mix_words is {value}; expected a share between 0 and 1."
    )


def test_a_weight_above_one_is_refused():
    assert "lexical_nu is 1.5; it is a weight between 0 and 1." in refused({"estimate": {"lexical_nu": 1.5}})


@pytest.mark.parametrize(
    ("section", "key", "value", "hint"),
    [
        ("binarize", "unaries", "latents", "latent, collapse. Did you mean latent?"),
        ("binarize", "direction", "up", "left, right, head."),
        ("lexicon", "classes", "tags", "signature, tag, eigenwords. Did you mean tag?"),
        ("read", "format", "bracket", f"auto, {', '.join(TREE_FORMATS)}. Did you mean brackets?"),
        ("parse", "decoder", "maxrule", f"{', '.join(DECODERS)}. Did you mean max-rule?"),
    ],
)
def test_unknown_choices_are_refused_with_a_suggestion(section, key, value, hint):
    assert refused({section: {key: value}}) == f"my.toml: {section}.{key} is {value!r}; expected one of {hint}"


def test_problems_of_options_say_so():
    with pytest.raises(ConfigError, match=r"^options: svd\.states is 0; expected"):
        load_settings(None, svd__states=0)


def test_a_file_that_is_not_toml_is_told_with_its_place(tmp_path):
    path = tmp_path / "my.toml"
    path.write_text("[svd]\nstates = = 3\n")
    with pytest.raises(ConfigError, match=r"my\.toml: not a TOML file: .*line 2"):
        load_settings(path)
    path.write_bytes(b"seed = 1 # \xe9\n")
    with pytest.raises(ConfigError, match=r"my\.toml: not a TOML file"):
        load_settings(path)


def test_a_missing_file_is_an_input_error(tmp_path):
    with pytest.raises(InputError, match=r"my\.toml: cannot be read: No such file or directory\.$"):
        load_settings(tmp_path / "my.toml")
