"""``lpcfg eval``: score parsed trees against gold trees."""

from __future__ import annotations

import sys
from contextlib import closing

import click
from tqdm import tqdm

from lpcfg_cli.cli.console import note, print_json
from lpcfg_cli.cli.eval_tables import evalb_report, summary_table
from lpcfg_cli.evaluation.score import Problem
from lpcfg_cli.stages.evaluate import EvaluationReport, evaluate

EXIT_BELOW, EXIT_PARTIAL, EXIT_NOTHING_VALID = 10, 11, 12

NAMED_PROBLEMS = 10
"""How many sentences of each kind of problem are named on stderr."""


@click.command("eval")
@click.argument("gold", type=click.Path())
@click.argument("test", type=click.Path())
@click.option("-p", "--parameters", type=click.Path(), metavar="FILE", help="EVALB parameter file (.prm).")
@click.option(
    "--format", "layout_out", type=click.Choice(["table", "evalb"]), default="table", show_default=True,
    help="A compact table, or EVALB's own output.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Everything, as JSON.")
@click.option("--fail-under", type=float, metavar="F1", help="Exit with status 10 if F1 is below this.")
@click.option(
    "--layout", type=click.Choice(["auto", "lines", "trees"]), default="auto", show_default=True,
    help="How trees stand in the files: one a line, or over several lines.",
)  # fmt: skip
@click.option("--encoding", default="utf-8-sig", metavar="NAME", help="Encoding of the tree files.  [utf-8]")
def command(
    *,
    gold: str,
    test: str,
    parameters: str | None,
    layout_out: str,
    as_json: bool,
    fail_under: float | None,
    layout: str,
    encoding: str,
) -> None:
    """Score parsed trees against gold trees.

    GOLD and TEST are files or directories of bracketed trees, paired in order.
    The figures equal EVALB's; without -p its COLLINS.prm is used.

    \b
    Exit status: 0, or 10 if F1 is below --fail-under, 11 if the files differ in
    their number of trees, 12 if no sentence could be scored.
    """
    with closing(_progress_bar()) as bar:
        report = evaluate(gold, test, parameters, layout=layout, encoding=encoding, advance=bar.update)
    if as_json:
        print_json(report.as_dict())
    elif layout_out == "evalb":
        click.echo("\n".join(evalb_report(report.scores)))
    else:
        click.echo(f"gold   {gold}\ntest   {test}\nrules  {report.rules}\n")
        if report.scores.is_partial:
            click.echo("PARTIAL: the files differ in their number of trees\n")
        click.echo(summary_table(report.scores))
    _tell_problems(report)
    click.get_current_context().exit(_exit_status(report, fail_under))


def _progress_bar() -> tqdm:
    return tqdm(
        desc="scoring", unit=" sentences", file=sys.stderr, leave=False, disable=not sys.stderr.isatty(),
        dynamic_ncols=True,
    )  # fmt: skip


def _tell_problems(report: EvaluationReport) -> None:
    for message in report.notes:
        note(f"note: {message}")
    problems = report.scores.problems
    skipped = [problem for problem in problems if problem.kind == "skipped"]
    errors = [problem for problem in problems if problem.kind != "skipped"]
    total = len(report.scores.rows)
    if errors:
        note(f"warning: {len(errors)} of {total} sentences are errors and left out of all figures:")
        _name_sentences(errors)
    if skipped:
        note(f"warning: {len(skipped)} of {total} sentences were skipped and left out of all figures:")
        _name_sentences(skipped)


def _name_sentences(problems: list[Problem]) -> None:
    for problem in problems[:NAMED_PROBLEMS]:
        note(f"  {problem.sentence} : {problem.message} ({problem.test})")
    if len(problems) > NAMED_PROBLEMS:
        note(f"  … and {len(problems) - NAMED_PROBLEMS} more; --json names them all")


def _exit_status(report: EvaluationReport, fail_under: float | None) -> int:
    scores, f1 = report.scores, report.scores.all.f1
    if scores.is_partial:
        note(
            f"error: Number of lines unmatch: {scores.n_gold} trees in gold {report.gold}, "
            f"{scores.n_test} in test {report.test}. The scores are partial, of the first "
            f"{len(scores.rows)} only."
        )
        return EXIT_PARTIAL
    if scores.all.valid == 0:
        note("error: no valid sentence, so that there is nothing to score.")
        return EXIT_NOTHING_VALID
    if fail_under is not None and not f1 >= fail_under:
        note(f"error: F1 {f1:.2f} is below {fail_under:g} (--fail-under).")
        return EXIT_BELOW
    return 0
