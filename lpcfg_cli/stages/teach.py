"""teach: a teacher learns from the treebank and parses raw text → ``taught.mrg`` and ``taught.json``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from lpcfg_cli.arrays.streams import Purpose, stream
from lpcfg_cli.config import EnsembleSettings, Settings, SpanSettings, TaggerSettings, TeachSettings, load_settings
from lpcfg_cli.errors import InputError
from lpcfg_cli.parsing.corpora import ParseReport, open_parser, read_cleaning, read_conventions
from lpcfg_cli.parsing.folders import Shard, find_shards, parse_shards
from lpcfg_cli.parsing.parse import Status
from lpcfg_cli.stages.binarize import treebank_hashes
from lpcfg_cli.stages.run import TREEBANK_STAGES, run_stages
from lpcfg_cli.stages.stage import Stage, StageContext, hashes, save_json
from lpcfg_cli.storage.files import make_directory, write_text
from lpcfg_cli.tagging.sampling import TextSample, draw_sentences
from lpcfg_cli.tagging.sentence import InputSettings
from lpcfg_cli.tagging.sentences import open_sentences
from lpcfg_cli.treebank.lines import read_lines, stream_lines
from lpcfg_cli.treebank.sources import is_stream, sha256_of_source, source_name
from lpcfg_cli.treebank.taught import TAUGHT, TAUGHT_FILE, TAUGHT_TREES_FILE

TEACHER_FOLDER, SAMPLE_FOLDER, PARSED_FOLDER = "teacher", "sample", "parsed"
"""The run directory of the teacher inside that of the student, and in it the sentences drawn and their parses."""

TEACHER_MODELS, TEACHER_DROPOUT = 8, 0.5
"""Number of models, and least dropout, of a teacher without a configuration of its own."""

SHARD_SENTENCES = 100
"""Number of sentences of a file of parses: after an interruption no more of them are parsed again."""

TEACHER_SECTIONS = (
    "seed", "read", "clean", "binarize", "lexicon", "features", "svd", "estimate", "em", "pivot", "ensemble", "tagger",
    "parse",
)  # fmt: skip
"""The settings on which the teacher's trees depend."""


@dataclass(frozen=True)
class TeachReport:
    """What became of the text.

    Attributes
    ----------
    texts : int
        Number of files.
    fitting, others, unreadable : int
        Sentences of the right and of other lengths, and lines that are no text.
    parsed, words : int
        Sentences drawn and parsed, and their words.
    left_out : int
        Sentences whose tree is not from the grammar of the teacher.
    trees : int
    confidence : float
        Mean confidence of the sentences with trees.
    seems_running : bool
        Whether the text seems to be running text although it was read as tokenised.
    """

    texts: int
    fitting: int
    others: int
    unreadable: int
    parsed: int
    words: int
    left_out: int
    trees: int
    confidence: float
    seems_running: bool


@dataclass(frozen=True)
class Lesson:
    """The trees of one sentence.

    Attributes
    ----------
    trees : list of str
        Bracketed lines, best first.
    shares : list of float
        Their shares in the weight of the sentence.
    confidence : float
        Mean posterior of the brackets of the best tree.
    """

    trees: list[str]
    shares: list[float]
    confidence: float


def teach(context: StageContext) -> TeachReport:
    """Train the teacher, draw sentences from the texts, and let it parse them.

    Files of parses that are finished are kept, so that an interrupted run can be repeated.

    Raises
    ------
    InputError
        A text cannot be read, has no sentence that fits, or none could be parsed.
    """
    run, wanted = context.run, context.settings.teach
    check_texts(wanted.files, context.settings.read.encoding)
    teacher = run / TEACHER_FOLDER
    make_directory(run)
    own = StageContext(
        teacher, teacher_settings(context.settings), context.roots, context.sections, context.mapper, context.progress
    )
    run_stages(TREEBANK_STAGES, own)
    sample = sample_of_texts(context.settings, teacher)
    report, lessons = ParseReport(), list[Lesson]()
    for line in parsed_lines(context, teacher, sample, report):
        lesson = lesson_of(json.loads(line), wanted.trees)
        if lesson is not None:
            lessons.append(lesson)
    if not lessons:
        raise InputError(
            f"the teacher has no tree for any sentence of {_names(wanted.files)}. Is it the right language?"
        )
    save_lessons(context, lessons)
    trees = sum(len(lesson.trees) for lesson in lessons)
    return TeachReport(
        len(wanted.files),
        sample.fitting,
        sample.others,
        sample.unreadable,
        report.sentences,
        report.words,
        report.sentences - len(lessons),
        trees,
        float(np.mean([lesson.confidence for lesson in lessons])),
        wanted.form == "raw" and sample.seems_running,
    )


def teacher_settings(settings: Settings) -> Settings:
    """The settings of the teacher; raises the errors of `load_settings`."""
    if settings.teach.teacher:
        found = load_settings(settings.teach.teacher)
    else:
        svd = replace(settings.svd, dropout=max(settings.svd.dropout, TEACHER_DROPOUT))
        found = replace(settings, svd=svd, ensemble=EnsembleSettings(TEACHER_MODELS))
    tagger = found.tagger if found.tagger.epochs else TaggerSettings()  # it parses raw text
    shared = {name: getattr(settings, name) for name in ("seed", "read", "clean")}
    return replace(found, tagger=tagger, spans=SpanSettings(), teach=TeachSettings(), **shared)


def check_texts(files: Sequence[str], encoding: str) -> None:
    """Raise an `InputError` if a text cannot be read twice or all are empty, before the teacher is trained."""
    for file in files:
        if is_stream(file):
            raise InputError(f"{source_name(file)}: cannot be read twice. Write the text to a file and name that.")
    lines = chain.from_iterable(stream_lines(file, encoding, "skip") for file in files)
    if not any(line.strip() for line in lines):
        raise InputError(f"{_names(files)}: no text. Name files with sentences.")


def sample_of_texts(settings: Settings, teacher: Path) -> TextSample:
    """Draw sentences from the texts, in the spelling of the teacher's treebank; raises `InputError` if none fits."""
    wanted, conventions = settings.teach, read_conventions(teacher)
    reading = InputSettings(**{**vars(settings.read), "on_error": "skip"}, clean=read_cleaning(teacher))
    sentences = chain.from_iterable(
        open_sentences(file, wanted.form, reading, conventions=conventions) for file in wanted.files
    )
    rng = stream(settings.seed, Purpose.TEXT_SAMPLE)
    sample = draw_sentences(sentences, wanted.sentences, wanted.shortest, wanted.longest, rng)
    if not sample.sentences:
        raise InputError(
            f"{_names(wanted.files)}: no sentence of {wanted.shortest} to {wanted.longest} words among "
            f"{sample.others:,}. --text-longest allows longer ones; --text-format text splits running text."
        )
    return sample


def parsed_lines(context: StageContext, teacher: Path, sample: TextSample, report: ParseReport) -> Iterator[str]:
    """The parses of the sample, JSON lines; files that are finished are not parsed again."""
    folder, output, wanted = teacher / SAMPLE_FOLDER, teacher / PARSED_FOLDER, context.settings.teach
    _write_sample(folder, sample)
    parser = open_parser(teacher, {"output": "jsonl", "nbest": wanted.trees, "scores": wanted.trees > 1})
    like = Shard(folder, output, parser, "raw", InputSettings(clean=read_cleaning(teacher)), wanted.longest)
    shards = find_shards(folder, output, lambda source, target: replace(like, source=source, target=target))
    found = parse_shards(shards, report, mapper=context.mapper)
    for outcome in context.progress(found, "teach", len(shards), "file"):
        yield from read_lines(output / f"{Path(outcome.source).name}{like.output_form.suffix}")
    parser.forget()


def _write_sample(folder: Path, sample: TextSample) -> None:
    """Write the sentences of a sample into files of `SHARD_SENTENCES`; files of an earlier sample are removed."""
    make_directory(folder)
    lines = [f"{' '.join(words)}\n" for words in sample.sentences]
    names = set()
    for first in range(0, len(lines), SHARD_SENTENCES):
        names.add(name := f"{first:08}.txt")
        write_text(folder / name, "".join(lines[first : first + SHARD_SENTENCES]))
    for path in folder.iterdir():
        if path.name not in names:
            path.unlink()


def lesson_of(record: dict[str, Any], most: int) -> Lesson | None:
    """The trees of a parse with their shares; None if it is no sure parse: pruned away, backed off or negative."""
    if record["status"] != Status.PARSED.value or record["is_negative"]:
        return None
    ranked = record["nbest"][:most] if most > 1 else [record]
    posterior = np.array([one["posterior"] or 0.0 for one in ranked])
    if not posterior.sum() > 0:
        ranked, posterior = ranked[:1], np.ones(1)
    brackets = [bracket["posterior"] for bracket in record["brackets"]]
    confidence = float(np.mean(brackets)) if brackets else 1.0
    return Lesson([one["tree"] for one in ranked], (posterior / posterior.sum()).tolist(), confidence)


def save_lessons(context: StageContext, lessons: Sequence[Lesson]) -> None:
    """Write the trees, one on each line, and their confidences and shares."""
    trees = [f"{tree}\n" for lesson in lessons for tree in lesson.trees]
    write_text(context.run / TAUGHT_TREES_FILE, "".join(trees))
    content = {
        "confidence": [lesson.confidence for lesson in lessons for _ in lesson.trees],
        "share": [share for lesson in lessons for share in lesson.shares],
    }
    save_json(TEACHING, context, content, hashes(context.run, [TAUGHT_TREES_FILE]))


def teaching_settings(settings: Settings) -> dict[str, Any]:
    """The settings that the taught trees depend on: those of the sample and of the teacher."""
    sample = {name: getattr(settings.teach, name) for name in ("form", "sentences", "shortest", "longest", "trees")}
    teacher = teacher_settings(settings).as_dict()
    return {"teach": sample, "teacher": {name: teacher[name] for name in TEACHER_SECTIONS}}


def text_hashes(context: StageContext) -> dict[str, Any]:
    """SHA-256 of each text, and of the treebank's files."""
    texts = [sha256_of_source(Path(file)) for file in context.settings.teach.files]
    without = replace(context.settings, teach=TeachSettings())
    return {"texts": texts, **treebank_hashes(replace(context, settings=without))}


def _names(files: Sequence[str]) -> str:
    return ", ".join(files)


TEACHING = Stage(
    name="teach",
    summary="Parse raw text with a teacher, to learn from it too.",
    reads=(),
    file=TAUGHT_FILE,
    kind=TAUGHT,
    version=1,
    shaped_by=teaching_settings,
    work=teach,
    flags=("read", "clean", "teach"),
    sources=text_hashes,
    is_wanted=lambda settings: bool(settings.teach.files),
    main_file=TAUGHT_TREES_FILE,
    log=lambda context, report: {"texts": list(context.settings.teach.files), "report": asdict(report)},
)
