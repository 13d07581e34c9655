"""Parts of running text that are words, or that are cut, whatever a tokenizer does: addresses, numbers, clitics."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

WHOLE = re.compile(
    r"(?:https?|ftps?)://[^\s<>\"“”«»]+|www\.[^\s<>\"“”«»]+"  # addresses of pages
    r"|[\w-]+(?:\.[\w-]+)*\.[^\W\d_]{2,}/[^\s<>\"“”«»]*"
    r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"  # of mail
    r"|\d+(?:[.,:]\d+)+"  # numbers, times and dates
    r"|[\U000f0000-\U0010fffd]+"  # what stands for such words below
)
CLOSING = ".,;:!?'’)]}*"
"""Characters at the end of an address that belong to the sentence, if no such bracket was opened in the address."""

STAND_IN = 0xF0000
"""The first of the private characters that stand for words which a tokenizer must not cut."""

APOSTROPHES = "'’"
LETTER = r"[^\W\d_]"
_WITH_APOSTROPHE = re.compile(rf"[\w-]*\w(?:[{APOSTROPHES}]\w+)+")
_ENCLITIC = re.compile(rf"[{APOSTROPHES}]{LETTER}{{1,3}}|n[{APOSTROPHES}]t", re.IGNORECASE)
_PROCLITIC = re.compile(rf"{LETTER}+[{APOSTROPHES}]")

ENGLISH = ("n't", "'s", "'re", "'ve", "'ll", "'d", "'m")
"""Clitics of treebanks that are cut by the rules of the Penn Treebank."""

MAY_BE_WHOLE = ("cannot", "gimme", "gonna", "gotta", "lemme", "wanna")
"""Words that these rules cut, but treebanks may have whole."""


class StandIns:
    """Words of a text that are replaced by single characters, which no tokenizer cuts."""

    def __init__(self) -> None:
        self._words: list[str] = []

    def put(self, word: str) -> str:
        """A character that stands for a word."""
        self._words.append(word)
        return chr(STAND_IN + len(self._words) - 1)

    def restored(self, text: str) -> str:
        """The text with the words in place of the characters."""
        if text.isascii():
            return text
        return "".join(self._words[k] if 0 <= (k := ord(c) - STAND_IN) < len(self._words) else c for c in text)


def with_whole_words(text: str, whole: Iterable[str], stand_ins: StandIns) -> str:
    """The text with stand-ins for addresses, numbers and the words given."""

    def stand_in(match: re.Match[str]) -> str:
        word = match[0]
        end = len(word)
        if "/" in word or "@" in word or word.lower().startswith("www."):
            end = _end_of_address(word)
        return stand_ins.put(word[:end]) + word[end:]

    found = WHOLE.sub(stand_in, text)
    for word in whole:
        found = re.sub(rf"(?i)\b{re.escape(word)}\b", lambda match: stand_ins.put(match[0]), found)
    return found


def _end_of_address(address: str) -> int:
    end = len(address)
    while end > 1 and address[end - 1] in CLOSING:
        opened = {")": "(", "]": "[", "}": "{"}.get(address[end - 1])
        if opened and address.count(opened, 0, end) >= address.count(address[end - 1], 0, end):
            break
        end -= 1
    return end


def learn_clitics(word_count: Counter[str]) -> tuple[str, ...]:
    """The clitics of a treebank, in lower case and with its apostrophe: ``n't``, ``'s``, ``l'`` and the like.

    A clitic that is more often a part of whole words than a word of its own is none.
    """
    found: Counter[str] = Counter()
    for word, count in word_count.items():
        if _ENCLITIC.fullmatch(word) or _PROCLITIC.fullmatch(word):
            found[word.lower()] += count
    if not found:
        return ()
    whole: Counter[str] = Counter()
    for word, count in word_count.items():
        if _WITH_APOSTROPHE.fullmatch(word) and word.lower() not in found:
            whole.update({clitic: count for clitic in found if _is_cut(word.lower(), clitic)})
    return tuple(sorted(clitic for clitic, count in found.items() if count >= whole[clitic]))


def _is_cut(word: str, clitic: str) -> bool:
    """Whether a clitic is a part of a word, at the end if it begins with an apostrophe or is ``n't``."""
    if clitic[-1] in APOSTROPHES:
        return word.startswith(clitic) and len(word) > len(clitic)
    return word.endswith(clitic) and len(word) > len(clitic)


def with_cut_clitics(text: str, clitics: tuple[str, ...], stand_ins: StandIns) -> str:
    """The text with blanks around clitics, and with stand-ins for apostrophes inside words."""
    longest_first = sorted(clitics, key=lambda clitic: (-len(clitic), clitic))

    def cut(match: re.Match[str]) -> str:
        return " ".join(_protected(part, stand_ins) for part in _parts(match[0], longest_first))

    return _WITH_APOSTROPHE.sub(cut, text)


def _protected(part: str, stand_ins: StandIns) -> str:
    return "".join(stand_ins.put(char) if char in APOSTROPHES else char for char in part)


def _parts(word: str, clitics: list[str]) -> list[str]:
    before, after = list[str](), list[str]()
    while clitic := _cut_clitic(word, clitics):
        size = len(clitic)
        if clitic[-1] in APOSTROPHES:
            before.append(_respelt(word[:size], clitic))
            word = word[size:]
        else:
            after.insert(0, _respelt(word[-size:], clitic))
            word = word[:-size]
    return [*before, word, *after]


def _cut_clitic(word: str, clitics: list[str]) -> str:
    """The first clitic that is to be cut off a word, rather one with the same apostrophe; empty if there is none."""
    fitting = [clitic for clitic in clitics if _is_cut(_plain(word), _plain(clitic))]
    same = (clitic for clitic in fitting if _is_cut(word.lower(), clitic) and len(clitic) == len(fitting[0]))
    return next(same, fitting[0]) if fitting else ""


def _plain(word: str) -> str:
    return word.lower().replace("’", "'")


def _respelt(part: str, clitic: str) -> str:
    """A part of a word with the apostrophe of the treebank's clitic."""
    return "".join(own if own in APOSTROPHES else char for char, own in zip(part, clitic, strict=True))
