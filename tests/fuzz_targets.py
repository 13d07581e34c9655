"""What must hold for any input whatever: readers answer or refuse with an error of ours, and never crash.

A target takes bytes, or a source of randomness, and asserts; `mutate` makes bytes that are nearly right.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from oracles import tuples_of
from tiny_trees import TINY_TREES

from lpcfg_cli.config import ParseSettings, ReadSettings, load_settings
from lpcfg_cli.dependency.trees.conll import conll_text, read_conll
from lpcfg_cli.dependency.trees.evaluate import evaluate_dependencies
from lpcfg_cli.dependency.trees.projectivity import is_projective, projectivise
from lpcfg_cli.dependency.trees.svg_drawing import svg_drawing
from lpcfg_cli.dependency.trees.text_drawing import text_drawing
from lpcfg_cli.errors import InputError, LpcfgError, SyntaxProblem
from lpcfg_cli.evaluation.parameters import parse_parameters
from lpcfg_cli.grammar.archive import MODEL, MODEL_FILE, load_model
from lpcfg_cli.parsing.parser import Parser
from lpcfg_cli.stages.chain import train
from lpcfg_cli.stages.stage import StageContext
from lpcfg_cli.storage.artefacts import Array, Kind, read_arrays, write_arrays
from lpcfg_cli.tagging.sentences import SENTENCE_FORMATS, read_input
from lpcfg_cli.treebank.archive import SYMBOLS_FILE, TREES_FILE, load_binary_trees
from lpcfg_cli.treebank.brackets import join_texts, lines_of_tokens, new_string_table, treebank_from_text
from lpcfg_cli.treebank.encodings import decode
from lpcfg_cli.treebank.formats import TREE_FORMATS
from lpcfg_cli.treebank.sources import unpacked
from lpcfg_cli.treebank.tree_format import TreeFormat

TREE_PIECES = ["(", ")", "(())", " ", "\n", "\r\n", "\t", "\\", "\\(", "#", "\n# x (", "<s>", "\u00a0", "(NN a)",
               "( (S ", "-NONE-", "*T*-1", "\0", "\ufeff", "-LRB-", "\x0b", "é", "\u2028", "\ud7ff"]  # fmt: skip
TAGGED_PIECES = ["/", "//", " ", "\n", "\r", "\t", "\\/", "a/NN", "/NN", "a/", "\0", "(/-LRB-", "é", "\u200a", "\n\n"]
PRM_PIECES = ["DEBUG", "LABELED", "CUTOFF_LEN", "DELETE_LABEL", "EQ_WORD", "EQ_LABEL", " ", "\n", "#", "-1",
              "99999999999", "x y", "\t", "QUOTE_LABEL", "\0"]  # fmt: skip

SKIP = ReadSettings(on_error="skip")

TREE_SEEDS = {
    form.name: "".join(f"{tree}\n" for tree in form.write(treebank_from_text(TINY_TREES)))
    for form in TREE_FORMATS.values()
} | {"brackets": TINY_TREES}
TAGGED_SEED = "The/DT keeper/NN lit/VBD\n\nand/or/CC 1\\/2/CD\nHush/UH\n"
CONLL_SEED = (
    "# text = a\n1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\t_\n1\tdo\t_\tVB\tVBP\t_\t3\taux\t_\t_\n"
    "2\tn't\t_\tRB\t_\t_\t3\tneg\t_\t_\n3\tgo\t_\tVB\tVB\t_\t0\troot\t_\t_\n3.1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    "1\t3 000\t_\tCD\tCD\t_\t2\tnum\t_\t_\n2\t.\t_\t.\t.\t_\t0\troot\t_\t_\n"
)
CONLL_PIECES = [
    "\t",
    "\n",
    "\n\n",
    "1",
    "2",
    "0",
    "_",
    "#",
    "-",
    ".",
    " ",
    "\r",
    "1\ta\t_\tT\tT\t_\t0\tr\t_\t_\n",
    "\u00a0",
]
PRM_SEED = "DEBUG 0\nMAX_ERROR 10\nCUTOFF_LEN 40\nLABELED 1\nDELETE_LABEL TOP\nEQ_LABEL ADVP PRT\n# remark\n"


def mutate(random, data: bytes, pieces: list[str], whole: bool = False) -> bytes:
    """Some changes: bytes flipped, parts cut out, doubled or moved, and pieces put in; `whole` keeps the length."""
    data = bytearray(data if whole else data[: random.choice([20, 200, len(data)])])
    for _ in range(random.randint(1, 6)):
        at = random.randint(0, len(data))
        to = min(len(data), at + random.choice([1, 2, 10, 100]))
        action = random.randint(0, 4)
        if action == 0 and at < len(data):
            data[at] = random.randint(0, 255)
        elif action == 1:
            del data[at:to]
        elif action == 2:
            data[at:at] = data[at:to]
        else:
            data[at:at] = random.choice(pieces).encode() * random.choice([1, 1, 2, 50])
    return bytes(data)


def as_text(data: bytes) -> str:
    """The text of a file with these bytes; those that are not text are refused and then read otherwise."""
    try:
        return decode(unpacked(data, "fuzz"), "fuzz")
    except InputError as error:
        assert str(error).startswith("fuzz")
        return data.decode("latin-1")


def check_problem(problem: SyntaxProblem, text: str) -> None:
    """A problem has a place in the text."""
    lines = text.split("\n")
    assert 1 <= problem.line <= len(lines)
    assert 1 <= problem.column <= len(lines[problem.line - 1]) + 1


def fuzz_trees(random, form: TreeFormat) -> None:
    """Reading is stopped at a place in the text or gives trees that are written and read again unchanged."""
    text = as_text(mutate(random, TREE_SEEDS[form.name].encode(), [*TREE_PIECES, "0=", "1=a"]))
    strings = new_string_table()
    kept = form.read(text, strings, "fuzz", "skip")
    trees = join_texts([kept], strings)
    found = tuples_of(trees)
    assert len(kept.node_place) == trees.n_nodes
    if form.lines is lines_of_tokens:
        assert (np.diff(kept.tree_place) > 0).all()
    lines = form.lines(text, kept, kept.tree_place)
    assert lines == sorted(lines) and set(lines) <= set(range(1, text.count("\n") + 2))
    again = new_string_table()
    assert tuples_of(join_texts([form.read("\n".join(form.write(trees)), again, "fuzz", "stop")], again)) == found
    try:
        strict_strings = new_string_table()
        strict = form.read(text, strict_strings, "fuzz", "stop")
    except SyntaxProblem as problem:
        check_problem(problem, text)
        assert kept.skipped
    else:
        assert not kept.skipped
        assert tuples_of(join_texts([strict], strict_strings)) == found


def fuzz_tagged(random) -> None:
    """Every line is a sentence with words and tags, or has a problem with a place on it."""
    text = as_text(mutate(random, TAGGED_SEED.encode(), TAGGED_PIECES))
    lines = text.split("\n")
    sentences = list(read_input(lines, "slash", "fuzz", SKIP))
    assert len(sentences) == len(lines)
    for number, sentence in enumerate(sentences, 1):
        assert all(word and tag and not set(word + tag) & set(" \t\r\f\v\0") - {"\r"} for word, tag in sentence.tokens)
        if sentence.problem is not None:
            assert sentence.problem.line == number
            check_problem(sentence.problem, text)
    for form in SENTENCE_FORMATS:
        try:
            stopped = list(read_input(lines, form, "fuzz"))
        except SyntaxProblem as problem:
            check_problem(problem, text)
        else:
            assert stopped == list(read_input(lines, form, "fuzz", SKIP))


def fuzz_dependencies(random) -> None:
    """A file of dependency trees is refused at a place, or written and read again unchanged, scored and drawn."""
    text = as_text(mutate(random, CONLL_SEED.encode(), CONLL_PIECES))
    try:
        sentences = list(read_conll(text.split("\n"), "fuzz"))
    except SyntaxProblem as problem:
        check_problem(problem, text)
        return
    written = conll_text(sentences)
    again = list(read_conll(written.split("\n"), "fuzz"))
    assert conll_text(again) == written and len(again) == len(sentences)
    n_words = sum(map(len, sentences))
    report = evaluate_dependencies(sentences, sentences, align=True)
    assert report.attachment.all.both == n_words
    assert all(score.correct == score.gold == score.test for score in report.aligned.values())
    assert sum(len(list(text_drawing(sentence))) for sentence in sentences) == n_words
    ElementTree.fromstring(svg_drawing(sentences, [sentence.place for sentence in sentences]))
    assert all(is_projective(sentence.heads) for sentence in projectivise(sentences).sentences)


def fuzz_parameters(random) -> None:
    """A parameter file is read, with doubts that have places, or refused at one."""
    text = as_text(mutate(random, PRM_SEED.encode(), PRM_PIECES))
    try:
        found = parse_parameters(text, "fuzz")
    except SyntaxProblem as problem:
        check_problem(problem, text)
    else:
        assert all(doubt.startswith("fuzz:") for doubt in found.doubts)


class FileTarget:
    """Files of numbers, damaged: each is refused with its name, or can be used.

    Parameters
    ----------
    files : list of Path
        As the program wrote them.
    kind : Kind
    use : function of path
        Reads a file and uses it; raises an `LpcfgError` if it cannot be read.
    """

    def __init__(self, files: list[Path], kind: Kind, use: Callable[[Path], None]):
        self.kind, self.use, self.damaged = kind, use, files[0].parent / f"damaged-{files[0].name}"
        self.whole = [(path.read_bytes(), *read_arrays(path, kind)) for path in files]

    def check(self) -> None:
        """The damaged file is refused, or used."""
        try:
            self.use(self.damaged)
        except LpcfgError as error:
            assert str(self.damaged) in str(error)

    def fuzz_bytes(self, random) -> None:
        """Bytes changed anywhere."""
        data = bytearray(random.choice(self.whole)[0])
        for _ in range(random.choice([1, 1, 3])):
            at = random.randint(0, len(data) - 1)
            if random.random() < 0.2:
                del data[at : at + random.choice([1, 100, len(data)])]
                data = data or bytearray(b"x")
            else:
                data[at] = random.randint(0, 255)
        self.damaged.write_bytes(data)
        self.check()

    def fuzz_arrays(self, random) -> None:
        """One array of a well-formed file changed: its type, its length, or a number."""
        _, header, arrays = random.choice(self.whole)
        name = random.choice(sorted(arrays))
        values = arrays[name].copy()
        action = random.randint(0, 3)
        if action == 0:
            values = values[: random.randint(0, len(values))]
        elif action == 1:
            values = values.astype(random.choice(["<i4", "<i8", "<f4", "<u1", "|b1"]))
        elif len(values):
            number = random.choice([-1, 0, 1, 2, 127, 2**31 - 1, -(2**31), random.randint(0, len(values))])
            values[random.randint(0, len(values) - 1)] = np.array(number).astype(values.dtype)
        changed = {k: Array(values if k == name else v, ("x",) * v.ndim) for k, v in arrays.items()}
        write_arrays(self.damaged, self.kind, changed, header.settings, 0, {})
        self.check()


def parse_with(path: Path) -> None:
    """Parse a sentence with the model of a file."""
    _, grammar = load_model(path)
    parse = Parser(grammar, ParseSettings()).parse([("The", "DT"), ("keeper", "NN"), ("slept", "VBD"), (".", ".")])
    assert parse.derivations


class ArtefactTarget:
    """The text files of a small training run, damaged.

    Parameters
    ----------
    folder : Path
        Where to train and to write the damaged files.
    """

    def __init__(self, folder: Path):
        self.folder, self.run = folder, folder / "run"
        (folder / "tiny.mrg").write_text(TINY_TREES, "utf-8")
        train(StageContext(self.run, load_settings(svd__states=3, lexicon__rare_below=2), [folder / "tiny.mrg"]))

    def fuzz_binarized_trees(self, random) -> None:
        """The text files of a run directory changed: read, or refused."""
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            for name, pieces in ((TREES_FILE, TREE_PIECES), (SYMBOLS_FILE, ['"', "{", "[", "1", "null", "],"])):
                data = (self.run / name).read_bytes()
                (Path(folder) / name).write_bytes(mutate(random, data, pieces) if random.random() < 0.7 else data)
            try:
                load_binary_trees(Path(folder))
            except LpcfgError as error:
                assert folder in str(error)


TEXT_TARGETS: dict[str, Callable] = {
    **{name: partial(fuzz_trees, form=form) for name, form in TREE_FORMATS.items()},
    "tagged": fuzz_tagged,
    "dependencies": fuzz_dependencies,
    "parameters": fuzz_parameters,
}


def artefact_targets(folder: Path) -> dict[str, Callable]:
    """Targets that need a training run, made in the folder."""
    target = ArtefactTarget(folder)
    model = FileTarget([target.run / MODEL_FILE], MODEL, parse_with)
    return {"bytes": model.fuzz_bytes, "arrays": model.fuzz_arrays, "binarized": target.fuzz_binarized_trees}
