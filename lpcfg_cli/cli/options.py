"""Options made from the fields of the settings, and options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import click

from lpcfg_cli.cli.console import note
from lpcfg_cli.cli.output_options import check_outputs
from lpcfg_cli.cli.table_options import FreshHelpOption
from lpcfg_cli.config import INFO, TABLES, SettingInfo, Settings, known_names, load_settings
from lpcfg_cli.execution.workers import Mapper, count_cores, local_workers
from lpcfg_cli.features.templates import TEMPLATE_SETS, TEMPLATES
from lpcfg_cli.learning.learners import LEARNERS
from lpcfg_cli.parsing.decoders import DECODERS
from lpcfg_cli.treebank.formats import TREE_FORMATS
from lpcfg_cli.treebank.presets import TREEBANKS
from lpcfg_cli.wording import counted

Function = TypeVar("Function", bound=Callable[..., Any])

MOST_PER_CORE = 4
"""Largest number of processes for each core: more only take memory."""

JOINED = ","
"""Separator of names in the value of an option."""

NAMED = (TREE_FORMATS, TREEBANKS, TEMPLATE_SETS, TEMPLATES, LEARNERS, DECODERS)
assert {table.kind for table in NAMED} <= set(TABLES), "tables that options name are imported first"


OF_TRAINING = (
    *("read", "clean", "binarize", "lexicon", "features", "svd", "estimate", "em", "ensemble"),
    *("spans", "teach", "rerank", "parse"),
)
"""The sections of settings with options of commands that train a model from trees, and parse."""


def setting_options(
    *sections: str, shows_defaults: bool = True, has_short_config: bool = True
) -> Callable[[Function], Function]:
    """Decorator: ``--config``, ``--seed``, and an option for each field of the named sections that has flags.

    The command gets the field ``section.name`` as ``section__name``, None if the option was not given; of fields with
    the same flags, only the first.

    Parameters
    ----------
    *sections : str
    shows_defaults : bool
        Whether the help shows the defaults; False for commands that start from recorded settings.
    has_short_config : bool
        Whether ``-c`` stands for ``--config``; False for commands in which it stands for something else.
    """
    names = ("-c", "--config") if has_short_config else ("--config",)
    config = click.option(
        *names, metavar="FILE", help="TOML file of settings, or the name of a shipped one; flags override it."
    )
    made = [_option(*group[0], shows_defaults) for section in (*sections, "") for group in _groups(section)]

    def decorate(function: Function) -> Function:
        for option in reversed([*made, config]):
            function = option(function)
        return function

    return decorate


def _groups(section: str) -> Iterator[list[tuple[str, SettingInfo, Any, Any]]]:
    """Name, info, type and default of the fields of a section that have flags, grouped by equal flags."""
    settings = get_type_hints(Settings)[section] if section else Settings
    types, found = get_type_hints(settings), dict[tuple[str, ...], list[tuple[str, SettingInfo, Any, Any]]]()
    for entry in fields(settings):
        info: SettingInfo | None = entry.metadata.get(INFO)
        if info and info.flags:
            name = f"{section}__{entry.name}" if section else entry.name
            found.setdefault(info.flags, []).append((name, info, types[entry.name], entry.default))
    yield from found.values()


def _option(name: str, info: SettingInfo, kind: Any, value: Any, shows_default: bool) -> Callable[[Any], Any]:
    if kind is bool:
        no = info.flags[1] if len(info.flags) > 1 else f"--no-{info.flags[0].removeprefix('--')}"
        return click.option(f"{info.flags[0]}/{no}", name, default=None, help=info.help)
    if info.repeats:
        return click.option(
            *info.flags, name, multiple=True, metavar=info.metavar, callback=_none_if_empty, help=info.help
        )
    scalar = kind if kind in (int, float) else str
    return click.option(
        *info.flags,
        name,
        type=scalar,
        metavar=info.metavar or None,
        callback=_splitter(kind),
        cls=FreshHelpOption,
        text=lambda: _help(info, value if shows_default else ""),
    )


def _help(info: SettingInfo, default: Any) -> str:
    """The setting's help, its allowed names if it has a table, and its default unless that is empty."""
    names = ", ".join(known_names(info.table, info.also))
    text = f"{info.help}: {names}." if info.table else info.help
    shown = JOINED.join(map(str, default)) if isinstance(default, tuple) else default
    return f"{text}  [{shown}]" if shown not in ("", None) else text


def _none_if_empty(context: Any, parameter: Any, values: tuple[str, ...]) -> tuple[str, ...] | None:
    return values or None


def _splitter(kind: Any) -> Callable[[Any, Any, Any], Any] | None:
    """A callback that splits the value of a setting that may be a list; a single name is kept if the type allows it."""
    if not any(get_origin(part) is tuple for part in (kind, *get_args(kind))):
        return None
    is_list = get_origin(kind) is tuple
    is_numbers = is_list and get_args(kind)[0] is int

    def split(context: Any, parameter: Any, value: str | None) -> Any:
        if value is None or not (is_list or JOINED in value):
            return value
        parts = tuple(part.strip() for part in value.split(JOINED))
        if not is_numbers:
            return parts
        try:
            return tuple(map(int, parts))
        except ValueError as error:
            raise click.BadParameter(f"{value!r}; expected whole numbers joined by commas.") from error

    return split


no_tagger_option = click.option("--no-tagger", is_flag=True, help="Train no tagger: the model cannot parse raw text.")


def resolve_settings(options: dict[str, Any], base: Settings | None = None) -> Settings:
    """Settings from the options of a command: the defaults or `base`, overridden by the config file, then by flags."""
    given = dict(options)
    config = given.pop("config", None)
    if given.pop("no_tagger", False):
        given["tagger__epochs"] = 0
    for section in {name.rpartition("__")[0] for name in given}:
        for group in _groups(section):
            given |= {name: given.get(group[0][0]) for name, *_ in group}
    settings = load_settings(config, base, **given)
    tell_overridden(given, settings)
    context = click.get_current_context(silent=True)
    files = [Path(name) for name in (settings.em.dev, settings.binarize.head_rules) if name and Path(name).exists()]
    if context is not None:
        check_outputs(context.command.params, context.params, files)
    return settings


def tell_overridden(given: dict[str, Any], settings: Settings) -> None:
    """Print which of the given settings all members of an ensemble have for themselves, so that they change nothing."""
    vary = settings.ensemble.vary
    for name, value in given.items():
        section, _, key = name.rpartition("__")
        if value is not None and vary and all(key in entry.get(section, {}) for entry in vary):
            note(f"note: {section}.{key} = {value!r} changes nothing: ensemble.vary names it for each member")


def worker_options(function: Function) -> Function:
    """Decorator: ``--jobs`` and ``--dask``; they are not settings, because they never change results."""
    jobs = click.option(
        "-j",
        "--jobs",
        type=click.IntRange(min=0),
        default=1,
        show_default=True,
        metavar="N",
        help="Number of processes; 0 for one on each core. Results do not depend on it.",
    )
    dask = click.option(
        "--dask", metavar="ADDRESS", help="Use the workers of this dask scheduler, such as tcp://host:8786."
    )
    return jobs(dask(function))


def checked_jobs(jobs: int) -> int:
    """The number of processes to start: as many as were asked for, unless that is absurd for this machine."""
    cores = count_cores()
    most = MOST_PER_CORE * cores
    if jobs > most:
        note(f"--jobs {jobs:,}: {most} processes are started, since this machine has {counted(cores, 'core')}")
    return min(jobs, most)


@contextmanager
def open_workers(jobs: int, dask: str | None) -> Iterator[Mapper]:
    """The map over workers that the options choose."""
    if dask is not None:
        from lpcfg_cli.execution.dask_workers import dask_workers

        with dask_workers(dask) as mapper:
            yield mapper
    else:
        with local_workers(checked_jobs(jobs)) as mapper:
            yield mapper


def verbose_option(function: Function) -> Function:
    """Decorator: ``--verbose``."""
    return click.option("-v", "--verbose", is_flag=True, help="Print the time of each step.")(function)
