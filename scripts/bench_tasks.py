"""One measurement inside a process of its own: called by bench.py as ``bench_tasks.py TASK JSON``; prints JSON."""

from __future__ import annotations

import json
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from lpcfg_cli.parsing import marginals as marginals_module
from lpcfg_cli.parsing.corpora import ParseReport, open_parser, parse_sentences
from lpcfg_cli.parsing.parser import Parser
from lpcfg_cli.tagging.sentence import InputSentence, Sentence
from lpcfg_cli.tagging.sentences import read_sentences


def peak(dtype: str, size: int = 2000, repeats: int = 3) -> float:
    """FLOP/s of the product of two square matrices, as the peak of one core of this machine; the best of some."""
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((size, size)).astype(dtype) for _ in range(2))
    seconds = []
    for _ in range(repeats):
        began = time.perf_counter()
        _ = a @ b
        seconds.append(time.perf_counter() - began)
    return 2 * size**3 / min(seconds)


def parse(model: str, source: str, first: int = 0, last: int | None = None) -> dict[str, Any]:
    """Parse some sentences of a file of trees, after one that only loads the kernels."""
    parser, sentences = _open(model, source)
    seconds, cpu, report = _parse(parser, sentences[first:last])
    return {
        "sentences": report.sentences,
        "words": report.words,
        "fallbacks": report.fallbacks,
        "seconds": seconds,
        "cpu_seconds": cpu,
        "sentences_per_cpu_second": report.sentences / cpu,
    }


def length(model: str, source: str, shortest: int, longest: int, most: int) -> dict[str, Any]:
    """The median parsing time of the first `most` sentences in a range of lengths."""
    parser, sentences = _open(model, source)
    chosen = [sentence for sentence in sentences if shortest <= len(sentence) <= longest][:most]
    cpu = [_parse(parser, [sentence])[1] for sentence in chosen]
    words = statistics.median(map(len, chosen)) if chosen else 0
    return {"sentences": len(chosen), "words": words, "cpu_seconds": statistics.median(cpu) if cpu else 0.0}


def contractions(model: str, source: str, last: int, rounds: int = 5) -> dict[str, Any]:
    """FLOP/s of the inside-outside contractions while sentences are parsed, and their share of a matrix product's.

    The speed of a machine that others use changes from second to second, so each round measures both; the medians and
    the best of all rounds are told.
    """
    parser, sentences = _open(model, source)
    original = marginals_module.batch_marginals
    total = {"flops": 0.0, "seconds": 0.0}

    def timed(questions: Any) -> Any:
        began = time.process_time()
        found = original(questions)
        total["seconds"] += time.process_time() - began
        total["flops"] += sum(count_flops(forest, one.rules) for one, forest in questions)
        return found

    marginals_module.batch_marginals = timed
    dtype, found = parser.tensors.root_vector.dtype.name, list[dict[str, float]]()
    for _ in range(rounds):
        total.update(flops=0.0, seconds=0.0)
        product = peak(dtype)
        _, cpu, _ = _parse(parser, sentences[:last])
        flops = total["flops"] / total["seconds"]
        found.append({"flops": flops, "share_of_product": flops / product, "share_of_parsing": total["seconds"] / cpu})
    return {
        **{name: statistics.median(one[name] for one in found) for name in found[0]},
        **{f"best_{name}": max(one[name] for one in found) for name in ("flops", "share_of_product")},
        "dtype": dtype,
        "flop_per_sentence": total["flops"] / len(sentences[:last]),
    }


def count_flops(forest: Any, rules: Any) -> float:
    """Additions and multiplications of the binary rules' contractions, inside and outside, as the papers have them.

    A dense tensor takes 2 m_a m_b m_c for each span inside and as many outside; and for each split point an outer
    product, a matrix-vector product and an addition of a row, together 6 m_b m_c.  A tensor of rank R takes
    4 R (m_b + m_c) for each split point and 4 R m_a for each span; the program makes fewer, since it multiplies a
    child once for all its split points.
    """
    rule = forest.group_rule
    splits = np.diff(forest.group_edge)
    a, b, c = (rules.n_states[side[rule]].astype(float) for side in (rules.parent, rules.left, rules.right))
    rank = rules.rank[rule]
    dense = 4 * a * b * c + 6 * splits * b * c
    factored = 4 * rank * (a + splits * (b + c))
    return float(np.where(rank == 0, dense, factored).sum())


def _open(model: str, source: str) -> tuple[Parser, list[Sentence]]:
    sentences = list(read_sentences(Path(source).read_text("utf-8"), "trees", source))
    parser = open_parser(Path(model), {}).get()
    _parse(parser, sentences[:1])
    return parser, sentences


def _parse(parser: Parser, sentences: list[Sentence]) -> tuple[float, float, ParseReport]:
    report = ParseReport()
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in parse_sentences(parser, map(InputSentence, sentences), report):
        pass
    return time.perf_counter() - wall, time.process_time() - cpu, report


TASKS = {"parse": parse, "length": length, "contractions": contractions}

if __name__ == "__main__":
    print(json.dumps(TASKS[sys.argv[1]](**json.loads(sys.argv[2]))))
