"""The page of worst sentences: marks, layout of trees, and rendering in a browser."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser

import pytest
from eval_strategies import bracketings, word_lists
from hypothesis import given, settings
from hypothesis import strategies as st

from lpcfg_cli.evaluation.score import score_treebanks
from lpcfg_cli.evaluation.sentences import source_of_text
from lpcfg_cli.evaluation.tree_drawing import DrawnNode, label_width, lay_out
from lpcfg_cli.evaluation.worst import WorstSentences
from lpcfg_cli.treebank.brackets import treebank_from_text

GOLD = """\
(TOP (S (NP (DT the) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (DT the) (NN mat)))) (. .)))
(TOP (S (NP (PRP we)) (VP (VBD left))))
(TOP (S (NP (X <b>)) (VP (VBD left))))
"""
TEST = """\
(TOP (S (NP (DT the) (NN cat) (VBD sat)) (XP (IN on) (NP (DT the) (VB mat))) (. .)))
(TOP (S (NP (PRP we)) (VP (VBD left))))
(TOP (S (QP (X <b>)) (VP (VBD left))))
"""


def worst_of(gold, test, limit=20):
    observer = WorstSentences(limit)
    score_treebanks(source_of_text(gold), source_of_text(test), observers=[observer])
    return observer.sentences()


def styles(nodes):
    return [(node.label, node.style) for node in nodes if node.style]


def test_wrong_brackets_are_marked_on_their_side():
    first, second = worst_of(GOLD, TEST)
    assert (first.sentence, first.wrong, first.crossing) == (1, 5, 1)
    assert styles(first.gold) == [
        ("TOP", "ignored"), ("NP", "missed"), ("VP", "missed"), ("PP", "missed"), (".", "ignored"),
    ]  # fmt: skip
    assert styles(first.test) == [
        ("TOP", "ignored"), ("NP", "crossing"), ("XP", "wrong"), ("VB", "badtag"), (".", "ignored"),
    ]  # fmt: skip
    assert (second.sentence, second.wrong) == (3, 2)
    assert styles(second.test) == [("TOP", "ignored"), ("QP", "wrong")]


def test_traces_are_not_drawn_and_labels_are_as_compared():
    gold = "(S (NP-SBJ-1 (-NONE- *)) (VP (VB go) (NP-TMP (-NONE- *T*))) (X (VB on)))"
    nodes = worst_of(gold, "(S (VB go) (X (VB on)))")[0].gold
    assert [(n.label, n.word, n.parent) for n in nodes] == [
        ("S", None, -1), ("VP", None, 0), ("VB", "go", 1), ("X", None, 0), ("VB", "on", 3),
    ]  # fmt: skip
    assert styles(nodes) == [("VP", "missed")]


def test_only_the_worst_are_kept_and_of_equals_the_earlier():
    gold, test = GOLD.splitlines(), TEST.splitlines()
    order = [1, 2, 0, 2, 0, 1]
    kept = worst_of("\n".join(gold[k] for k in order), "\n".join(test[k] for k in order), limit=3)
    assert [bad.sentence for bad in kept] == [3, 5, 2]


def test_errors_have_types_and_places():
    first, second = worst_of(GOLD, TEST)
    assert first.error_types == ["missed", "wrong", "crossing", "badtag"] and second.error_types == ["missed", "wrong"]
    assert [place.rpartition(":")[2] for place in (*first.places, *second.places)] == ["1", "1", "3", "3"]


def test_chosen_sentences_are_drawn_even_without_errors(write, run_eval, tmp_path):
    observer = WorstSentences(1, {2, 3})
    score_treebanks(source_of_text(GOLD), source_of_text(TEST), observers=[observer])
    assert [(bad.sentence, bad.wrong) for bad in observer.sentences()] == [(2, 0), (3, 2)]
    page = tmp_path / "p.html"
    run_eval(write("g", GOLD), write("t", TEST), "--html", str(page), "--html-only", "2")
    text = page.read_text("utf-8")
    assert "1 chosen sentence<" in text and text.count("<section ") == 1 and 'id="s2"' in text
    assert f"{tmp_path / 'g'}:2, {tmp_path / 't'}:2" in text


def drawn(text):
    tree = treebank_from_text(text)
    names = [*tree.strings, None]
    return [DrawnNode(names[a], names[b], c) for a, b, c in zip(tree.label, tree.word, tree.parent, strict=True)]


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_no_two_labels_or_words_overlap(data):
    nodes = drawn(data.draw(bracketings(data.draw(word_lists))))
    layout = lay_out(nodes)
    boxes = list(zip(layout.left, layout.right, layout.row, strict=True))
    for k, (left, right, row) in enumerate(boxes):
        assert 0 <= left < right < layout.width and 0 <= layout.middle(k) < layout.height
        for other_left, other_right, other_row in boxes[:k]:
            assert abs(row - other_row) >= 1 or other_right < left or right < other_left


def test_a_phrase_is_level_with_the_middle_of_its_children():
    layout = lay_out(drawn("(S (A (X a) (X b) (X c)) (X d))"))
    assert layout.row == [2.0, 1.0, 0, 1, 2, 3]
    assert layout.left[2] > layout.left[1] == layout.left[5] > layout.left[0] + label_width("S")


@pytest.fixture
def page(write, run_eval, tmp_path):
    path = tmp_path / "page.html"
    result = run_eval(write("gold", GOLD), write("test", TEST), "--html", str(path))
    assert result.exit_code == 0 and f"wrote {path}" in result.stderr
    return path


class _Checker(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.links = [], []

    def handle_starttag(self, tag, attrs):
        self.links += [value for name, value in attrs if name in ("src", "href")]
        if tag not in ("meta", "input"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_page_is_well_formed_and_refers_to_nothing(page):
    text = page.read_text(encoding="utf-8")
    checker = _Checker()
    checker.feed(text)
    assert checker.open == [] and checker.links == []
    assert "http" not in text and text.count("<script") == text.count("<script>") == 1
    assert "&lt;b&gt;" in text and "<b>)" not in text


def test_page_of_a_perfect_parse(write, run_eval, tmp_path):
    run_eval(write("g", GOLD), write("t", GOLD), "--html", str(tmp_path / "p.html"))
    assert "No wrong bracket in any sentence" in (tmp_path / "p.html").read_text(encoding="utf-8")


MEASURE = """<script>
const box = e => e.getBoundingClientRect(), all = s => [...document.querySelectorAll('section ' + s)];
const found = {
  svgs: all('svg').map(e => [box(e).width, box(e).height]),
  sides: [...document.querySelectorAll('.pair')].map(e => [...e.children].map(c => [box(c).left, box(c).right])),
  crossing: all('rect.crossing').map(e => getComputedStyle(e).fill),
  missed: all('rect.missed').map(e => getComputedStyle(e).fill),
  ink: all('text.phrase').map(e => getComputedStyle(e).fill),
  spill: all('g').filter(g => g.querySelector('rect')).map(g =>
    g.querySelector('text').getBBox().width - g.querySelector('rect').getBBox().width),
  kept: (() => { document.getElementById('only-badtag').checked = true;
    const kept = all('h3').filter(e => box(e).height > 0).length;
    document.getElementById('only-all').checked = true; return kept; })(),
  scroll: document.documentElement.scrollWidth - document.documentElement.clientWidth,
};
const out = document.createElement('pre');
out.id = 'found';
out.textContent = JSON.stringify(found);
document.body.append(out);
</script>"""


def browser():
    for name in ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"):
        if path := shutil.which(name):
            return path
    pytest.skip("no Chromium or Chrome is installed")


@pytest.mark.parametrize("width", [1400, 420])
def test_page_in_a_browser(width, page, tmp_path):
    measured = tmp_path / "measured.html"
    measured.write_text(page.read_text("utf-8").replace("</body>", MEASURE + "</body>"), encoding="utf-8")
    flags = (
        "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
        f"--disable-component-update --disable-sync --window-size={width},900 --dump-dom"
    )
    command = [browser(), *flags.split(), f"--user-data-dir={tmp_path / 'profile'}", measured.as_uri()]
    dom = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    found = json.loads(html.unescape(re.search(r'<pre id="found">(.*?)</pre>', dom, re.S)[1]))
    assert len(found["svgs"]) == 4 and min(map(min, found["svgs"])) > 50
    assert all((gold[1] <= test[0]) == (width > 1000) for gold, test in found["sides"])
    assert len(found["crossing"]) == 1 and len(found["missed"]) == 4
    fills = {*found["crossing"], *found["missed"], *found["ink"]}
    assert {"rgb(164, 19, 60)", "rgb(255, 243, 214)", "rgb(28, 36, 48)"} <= fills
    assert max(found["spill"]) <= 0, "a label is wider than its box"
    assert found["kept"] == 1, "the filter leaves the one sentence with a wrong tag"
    assert found["scroll"] <= 0, "the page scrolls sideways"
