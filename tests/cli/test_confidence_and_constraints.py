"""The forms of parses, constraints, completion and calibration, on the command line."""

from __future__ import annotations

import html
import html.parser
import json
import re
import shutil
import subprocess

import pytest
from command_line import fail, run_here, succeed

import lpcfg_cli as lpcfg
from lpcfg_cli.errors import ConstraintError

TEXT = "She saw the king with a telescope.  He left.\n\nThe dog slept (well).\n"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run directory of a small model."""
    folder = tmp_path_factory.mktemp("confidence")
    succeed("synth", "-n", 800, "--seed", 1, "-o", folder / "trees.mrg")
    succeed("train", folder / "trees.mrg", "-o", folder / "run", "-m", 4)
    return folder / "run"


def rows(outcome):
    return [json.loads(line) for line in outcome.out.splitlines()]


def test_json_lines_have_what_the_trees_have(run):
    found = rows(succeed("parse", run, "--text", "--to", "jsonl", stdin=TEXT))
    trees = succeed("parse", run, "--text", stdin=TEXT).out.splitlines()
    assert [one["tree"] for one in found] == trees
    for one in found:
        assert [TEXT[i:j] for i, j in one["offsets"]] == [
            {"-LRB-": "(", "-RRB-": ")"}.get(word, word) for word in one["words"]
        ]
        assert one["status"] == "parsed" and "nbest" not in one
        assert 0 < one["posterior"] <= 1 and len(one["tags"]) == len(one["words"])
        assert one["tree"].count("(") - 1 == len(one["brackets"]) + len(one["words"])
        assert all(0 <= bracket["posterior"] <= 1 for bracket in one["brackets"])
    assert found[0]["place"] == "<stdin>:1" and found[2]["place"] == "<stdin>:3"


def test_lists_of_trees_have_posteriors_that_are_shares(run):
    (one,) = rows(succeed("parse", run, "--raw", "--to", "jsonl", "--nbest", 50, stdin="She saw the king with it .\n"))
    assert one["nbest"][0]["tree"] == one["tree"] and one["nbest"][0]["posterior"] == one["posterior"]
    assert 0.9 < sum(tree["posterior"] for tree in one["nbest"]) < 1.0001
    assert len({tree["tree"] for tree in one["nbest"]}) == len(one["nbest"]) > 1
    scores = [tree["score"] for tree in one["nbest"]]
    assert scores == sorted(scores, reverse=True)


def test_a_sentence_without_a_tree_has_no_numbers(run):
    empty, flat = rows(succeed("parse", run, "--to", "jsonl", "--max-length", 2, stdin="\na/DT b/NN c/NN\n"))
    assert (empty["status"], empty["tree"], empty["words"]) == ("empty", "(())", [])
    assert (flat["status"], flat["tree"]) == ("flat", "(TOP (DT a) (NN b) (NN c))")
    assert [flat[name] for name in ("ln_p_sentence", "ln_p_tree", "posterior", "brackets")] == [None, None, None, []]


def test_the_table_has_a_header_and_a_row_for_each_tree(run):
    lines = succeed("parse", run, "--raw", "--to", "table", "--nbest", 3, stdin="She saw him .\nHe left .\n").out
    header, *found = [line.split("\t") for line in lines.splitlines()]
    assert header[:3] == ["place", "rank", "status"] and header[-1] == "tree"
    assert {len(row) for row in found} == {len(header)}
    assert [row[1] for row in found if row[0] == "<stdin>:2"][:1] == ["1"]


def test_folders_are_written_in_the_form(run, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("She left .\n")
    succeed("parse", run, tmp_path / "in", "--raw", "--to", "table", "-o", tmp_path / "out")
    lines = (tmp_path / "out" / "a.txt.tsv").read_text().splitlines()
    assert [line.partition("\t")[0] for line in lines] == ["place", f"{tmp_path / 'in' / 'a.txt'}:1"]
    assert (
        "1 was finished before"
        in succeed("parse", run, tmp_path / "in", "--raw", "--to", "table", "-o", tmp_path / "out").err
    )


def test_the_page_has_all_sentences_and_is_whole(run, tmp_path):
    page = tmp_path / "page.html"
    succeed("parse", run, "--raw", "--html", page, stdin="She <saw> & left .\n\nHe left .\n")
    text = page.read_text()
    balance = Balance()
    balance.feed(text)
    assert balance.open == [] and text.count("<details open>") == 3
    assert "She &lt;saw&gt; &amp; left ." in text and "http" not in text.replace("http-equiv", "")
    assert "--html FILE is" in fail(2, "parse", run, "--raw", "--html", page, "--to", "jsonl")


MEASURE = """<script>onload = () => {
const page = document.getElementById("page").contentDocument, out = document.createElement("pre");
const trees = Array.from(page.querySelectorAll(".tree"));
out.id = "found";
out.textContent = JSON.stringify({
  page: page.documentElement.scrollWidth, wide: trees.filter(tree => tree.scrollWidth > tree.clientWidth).length,
  bars: trees.map(tree => getComputedStyle(tree).overflowX), words: page.body.textContent.includes("telescope")});
document.body.append(out);
}</script>"""


@pytest.mark.parametrize(("width", "n_wide"), [(420, 1), (1200, 0)])
def test_the_page_fits_and_wide_trees_scroll(run, tmp_path, width, n_wide):
    text = "She said that he said that the king saw the dog with a telescope .\nHe left .\n"
    page = succeed("parse", run, "--raw", "--to", "html", stdin=text).out
    framed = tmp_path / "framed.html"
    frame = f'<iframe id="page" width="{width}" height="900" frameborder="0" srcdoc="{html.escape(page)}"></iframe>'
    framed.write_text(f'<meta charset="utf-8">{frame}{MEASURE}')
    found = seen_in_browser(framed, tmp_path)
    assert found.pop("page") <= width, "the page scrolls sideways"
    assert found == {"wide": n_wide, "bars": ["scroll", "scroll"], "words": True}


FOLDING = """<script>onload = () => {
const svg = document.querySelector("svg.foldable"), out = document.createElement("pre");
const labels = Array.from(svg.querySelectorAll("g[role=button]"));
const shown = () => Array.from(svg.querySelectorAll("text")).filter(text => text.getClientRects().length);
const look = () => ({
  texts: shown().map(text => text.textContent), height: svg.height.baseVal.value,
  inside: shown().every(text => text.getBoundingClientRect().right <= svg.getBoundingClientRect().right + 1),
  rows: new Set(shown().map(text => Math.round(text.getBoundingClientRect().top))).size,
  ink: shown().map(text => getComputedStyle(text).fill).filter(fill => fill.startsWith("rgb")).length});
const label = name => labels.find(one => one.querySelector("text").textContent.split(" ")[0] === name);
const press = (one, key) => one.dispatchEvent(new KeyboardEvent("keydown", {key}));
const found = [look()];
label("VP").dispatchEvent(new MouseEvent("click"));
found.push(look());
press(label("S"), "Enter");
found.push(look());
press(label("S"), " ");
label("VP").dispatchEvent(new MouseEvent("click"));
found.push(look());
out.id = "found";
out.textContent = JSON.stringify(found);
document.body.append(out);
}</script>"""


def test_a_click_folds_a_phrase_to_its_words(run, tmp_path):
    page = succeed("parse", run, "--raw", "--to", "html", stdin="She saw the dog with a telescope .\n").out
    (tmp_path / "page.html").write_text(page.replace("</body>", FOLDING + "</body>"), "utf-8")
    before, folded, whole, after = seen_in_browser(tmp_path / "page.html", tmp_path)
    assert before == after and before["rows"] > 8 and "telescope" in before["texts"]
    assert "saw the dog with a telescope" in folded["texts"] and "telescope" not in folded["texts"]
    assert {"TOP", "S", "NP", "PRP", "She", "VP", "."} <= set(folded["texts"])
    assert folded["height"] == before["height"] - 5 * 20
    assert "She saw the dog with a telescope ." in whole["texts"] and "VP" not in whole["texts"]
    assert all(one["inside"] and one["ink"] == len(one["texts"]) for one in (before, folded, whole))


def seen_in_browser(page, folder):
    """What a script of the page wrote into its element "found"."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no Chromium or Chrome is installed")
    flags = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync --dump-dom"
    command = [browser, *flags.split(), f"--user-data-dir={folder / 'profile'}", page.as_uri()]
    dom = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    return json.loads(html.unescape(re.search(r'<pre id="found">(.*?)</pre>', dom, re.DOTALL)[1]))


class Balance(html.parser.HTMLParser):
    """The elements of a page that are not closed."""

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attributes):
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_marked_lines(run):
    plain = "She saw the king with a telescope ."
    lines = [plain, "She [VP saw the king ] with a telescope .", "She saw [! the king with a telescope ] ."]
    free, inner, without = succeed("parse", run, "-f", "marked", stdin="\n".join(lines) + "\n").out.splitlines()
    assert free == succeed("parse", run, "--raw", stdin=f"{plain}\n").out.rstrip("\n")
    assert "(VP (VBD saw) (NP (DT the) (NN king)))" in inner
    assert "(NP (DT the) (NN king)) (PP" in without and "(NP (NP (DT the) (NN king)) (PP" not in without


def test_a_tag_that_is_demanded(run):
    line = '{"words": ["She", "saw", "him", "."], "tags": [null, "NN", null, null]}\n'
    (tagged,) = rows(succeed("parse", run, "-f", "json", "--to", "jsonl", stdin=line))
    assert tagged["tags"][1] == "NN"


def test_a_root_that_is_demanded_of_all_sentences(run):
    text = "She saw him .\n"
    free = succeed("parse", run, "--raw", stdin=text).out
    assert free.startswith("(TOP (S ") and succeed("parse", run, "--raw", "--root", "S", stdin=text).out == free
    message = fail(3, "parse", run, "--raw", "--root", "NP", stdin=text)
    assert "<stdin>:1: there is no tree with the root NP. " in message  # no training tree has this root


def test_what_no_tree_meets_stops_or_is_skipped_or_left_out(run):
    lines = "He left .\nHe [XX left ] .\nShe slept .\n"
    stopped = succeed("parse", run, "--raw", stdin="He left .\n").out
    outcome = run_here("parse", run, "-f", "marked", stdin=lines)
    assert (outcome.code, outcome.out) == (3, stopped)
    assert "<stdin>:2: there is no tree with XX over word 2. " in outcome.err
    skipped = succeed("parse", run, "-f", "marked", "--on-error", "skip", stdin=lines)
    assert skipped.out.splitlines()[1] == "(())" and len(skipped.out.splitlines()) == 3
    closest = succeed("parse", run, "-f", "marked", "--closest", "--to", "jsonl", stdin=lines)
    assert [one.get("unmet") for one in rows(closest)] == [None, ["with XX over word 2"], None]


def test_half_bracketed_trees_are_completed(run):
    partial = "(S (NP She) (VP saw ( the king with\n it)) .)\n( She left .)\n"
    whole, free = succeed("parse", run, "--complete", stdin=partial).out.splitlines()
    assert "(NP (PRP She))" in whole and "(VP (VBD saw) (NP " in whole and whole.startswith("(TOP (S ")
    again = succeed("parse", run, "--complete", stdin=f"{whole}\n{free}\n").out.splitlines()
    assert again == [whole, free]


def test_results_do_not_depend_on_jobs(run):
    lines = "He [VP left ] .\n" * 40
    alone, shared = (
        succeed("parse", run, "-f", "marked", "--to", "jsonl", "-j", jobs, stdin=lines).out for jobs in (1, 2)
    )
    assert alone == shared


def test_calibration_is_stored_and_used(run, tmp_path):
    succeed("synth", "-n", 150, "--seed", 2, "-o", tmp_path / "gold.mrg")
    model = tmp_path / "model.npz"
    model.write_bytes((run / "model.lpcfg.npz").read_bytes())
    sentence = "She saw the king with a telescope .\n"
    (before,) = rows(succeed("parse", model, "--raw", "--to", "jsonl", stdin=sentence))
    first = json.loads(succeed("calibrate", model, tmp_path / "gold.mrg", "--save", "--json").out)
    second = json.loads(succeed("calibrate", model, tmp_path / "gold.mrg", "--json").out)
    (after,) = rows(succeed("parse", model, "--raw", "--to", "jsonl", stdin=sentence))
    assert first["stored"]["mean"] < first["uncorrected"]["mean"]  # by default, as of any signed model
    assert first["stored"] != second["stored"] and second["stored"]["count"] == first["uncorrected"]["count"]
    assert first["uncorrected"] == second["uncorrected"]
    assert second["stored"]["brier"] <= second["uncorrected"]["brier"]
    assert after["tree"] == before["tree"] and after["posterior"] == before["posterior"]
    changed = [b["posterior"] != a["posterior"] for b, a in zip(before["brackets"], after["brackets"], strict=True)]
    assert any(changed)
    told = succeed("calibrate", model, tmp_path / "gold.mrg").out
    assert "With the correction of the model" in told and "expected calibration error" in told


def test_from_python(run):
    model = lpcfg.load(run)
    words = ["She", "saw", "the", "king", "with", "a", "telescope", "."]
    parse = model.parse(words, lpcfg.Constraints(required=(lpcfg.Span(1, 4, "VP"),)))
    best = parse.best
    assert best.text == str(parse) and ("VP", 1, 4) in {(b.label, b.start, b.stop) for b in best.brackets}
    assert 0 < best.posterior <= 1 and len(parse.nbest(3)) > 1
    crossing = lpcfg.Constraints(required=(lpcfg.Span(1, 4), lpcfg.Span(2, 6)))
    with pytest.raises(ConstraintError, match=r"^the sentence: there is no tree with a bracket over words 3 to 6"):
        model.parse(words, crossing)
    assert model.parse(words, crossing, closest=True).unmet == ("with a bracket over words 3 to 6",)
