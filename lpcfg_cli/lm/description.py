"""What a model has learnt: its anchors, the words of its states, the states of a word."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lpcfg_cli.lm.latent import LatentBigram
from lpcfg_cli.lm.mixed import MixedModel
from lpcfg_cli.lm.model import LanguageModel
from lpcfg_cli.text.description import StateWords, likeliest
from lpcfg_cli.text.vocabulary import START


@dataclass(frozen=True)
class WordStates:
    """The states of a word.

    Attributes
    ----------
    word : str
    after, of : list of (int, float)
        The likeliest states with r(h | w), and with p(h | w) of the word itself.
    """

    word: str
    after: list[tuple[int, float]]
    of: list[tuple[int, float]]


def parts_of(model: LanguageModel) -> tuple[LanguageModel, ...]:
    """The models of a mixture, or the model itself."""
    return model.models if isinstance(model, MixedModel) else (model,)


def describe_states(model: LatentBigram, most: int) -> list[StateWords]:
    """The states by falling weight, each with its likeliest words."""
    words = model.vocabulary.words
    anchors = [words[k] for k in model.anchors] or [""] * model.n_states
    return [
        StateWords(int(h), float(model.weight[h]), anchors[h], [(words[w], p) for w, p in likeliest(s, most)])
        for h in np.argsort(-model.weight, kind="stable")
        for s in (model.parameters.s[:, h],)
    ]


def describe_word(model: LatentBigram, word: str, most: int) -> WordStates:
    """The likeliest states after a word, and of the word; unknown words count as ``<unk>``, ``<s>`` as the start."""
    number = START if word == model.vocabulary.words[START] else model.vocabulary.number_of(word)
    after, of = model.states_after(number), model.states_of(number)
    return WordStates(model.vocabulary.words[number], likeliest(after, most), likeliest(of, most))
