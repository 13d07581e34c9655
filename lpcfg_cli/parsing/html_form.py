"""Parses as one self-contained HTML page: each sentence with its tree, brackets coloured by their posteriors."""

from __future__ import annotations

from html import escape

from lpcfg_cli.evaluation.html_page import STYLE
from lpcfg_cli.evaluation.tree_drawing import DrawnNode, draw_tree
from lpcfg_cli.parsing.confidence import Confidence
from lpcfg_cli.parsing.line_forms import ParsedInput
from lpcfg_cli.treebank.brackets import treebank_from_text
from lpcfg_cli.treebank.trees import NO_WORD
from lpcfg_cli.wording import counted

SURE = 0.99
STEPS = ((0.9, "p90"), (0.7, "p70"), (0.5, "p50"), (0.0, "p0"))
"""Least posterior of each colour below `SURE`, and its class; brackets that are surer have none."""

OWN_STYLE = """
:root { --p90: #e2f0d9; --p70: #fff0c2; --p50: #ffd9b0; --p0: #ffc2cc; --on: #1c2430; }
@media (prefers-color-scheme: dark) { :root { --p90: #24391b; --p70: #4a3d10; --p50: #5a3412; --p0: #611b2b;
  --on: #f2f4f7; } }
body { padding: 1rem .75rem 3rem; }
details { border: 1px solid var(--rule); border-radius: 10px; margin: .75rem 0; overflow: hidden; }
summary { background: var(--panel); padding: .5rem .75rem; cursor: pointer; overflow-wrap: anywhere; }
summary small { display: block; color: var(--soft); }
.tree { overflow-x: scroll; padding: .25rem .75rem .5rem; scrollbar-width: auto; }
.tree::-webkit-scrollbar { height: 12px; } .tree::-webkit-scrollbar-track { background: var(--panel); }
.tree::-webkit-scrollbar-thumb { background: var(--edge); border-radius: 6px; }
""" + "".join(
    f"rect.{name} {{ fill: var(--{name}); stroke: var(--edge); }} svg text.{name} {{ fill: var(--on); }}\n"
    for _, name in STEPS
)

FOLD = (
    "const all = open => document.querySelectorAll('details').forEach(one => { one.open = open; });"
    "document.getElementById('fold').onclick = () => all(false);"
    "document.getElementById('unfold').onclick = () => all(true);"
)


def legend() -> str:
    """What the colours of brackets mean."""
    key = [("sure", "", f"{SURE:.0%} or more")]
    key += [("NP", name, f"{least:.0%} or more" if least else "less") for least, name in STEPS]
    spans = "".join(
        f"<span>{draw_tree([DrawnNode(label, None, -1, name)], meaning)}{meaning}</span>"
        for label, name, meaning in key
    )
    return f'<div class="key soft">{spans}</div>'


def page_start() -> str:
    """The page up to the first sentence."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Parses</title><style>{STYLE}{OWN_STYLE}</style></head>\n<body>\n<h1>Parses</h1>\n"
        "<p>The posterior of a bracket is the probability that the tree has it. "
        "A number stands in every bracket that is not sure.</p>\n"
        f"{legend()}\n"
        '<p><button id="fold">Fold all</button> <button id="unfold">Unfold all</button></p>'
    )


PAGE_END = f"<script>{FOLD}</script>\n</body></html>"


def write_section(parsed: ParsedInput) -> str:
    """A sentence, which can be folded, with its trees."""
    words = " ".join(word for word, _ in parsed.sentence.tokens)
    facts = [parsed.sentence.place, parsed.parse.status.value, counted(len(parsed.sentence.tokens), "word")]
    ranked = [(one.tree, one.confidence) for one in parsed.ranked] if parsed.lists_trees else []
    best = parsed.ranked[0].confidence if parsed.ranked else None
    shown = ranked or [(parsed.tree, best)]
    drawn = [_drawing(tree, confidence, has_caption=len(shown) > 1) for tree, confidence in shown]
    facts += [f"tree {best.posterior:.1%}"] if best is not None else []
    return (
        f"<details open><summary>{escape(words) or '(empty)'}<small>{escape(', '.join(filter(None, facts)))}</small>"
        f"</summary>{''.join(drawn)}</details>"
    )


def _drawing(tree: str, confidence: Confidence | None, has_caption: bool) -> str:
    nodes = drawn_nodes(tree, confidence)
    caption = f'<p class="soft">{confidence.posterior:.1%}</p>' if has_caption and confidence is not None else ""
    return f'<div class="tree" tabindex="0">{caption}{draw_tree(nodes, tree)}</div>' if nodes else ""


def drawn_nodes(tree: str, confidence: Confidence | None) -> list[DrawnNode]:
    """The nodes of a bracketed line, with the colours of their posteriors."""
    found = treebank_from_text(tree)
    n_phrases = int((found.word == NO_WORD).sum())
    brackets = confidence.brackets if confidence is not None else []
    posteriors = iter([None] * (n_phrases - len(brackets)) + [bracket.posterior for bracket in brackets])
    nodes = []
    for label, word, parent in zip(found.label.tolist(), found.word.tolist(), found.parent.tolist(), strict=True):
        name = found.strings[label]
        if word != NO_WORD:
            nodes.append(DrawnNode(name, found.strings[word], parent))
            continue
        posterior = next(posteriors)
        if posterior is None or posterior >= SURE:
            nodes.append(DrawnNode(name, None, parent, "", "" if posterior is None else f"{posterior:.2%}"))
        else:
            style = next(style for least, style in STEPS if posterior >= least)
            nodes.append(DrawnNode(f"{name} {posterior:.0%}", None, parent, style, f"{posterior:.2%}"))
    return nodes
