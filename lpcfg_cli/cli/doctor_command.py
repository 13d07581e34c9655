"""``lpcfg doctor``."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import asdict

import click

from lpcfg_cli.cli.console import print_json
from lpcfg_cli.cli.state_lines import WIDTH, wrapped
from lpcfg_cli.execution.diagnosis import Diagnosis, diagnose

EXIT_PROBLEM = 1


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def command(as_json: bool) -> None:
    """Show whether lpcfg is installed well: versions, threads, compiled code, caches, memory, extras.

    \b
    Exit status: 0 if all is well, 1 if something is wrong.

    To complete commands and options with the Tab key, add this line to
    ~/.bashrc, or with zsh_source to ~/.zshrc:

    \b
    eval "$(_LPCFG_COMPLETE=bash_source lpcfg)"

    \b
    In fish: _LPCFG_COMPLETE=fish_source lpcfg > ~/.config/fish/completions/lpcfg.fish
    """
    found = diagnose()
    if as_json:
        print_json(asdict(found))
    else:
        for line in page(found):
            click.echo(line)
    click.get_current_context().exit(EXIT_PROBLEM if found.problems else 0)


def page(found: Diagnosis) -> Iterator[str]:
    """The report as text, line by line."""
    rows = [
        ("lpcfg", [found.lpcfg, f"in {found.folder}"]),
        ("python", [found.python, found.system]),
        ("libraries", [f"{name} {number or 'MISSING'}" for name, number in found.packages.items()] or ["not known"]),
        ("extras", [f"{name}: {'there' if there else 'not installed'}" for name, there in found.extras.items()]),
        ("cores", [str(found.cores)]),
        ("threads", [f"{name}={value}" for name, value in found.threads.items()]),
        ("kernels", [f"{found.kernels} compiled", f"in {found.kernel_cache or 'no folder'}"]),
        ("temporary", [found.temporary]),
        ("memory", [f"{found.free_memory / 1e9:.1f} GB free"]),
    ]
    for name, items in rows:
        yield from wrapped(f"{name:<11}", items, 11)
    yield ""
    yield "All is well." if not found.problems else "Wrong:"
    for problem in found.problems:
        yield from textwrap.wrap(problem, WIDTH, initial_indent="* ", subsequent_indent="  ")
