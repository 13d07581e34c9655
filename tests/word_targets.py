"""What must hold for any file of the models of words: language models, HMMs and embeddings.

Each is read or refused in words, as `fuzz_targets` has it for parsers; what is read gives finite answers.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from fuzz_targets import FileTarget, mutate

from lpcfg_cli.config import EmbedSettings, HmmSettings, LmSettings, Settings
from lpcfg_cli.embeddings.archive import EMBEDDINGS, VECTOR_FORMATS, load_embeddings, save_embeddings
from lpcfg_cli.embeddings.training import learn_embeddings, read_text
from lpcfg_cli.embeddings.vectors import Embeddings
from lpcfg_cli.embeddings.word_pairs import read_pairs, score_analogies, score_pairs
from lpcfg_cli.errors import LpcfgError
from lpcfg_cli.hmm.archive import HMM, load_hmm, save_hmm
from lpcfg_cli.hmm.description import describe_states
from lpcfg_cli.hmm.hidden_markov import HiddenMarkov
from lpcfg_cli.hmm.learners import learn_hmm
from lpcfg_cli.hmm.prediction import predict_line
from lpcfg_cli.hmm.training import read_data as read_sequences
from lpcfg_cli.lm.archive import LM, load_lm, save_lm
from lpcfg_cli.lm.training import learn_and_mix, read_data

LINES = ["the cat sat on the mat", "a dog sat", "the dog saw a cat on the mat", "cat and dog saw the mat", "é à ß"]
PIECES = [" ", "\n", "\t", "\r", "\0", "0", "-", "nan", "inf", "1e999", "-99", "é", "\u2028", "<s>", "</s>", "<unk>",
          "\\1-grams:\n", "\\2-grams:\n", "\\end\\", "ngram 2=1\n", "99999999999999999999", "²", ": a\n"]  # fmt: skip
PAIRS = b"# judged\nthe cat 1.5\ncat\tdog\t9\nmat dog 3\nsat saw 8\n"
ANALOGIES = b": animals\nthe cat a dog\nsat cat saw dog\n: others\ncat dog dog cat\n"


def text_file(folder: Path) -> Path:
    """A small text with which everything can be learnt."""
    path = folder / "text.txt"
    path.write_text("".join(f"{line}\n" for line in LINES * 6), "utf-8")
    return path


def use_lm(path: Path) -> None:
    """Probabilities of a sentence and of all next words."""
    model = load_lm(path)[1]
    assert not np.isnan(model.logprob(["the", "cat", "nowhere"]))
    p = model.distribution([1] * max(1, model.order - 1))
    assert np.isfinite(p).all() and (p >= 0).all()


def use_hmm(path: Path) -> None:
    """Predictions, the likeliest states and their words."""
    model = load_hmm(path)[1]
    found = model.predict(model.numbers_of(["the", "cat", "nowhere"]))
    assert np.isfinite(found.probability).all() and (found.probability >= 0).all()
    assert len(list(predict_line(model, ["the", "cat"], 3, True))) == 3
    if isinstance(model, HiddenMarkov):
        describe_states(model, 3)
        assert len(model.likeliest_path(model.numbers_of(["a", "dog"]))) == 3


def use_embeddings(path: Path) -> None:
    """Neighbours of the first word."""
    found = load_embeddings(path)
    near = found.nearest(found.words[0], 3)
    assert len(near) == min(3, len(found) - 1)
    assert all(-1.01 < cosine < 1.01 for _, cosine in near)


def lm_files(folder: Path, text: Path) -> list[Path]:
    """A model of each form, and a mixture."""
    kinds = {"latent": {"learner": "em"}, "backoff": {"learner": "kneser-ney"}, "mixed": {"interpolate": True}}
    files = []
    for name, changes in kinds.items():
        wanted = LmSettings(states=2, rare_below=1, anchor_count=1, dev=str(text), iterations=3, **changes)
        settings = Settings(lm=wanted)
        files.append(folder / f"{name}.lm.npz")
        save_lm(learn_and_mix(read_data([text], settings), settings).model, files[-1], {}, 0, {})
    return files


def hmm_files(folder: Path, text: Path) -> list[Path]:
    """A model of each form."""
    files = []
    for learner in ("spectral", "full", "em"):
        settings = Settings(hmm=HmmSettings(learner=learner, states=2, rare_below=1, iterations=3))
        files.append(folder / f"{learner}.hmm.npz")
        save_hmm(learn_hmm(read_sequences([text], settings), settings.hmm, 0).model, files[-1], {}, 0, {})
    return files


def small_embeddings(text: Path) -> Embeddings:
    """Vectors of the words of a text."""
    settings = Settings(embed=EmbedSettings(dimensions=3, window=2, rare_below=1))
    return learn_embeddings(read_text([text], settings).rows, settings.embed, 0)


class TextTarget:
    """Text forms of models of words, damaged: each is refused with its name, or can be used.

    Parameters
    ----------
    folder : Path
        Where the damaged files are written.
    found : Embeddings
    arpa : bytes
        An ARPA file.
    """

    def __init__(self, folder: Path, found: Embeddings, arpa: bytes):
        self.folder, self.found = folder, found
        self.seeds: dict[str, tuple[bytes, Callable[[Path], object]]] = {
            "x.arpa": (arpa, use_lm),
            "pairs.txt": (PAIRS, lambda path: score_pairs(found, read_pairs(path))),
            "analogies.txt": (ANALOGIES, lambda path: score_analogies(found, path)),
        }
        for form in VECTOR_FORMATS.values():
            path = folder / f"x{form.suffixes[0]}"
            form.write(found, path)
            self.seeds[path.name] = (path.read_bytes(), use_embeddings)

    def fuzz(self, random) -> None:
        """A file with parts cut out, doubled or put in."""
        name = random.choice(sorted(self.seeds))
        data, use = self.seeds[name]
        path = self.folder / f"damaged-{name}"
        path.write_bytes(mutate(random, data, PIECES, whole=random.random() < 0.5))
        try:
            use(path)
        except LpcfgError as error:
            assert str(path) in str(error)


def word_targets(folder: Path) -> dict[str, Callable]:
    """Targets that need small models, made in the folder."""
    text = text_file(folder)
    found, lm_models = small_embeddings(text), lm_files(folder, text)
    save_embeddings(found, folder / "x.embed.npz", {}, 0, {})
    save_lm(load_lm(lm_models[1])[1], folder / "seed.arpa", {}, 0, {})
    kinds = {
        "lm": FileTarget(lm_models, LM, use_lm),
        "hmm": FileTarget(hmm_files(folder, text), HMM, use_hmm),
        "embeddings": FileTarget([folder / "x.embed.npz"], EMBEDDINGS, use_embeddings),
    }
    targets = {f"{name} {part}": getattr(kind, f"fuzz_{part}") for name, kind in kinds.items()
               for part in ("bytes", "arrays")}  # fmt: skip
    return {**targets, "word texts": TextTarget(folder, found, (folder / "seed.arpa").read_bytes()).fuzz}
