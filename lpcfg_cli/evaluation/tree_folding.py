"""Folding of drawn trees on a page: a click on a phrase puts its words beside its label, another one unfolds it.

The script reads the tree from attributes of the drawing, and gives each visible word or folded phrase a row of its own,
as `lpcfg_cli.evaluation.tree_drawing` does.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from lpcfg_cli.evaluation.tree_drawing import GAP, MARGIN, PAD, ROW, DrawnNode, draw_tree, label_width, lay_out

FOLDING_STYLE = """
svg.foldable g[role=button] { cursor: pointer; }
svg.foldable g[role=button]:hover text, svg.foldable g[role=button]:focus-visible text { text-decoration: underline; }
svg.foldable g[role=button]:focus { outline: none; }
svg.foldable text.folded { fill: var(--soft); font-style: italic; cursor: pointer; }
"""

FOLDING_SCRIPT = """
document.querySelectorAll('svg.foldable').forEach(svg => {
  const [parents, lefts, rights] = JSON.parse(svg.dataset.tree);
  const [margin, row, gap, pad] = SIZES;
  const labels = [...svg.querySelectorAll(':scope > g')], path = svg.querySelector('path');
  const words = new Map(), folded = new Map(), isParent = new Set(parents);
  const texts = [...svg.querySelectorAll(':scope > text')];
  parents.forEach((_, k) => { if (labels[k].querySelector('text.tag')) words.set(k, texts.shift()); });
  const at = labels.map(label => label.querySelector('text').getAttribute('y') - 4);
  const width = svg.width.baseVal.value;
  const isBelow = (k, above) => { while (k > above) k = parents[k]; return k === above; };
  const wordsOf = above => [...words].filter(([k]) => isBelow(k, above)).map(([, text]) => text.textContent).join(' ');
  const draw = () => {
    const hidden = [], rows = [], first = [], last = [];
    let n = 0, size = width, lines = '';
    parents.forEach((above, k) => {
      hidden[k] = above >= 0 && (hidden[above] || folded.has(above));
      if (!hidden[k] && (folded.has(k) || !isParent.has(k))) rows[k] = n++;
    });
    for (let k = parents.length - 1; k >= 0; k--) {
      if (hidden[k]) continue;
      if (rows[k] === undefined) rows[k] = (first[k] + last[k]) / 2;
      const above = parents[k];
      if (above >= 0) { first[above] = rows[k]; last[above] ??= rows[k]; }
    }
    const middle = k => margin + (rows[k] + .5) * row;
    parents.forEach((above, k) => {
      [labels[k], words.get(k)].forEach(part => {
        if (!part) return;
        part.style.display = hidden[k] ? 'none' : '';
        if (!hidden[k]) part.setAttribute('transform', `translate(0 ${middle(k) - at[k]})`);
      });
      if (hidden[k]) { folded.get(k)?.remove(); return; }
      if (above >= 0) lines += `M${rights[above]} ${middle(above)}h${gap / 2}V${middle(k)}H${lefts[k]}`;
      const text = folded.get(k);
      if (text) {
        svg.append(text);
        text.setAttribute('x', rights[k] + pad);
        text.setAttribute('y', middle(k) + 4);
        size = Math.max(size, rights[k] + pad + text.getComputedTextLength() + margin);
      }
    });
    path.setAttribute('d', lines);
    const height = n * row + 2 * margin;
    svg.setAttribute('width', size);
    svg.setAttribute('height', height);
    svg.setAttribute('viewBox', `0 0 ${size} ${height}`);
  };
  const toggle = k => {
    if (folded.has(k)) { folded.get(k).remove(); folded.delete(k); }
    else {
      const text = document.createElementNS(svg.namespaceURI, 'text');
      text.setAttribute('class', 'folded');
      text.textContent = wordsOf(k);
      text.onclick = () => toggle(k);
      folded.set(k, text);
    }
    labels[k].setAttribute('aria-expanded', !folded.has(k));
    draw();
  };
  labels.forEach((label, k) => {
    if (!isParent.has(k)) return;
    label.setAttribute('role', 'button');
    label.setAttribute('tabindex', 0);
    label.setAttribute('aria-expanded', true);
    label.onclick = () => toggle(k);
    label.onkeydown = event => {
      if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); toggle(k); }
    };
  });
});
""".replace("SIZES", f"[{MARGIN}, {ROW}, {GAP}, {PAD}]")


def foldable_tree(nodes: Sequence[DrawnNode], description: str) -> str:
    """An SVG element as `draw_tree` gives it, which `FOLDING_SCRIPT` finds.

    Its attributes have the parents of all nodes, and the left and right edges of their labels in pixels.
    """
    left = lay_out(nodes).left
    parents = [node.parent for node in nodes]
    lefts = [round(edge, 1) for edge in left]
    rights = [round(edge + label_width(node.label), 1) for edge, node in zip(left, nodes, strict=True)]
    tree = json.dumps([parents, lefts, rights], separators=(",", ":"))
    return draw_tree(nodes, description, f'class="foldable" data-tree="{tree}"')
