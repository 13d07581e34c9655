"""The parser: from tagged words to the derivation of the best tree, with fallbacks so that every sentence has one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple, TypeVar

import numpy as np

from lpcfg_cli.config import ParseSettings
from lpcfg_cli.grammar.model import Grammar
from lpcfg_cli.grammar.validity import groups_of_same_rules
from lpcfg_cli.parsing import coarse_kernels
from lpcfg_cli.parsing.back_off import ANY_LABEL, back_off_grammar, halves_of, number_of_rules, with_direct_unaries
from lpcfg_cli.parsing.calibration import UNCORRECTED, Calibration
from lpcfg_cli.parsing.candidates import WordCandidates
from lpcfg_cli.parsing.confidence import ForestOfSentence, confidences, log_value
from lpcfg_cli.parsing.cover import best_cover, plain_words, slice_words
from lpcfg_cli.parsing.decoders import DECODERS, Evidence
from lpcfg_cli.parsing.expected_brackets import BracketLabels, BracketPosteriors, bracket_labels, tree_posteriors
from lpcfg_cli.parsing.forest import build_forest
from lpcfg_cli.parsing.kernel_rules import coarse_rules, plain_tensor_rules, tensor_rules
from lpcfg_cli.parsing.layout import CoarseInside, CoarseRules, Forest, GrammarMarginals, Marginals, Words
from lpcfg_cli.parsing.marginals import Asking, Sum, answered, answered_together, rule_marginals
from lpcfg_cli.parsing.parse import Parse, Request, Reranker, Status, TaggedWord
from lpcfg_cli.parsing.permissions import allowed_tags, permitted_rules
from lpcfg_cli.parsing.pruning import probable, surviving_forest
from lpcfg_cli.parsing.scores import log_shares, parts_of, shares_of
from lpcfg_cli.parsing.shared_brackets import label_tables, without_improbable
from lpcfg_cli.parsing.spans.span_model import SpanModel, brackets_of_cells
from lpcfg_cli.parsing.viterbi import best_trees
from lpcfg_cli.parsing.written import written_by
from lpcfg_cli.tagging.constraints import NO_CONSTRAINTS, Constraints
from lpcfg_cli.tagging.tagger import OPEN_TAG, Tagger, TagProbabilities

MOST_RULES = 5_000_000
"""Largest number of rules of a back-off grammar; these take 0.2 GB."""

MOST_STEPS = 5e9
"""Largest number of rules times n³ for which a back-off grammar is tried; a third of a second."""

LEAST_TAG = 1e-3
"""Tags that are less probable are not told to the span model."""

PRECISION = np.float32
"""Precision of the tensor pass: half the memory traffic of float64, with the same trees on the WSJ sample."""


Attempt = tuple[float, float, float, Status]
"""Thresholds of items, of rule applications and of the fine pass, and the status of what is found with them."""

Found = TypeVar("Found")
Look = Callable[[Forest, CoarseInside, "Request", float, Status], Asking["Found | None"]]
"""Looks for something in a forest; its arguments are those of `Parser._decode`."""


class CoarseChart(NamedTuple):
    """The result of the coarse inside pass.

    Attributes
    ----------
    rules : CoarseRules
        With the masks of the sentence's constraints.
    inside : CoarseInside
    has_items : ndarray of bool, shape (n, n + 1)
        Whether each span has any item.
    """

    rules: CoarseRules
    inside: CoarseInside
    has_items: np.ndarray


class Parser:
    """Parses sentences with one grammar, or with an ensemble of grammars.

    The first grammar does the coarse pass and builds the forest.  It prunes the forest by its own posteriors before the
    other grammars of the same rules use it.  The scores of these grammars are averaged and then decoded: for expected
    F1 and for the sum of |µ| this averages posteriors, for the product of |µ| it multiplies them.

    Grammars with other rules, which binarize in another way, have parsers of their own, the *companions*.  They add
    what all grammars have in common: posteriors of brackets and tags, which decoding for expected F1 averages.  Their
    charts have no brackets that the grammars before find improbable, if a tree is left.
    Trees come from the forest of the first grammar.  Other criteria use the grammars with its rules only.

    Parameters
    ----------
    grammar : Grammar, or sequence of Grammar
    settings : ParseSettings
    tagger : Tagger, optional
        For words without tags; see `WordCandidates`.
    calibration : Calibration
        The correction of bracket posteriors.
    spans : SpanModel, optional
        Decoders that average brackets use its posteriors too.
    like : Parser, optional
        One whose posteriors of brackets are averaged with those of this one: both number them in the same way.
    reranker : Reranker, optional
        Chooses among the best trees of the decoder.
    """

    def __init__(
        self,
        grammar: Grammar | Sequence[Grammar],
        settings: ParseSettings,
        tagger: Tagger | None = None,
        calibration: Calibration = UNCORRECTED,
        spans: SpanModel | None = None,
        like: Parser | None = None,
        reranker: Reranker | None = None,
    ):
        members = [grammar] if isinstance(grammar, Grammar) else list(grammar)
        groups = groups_of_same_rules(members)
        grammars = groups[0]
        self.grammar, self.settings, self.tagger = with_direct_unaries(grammars[0]), settings, tagger
        self.calibration, self.reranker = calibration, reranker
        self.decoder = DECODERS.named(settings.decoder, "parse.decoder")
        self.coarse = coarse_rules(self.grammar)
        self.plain = plain_tensor_rules(self.grammar, PRECISION)
        self.tensors = tensor_rules(self.grammar, PRECISION)
        self.candidates = WordCandidates(self.grammar, tagger, settings.tag_threshold)
        self.labels: BracketLabels = bracket_labels(self.grammar, like.labels if like else None)
        self.written = written_by(self.grammar)
        self.label_tables = label_tables(self.labels)
        self.others = [
            (WordCandidates(other), tensor_rules(other, PRECISION), other.is_probabilistic) for other in grammars[1:]
        ]
        self.grammars = grammars
        self.companions = [Parser(cheapest_first(group), settings, tagger, like=self) for group in groups[1:]]
        is_asked = self.decoder.averages_brackets and settings.span_weight > 0
        self.spans = spans if is_asked else None
        self.label_counts = self.spans.counts_of_labels(self.labels) if self.spans else None

    def parse(
        self,
        sentence: list[TaggedWord],
        nbest: int | None = None,
        constraints: Constraints = NO_CONSTRAINTS,
        with_confidence: bool = False,
    ) -> Parse:
        """Parse one sentence.

        Parameters
        ----------
        sentence : list of (word, tag)
            Given tags are fixed; an unknown tag allows any tag.  A word with `OPEN_TAG` gets the tags that the tagger
            finds plausible, and the parser chooses among them.
        nbest : int, optional
            Number of trees to rank; default that of the settings.
        constraints : Constraints
            What the tree must have; see `Constraints.check`.
        with_confidence : bool
            Whether to compute how probable each of these trees is.

        Returns
        -------
        Parse
            With a tree, unless the sentence is empty.  If pruning left no tree, the sentence is parsed without pruning;
            if Z of the L-PCFG is not usable, by the plain PCFG; if the grammar has no tree, with rules that were never
            seen, or else the tree is made of constituents that cover the sentence.  With constraints there is no such
            cover: the parse has no tree if none meets them all.
        """
        (by_spans,) = self._by_spans([sentence])
        return answered(self._parsing(sentence, nbest, constraints, with_confidence, by_spans))

    def parse_by_rules(self, sentence: list[TaggedWord]) -> Parse | None:
        """As `parse`, but by the grammar's own rules only; None if they have no tree."""
        (by_spans,) = self._by_spans([sentence])
        request = self._request(sentence, 1, NO_CONSTRAINTS, False, by_spans)
        return answered(self._by_rules(request, self._coarse_chart(request), self._attempts, self._decode))

    def parse_together(self, sentences: Sequence[list[TaggedWord]], with_confidence: bool = False) -> list[Parse]:
        """Parse several sentences; faster than one by one, with the same results.

        Parameters are as for `parse`.
        """
        return answered_together(
            [
                self._parsing(sentence, None, NO_CONSTRAINTS, with_confidence, by_spans)
                for sentence, by_spans in zip(sentences, self._by_spans(sentences), strict=True)
            ]
        )

    def _by_spans(self, sentences: Sequence[list[TaggedWord]]) -> Sequence[np.ndarray | None]:
        """The posteriors of each sentence under the span model, if there is one; the tagger proposes open tags."""
        if not self.spans:
            return [None] * len(sentences)
        return self.spans.posteriors(sentences, [self._tag_probabilities(sentence) for sentence in sentences])

    def _tag_probabilities(self, sentence: list[TaggedWord]) -> list[TagProbabilities]:
        """The tags of each word with `OPEN_TAG`, the best one alone if there is no tagger; none for other words."""
        if all(tag != OPEN_TAG for _, tag in sentence):
            return []
        words = [word for word, _ in sentence]
        if self.tagger:
            found = self.tagger.probable_tags(words, LEAST_TAG)
        else:
            found = [[(tag, 1.0)] for tag in self._best_tags(words)]
        return [tags if tag == OPEN_TAG else [] for (_, tag), tags in zip(sentence, found, strict=True)]

    def _parsing(
        self,
        sentence: list[TaggedWord],
        nbest: int | None,
        constraints: Constraints,
        with_confidence: bool,
        by_spans: np.ndarray | None,
    ) -> Asking[Parse]:
        if not sentence:
            return Parse([], Status.EMPTY)
        wanted, reranker = nbest or self.settings.nbest, self.reranker
        listed = max(wanted, reranker.n_trees) if reranker else wanted
        request = self._request(sentence, listed, constraints, with_confidence or reranker is not None, by_spans)
        chart = self._coarse_chart(request)
        found = yield from self._by_rules(request, chart, self._attempts, self._decode)
        found = found or (yield from self._backed_off(request))
        if found is None and constraints:
            return Parse([], Status.FAILED)
        found = found or self._cover(request.words, chart.inside, len(sentence))
        return reranker.reranked(found, sentence, self.grammar, wanted, with_confidence) if reranker else found

    def _request(
        self,
        sentence: list[TaggedWord],
        nbest: int,
        constraints: Constraints,
        with_confidence: bool,
        by_spans: np.ndarray | None = None,
    ) -> Request:
        open_tags = self.candidates.open_tags(sentence, allowed_tags(constraints, self.written))
        words = self.candidates.with_tags(sentence, open_tags)
        return Request(sentence, open_tags, words, nbest, constraints, with_confidence, by_spans)

    def has_tree(self, sentence: list[TaggedWord], constraints: Constraints) -> bool:
        """Whether the grammar, or one with rules never seen, has a tree that meets the constraints."""
        request = self._request(sentence, 1, constraints, False)
        for parser in (self, *self._back_offs_for(request.n)):
            rules, inside, _ = parser._coarse_chart(request)
            if (rules.root_probability * inside.by_start[0, :, request.n]).sum() > 0:
                return True
            request = replace(request, words=plain_words(request.words))
        return False

    def _back_offs_for(self, n: int) -> Iterator[Parser]:
        """The back-offs that do not take too long for a sentence of n words."""
        return (other for other in self.back_offs if len(other.grammar.binary) * n**3 <= MOST_STEPS)

    def _coarse_chart(self, request: Request, known: BracketPosteriors | None = None) -> CoarseChart:
        """The coarse pass, without brackets that other grammars are known to find improbable."""
        rules = permitted_rules(self.coarse, request.constraints, self.written, request.n)
        if known is not None:
            rules = without_improbable(rules, self.label_tables, known, self.settings.fine_threshold)
        return CoarseChart(rules, *coarse_kernels.coarse_inside(request.n, rules, request.words))

    @property
    def _attempts(self) -> tuple[Attempt, Attempt]:
        settings = self.settings
        return (
            (settings.threshold, settings.rule_threshold, settings.fine_threshold, Status.PARSED),
            (0.0, 0.0, 0.0, Status.UNPRUNED),
        )

    def _by_rules(
        self, request: Request, chart: CoarseChart, attempts: Sequence[Attempt], look: Look[Found]
    ) -> Asking[Found | None]:
        """What is found in the forest of the first attempt in which anything is."""
        n, (rules, inside, has_items) = request.n, chart
        for threshold, rule_threshold, fine_threshold, status in attempts:
            kept = coarse_kernels.coarse_outside(n, rules, inside, has_items, threshold)
            if not kept.total > 0:
                break
            forest = build_forest(n, rules, inside, kept, rule_threshold)
            found = yield from look(forest, inside, request, fine_threshold, status)
            if found is not None:
                return found
        return None

    def _backed_off(self, request: Request) -> Asking[Parse | None]:
        """The best tree with rules never seen, with as many of them as the sentence's length allows."""
        request = replace(request, words=plain_words(request.words))
        attempt = (self.settings.threshold, self.settings.rule_threshold, 0.0, Status.BACKED_OFF)
        for other in self._back_offs_for(request.n):
            found = yield from other._by_rules(request, other._coarse_chart(request), [attempt], other._decode)
            if found is not None:
                return found
        return None

    @cached_property
    def back_offs(self) -> list[Parser]:
        """Parsers with rules never seen: with any label anywhere, unless too many, then with seen halves only."""
        halves = halves_of(self.grammar)
        weights = (ANY_LABEL, 0.0) if number_of_rules(halves) <= MOST_RULES else (0.0,)
        return [Parser(back_off_grammar(self.grammar, halves, weight), self.settings) for weight in weights]

    def tagged(self, sentence: list[TaggedWord]) -> list[TaggedWord]:
        """The sentence with the best tag by itself in place of each `OPEN_TAG`, for sentences that are not parsed."""
        if all(tag != OPEN_TAG for _, tag in sentence):
            return sentence
        best = self._best_tags([word for word, _ in sentence])
        return [(word, guess if tag == OPEN_TAG else tag) for (word, tag), guess in zip(sentence, best, strict=True)]

    def _best_tags(self, words: Sequence[str]) -> list[str]:
        """The tagger's best tag of each word; if there is none, the grammar's of each word by itself."""
        return self.tagger.best_tags(words) if self.tagger else [self.candidates.best_tag(word) for word in words]

    def _decode(
        self, forest: Forest, inside: CoarseInside, request: Request, fine_threshold: float, status: Status
    ) -> Asking[Parse | None]:
        """The best tree of a forest by the L-PCFG, or by the plain PCFG if no Z is usable; None without a tree."""
        exponent = int(inside.exponent[0, request.n])
        forest, usable, sums, posteriors = yield from self._marginals(forest, inside, request, fine_threshold)
        if not usable:
            sums = [Sum(inside, plain_words(request.words), self.plain)]
            usable, status = [GrammarMarginals((yield sums[0], forest), True)], Status.COARSE
            if not usable[0].marginals.total > 0:
                return None
        evidence = self._evidence(forest, usable, posteriors)
        others, is_root = list[ForestOfSentence](), evidence.is_root
        asks_others = (self.companions and self.decoder.averages_brackets) or request.with_confidence
        if asks_others:
            evidence = evidence._replace(posteriors=evidence.all_posteriors())
            others = yield from self._other_forests(request, evidence.brackets(evidence.mean()))
            brackets = [other.evidence.brackets(other.evidence.mean()) for other in others]
            evidence = evidence._replace(others=brackets)
        if request.by_spans is not None and self.label_counts is not None:
            by_spans = brackets_of_cells(request.by_spans, forest, self.label_counts)
            evidence = evidence._replace(by_spans=by_spans, span_weight=self.settings.span_weight)
        ranked = self.decoder.search(
            forest, self.decoder.scores(evidence), is_root, self.written, request.is_open, request.nbest
        )
        if not ranked:
            return None
        first = usable[0].marginals
        log_probability = log_value(first._replace(total=abs(first.total)), exponent)
        is_negative = any(one.marginals.total < 0 for one in usable)
        parse = Parse([ranked[0][1]], status, log_probability, is_negative, len(forest.edge_left), ranked)
        if not request.with_confidence:
            return parse
        trees = [derivation for _, derivation in ranked]
        forests = [ForestOfSentence(evidence, sums, self.written), *others]
        found = confidences(forests, trees, self.grammar, request.is_open, exponent, self.calibration)
        return replace(parse, confidences=found)

    def _evidence(self, forest: Forest, usable: list[GrammarMarginals], posteriors: list[Marginals]) -> Evidence:
        is_root = root_flags(forest, self.coarse.root_probability)
        threshold, tree_weight = self.settings.bracket_threshold, self.settings.tree_weight
        return Evidence(forest, usable, posteriors, is_root, self.labels, threshold, tree_weight)

    def _other_forests(self, request: Request, known: BracketPosteriors) -> Asking[list[ForestOfSentence]]:
        """The forests of the grammars with other rules, as far as they have trees.

        They are without brackets that the grammars of `known` find improbable, unless no tree is left then.
        """
        found = []
        for parser in self.companions:
            own = replace(request, words=parser.candidates.with_tags(request.sentence, request.open_tags))
            forest = None
            if parser.settings.fine_threshold > 0:
                chart = parser._coarse_chart(own, known)
                forest = yield from parser._by_rules(own, chart, parser._attempts[:1], parser._scored_forest)
            if forest is None:
                chart = parser._coarse_chart(own)
                forest = yield from parser._by_rules(own, chart, parser._attempts, parser._scored_forest)
            if forest is not None:
                found.append(forest)
        return found

    def _scored_forest(
        self, forest: Forest, inside: CoarseInside, request: Request, fine_threshold: float, status: Status
    ) -> Asking[ForestOfSentence | None]:
        """A forest with the posteriors of all grammars; None if no Z is usable."""
        forest, usable, sums, posteriors = yield from self._marginals(forest, inside, request, fine_threshold)
        if not usable:
            return None
        evidence = self._evidence(forest, usable, posteriors)
        return ForestOfSentence(evidence._replace(posteriors=evidence.all_posteriors()), sums, self.written)

    def _marginals(
        self, forest: Forest, inside: CoarseInside, request: Request, fine_threshold: float
    ) -> Asking[tuple[Forest, list[GrammarMarginals], list[Sum], list[Marginals]]]:
        """The forest as pruned by the first of several grammars, usable marginals and their sums, and posteriors.

        The posteriors are those of the first grammar, if they were needed.
        """
        words = request.words
        sums = [Sum(inside, words, self.tensors)]
        first = GrammarMarginals((yield sums[0], forest), self.grammar.is_probabilistic)
        usable, posteriors = [first] if is_usable(first.marginals) else [], list[Marginals]()
        if usable and self.others:
            posteriors = [tree_posteriors(forest, first, root_flags(forest, self.coarse.root_probability))]
            kept = probable(forest, posteriors[0], fine_threshold)
            first = first._replace(marginals=kept.of(first.marginals))
            forest, usable, posteriors = surviving_forest(forest, kept), [first], [kept.of(posteriors[0])]
        sums = sums * len(usable)
        for candidates, tensors, is_probabilistic in self.others:
            one_sum = Sum(inside, candidates.like(words, request.sentence), tensors)
            marginals = yield one_sum, forest
            if is_usable(marginals):
                usable.append(GrammarMarginals(marginals, is_probabilistic))
                sums.append(one_sum)
        return forest, usable, sums, posteriors

    def _cover(self, words: Words, inside: CoarseInside, n: int) -> Parse:
        """Cover the sentence by as few constituents as possible, the most probable ones among equally few."""
        pieces = []
        for i, j, symbol in best_cover(inside, self._can_be_piece(), n):
            part = slice_words(words, i, j)
            root = np.zeros(self.grammar.n_symbols)
            root[symbol] = 1.0
            rules = self.coarse._replace(root_probability=root)
            small, has_items = coarse_kernels.coarse_inside(j - i, rules, part)
            kept = coarse_kernels.coarse_outside(j - i, rules, small, has_items, 0.0)
            forest = build_forest(j - i, rules, small, kept, 0.0)
            plain = self.plain._replace(root_vector=root.astype(PRECISION))
            marginals = rule_marginals(forest, small, plain_words(part), plain)
            is_root = root_flags(forest, root)
            scores = log_shares(shares_of(marginals))
            ((_, piece),) = best_trees(forest, scores, is_root, self.written, np.ones(j - i, bool))
            pieces.append(piece)
        return Parse(pieces, Status.PARTIAL)

    def _can_be_piece(self) -> np.ndarray:
        return np.array([not symbol.is_intermediate for symbol in self.grammar.symbols])


def is_usable(marginals: Marginals) -> bool:
    """Whether all marginals are finite and the total is not zero."""
    return marginals.total != 0 and all(np.isfinite(part).all() for part in (marginals.total, *parts_of(marginals)))


def root_flags(forest: Forest, root_probability: np.ndarray) -> np.ndarray:
    """Whether each top item may be the root of a tree: it spans the sentence, and roots have its symbol.

    `root_probability` is float64, (n_symbols,); the result is bool, (n_top,).
    """
    flags = np.zeros(len(forest.top_symbol), bool)
    if len(forest.cell_start):
        whole = slice(int(forest.cell_top[-2]), int(forest.cell_top[-1]))
        flags[whole] = root_probability[forest.top_symbol[whole]] > 0
    return flags


def cheapest_first(grammars: Sequence[Grammar]) -> list[Grammar]:
    """The grammars with that first which has the fewest states: it sums over the forest before it is pruned."""
    first = min(range(len(grammars)), key=lambda k: int(grammars[k].n_states.sum()))
    return [grammars[first], *grammars[:first], *grammars[first + 1 :]]
