"""``lpcfg eval``: score parsed trees against gold trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import click

from lpcfg_cli.cli import eval_tables as tables
from lpcfg_cli.cli.console import advancing, note, print_json
from lpcfg_cli.cli.output_options import CheckedCommand, OutputFile
from lpcfg_cli.cli.percent import Percent
from lpcfg_cli.cli.tree_numbers import TreeNumbers
from lpcfg_cli.errors import InputError
from lpcfg_cli.evaluation.debug_listing import DebugListing
from lpcfg_cli.evaluation.evaluate import (
    ComparisonReport,
    EvaluationOptions,
    EvaluationReport,
    compare,
    evaluate,
    write_page,
)
from lpcfg_cli.evaluation.score import Observer, Problem
from lpcfg_cli.evaluation.significance import SignificanceSettings
from lpcfg_cli.evaluation.worst import WorstSentences
from lpcfg_cli.treebank.sources import STDIN
from lpcfg_cli.wording import counted

EXIT_BELOW, EXIT_PARTIAL, EXIT_NOTHING_VALID = 10, 11, 12

NAMED_PROBLEMS = 10
"""Largest number of sentences with each kind of problem that are listed on stderr."""

DEFAULTS = SignificanceSettings()


@dataclass(frozen=True)
class Wanted:
    """The tables to print besides the summary."""

    per_sentence: bool
    by_label: bool
    by_length: bool
    confusions: bool
    other_scores: bool
    oracle: bool


@click.command("eval", cls=CheckedCommand)
@click.argument("gold", type=click.Path())
@click.argument("test", type=click.Path())
@click.argument("other", type=click.Path(), required=False)
@click.option("-p", "--parameters", type=click.Path(), metavar="FILE", help="EVALB parameter file (.prm).")
@click.option(
    "--format", "output", type=click.Choice(["table", "evalb"]), default="table", show_default=True,
    help="A compact table, or EVALB's own output.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@click.option("--per-sentence", is_flag=True, help="Add EVALB's table of sentences.")
@click.option("--by-label", is_flag=True, help="Add scores by label.")
@click.option("--by-length", is_flag=True, help="Add scores by sentence length.")
@click.option("--confusions", is_flag=True, help="Add label confusions and crossing errors.")
@click.option("--other-scores", is_flag=True, help="Add unlabelled and leaf-ancestor scores.")
@click.option("--full", is_flag=True, help="Add all of these except the table of sentences.")
@click.option("--align", is_flag=True, help="Score by character spans too, if the tokenisations differ.")
@click.option("--oracle", is_flag=True, help="Add scores of the best of the first N trees, if TEST has n-best lists.")
@click.option("--drop-unlabelled", is_flag=True, help="Leave out brackets without a label, as around whole trees.")
@click.option("--html", type=OutputFile(), metavar="FILE", help="Write a page with drawings of the worst sentences.")
@click.option(
    "--html-sentences", type=click.IntRange(1), default=20, show_default=True, metavar="N",
    help="Number of sentences on the page.",
)  # fmt: skip
@click.option("--html-only", type=TreeNumbers(), metavar="N,N-N", help="Draw these sentences, even without errors.")
@click.option("--fail-under", type=Percent(), metavar="F1", help="Exit with status 10 if F1 is below this.")
@click.option(
    "--samples", type=click.IntRange(1), default=DEFAULTS.samples, show_default=True,
    help="Number of random samples of the tests with OTHER.",
)  # fmt: skip
@click.option("--seed", type=int, default=DEFAULTS.seed, show_default=True, help="Seed of these samples.")
@click.option(
    "--layout", type=click.Choice(["auto", "lines", "trees"]), default="auto", show_default=True,
    help="One tree on each line, or trees over several lines.",
)  # fmt: skip
@click.option("--encoding", default="utf-8", show_default=True, metavar="NAME", help="Encoding of the tree files.")
@click.option("--test-encoding", metavar="NAME", help="Encoding of TEST and OTHER; default that of GOLD.")
def command(
    *,
    gold: str,
    test: str,
    other: str | None,
    output: str,
    as_json: bool,
    fail_under: float | None,
    samples: int,
    seed: int,
    full: bool,
    **options: Any,
) -> None:
    """Score parsed trees against gold trees.

    GOLD and TEST are files or directories of bracketed trees; files of
    directories are paired by name, if their names pair, and trees in order.
    One of them may be - for standard input.  TEST may have lists of the n best
    trees.  The figures equal EVALB's; without -p the rules are those of its
    COLLINS.prm.  With OTHER, a second parse of GOLD, the significance of the
    difference between the two is tested.

    \b
    Exit status: 0, or 10 if F1 is below --fail-under, 11 if the files differ in
    their number of trees, 12 if no sentence could be scored.
    """
    wanted = Wanted(
        per_sentence=options["per_sentence"],
        oracle=options["oracle"],
        **{name: full or options[name] for name in ("by_label", "by_length", "confusions", "other_scores")},
    )
    reading = EvaluationOptions(
        parameters=options["parameters"],
        layout=options["layout"],
        encoding=options["encoding"],
        test_encoding=options["test_encoding"],
        drop_unlabelled=options["drop_unlabelled"],
        full=wanted.confusions or wanted.other_scores or as_json or bool(options["html"]),
        align=options["align"],
        oracle=options["oracle"] or as_json,
    )
    _check_usage([gold, test, other], output == "evalb" or bool(options["html"]))
    worst, listing = WorstSentences(options["html_sentences"], options["html_only"] or frozenset()), DebugListing()
    observers: list[Observer] = [
        *([worst] if options["html"] else []),
        *([listing] if output == "evalb" else []),
    ]
    with advancing("scoring", "sentences") as advance:
        if other is None:
            reports = [evaluate(gold, test, reading, advance, observers)]
        else:
            settings = SignificanceSettings(samples=samples, seed=seed)
            comparison = compare(gold, test, other, reading, settings=settings, advance=advance)
            reports = [comparison.a, comparison.b]
    _check_oracle(reports, wanted)
    if as_json:
        print_json(reports[0].as_dict() if other is None else comparison.as_dict())
    elif output == "evalb":
        click.echo("\n".join(tables.evalb_report(reports[0].scores, listing.listings)))
    elif other is None:
        _print_report(reports[0], wanted)
    else:
        _print_comparison(comparison, wanted)
    if options["html"]:
        write_page(reports[0], worst, options["html"])
        note(f"wrote {options['html']}")
    for message in dict.fromkeys(message for report in reports for message in report.notes):
        note(f"note: {message}")
    for report in reports:
        tell_problems(report)
    click.get_current_context().exit(max(_exit_status(report, fail_under) for report in reports))


def _check_usage(paths: list[str | None], shows_one: bool) -> None:
    if paths.count(STDIN) > 1:
        raise click.UsageError("only one of GOLD, TEST and OTHER can be -, which is read once.")
    if shows_one and paths[-1] is not None:
        raise click.UsageError("--format evalb and --html show only one parse: leave out OTHER.")


def _check_oracle(reports: list[EvaluationReport], wanted: Wanted) -> None:
    if wanted.oracle and not any(report.oracle for report in reports):
        names = " and ".join(report.test for report in reports)
        raise InputError(f"{names}: no lists of trees, so there is no oracle. Parse with --nbest N for such lists.")


def _print_report(report: EvaluationReport, wanted: Wanted) -> None:
    click.echo(f"gold   {report.gold}\ntest   {report.test}\nrules  {report.rules}\n")
    if report.scores.is_partial:
        click.echo("PARTIAL: the files differ in their number of trees\n")
    click.echo("\n".join([tables.summary_table(report.scores), *tables.unlabelled_lines(report)]))
    _print_sections(report, wanted, "")


def _print_comparison(report: ComparisonReport, wanted: Wanted) -> None:
    a, b = report.a, report.b
    click.echo(f"gold   {a.gold}\nA      {a.test}\nB      {b.test}\nrules  {a.rules}\n")
    click.echo(tables.comparison_table(report))
    for name, part in (("A", a), ("B", b)):
        for line in tables.unlabelled_lines(part):
            click.echo(f"{name}: {line}")
        _print_sections(part, wanted, f"{name}: ")


def _print_sections(report: EvaluationReport, wanted: Wanted, prefix: str) -> None:
    sections = []
    if wanted.other_scores and report.more:
        sections.append(("Other scores", tables.other_scores(report.more)))
    if wanted.oracle and report.oracle:
        sections.append(("Best of the first N trees", tables.oracle_table(report)))
    if wanted.by_label:
        sections.append(("By label", tables.label_table(report)))
    if wanted.by_length:
        sections.append(("By sentence length", tables.length_table(report)))
    if wanted.confusions and report.more:
        sections.append(("Most frequent errors", tables.confusion_tables(report.more)))
    if report.aligned is not None:
        sections.append(("By character spans (not EVALB's figures)", tables.aligned_scores(report.aligned)))
    if wanted.per_sentence:
        sections.append(("Sentences", "\n".join(tables.per_sentence_table(report.scores))))
    for title, text in sections:
        click.echo(f"\n{prefix}{title}\n\n{text}")


def tell_problems(report: EvaluationReport) -> None:
    """Name the sentences that are not scored."""
    problems = report.scores.problems
    total = len(report.scores.rows)
    for is_skip, name in ((False, "errors"), (True, "skipped")):
        found = [problem for problem in problems if (problem.kind == "skipped") == is_skip]
        if found:
            those = f"{len(found):,} of {counted(total, 'sentence')}"
            note(f"warning: {report.test}: {those} are {name} and left out of all figures:")
            _name_sentences(found)


def _name_sentences(problems: list[Problem]) -> None:
    for problem in problems[:NAMED_PROBLEMS]:
        place = problem.gold if problem.kind == "gold brackets" else problem.test
        note(f"  {problem.sentence} : {problem.message} ({place})")
    if len(problems) > NAMED_PROBLEMS:
        note(f"  ... and {len(problems) - NAMED_PROBLEMS} more; --json lists all")


def _tell_partial(report: EvaluationReport) -> None:
    scores = report.scores
    scored = f"of the {len(scores.rows)} that pair" if scores.mismatches else f"of the first {len(scores.rows)} only"
    note(
        f"error: Number of lines unmatch: {counted(scores.n_gold, 'tree')} in gold {report.gold}, "
        f"{scores.n_test} in test {report.test}. The scores are partial, {scored}."
    )
    for mismatch in scores.mismatches[:NAMED_PROBLEMS]:
        note(f"  {mismatch}")
    if len(scores.mismatches) > NAMED_PROBLEMS:
        note(f"  ... and {len(scores.mismatches) - NAMED_PROBLEMS} more; --json lists all")


def _exit_status(report: EvaluationReport, fail_under: float | None) -> int:
    scores, f1 = report.scores, report.scores.all.f1
    if scores.is_partial:
        _tell_partial(report)
        return EXIT_PARTIAL
    if scores.all.valid == 0:
        note("error: there is no valid sentence to score.")
        return EXIT_NOTHING_VALID
    if fail_under is not None and not f1 >= fail_under:
        note(f"error: {report.test}: F1 {f1:.2f} is below {fail_under:g} (--fail-under).")
        return EXIT_BELOW
    return 0
