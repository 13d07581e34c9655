"""What the page on treebanks shows is done as it says."""

from __future__ import annotations

import re
import shlex
import tomllib
from importlib import resources

import pytest
from command_line import succeed

from lpcfg_cli.config import CleanSettings, settings_from_dict
from lpcfg_cli.treebank.presets import TREEBANKS

PAGE = (resources.files("lpcfg_cli.cli") / "pages" / "treebanks.txt").read_text("utf-8")
EXAMPLE = re.compile(r"^    (\(.*?) +(--.*)\n    (\(.*)\n", re.MULTILINE)


def test_all_treebanks_are_told():
    table = PAGE.split("2  Known treebanks")[1].split("In a configuration")[0]
    assert re.findall(r"^    (\S+)  +", table, re.MULTILINE) == [*TREEBANKS]


@pytest.mark.parametrize(("tree", "options", "cleaned"), EXAMPLE.findall(PAGE))
def test_examples_are_cleaned_as_told(tree, options, cleaned, tmp_path):
    (tmp_path / "a.mrg").write_text(f"{tree}\n")
    (tmp_path / "b.mrg").write_text(f"{cleaned}\n")
    succeed("binarize", tmp_path / "a.mrg", tmp_path / "a", *shlex.split(options))
    succeed("binarize", tmp_path / "b.mrg", tmp_path / "b", "--keep-functions")
    assert (tmp_path / "a" / "trees.bin.mrg").read_text() == (tmp_path / "b" / "trees.bin.mrg").read_text()


def test_all_options_have_an_example():
    told = {option for _, options, _ in EXAMPLE.findall(PAGE) for option in options.split() if option[:2] == "--"}
    assert told == {
        "--drop-tag", "--drop-label", "--cut-tags", "--cut-labels", "--keep-functions", "--drop-bare-traces",
        "--drop-lemmas", "--drop-mark-up",
    }  # fmt: skip
    assert set(
        re.findall(r"^`(--[a-z-]+)(?: [A-Z]+)?` [a-z]+s ", PAGE.split("3  The options")[1], re.MULTILINE)
    ) == told | {"--normalize"}


def test_the_configuration_is_read():
    block = PAGE.split("In a configuration:\n\n")[1].split("\n\n\n")[0]
    values = tomllib.loads("\n".join(line.strip() for line in block.splitlines()))
    assert settings_from_dict(values, "x").clean == CleanSettings("switchboard", drop_labels=("EDITED",))


OPTIONS = re.compile(
    r"--(drop-tag|drop-label|cut-tags|cut-labels|drop-bare-traces|drop-lemmas)(?: (\S+?)(?=[ ,.;]|$))?"
)


@pytest.mark.parametrize("name", ["switchboard", "code", "ctb", "french", "spmrl", "cess"])
def test_a_treebank_is_short_for_the_options_that_are_told(name, tmp_path):
    row = re.search(rf"^    {name}  +(.*)$", PAGE, re.MULTILINE)[1]
    preset, told = TREEBANKS[name], dict[str, list[str]]()
    for option, value in OPTIONS.findall(row.replace("'", "")):
        told.setdefault(option, []).append(value)
    assert tuple(told.get("drop-tag", ())) == preset.drop_tags
    assert tuple(told.get("drop-label", ())) == preset.drop_labels
    assert "".join(told.get("cut-tags", ())) == preset.cut_tags_at
    assert "".join(told.get("cut-labels", ())) == preset.cut_labels_at
    assert ("drop-bare-traces" in told) == preset.drop_bare_traces
