"""``lpcfg dep draw``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import click

from lpcfg_cli.cli.console import opened_output
from lpcfg_cli.cli.output_options import CheckedCommand, OutputFile
from lpcfg_cli.dependency.trees.files import read_dependency_files
from lpcfg_cli.dependency.trees.sentence import DependencySentence
from lpcfg_cli.dependency.trees.svg_drawing import svg_drawing
from lpcfg_cli.dependency.trees.text_drawing import WIDTH, text_drawing
from lpcfg_cli.errors import InputError
from lpcfg_cli.storage.files import utf8
from lpcfg_cli.wording import counted


@click.command("draw", cls=CheckedCommand)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path, allow_dash=True), metavar="FILE...")
@click.option(
    "-s", "--sentence", "numbers", multiple=True, type=click.IntRange(1), metavar="N",
    help="Draw the sentence of this number; may be given several times.",
)  # fmt: skip
@click.option("--svg", is_flag=True, help="Draw arcs as an SVG picture.")
@click.option(
    "--width", type=click.IntRange(20), default=WIDTH, show_default=True, help="Columns of text, where they suffice.",
)  # fmt: skip
@click.option("-o", "--output", type=OutputFile(), help="File to write; default standard output.")
@click.option("--encoding", default="utf-8", show_default=True, metavar="NAME", help="Encoding of the files.")
def command(
    files: tuple[Path, ...], numbers: tuple[int, ...], svg: bool, width: int, output: Path | None, encoding: str
) -> None:
    """Draw dependency trees, as text or as a picture.

    FILE is in CoNLL-X or CoNLL-U, or - for standard input.  In text each word
    has a line of its own, whose arm starts at the line of its head.
    """
    sentences = read_dependency_files(files, encoding, needs_heads=False)
    chosen = [sentences[number - 1] for number in _checked(numbers, len(sentences))] if numbers else sentences
    titles = [_title(number, one) for number, one in zip(numbers or range(1, len(sentences) + 1), chosen, strict=True)]
    with opened_output(output) as file:
        parts = [svg_drawing(chosen, titles)] if svg else _texts(chosen, titles, width)
        for part in parts:
            file.write(utf8(part))


def _checked(numbers: Sequence[int], n: int) -> Sequence[int]:
    for number in numbers:
        if number > n:
            raise InputError(f"there is no sentence {number:,}: {counted(n, 'sentence', 'was', 'were')} read.")
    return numbers


def _title(number: int, sentence: DependencySentence) -> str:
    return f"sentence {number:,}  {sentence.place}"


def _texts(sentences: Iterable[DependencySentence], titles: Iterable[str], width: int) -> Iterator[str]:
    for k, (sentence, title) in enumerate(zip(sentences, titles, strict=True)):
        yield "\n".join([*([""] if k else []), title, *text_drawing(sentence, width), ""])
