"""Scores of EM's parameters on a dev treebank."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from lpcfg_cli.config import CleanSettings, Settings
from lpcfg_cli.evaluation.evaluate import evaluate, with_defined_f1
from lpcfg_cli.evaluation.sentences import TreeSource, open_source, source_of_text
from lpcfg_cli.learning.learner import dev_files
from lpcfg_cli.learning.mixing import mixed_grammar
from lpcfg_cli.learning.rule_table import RuleParameters, RuleTable
from lpcfg_cli.learning.training_data import TrainingData
from lpcfg_cli.parsing.corpora import parse_all
from lpcfg_cli.tagging.sentence import InputSettings, Sentence
from lpcfg_cli.tagging.sentences import open_sentences
from lpcfg_cli.treebank.brackets import BRACKETS
from lpcfg_cli.treebank.dropping import drops_more_than_traces
from lpcfg_cli.treebank.formats import format_of_file
from lpcfg_cli.treebank.gold import gold_text
from lpcfg_cli.treebank.presets import cleaning


@dataclass(frozen=True)
class DevTreebank:
    """Scores parameters by parsing the words and tags of the gold trees in ``em.dev``.

    Attributes
    ----------
    data : TrainingData
    settings : Settings
    table : RuleTable
    """

    data: TrainingData
    settings: Settings
    table: RuleTable

    @property
    def clean(self) -> CleanSettings:
        """How the trees were cleaned for training."""
        return cleaning(self.settings)

    @cached_property
    def gold(self) -> TreeSource:
        """The gold trees, in brackets, since that is what EVALB reads, without words that training left out."""
        files, read = dev_files(self.settings), self.settings.read
        is_plain = not drops_more_than_traces(self.clean)
        if is_plain and all(format_of_file(path, read.format) is BRACKETS for path in files):
            return open_source(self.settings.em.dev, encoding=read.encoding)
        return source_of_text("".join(gold_text(path, read, self.clean) for path in files), self.settings.em.dev)

    @cached_property
    def sentences(self) -> list[Sentence]:
        """Words and tags of the gold trees."""
        read = InputSettings(**{**vars(self.settings.read), "on_error": "stop"}, clean=self.clean)
        files = dev_files(self.settings)
        return [item.tokens for path in files for item in open_sentences(path, "trees", read)]

    def f1(self, parameters: RuleParameters) -> float:
        """Labelled F1 of the parses, in percent, by EVALB's rules with COLLINS.prm; raises as `with_defined_f1`."""
        grammar = mixed_grammar(self.data, self.table, parameters, self.settings.em)
        lines, _ = parse_all(grammar, self.settings.parse, self.sentences)
        report = evaluate(self.gold, source_of_text("".join(f"{line}\n" for line in lines)))
        return with_defined_f1(report).f1
