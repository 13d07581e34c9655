"""A sentence format: tags before words, as in ``DT=the NN=dog``; a word without a tag is a problem."""

from __future__ import annotations

from lpcfg_cli.errors import SyntaxProblem
from lpcfg_cli.tagging.sentence import InputSentence, SentenceFormat


def read(lines, name, settings, tell, conventions):
    for number, line in enumerate(lines, 1):
        tokens = [token.partition("=") for token in line.split()]
        if all(is_sign for _, is_sign, _ in tokens):
            yield InputSentence([(word, tag) for tag, _, word in tokens], f"{name}:{number}")
        else:
            problem = SyntaxProblem(name, number, 1, repr(line), "TAG=word", "Write = before each word.")
            yield InputSentence([], f"{name}:{number}", problem)


TOY = SentenceFormat("toy", "TAG=word tokens, a sentence a line", read)
