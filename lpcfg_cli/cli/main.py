"""The ``lpcfg`` command: loads subcommands by name, and turns errors into messages and exit codes."""

from __future__ import annotations

import importlib
import os
import signal
import sys
from types import FrameType
from typing import Any, NoReturn

import click

from lpcfg_cli import __version__
from lpcfg_cli.arrays.compiling import COMPILING
from lpcfg_cli.cli.console import note
from lpcfg_cli.cli.failures import end_without_reader, tell_error
from lpcfg_cli.cli.groups import LazyGroup, with_quiet
from lpcfg_cli.execution.collector import prepare_collector
from lpcfg_cli.execution.environment import prepare_environment
from lpcfg_cli.storage.files import remove_partials
from lpcfg_cli.storage.outputs import keep_finished_lines
from lpcfg_cli.storage.streams import prepare_streams

STAGE = ""
"""Stands for the module of a command that is made from the table of stages."""

COMMANDS = {
    "train": ("train_command", "Train a parser: runs all the stages below."),
    "parse": ("parse_command", "Parse sentences, tagged or raw, one tree on each line."),
    "surprisal": ("surprisal_command", "Surprisal of each word, in bits, by prefix probabilities."),
    "eval": ("eval_command", "Score parsed trees against gold trees."),
    "combine": ("combine_command", "Make one tree of several parsers' trees of a sentence."),
    "calibrate": ("calibrate_command", "Compare posteriors of brackets with gold trees; correct them."),
    "check": ("check_command", "Report the contents of a treebank and what looks wrong in it."),
    "inspect": ("inspect_command", "Show the contents of a run directory or a model."),
    "convert": ("convert_command", "Write trees in another format, binarized or not."),
    "grep": ("grep_command", "Find trees by a pattern, with file and line."),
    "draw": ("draw_command", "Draw trees as text, SVG, PNG or LaTeX."),
    "binarize": (STAGE, "Read a treebank and binarize it."),
    "tagger": (STAGE, "Train the tagger that raw text needs."),
    "spans": (STAGE, "Learn networks that find constituents by their words."),
    "features": (STAGE, "Extract inside and outside features."),
    "svd": (STAGE, "Project the features of each nonterminal."),
    "estimate": (STAGE, "Estimate the model's parameters."),
    "ensemble": (STAGE, "Train several models that parse together."),
    "crossval": ("crossval_command", "Parse each fold of a treebank with a model of the others."),
    "experiment": ("experiment_command", "Compare learners; print the papers' tables."),
    "consistency": ("consistency_command", "Test the theory: learn known grammars from growing samples."),
    "synth": ("synth_command", "Sample trees from a grammar."),
    "lm": ("lm_command", "Train and use language models with latent states."),
    "hmm": ("hmm_command", "Train and use hidden Markov models of sequences."),
    "dep": ("dep_command", "Dependency trees: models, a parser, reranking, scores."),
    "embed": ("embed_command", "Train and use embeddings of words (eigenwords)."),
    "sts": ("sts_command", "Train and use models of the similarity of sentences."),
    "grammar": ("grammar_command", "Write the grammar of a model as text."),
    "serve": ("serve_command", "Serve a page to try a model on, and a JSON endpoint."),
    "doctor": ("doctor_command", "Show whether lpcfg is installed well."),
    "help": ("help_command", "Show a page on a topic, or the options of a command."),
}
"""Subcommand → (module in this folder, one line of help), so that the help needs no imports."""

TOPICS = {
    "formats": "Every file that is read or written, with an example each.",
    "looking": "Convert, search and draw trees; look into a model.",
    "treebanks": "What is no language in trees, and how to leave it out.",
    "api": "From Python: train, load, parse, evaluate, sample trees.",
    "confidence": "Probabilities and posteriors of parses, n-best, calibration.",
    "constraints": "Brackets, tags and roots that trees must have; completion.",
    "serving": "The page and the JSON endpoint of `lpcfg serve`; limits.",
    "reading-times": "Surprisal of words: how it is computed; figures.",
    "scoring": "EVALB's figures: what is counted, options, significance.",
    "raw-text": "A small model that learns from raw text an ensemble parses.",
    "span-model": "A model of constituents by the words around them.",
    "reranking": "A reranker of the best trees: how it is learnt, figures.",
    "results": "Accuracy and speed, and the commands that measure them.",
    "theory": "Known grammars learnt from samples: is it consistent?",
    "language-model": "Saul and Pereira's language model: commands, figures.",
    "hidden-markov": "Hidden Markov models, spectral and by EM; figures.",
    "dependency": "Dependency trees: models, parser, reranking; figures.",
    "embeddings": "Eigenwords: vectors of words from text; figures.",
    "similarity": "Similarity of sentences: what is measured; figures.",
    "cluster": "Many cores, many machines, folders of text.",
    "wishes": "What users of parsers ask for, and the commands for it.",
    "extending": "Add a feature, learner, decoder, format, command or model.",
}
"""Topic → one line of help; its page is ``pages/<topic>.txt``."""

EXIT_INTERRUPTED = 130

ENDING_SIGNALS: dict[int, str] = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}
"""Signals that end the process, and what is said then."""

if hasattr(signal, "SIGHUP"):  # not on Windows
    ENDING_SIGNALS[signal.SIGHUP] = "the terminal was closed"


class MainGroup(LazyGroup):
    """The group of all commands; those of stages are made from the table of stages."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The subcommand, imported."""
        if self.table.get(cmd_name, ("",))[0] == STAGE:
            return with_quiet(importlib.import_module("lpcfg_cli.cli.stage_commands").stage_command(cmd_name))
        return super().get_command(ctx, cmd_name)

    def hint(self, name: str) -> str:
        """What the error for an unknown subcommand suggests: the page of that name, or the nearest command."""
        return f" It is a topic: lpcfg help {name}" if name in TOPICS else super().hint(name)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the subcommand; a closed pipe is caught here, because click would exit with status 1."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            ctx.exit(end_without_reader())

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the lists of subcommands and of help pages."""
        super().format_commands(ctx, formatter)
        with formatter.section("Help pages (lpcfg help TOPIC)"):
            formatter.write_dl(list(TOPICS.items()))


@click.group(
    cls=MainGroup, table=COMMANDS, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80}
)
@click.version_option(__version__, prog_name="lpcfg")
def cli() -> None:
    """Train constituency parsers from bracketed treebanks, and parse with them.

    \b
    lpcfg train TREEBANK -o RUN      trees in, model out
    lpcfg parse RUN tagged.txt       word/TAG lines in, trees out
    lpcfg parse RUN --text book.txt  running text in, trees out
    lpcfg eval GOLD TEST             bracket scores as EVALB gives them
    """


def end_at_signal(signum: int, frame: FrameType | None) -> NoReturn:
    """End the process immediately at Ctrl-C, or when it is told to end.

    `KeyboardInterrupt` cannot be raised: numba converts arguments without checking for exceptions, and one raised at
    that moment crashes the process.  Finished lines have been flushed before.
    """
    remove_partials()
    for message in keep_finished_lines():
        os.write(2, f"lpcfg: {message}\n".encode("utf-8", "backslashreplace"))
    os.write(2, f"lpcfg: {ENDING_SIGNALS[signum]}\n".encode())
    os._exit(128 + signum)


def main() -> None:
    """Run the command line and exit."""
    prepare_environment()
    prepare_collector()
    prepare_streams()
    before = {signum: signal.getsignal(signum) for signum in ENDING_SIGNALS}
    for signum, handler in before.items():
        if handler != signal.SIG_IGN:  # as `nohup` sets it
            signal.signal(signum, end_at_signal)
    COMPILING.tell_by(note)
    try:
        run()
    finally:
        for signum, handler in before.items():
            signal.signal(signum, handler)


def run() -> None:
    """Run the command line; every error becomes a message and an exit code."""
    try:
        status = cli.main(standalone_mode=False)
        sys.stdout.flush()
        if COMPILING.seconds:
            note(f"of the time, compiling took {COMPILING.seconds:.0f} s; later runs do without")
        sys.exit(status if isinstance(status, int) else 0)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("lpcfg: interrupted", err=True)
        sys.exit(EXIT_INTERRUPTED)
    except BrokenPipeError:
        sys.exit(end_without_reader())
    except Exception as error:
        sys.exit(tell_error(error))
