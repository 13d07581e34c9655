"""What must hold for all commands, whatever their input: no traceback, no end without an answer, no NaN.

`CommandTarget.fuzz_commands` takes damaged files through ``check``, ``train``, ``parse`` and ``eval``, `fuzz_texts`
through the models of words.
"""

from __future__ import annotations

import bz2
import faulthandler
import gzip
import json
import lzma
import os
import re
import sys
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "cli"))

from command_line import Outcome, run_here
from fuzz_targets import TAGGED_PIECES, TAGGED_SEED, TREE_PIECES, mutate
from tiny_trees import TINY_TREES

from lpcfg_cli.tagging.sentences import SENTENCE_FORMATS
from lpcfg_cli.treebank.brackets import treebank_from_text
from lpcfg_cli.treebank.formats import TREE_FORMATS

SECONDS = 300
"""Longest time that a command may take; the slowest takes ten seconds on an idle machine."""

UNFORESEEN = 70
USAGE = 2
PART = 20_000
"""Largest number of bytes of a real file that are used."""

ENDINGS = (*[".mrg"] * 10, ".MRG", ".psd", ".txt", ".tree", ".conllu", ".export", ".xml", ".dbr", "", ".mrg.gz", ".ptb")
ENCODINGS = ("utf-8", "latin-1", "utf-16", "utf-8-sig")
PACKERS = (bytes, bytes, bytes, bytes, gzip.compress, bz2.compress, lzma.compress)
NOT_A_NUMBER = re.compile(r"(?<![\w./-])nan(?![\w./-])", re.IGNORECASE)


def seeds(shared: Path | None = None) -> tuple[list[bytes], list[bytes]]:
    """The files that are damaged: trees, and other texts; small ones of our own, and the beginnings of real ones."""
    written = [form.write(treebank_from_text(TINY_TREES)) for form in TREE_FORMATS.values()]
    trees = [TINY_TREES.encode(), *("".join(f"{tree}\n" for tree in lines).encode() for lines in written)]
    others = [TAGGED_SEED.encode(), b"1\tA\ta\tDT\tDT\t_\t2\tdet\t_\t_\n", b"Ships sail. Mr. Lamp's boat (3.5) left!\n"]
    if shared is not None:
        found = sorted(path for path in (shared / "data").glob("*/*") if path.is_file())
        found += sorted((shared / "data/wsj/00").glob("*.mrg"))[:20]
        for path in found:
            (trees if path.parent.name == "quirks" or path.suffix == ".mrg" else others).append(
                path.read_bytes()[:PART]
            )
    return trees, others


class CommandTarget:
    """Commands in this process, in a folder of their own.

    Parameters
    ----------
    folder : Path
    shared : Path, optional
        Where real data lie.
    """

    def __init__(self, folder: Path, shared: Path | None = None):
        self.folder = folder / "commands"
        self.trees, self.others = seeds(shared)
        self.folder.mkdir()
        (self.folder / "tiny.mrg").write_text(TINY_TREES, "utf-8")
        assert self.run("train", "tiny.mrg", "-o", "tiny", "-m", "2", "--rare-below", "2").code == 0

    def fuzz_commands(self, random) -> None:
        """A damaged file is checked, trained on, parsed and scored, or refused in words."""
        name = self.damaged(random, "trees")
        lenient = ["--on-error", "skip"] if random.random() < 0.8 else []
        self.run("check", name, *lenient)
        self.figures("check", name, "--json", *lenient)
        trained = self.run("train", name, "-o", "run", "-m", "2", "--rare-below", "2", *lenient)
        model = "run" if trained.code == 0 else "tiny"
        form = random.choice([*SENTENCE_FORMATS, "trees"])
        source = name if random.random() < 0.7 else self.damaged(random, "sentences", tagged=True)
        parsed = self.run("parse", model, source, "-f", form, "-o", "parsed.mrg", *lenient)
        self.run("eval", "parsed.mrg" if parsed.code == 0 else "tiny.mrg", name)
        self.figures("eval", name, self.damaged(random, "other") if random.random() < 0.5 else name, "--json")

    def fuzz_texts(self, random) -> None:
        """A damaged file is learnt from by the models of words, and scored with what they learnt."""
        text = self.damaged(random, "text", tagged=True)
        few = ("--rare-below", "1", "--seed", "1")
        self.run("lm", "train", text, "-o", "x.lm.npz", "-m", "2", "--anchor-count", "1", "--iterations", "2", *few)
        learner = random.choice(["spectral", "full", "em", "spectral+em"])
        steps = ("--iterations", "2", "--anchor-count", "1")
        self.run("hmm", "train", text, "-o", "x.hmm.npz", "-m", "2", "--learner", learner, *steps, *few)
        method = random.choice(["one-step", "two-step", "lr-mvl", "ppmi-svd"])
        self.run("embed", "train", text, "-o", "x.embed.npz", "-k", "2", "--window", "2", "--method", method, *few)
        other = text if random.random() < 0.5 else self.damaged(random, "other")
        for command in (("lm", "score", "x.lm.npz"), ("hmm", "score", "x.hmm.npz"), ("embed", "eval", "x.embed.npz")):
            if (self.folder / command[-1]).exists():
                self.figures(*command, other, "--json")
        if (self.folder / "x.hmm.npz").exists():
            for line in self.run("hmm", "predict", "x.hmm.npz", other, "--json").out.splitlines():
                json.loads(line, parse_constant=not_a_number)
        for vectors in (text, "x.embed.npz"):
            self.run("embed", "export", vectors, "out.vec")

    def damaged(self, random, stem: str, tagged: bool = False) -> str:
        """Write a file of random bytes, or a damaged one; returns its name."""
        data = random.randbytes(random.choice([0, 1, 100, 5000]))
        if random.random() < 0.9:
            seed = random.choice(self.others if random.random() < (0.5 if tagged else 0.1) else self.trees)
            at = random.randrange(len(seed))
            data = mutate(
                random, seed[at:] if random.random() < 0.3 else seed, TAGGED_PIECES if tagged else TREE_PIECES
            )
        if random.random() < 0.2:
            data = data.decode("utf-8", "ignore").encode(random.choice(ENCODINGS), "ignore")
        for old in self.folder.glob(f"{stem}.*"):
            old.unlink()
        path = self.folder / f"{stem}{random.choice(ENDINGS)}"
        path.write_bytes(random.choice(PACKERS)(data))
        return path.name

    def figures(self, *arguments: str) -> None:
        """Run a command with ``--json``; what it prints, if it succeeds, is JSON without NaN."""
        outcome = self.run(*arguments)
        if outcome.out:
            json.loads(outcome.out, parse_constant=not_a_number)

    def run(self, *arguments: str) -> Outcome:
        """Run a command, within the time; it succeeds, or says in words why not."""
        with time_limit(SECONDS):
            outcome = run_here(*arguments, folder=self.folder)
        assert outcome.code not in {UNFORESEEN, USAGE}, outcome.err
        assert "Traceback" not in outcome.err, outcome.err
        assert outcome.code == 0 or outcome.err, (arguments, outcome)
        if arguments[0] != "parse" and (found := NOT_A_NUMBER.search(outcome.out)):
            raise AssertionError(f"lpcfg {' '.join(arguments)}: {found.group()} in {outcome.out}")
        return outcome


def not_a_number(text: str) -> None:
    """Refuse a constant that JSON does not have."""
    raise AssertionError(f"{text} in JSON")


@contextmanager
def time_limit(seconds: int):
    """End the process with a traceback if the body takes longer; an exception could crash compiled code."""
    faulthandler.dump_traceback_later(seconds, exit=True, file=sys.__stderr__)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


def shared_folder() -> Path | None:
    """The folder of real data, if it is there."""
    beside = Path(__file__).resolve().parents[2] / "shared"
    path = Path(os.environ.get("LPCFG_SHARED", beside))
    return path if path.is_dir() else None
