"""One self-contained HTML page that shows the errors of a parser."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from lpcfg_cli.evaluation.breakdowns import Confusion, LabelScore
from lpcfg_cli.evaluation.counts import percent
from lpcfg_cli.evaluation.score import Scores
from lpcfg_cli.evaluation.tree_drawing import DrawnNode, draw_tree
from lpcfg_cli.evaluation.tree_folding import FOLDING_SCRIPT, FOLDING_STYLE, foldable_tree
from lpcfg_cli.evaluation.worst import BadSentence
from lpcfg_cli.wording import counted

STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #1c2430; --soft: #5c6673; --rule: #d9dee5;
  --panel: #f6f8fa; --edge: #9aa5b1; --missed: #8a5a00; --missed-fill: #fff3d6; --wrong: #a4133c;
  --wrong-fill: #ffe3ea; --crossing: #fff; --crossing-fill: #a4133c; }
@media (prefers-color-scheme: dark) { :root { --paper: #14181d; --ink: #e6eaf0; --soft: #9aa5b1;
  --rule: #303843; --panel: #1b2027; --edge: #5c6673; --missed: #ffd27a; --missed-fill: #40300a;
  --wrong: #ff9db5; --wrong-fill: #4a1424; --crossing: #1c0a10; --crossing-fill: #ff9db5; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.5rem 4rem; max-width: 110rem; background: var(--paper);
  color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; } h2 { font-size: 1.15rem; margin: 2.5rem 0 .75rem; }
h3 { font-size: 1rem; margin: 0; } p { margin: .25rem 0; } .soft { color: var(--soft); }
.figures { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.25rem 0; }
.figures div { background: var(--panel); border: 1px solid var(--rule); border-radius: 8px;
  padding: .5rem 1rem; min-width: 7.5rem; }
.figures b { display: block; font-size: 1.4rem; font-variant-numeric: tabular-nums; }
.tables { display: flex; flex-wrap: wrap; gap: 2.5rem; align-items: flex-start; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; white-space: nowrap; font-weight: 600; padding-bottom: .35rem; }
th, td { padding: .15rem .75rem; text-align: right; border-bottom: 1px solid var(--rule); }
th:first-child, td:first-child { text-align: left; padding-left: 0; } th { color: var(--soft); }
section { border: 1px solid var(--rule); border-radius: 10px; margin: 1rem 0; overflow: hidden; }
section header { background: var(--panel); padding: .6rem 1rem; border-bottom: 1px solid var(--rule); }
.pair { display: flex; }
.pair > div { overflow-x: auto; padding: .5rem 1rem; flex: 1 1 auto; min-width: 20rem; }
.pair > div + div { border-left: 1px solid var(--rule); }
@media (max-width: 60rem) { .pair { flex-direction: column; }
  .pair > div + div { border-left: 0; border-top: 1px solid var(--rule); } }
svg { display: block; } svg path { stroke: var(--edge); fill: none; }
svg text { font: 12px ui-monospace, "DejaVu Sans Mono", monospace; fill: var(--ink); }
svg text.phrase { font-weight: 600; } svg text.tag { fill: var(--soft); }
svg text.ignored { fill: var(--edge); font-weight: 400; }
svg text.missed { fill: var(--missed); } rect.missed { fill: var(--missed-fill); stroke: var(--missed);
  stroke-dasharray: 3 2; }
svg text.wrong, svg text.badtag { fill: var(--wrong); }
rect.wrong { fill: var(--wrong-fill); stroke: var(--wrong); }
rect.badtag { fill: none; stroke: var(--wrong); stroke-dasharray: 1 2; } rect.ignored { fill: none; }
svg text.crossing { fill: var(--crossing); } rect.crossing { fill: var(--crossing-fill); }
.wide { overflow-x: auto; max-width: 100%; min-width: 0; }
@media (max-width: 40rem) { body { padding: 1rem .75rem 3rem; } }
input[name=only] { margin: 0 .35rem 0 0; } input[name=only] + label { margin-right: 1rem;
  white-space: nowrap; }
#only-missed:checked ~ section:not(.missed), #only-wrong:checked ~ section:not(.wrong),
#only-crossing:checked ~ section:not(.crossing), #only-badtag:checked ~ section:not(.badtag) { display: none; }
h1, p { overflow-wrap: anywhere; }
.key { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: center; }
.key span { display: inline-flex; gap: .4rem; align-items: center; }
"""

LEGEND = (
    ("NP", "", "right"),
    ("NP", "missed", "gold bracket that is not in the test tree"),
    ("NP", "wrong", "test bracket that is not in the gold tree"),
    ("NP", "crossing", "test bracket that crosses a gold bracket"),
    ("NN", "badtag", "wrong tag"),
    ("TOP", "ignored", "not counted"),
)


FILTERS = {"missed": "missed brackets", "wrong": "wrong brackets", "crossing": "crossing", "badtag": "wrong tags"}
"""Kinds of errors by which sentences can be filtered."""


@dataclass(frozen=True)
class PageContent:
    """The content of the page.

    Attributes
    ----------
    gold, test, rules : str
        Names of the files.
    scores : Scores
        The figures.
    labels : list of LabelScore
        Scores by label.
    confusions, crossings : list of Confusion
        The most frequent errors.
    worst : list of BadSentence
        The sentences to draw.
    are_chosen : bool
        Whether the user has chosen them.
    """

    gold: str
    test: str
    rules: str
    scores: Scores
    labels: list[LabelScore]
    confusions: list[Confusion]
    crossings: list[Confusion]
    worst: list[BadSentence]
    are_chosen: bool = False


def html_page(content: PageContent, most: int = 12) -> str:
    """The text of the page, which refers to no other file.

    Parameters
    ----------
    content : PageContent
    most : int
        Largest number of rows of a table.
    """
    title = f"{content.test} against {content.gold}"
    heading = f"The {counted(len(content.worst), 'sentence')} with the most wrong brackets"
    if content.are_chosen:
        heading = counted(len(content.worst), "chosen sentence")
    elif not content.worst:
        heading = "No wrong bracket in any sentence"
    tables = [
        _label_table(content.labels[:most]),
        _confusion_table("Same span, other label", content.confusions[:most]),
        _confusion_table("Crossing brackets", content.crossings[:most]),
    ]
    parts = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="soft">Labelled brackets as EVALB counts them; rules {escape(content.rules)}</p>',
        _figures(content.scores),
        f'<h2>Where the errors are</h2><div class="tables">{"".join(tables)}</div>',
        f"<h2>{heading}</h2>",
        '<p class="soft">A click on a phrase folds it to its words.</p>' * bool(content.worst),
        *([_legend(), _filters(content.worst)] if content.worst else []),
        *(_section(bad) for bad in content.worst),
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}{FOLDING_STYLE}</style></head>\n<body>\n"
        + "\n".join(parts)
        + f"\n<script>{FOLDING_SCRIPT}</script>\n</body></html>\n"
    )


def _figures(scores: Scores) -> str:
    total = scores.all
    shown = [
        ("F1", f"{total.f1:.2f}".replace("nan", "n/a")),
        ("recall", f"{total.recall:.2f}"),
        ("precision", f"{total.precision:.2f}"),
        ("complete match", f"{total.complete_match:.2f}"),
        ("tagging accuracy", f"{total.tagging_accuracy:.2f}"),
        ("sentences scored", f"{total.valid} of {total.sentences}"),
    ]
    boxes = "".join(f'<div><span class="soft">{name}</span><b>{value}</b></div>' for name, value in shown)
    return f'<div class="figures">{boxes}</div>'


def _label_table(labels: Sequence[LabelScore]) -> str:
    rows = (
        (
            r.label or "(none)",
            r.gold,
            r.test,
            r.matched,
            f"{r.recall:.2f}",
            f"{r.precision:.2f}",
            f"{r.f1:.2f}",
        )
        for r in labels
    )
    return _table("By label", ("label", "gold", "test", "matched", "recall", "precision", "F1"), rows)


def _confusion_table(caption: str, confusions: Sequence[Confusion]) -> str:
    return _table(caption, ("gold", "test", "count"), ((c.gold, c.test, c.count) for c in confusions))


def _table(caption: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    cells = "".join(f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row)}</tr>" for row in rows)
    names = "".join(f"<th>{name}</th>" for name in head)
    empty = f'<tr><td colspan="{len(head)}">none</td></tr>'
    rows_text = f"<tr>{names}</tr>{cells or empty}"
    return f'<div class="wide"><table><caption>{caption}</caption>{rows_text}</table></div>'


def _legend() -> str:
    items = (
        f"<span>{draw_tree([DrawnNode(label, None, -1, style)], meaning)}{meaning}</span>"
        for label, style, meaning in LEGEND
    )
    return f'<div class="key soft">{"".join(items)}</div>'


def _filters(sentences: Sequence[BadSentence]) -> str:
    """Buttons that leave the sentences with one kind of error, without any script."""
    kinds = {style: sum(style in bad.error_types for bad in sentences) for style in FILTERS}
    choices = [("all", "all", len(sentences)), *((style, FILTERS[style], n) for style, n in kinds.items() if n)]
    return "".join(
        f'<input type="radio" name="only" id="only-{style}"{" checked" if style == "all" else ""}>'
        f'<label for="only-{style}">{text} ({n})</label>'
        for style, text, n in choices
    )


def _section(bad: BadSentence) -> str:
    recall, precision = percent(bad.matched, bad.n_gold), percent(bad.matched, bad.n_test)
    words = " ".join(node.word for node in bad.gold if node.word is not None)
    sides = (("gold", bad.n_gold, bad.gold), ("test", bad.n_test, bad.test))
    drawn = "".join(
        f'<div><p class="soft">{name}, {counted(n, "bracket")}</p>{foldable_tree(nodes, f"{name} tree")}</div>'
        for name, n, nodes in sides
    )
    return (
        f'<section id="s{bad.sentence}" class="{" ".join(bad.error_types)}"><header><h3>Sentence {bad.sentence}</h3>'
        f'<p class="soft">{counted(bad.length, "word")}, {counted(bad.wrong, "wrong bracket")}, recall {recall:.1f}, '
        f"precision {precision:.1f}, crossing {bad.crossing}</p>"
        f'<p class="soft">{escape(", ".join(bad.places))}</p><p>{escape(words)}</p></header>'
        f'<div class="pair">{drawn}</div></section>'
    )
