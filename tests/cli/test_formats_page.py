"""What the page on formats shows is read and written as it says."""

from __future__ import annotations

import json
import re
import textwrap
from importlib import resources

import numpy as np
import pytest
from command_line import succeed

from lpcfg_cli.config import load_settings, shipped_configurations
from lpcfg_cli.dependency.latent.archive import COMMON, HIDDEN, OBSERVABLE
from lpcfg_cli.em.checkpoint import Checkpoint
from lpcfg_cli.em.loop import EmStep
from lpcfg_cli.em.monitor import EmRecord, EmState
from lpcfg_cli.evaluation.parameters import parse_parameters
from lpcfg_cli.experiments.experiment_grid import GridPoint, GridResult
from lpcfg_cli.experiments.lm_experiment import LmResult
from lpcfg_cli.grammar.text_grammar import parse_grammar
from lpcfg_cli.learning.rule_table import RuleParameters
from lpcfg_cli.parsing.reranking.archive import LISTS, RERANKER, lists_arrays, reranker_arrays
from lpcfg_cli.parsing.reranking.lists import TreeLists
from lpcfg_cli.parsing.reranking.reranker import TreeReranker
from lpcfg_cli.parsing.spans.archive import span_arrays
from lpcfg_cli.parsing.spans.span_model import SpanModel
from lpcfg_cli.parsing.spans.vocabulary import Vocabulary
from lpcfg_cli.storage.artefacts import write_arrays
from lpcfg_cli.tagging.sentences import SENTENCE_FORMATS
from lpcfg_cli.treebank.formats import TREE_FORMATS
from lpcfg_cli.treebank.heads import parse_head_rules

PAGE = (resources.files("lpcfg_cli.cli") / "pages" / "formats.txt").read_text("utf-8")
SECTION = re.compile(r"^ ?\d+  (\S.*)\n-+\n", re.MULTILINE)
DTYPES = {"uint8", "uint64", "int16", "int8", "int32", "int64", "float32", "float64", "bool"}


def sections():
    """Title → text."""
    _, *parts = SECTION.split(PAGE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def examples(title):
    """The indented blocks of a section."""
    found = re.findall(r"(?:^    .*\n|^\n(?=    ))+", sections()[title], re.MULTILINE)
    return [textwrap.dedent(block).strip("\n") + "\n" for block in found if block.strip()]


def told_arrays(title):
    """Name → dtype of the arrays in a section's table."""
    rows = (line.split() for block in examples(title) for line in block.splitlines())
    return {row[0]: row[1] for row in rows if len(row) > 2 and row[1] in DTYPES}


def stored_arrays(path):
    """Name → dtype of the arrays in a file."""
    with np.load(path) as file:
        return {name: file[name].dtype.name for name in file.files if name != "header.json"}


def test_the_list_of_contents_has_all_sections():
    told = re.findall(r" (\d+)  (\S.*?)(?=   |\n)", PAGE.split("Text is UTF-8")[0])
    assert [title for _, title in sorted(told, key=lambda entry: int(entry[0]))] == list(sections())


def test_endings_of_tree_files_are_told():
    told = {row.split()[-1]: tuple(row.split()[:-1]) for row in examples("Treebanks")[5].splitlines()}
    assert told == {name: form.suffixes for name, form in TREE_FORMATS.items()}


def test_formats_of_sentences_are_told():
    told = [
        name
        for line in sections()["Sentences"].splitlines()
        if line[:1] == "`"
        for name in re.findall(r"`(\w+)`", line)
    ]
    assert told == list(SENTENCE_FORMATS)


def test_trees_are_read_and_cleaned(tmp_path):
    raw, cleaned = examples("Treebanks")[0], examples("Treebanks")[-1]
    (tmp_path / "a.mrg").write_text(raw)
    succeed("binarize", tmp_path / "a.mrg", tmp_path / "run")
    (tmp_path / "b.mrg").write_text(cleaned)
    succeed("binarize", tmp_path / "b.mrg", tmp_path / "again")
    written = [(tmp_path / run / "trees.bin.mrg").read_text() for run in ("run", "again")]
    assert written[0] == written[1]
    for number, (name, root) in enumerate((("c.dbr", "S"), ("c.export", "TOP"), ("c.xml", "TOP")), 1):
        (tmp_path / name).write_text(examples("Treebanks")[number])
        succeed("binarize", tmp_path / name, tmp_path / f"run{number}")
        written_tree = (tmp_path / f"run{number}" / "trees.bin.mrg").read_text()
        assert written_tree == f"({root}/l (NP/l (DT The) (NN dog)) (VP/u (VBD left)))\n"
    assert examples("symbols.json and trees.bin.mrg")[0] == written[0].splitlines()[0] + "\n"


@pytest.mark.parametrize(
    ("form", "place", "n"),
    [("slash", 0, 1), ("underscore", 1, 1), ("tab", 2, 2), ("conllu", 3, 1), ("raw", 4, 1), ("text", 5, 2)],
)
def test_sentences_are_read(trained, form, place, n):
    text = re.sub(r"(?<=\S) {2,}(?=\S)", "\t", examples("Sentences")[place])
    assert len(succeed("parse", trained, "-f", form, stdin=text).out.splitlines()) == n


def test_head_rules_parameters_configuration_and_grammar_are_read(tmp_path):
    rules = parse_head_rules(examples("Head rules")[0])
    assert rules("NP", ["DT", "NN", "PP"]) == 1 and rules("PP", ["NP", "IN"]) == 1
    found = parse_parameters(examples("EVALB parameter files")[0])
    assert not found.doubts and "PUNC" in found.parameters.delete_labels
    (tmp_path / "a.toml").write_text(examples("Configurations")[0])
    assert load_settings(tmp_path / "a.toml").ensemble.vary[1] == {"estimate": {"learner": "cluster"}}
    assert parse_grammar(examples("Grammars")[0]).usage.sum() > 1


def test_shipped_configurations_are_named():
    told = PAGE + (resources.files("lpcfg_cli.cli") / "pages" / "results.txt").read_text("utf-8")
    assert [name for name in shipped_configurations() if f"`{name}`" not in told] == []


def test_arrays_are_as_told(trained):
    lexicon = {name: dtype for name, dtype in told_arrays("features.npz").items() if name.startswith("lexicon_")}
    features = told_arrays("features.npz")
    psi = {name.replace("phi", "psi"): dtype for name, dtype in features.items() if name.startswith("phi_")}
    tagger = told_arrays("tagger.npz")
    assert stored_arrays(trained / "tagger.npz") == tagger
    assert stored_arrays(trained / "features.npz") == features | psi
    assert all(name in sections()["features.npz"] for name in psi)
    assert stored_arrays(trained / "projections.npz") == told_arrays("projections.npz")
    told = told_arrays("model.lpcfg.npz")
    spans = {name: dtype for name, dtype in told.items() if name.startswith("spans_")}
    assert stored_arrays(trained / "model.lpcfg.npz") == dict((told | lexicon | tagger).items() - spans.items())
    model = SpanModel(Vocabulary((), (), (), ()), 1, np.zeros((1, 1), np.float32))
    assert {name: str(array.values.dtype) for name, array in span_arrays(model).items()} == spans


def test_arrays_of_checkpoints_are_as_told(tmp_path):
    last, best = (RuleParameters(np.zeros(2), np.zeros(3)) for _ in range(2))
    state = EmState(EmStep(0, -1.0, -1.0, last), [EmRecord(0, -1.0, -1.0, None)], best)
    Checkpoint(tmp_path / "em.npz", RuleParameters, {}, {}, 0, {}).save(state)
    assert stored_arrays(tmp_path / "em.npz") == told_arrays("em.npz")


def test_arrays_of_language_models_are_told(tmp_path):
    (tmp_path / "text").write_text("a b\nb a\n")
    model = tmp_path / "x.lm.npz"
    succeed("lm", "train", tmp_path / "text", "--dev", tmp_path / "text", "-o", model, "--interpolate")
    stored = {re.sub(r"^model\d_", "", name): dtype for name, dtype in stored_arrays(model).items()}
    assert stored == told_arrays("Language models")


def test_arrays_of_models_of_dependency_trees_are_told():
    told = told_arrays("Models of dependency trees")
    assert set(told.values()) == {"float64"}  # as `check_arrays` wants them
    assert set(told) == {*COMMON, *HIDDEN, *OBSERVABLE, "chance"}


def test_arrays_of_dependency_parsers_are_told(tmp_path):
    model = tmp_path / "x.depparser.npz"
    (tmp_path / "x.conll").write_text("1\tGo\t_\tV\tV\t_\t0\troot\t_\t_\n\n")
    succeed(
        "dep", "train-parser", tmp_path / "x.conll", "-o", model, "--bits", "8", "--epochs", "1", "--order", "first"
    )
    stored = stored_arrays(model)
    tagger = told_arrays("tagger.npz")
    assert tagger.items() <= stored.items()
    assert {name: dtype for name, dtype in stored.items() if name not in tagger} == told_arrays("Dependency parsers")


def test_pairs_of_sentences_are_read_and_arrays_of_their_models_are_as_told(tmp_path):
    title = "Similarity of sentences"
    (tmp_path / "pairs.tsv").write_text(examples(title)[0].replace("<tab>", "\t") * 5)
    (tmp_path / "x.vec").write_text("horse 1 0\nchild 0 1\n")
    model = tmp_path / "x.sts.npz"
    options = ("--metrics", "surface,vectors", "--embeddings", tmp_path / "x.vec")
    succeed("sts", "train", tmp_path / "pairs.tsv", "-o", model, *options)
    assert stored_arrays(model) == told_arrays(title)


def test_arrays_of_rerankers_are_told(tmp_path):
    nothing = np.zeros(0)
    rules, features = parse_head_rules("* left *"), nothing.astype(np.uint64)
    numbers = nothing.astype(np.int64)
    for kind, arrays in (
        (RERANKER, reranker_arrays(TreeReranker(rules, 1, np.zeros(2), features, nothing))),
        (LISTS, lists_arrays(TreeLists(numbers, [], np.zeros((0, 2)), numbers, numbers, numbers))),
    ):
        write_arrays(tmp_path / f"{kind.name}.npz", kind, arrays, {}, 0, {})
    stored = [stored_arrays(tmp_path / f"{kind.name}.npz") for kind in (RERANKER, LISTS)]
    assert stored[0] | stored[1] == told_arrays("Rerankers")
    block = examples("Rerankers")[0]
    assert list(stored[0]) == [line.split()[0] for line in block.splitlines() if line[:1].isalpha()]


def test_results_of_language_models_are_told():
    record = json.loads(examples("Experiments: results.jsonl")[1].replace("\n", " "))
    result = LmResult.from_dict(record | {})
    assert result.as_dict().keys() == {"learner", "states", "order", *record.keys()}


def test_the_files_of_a_run_directory_are_told(trained):
    told = "\n".join(examples("The run directory"))
    assert [path.name for path in trained.iterdir() if path.name not in told] == []


def test_headers_have_the_members_that_are_told(trained):
    told = set(re.findall(r'^ "(\w+)":', examples("Array files, and their header")[0], re.MULTILINE))
    with np.load(trained / "projections.npz") as file:
        assert set(json.loads(file["header.json"])) == told
    assert set(json.loads((trained / "symbols.json").read_text())) == {"header", "content", "sha256"}


def test_records_of_shards_are_as_told(trained, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("The/DT dog/NN\n")
    succeed("parse", trained, tmp_path / "in", "-o", tmp_path / "out")
    written = json.loads((tmp_path / "out" / "a.txt.mrg.json").read_text())
    told = json.loads(examples("Folders of text: the records")[0])
    assert set(written) == set(told) and set(written["origin"]) == set(told["origin"])
    assert set(written["counts"]) == set(told["counts"]) and written["origin"]["read"] == told["origin"]["read"]


def test_results_of_experiments_are_as_told():
    told = json.loads(examples("Experiments: results.jsonl")[0].replace(", ...}", "}"))
    assert GridResult.from_dict(told).point == GridPoint("em", 4, 0)
