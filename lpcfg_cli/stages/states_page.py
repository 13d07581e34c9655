"""One self-contained HTML page of the latent states of a nonterminal."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from lpcfg_cli.evaluation.html_page import STYLE
from lpcfg_cli.stages.states import StatesReport
from lpcfg_cli.wording import counted

OWN_STYLE = """
body { padding: 1rem .75rem 3rem; }
section header { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: baseline; }
.lists { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(16rem, 100%), 1fr)); gap: 1rem;
  align-items: start; padding: .75rem 1rem; }
.lists table { width: 100%; table-layout: fixed; } .lists td:first-child { overflow-wrap: anywhere; width: 75%; }
td.bar { background: linear-gradient(var(--rule), var(--rule)) no-repeat right / var(--share) 100%; }
.examples { padding: 0 1rem .75rem; overflow-wrap: anywhere; }
"""


def explanation(report: StatesReport) -> str:
    """What the states are, in two sentences."""
    if report.is_probabilistic:
        return "Each node counts for a state by the state's posterior in its training tree."
    return (
        "The parameters of this learner are no probabilities of states. For each projected dimension, + and - show the "
        "nodes at its two ends."
    )


def states_page(report: StatesReport) -> str:
    """The text of the page, which refers to no other file."""
    title = f"{report.symbol}: latent states"
    about = f"{counted(report.nodes, 'node')} of the training trees, learner {report.learner}. {explanation(report)}"
    sections = []
    for state in report.states:
        lists = (("Words", state.words), ("Rules", state.rules), ("Contexts", state.contexts))
        tables = "".join(_table(caption, rows) for caption, rows in lists)
        examples = "".join(f"<p class='soft'>{escape(text)}</p>" for text in state.examples)
        sections.append(
            f'<section id="s{escape(state.name)}"><header><h3>{escape(report.symbol)} {escape(state.name)}</h3>'
            f'<p class="soft">{state.share:.1%} of the nodes</p></header><div class="lists">{tables}</div>'
            f'<div class="examples">{examples}</div></section>'
        )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}{OWN_STYLE}</style></head>\n<body>\n"
        f'<h1>{escape(title)}</h1>\n<p class="soft">{escape(about)}</p>\n' + "\n".join(sections) + "\n</body></html>\n"
    )


def _table(caption: str, rows: Sequence[tuple[str, float]]) -> str:
    cells = "".join(
        f'<tr><td>{escape(name)}</td><td class="bar" style="--share: {share:.0%}">{share:.0%}</td></tr>'
        for name, share in rows
    )
    return f"<table><caption>{caption}</caption>{cells or '<tr><td>none stands out</td><td></td></tr>'}</table>"
