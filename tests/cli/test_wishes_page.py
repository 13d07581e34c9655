"""The page `wishes`: each of the commands in its table does what it is there for, on a small treebank."""

from __future__ import annotations

import json
import re
import shlex
from importlib import resources

import pytest
from command_line import run_installed, succeed

ROW = re.compile(r"^ ?(\d+)  (.+?) {2,}`lpcfg ([^`]*)`", re.MULTILINE)
ROWS = ROW.findall((resources.files("lpcfg_cli.cli") / "pages" / "wishes.txt").read_text("utf-8"))

TAGGED, RAW = "The/DT keeper/NN slept/VBD ./.\n", "The keeper (really) slept .\n"
GOLD = "(TOP (S (NP (DT The) (NN keeper)) (VP (VBD slept)) (. .)))\n"

INPUTS = {
    4: f"{TAGGED}broken\n{TAGGED}",
    7: RAW,
    20: RAW,
    21: RAW,
    22: "[NP The keeper slept ] .\n",
    16: "He slept .\n",
}
"""Standard input of some rows; of the others `TAGGED`."""

FOUND = {
    1: "oddities|words in the longest sentence",
    2: r"\(NN keeper\)",
    3: r"Bracketing FMeasure +=",
    4: r"(?m)^\(\(\)\)$",
    5: r"(?m)^-?\d+\.\d+\t\(TOP",
    6: r"\(VBD slept\)",
    7: r"-LRB- -LRB-",
    8: r"lpcfg +0",
    10: r"posterior",
    11: r"\(TOP",
    12: r"perplexity",
    14: r"(?m)^2\tkeeper\t",
    15: "Tokens, F1",
    16: r"bits\ttotal",
    18: r"ROOT -> .*\[",
    19: r"@",
    20: "really",
    21: '"offsets": \\[\\[0, 3\\]',
    22: r"\(NP .*slept\)+ \(\. \.\)",
    23: "leaf-ancestor|crossing",
}
"""What is there in the output; rows that are not here write files."""


@pytest.fixture(scope="module")
def names(trained, tiny_treebank, small_settings, tmp_path_factory):
    """The file or folder that each name of the table stands for."""
    folder = tmp_path_factory.mktemp("wishes")
    (folder / "gold.mrg").write_text(GOLD)
    (folder / "test.mrg").write_text(GOLD.replace("NP", "VP"))
    (folder / "rules.prm").write_text("DEBUG 0\nLABELED 1\n")
    (folder / "text").write_text("the keeper slept .\nthe lamp slept .\n" * 5)
    (folder / "in").mkdir()
    (folder / "in" / "a.txt").write_text(TAGGED)
    succeed("lm", "train", folder / "text", "-o", folder / "x.lm.npz")
    probable = folder / "em"
    succeed("train", tiny_treebank, "-o", probable, "-c", small_settings, "--learner", "em", run=run_installed)
    return {
        "RUN": trained, "TREES": tiny_treebank, "GOLD": folder / "gold.mrg", "TEST": folder / "test.mrg",
        "FILE": folder / "rules.prm", "TEXT": folder / "text", "MODEL": folder / "x.lm.npz", "FOLDER": folder / "in",
        "OUT": folder / "out", "PROBABLE": probable,
    }  # fmt: skip


def test_all_wishes_are_there():
    assert [int(number) for number, _, _ in ROWS] == list(range(1, 26))


@pytest.mark.parametrize(("number", "wish", "line"), ROWS, ids=[row[1] for row in ROWS])
def test_the_command_does_it(number, wish, line, names, small_settings, tmp_path):
    number = int(number)
    words = shlex.split(line.replace("RUN", "PROBABLE") if number == 16 else line)
    if words[0] == "train":  # where to is left open in the table
        words = [*(word for word in words if word not in ("-o", "RUN")), "-c", small_settings, "-o", tmp_path / "made"]
    arguments = [names.get(word, word) for word in words]
    outcome = succeed(*arguments, stdin=INPUTS.get(number, TAGGED), run=run_installed)
    if words[0] == "train":
        assert (tmp_path / "made" / "model.lpcfg.npz").is_file()
    elif number == 9:
        (made,) = names["OUT"].glob("*.mrg")
        assert made.read_text().startswith("(TOP (S ") and "words/s" in outcome.err
    else:
        assert re.search(FOUND[number], outcome.out), outcome
    if number == 21:
        assert json.loads(outcome.out.splitlines()[0])["words"][0] == "The"
