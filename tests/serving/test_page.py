"""The page of ``lpcfg serve`` in a real browser: a sentence is typed, trees are chosen, brackets and words clicked."""

from __future__ import annotations

import html
import json
import re
import subprocess
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from serving_process import browser, serving

USER = """<script>
const wait = test => new Promise(done => { const look = () => test() ? done() : setTimeout(look, 20); look(); });
const ready = () => wait(() => document.body.getAttribute("aria-busy") === "false");
const texts = id => [...at(id).children].map(one => one.textContent);
const click = text => [...document.querySelectorAll("button")].find(one => one.textContent === text).click();
const label = (name, start, stop) => document.querySelector(
  `#tree g[data-label="${name}"][data-start="${start}"][data-stop="${stop}"]`);
const press = (...where) => label(...where).dispatchEvent(new MouseEvent("click", { bubbles: true }));
const over = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;
(async () => {
  const found = { before: at("result").hidden };
  at("text").value = "She saw <b>the king</b> with a telescope.";
  click("Parse"); await ready();
  found.escaped = [texts("words").join(" "), document.querySelectorAll("#tree b, #words b").length];
  at("text").value = "She saw the king with a telescope.";
  click("Parse"); await ready();
  found.words = texts("words");
  found.trees = texts("trees");
  found.first = at("tree").innerHTML;
  click(found.trees[1]);
  found.second = at("tree").innerHTML;
  found.fills = [...document.querySelectorAll("#tree rect")].map(one => getComputedStyle(one).fill);
  click(found.trees[0]);
  press("VP", 1, 7);
  found.menu = texts("menu");
  click("Forbid"); await ready();
  found.forbidden = [label("VP", 1, 7) === null, texts("demands")];
  click(texts("demands")[0]); await ready();
  found.removed = [label("VP", 1, 7) !== null, texts("demands")];
  click("king"); click("the");
  at("menu").querySelector("input").value = "XX";
  click("Require"); await ready();
  found.error = [at("error").hidden, at("error").textContent];
  at("closest").click(); await ready();
  found.closest = [at("error").hidden, at("facts").textContent];
  click(texts("demands")[0]); await ready();
  click("saw"); click("king"); click("Require"); await ready();
  found.required = [document.querySelectorAll('#tree g[data-start="1"][data-stop="4"]').length > 0, texts("demands")];
  press("VBD", 1, 2);
  at("menu").querySelector("input").value = "NN";
  click("Require tag"); await ready();
  found.tag = [label("NN", 1, 2) !== null, texts("demands")];
  found.hash = location.hash;
  found.scroll = [over()];
  at("text").value = "the king saw " + "the king of the castle of ".repeat(12) + "x".repeat(200);
  click("Parse"); await ready();
  press("TOP", 0, +document.querySelector("#tree g").dataset.stop);
  document.querySelector("details").open = true;
  found.scroll.push(over());
  found.tree = [at("tree").scrollWidth, at("tree").clientWidth];
  found.paper = getComputedStyle(document.body).backgroundColor;
  const out = document.createElement("pre");
  out.id = "found";
  out.textContent = JSON.stringify(found);
  document.body.append(out);
})();
</script>"""


@pytest.fixture(scope="module")
def page_with_user(english):
    """The address of the server's page with the script of `USER`; all else goes to the server."""
    with serving(english) as (_, place):

        class Between(BaseHTTPRequestHandler):
            def do_GET(self):
                self.pass_on(None, lambda text: text.replace(b"</body>", USER.encode() + b"</body>"))

            def do_POST(self):
                self.pass_on(self.rfile.read(int(self.headers["Content-Length"])), lambda text: text)

            def pass_on(self, body, change):
                try:
                    with urllib.request.urlopen(f"http://{place}{self.path}", body) as answer:
                        status, text = answer.status, answer.read()
                        policy = answer.headers["Content-Security-Policy"]
                except urllib.error.HTTPError as error:
                    with error:
                        status, text, policy = error.code, error.read(), error.headers["Content-Security-Policy"]
                text = change(text)
                self.send_response(status)
                self.send_header("Content-Length", str(len(text)))
                self.send_header("Content-Type", "text/html" if body is None else "application/json")
                self.send_header("Content-Security-Policy", policy)
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):
                pass

        with ThreadingHTTPServer(("127.0.0.1", 0), Between) as between:
            threading.Thread(target=between.serve_forever, daemon=True).start()
            yield f"http://127.0.0.1:{between.server_port}/"
            between.shutdown()


def dom(address, width, folder, *more):
    """The page's content after its scripts have run."""
    flags = (
        "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
        f"--disable-component-update --disable-sync --window-size={width},900 --dump-dom --virtual-time-budget=60000"
    )
    command = [browser(), *flags.split(), *more, f"--user-data-dir={folder / 'profile'}", address]
    return subprocess.run(command, capture_output=True, text=True, timeout=180, check=True).stdout


@pytest.mark.parametrize(("width", "scheme"), [(420, "light"), (1200, "dark")])
def test_a_user_questions_and_steers_the_parser(width, scheme, page_with_user, tmp_path):
    dark = ["--blink-settings=preferredColorScheme=0"] if scheme == "dark" else []
    text = dom(page_with_user, width, tmp_path, *dark)
    found = json.loads(html.unescape(re.search(r'<pre id="found">(.*?)</pre>', text, re.S)[1]))
    assert found["before"] is True
    assert found["escaped"][1] == 0 and "b" in found["escaped"][0]
    assert found["words"] == ["She", "saw", "the", "king", "with", "a", "telescope", "."]
    shares = [float(re.fullmatch(r"\d: ([\d.]+) %", one)[1]) for one in found["trees"]]
    assert len(shares) == 5 and 50 < shares[0] <= 100 and sum(shares) <= 100.3
    assert found["first"].startswith("<svg") and found["first"] != found["second"]
    assert found["fills"] and "rgb(0, 0, 0)" not in found["fills"]
    assert found["menu"][0] == "Bracket over words 2 to 7" and found["menu"][2:] == ["Require", "Forbid", "Cancel"]
    assert found["forbidden"] == [True, ["without VP over words 2 to 7 ×"]]
    assert found["removed"] == [True, []]
    assert found["error"][0] is False and "no tree with XX over words 3 to 4" in found["error"][1]
    assert found["closest"][0] is True and "left out: with XX over words 3 to 4" in found["closest"][1]
    assert found["required"] == [True, ["with a bracket over words 2 to 4 ×"]]
    assert found["tag"] == [True, ["with a bracket over words 2 to 4 ×", "word 2 is NN ×"]]
    assert found["hash"] == "#She%20saw%20the%20king%20with%20a%20telescope."
    assert max(found["scroll"]) <= 0, "the page scrolls sideways"
    assert found["tree"][0] > found["tree"][1], "the wide tree scrolls in its own frame"
    assert found["paper"] == ("rgb(20, 24, 29)" if scheme == "dark" else "rgb(255, 255, 255)")


def test_a_link_to_a_sentence_shows_its_tree(english, tmp_path):
    with serving(english) as (_, place):
        text = dom(f"http://{place}/#She%20slept.", 420, tmp_path)
    assert 'data-label="VP" data-start="1" data-stop="2"' in text and re.search(r'id="error"[^>]*hidden', text)


def test_the_page_needs_nothing_from_elsewhere(english):
    with serving(english) as (_, place), urllib.request.urlopen(f"http://{place}/") as answer:
        text = answer.read().decode()
    assert "http" not in text and "src=" not in text and "@import" not in text and "<!--" not in text
    assert 'value="NP"' in text and "telescope" not in text
