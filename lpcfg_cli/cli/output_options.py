"""Options that name outputs, and the check, before a command does anything, that writing them destroys no input."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from lpcfg_cli.errors import OutputError
from lpcfg_cli.storage.outputs import Inputs, check_apart, check_output
from lpcfg_cli.treebank.archive import TREES_FILE

STANDARD_OUTPUT = Path("/dev/stdout")

RUN_MARK = "settings.json"
RUN_FILES = ("*.npz", "*.json", TREES_FILE)
"""What tells a run directory from a directory of trees, and the files in it that are read."""


class OutputFile(click.ParamType):
    """A file to write.

    Parameters
    ----------
    is_folder : function of the command's values to bool
        Whether the option names a folder this time, which the command checks itself.
    makes_folder : bool
        Whether the command makes the folder of the file if it does not exist.
    """

    name = "file"

    def __init__(
        self, is_folder: Callable[[dict[str, Any]], bool] = lambda values: False, *, makes_folder: bool = False
    ):
        self.is_folder, self.makes_folder = is_folder, makes_folder

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """The value as a path."""
        return Path(value)


class OutputFolder(click.ParamType):
    """A folder to write, which is made if it does not exist.

    Parameters
    ----------
    *writes : str
        Names of files that are written there and might be inputs.
    """

    name = "path"

    def __init__(self, *writes: str):
        self.writes = writes

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """The value as a path."""
        return Path(value)


class CheckedCommand(click.Command):
    """A command whose outputs are checked before it runs: `OutputFile`, `OutputFolder` and standard output."""

    def invoke(self, ctx: click.Context) -> Any:
        """Check the outputs, and run the command."""
        check_outputs(self.params, ctx.params)
        return super().invoke(ctx)


def check_outputs(params: list[click.Parameter], values: dict[str, Any], others: Sequence[Path] = ()) -> None:
    """Check that the outputs of a command can be written, and that none is an input or another output.

    Every value of a path, and every text that is the name of a file, counts as an input.

    Parameters
    ----------
    params : list of click.Parameter
        The parameters of the command.
    values : dict
        Their values, by name.
    others : sequence of Path
        Further inputs.

    Raises
    ------
    OutputError
        See `check_output`, `check_apart` and `check_folder`.
    """
    given = [(param, values[param.name]) for param in params if param.name and values.get(param.name) is not None]
    inputs = [*others, *(path for param, value in given for path in _input_paths(param.type, value))]
    folders = [(param.opts[0], param.type, value) for param, value in given if isinstance(param.type, OutputFolder)]
    outputs = {"standard output": STANDARD_OUTPUT}
    for param, value in given:
        if isinstance(param.type, OutputFile) and not param.type.is_folder(values):
            outputs[param.opts[0]] = value
            is_made = any(_is_inside(value.parent, folder) for *_, folder in folders)
            if not (is_made or (param.type.makes_folder and not value.parent.exists())):
                check_output(value)
    check_apart(outputs, _inputs(inputs))
    for option, kind, folder in folders:
        check_folder(option, folder, kind.writes, inputs)


def check_folder(option: str, folder: Path, writes: Sequence[str], paths: Sequence[Path]) -> None:
    """Refuse an output folder if an input would be overwritten there, or what is written there read by the next run.

    Parameters
    ----------
    option : str
        The option that names it.
    folder : Path
    writes : sequence of str
        Names of the files with trees that are written there.
    paths : sequence of Path
        Files and directories that are read.
    """
    inputs = _inputs(paths)
    for other in inputs.folders:
        is_same = _is_inside(other, folder) and _is_inside(folder, other)
        if is_same or (_is_inside(folder, other) and set(writes) - {TREES_FILE}):
            where = "is" if is_same else "is in"
            raise OutputError(
                f"{option} {folder}: {where} {other}, which is read, so that the next run would read what is written "
                "there. Name a folder elsewhere."
            )
    check_apart({f"{option} {folder}:": folder / name for name in writes}, inputs)


def _inputs(paths: Sequence[Path]) -> Inputs:
    """The files among the paths, those of run directories, and directories of trees."""
    from lpcfg_cli.treebank.formats import AUTO_FORMAT, suffixes_of

    runs = [path for path in paths if (path / RUN_MARK).is_file()]
    files = [path for path in paths if not path.is_dir()]
    files += [path for run in runs for pattern in RUN_FILES for path in run.glob(pattern)]
    return Inputs(files, [path for path in paths if path.is_dir() and path not in runs], suffixes_of(AUTO_FORMAT))


def _is_inside(folder: Path, other: Path) -> bool:
    return Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(other))


def _input_paths(kind: click.ParamType, value: Any) -> Iterator[Path]:
    """The paths among the values of a parameter."""
    for one in value if isinstance(value, tuple) else (value,):
        if isinstance(kind, click.Path):
            yield Path(one)
        elif isinstance(one, str) and kind is click.STRING:
            yield from (Path(part) for part in one.split(",") if part and Path(part).is_file())
