"""Parses as one self-contained HTML page: each sentence with its tree, brackets coloured by their posteriors."""

from __future__ import annotations

from html import escape

from lpcfg_cli.evaluation.drawn_trees import COLOURS, LEVELS, DrawnTree
from lpcfg_cli.evaluation.html_page import STYLE
from lpcfg_cli.evaluation.tree_drawing import DrawnNode, draw_tree
from lpcfg_cli.evaluation.tree_folding import FOLDING_SCRIPT, FOLDING_STYLE, foldable_tree
from lpcfg_cli.parsing.confidence import Confidence
from lpcfg_cli.parsing.line_forms import ParsedInput
from lpcfg_cli.treebank.brackets import treebank_from_text
from lpcfg_cli.treebank.trees import NO_WORD
from lpcfg_cli.wording import counted

OWN_STYLE = (
    "\n:root { " + " ".join(f"--{name}: {colour};" for name, colour in COLOURS.items()) + " --on: #1c2430; }"
    """
@media (prefers-color-scheme: dark) { :root { --p90: #24391b; --p70: #4a3d10; --p50: #5a3412; --p0: #611b2b;
  --on: #f2f4f7; } }
body { padding: 1rem .75rem 3rem; }
details { border: 1px solid var(--rule); border-radius: 10px; margin: .75rem 0; overflow: hidden; }
summary { background: var(--panel); padding: .5rem .75rem; cursor: pointer; overflow-wrap: anywhere; }
summary small { display: block; color: var(--soft); }
.tree { overflow-x: scroll; padding: .25rem .75rem .5rem; scrollbar-width: auto; }
.tree::-webkit-scrollbar { height: 12px; } .tree::-webkit-scrollbar-track { background: var(--panel); }
.tree::-webkit-scrollbar-thumb { background: var(--edge); border-radius: 6px; }
"""
    + "".join(
        f"rect.{name} {{ fill: var(--{name}); stroke: var(--edge); }} svg text.{name} {{ fill: var(--on); }}\n"
        for name in COLOURS
    )
)

FOLD = (
    "const all = open => document.querySelectorAll('details').forEach(one => { one.open = open; });"
    "document.getElementById('fold').onclick = () => all(false);"
    "document.getElementById('unfold').onclick = () => all(true);"
)


def legend() -> str:
    """What the colours of brackets mean."""
    key = [("NP" if name else "sure", name, f"{least:.0%} or more" if least else "less") for least, name in LEVELS]
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
        f"<title>Parses</title><style>{STYLE}{OWN_STYLE}{FOLDING_STYLE}</style></head>\n<body>\n<h1>Parses</h1>\n"
        "<p>The posterior of a bracket is the probability that the tree has it. "
        "A number stands in every bracket that is not sure. "
        "A click on a phrase folds it to its words.</p>\n"
        f"{legend()}\n"
        '<p><button id="fold">Fold all</button> <button id="unfold">Unfold all</button></p>'
    )


PAGE_END = f"<script>{FOLD}{FOLDING_SCRIPT}</script>\n</body></html>"


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
    return f'<div class="tree" tabindex="0">{caption}{foldable_tree(nodes, tree)}</div>' if nodes else ""


def drawn_nodes(tree: str, confidence: Confidence | None) -> list[DrawnNode]:
    """The nodes of a bracketed line, with the colours of their posteriors."""
    found = treebank_from_text(tree)
    n_phrases = int((found.word == NO_WORD).sum())
    brackets = confidence.brackets if confidence is not None else []
    posteriors = iter([None] * (n_phrases - len(brackets)) + [bracket.posterior for bracket in brackets])
    nodes, values = list[DrawnNode](), list[float | None]()
    for label, word, parent in zip(found.label.tolist(), found.word.tolist(), found.parent.tolist(), strict=True):
        nodes.append(DrawnNode(found.strings[label], None if word == NO_WORD else found.strings[word], parent))
        values.append(next(posteriors) if word == NO_WORD else None)
    return DrawnTree(nodes, values).styled()
