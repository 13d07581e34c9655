"""Arguments and options that commands on running text share."""

from __future__ import annotations

from pathlib import Path

import click

TEXT = click.Path(path_type=Path, allow_dash=True)

MODEL = click.Path(path_type=Path)

encoding_option = click.option("--encoding", "read__encoding", metavar="NAME", help="Encoding of the texts.  [utf-8]")

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
