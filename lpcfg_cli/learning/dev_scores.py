"""Scores of EM's parameters on a dev treebank."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from lpcfg_cli.config import ReadSettings, Settings
from lpcfg_cli.evaluation.evaluate import evaluate
from lpcfg_cli.evaluation.sentences import TreeSource, open_source, source_of_text
from lpcfg_cli.learning.learner import dev_files
from lpcfg_cli.learning.mixing import mixed_grammar
from lpcfg_cli.learning.rule_table import RuleParameters, RuleTable
from lpcfg_cli.learning.training_data import TrainingData
from lpcfg_cli.parsing.corpora import parse_all
from lpcfg_cli.tagging.sentence import Sentence
from lpcfg_cli.tagging.sentences import open_sentences


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

    @cached_property
    def gold(self) -> TreeSource:
        """The gold trees."""
        return open_source(self.settings.em.dev, encoding=self.settings.read.encoding)

    @cached_property
    def sentences(self) -> list[Sentence]:
        """Words and tags of the gold trees."""
        read = ReadSettings(encoding=self.settings.read.encoding)
        files = dev_files(self.settings)
        return [item.tokens for path in files for item in open_sentences(path, "trees", read)]

    def f1(self, parameters: RuleParameters) -> float:
        """Labelled F1 of the parses, in percent, by EVALB's rules with COLLINS.prm."""
        grammar = mixed_grammar(self.data, self.table, parameters, self.settings.em)
        lines, _ = parse_all(grammar, self.settings.parse, self.sentences)
        return evaluate(self.gold, source_of_text("".join(f"{line}\n" for line in lines))).f1
