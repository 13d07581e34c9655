"""Settings of the steps before learning: reading, cleaning, binarization, lexicon, features."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from lpcfg_cli.config.fields import at_least, one_of, setting
from lpcfg_cli.config.tables import known_name
from lpcfg_cli.errors import ConfigError

AUTO_FORMAT = "auto"
"""Value of `ReadSettings.format` that selects each file's format by its ending."""

DEFAULT_TREEBANK = "ptb"
"""Value of `CleanSettings.treebank` that adds nothing to the other settings."""

EIGENWORDS = "eigenwords"
"""Value of `LexiconSettings.classes` for classes by embeddings."""

CLUSTERS, NEAREST = "clusters", "nearest"
"""Values of `LexiconSettings.eigenwords`."""

TEMPLATE_KINDS = ("set of templates", "template")
"""The kinds of table in which the names of feature templates are looked up."""


@dataclass(frozen=True)
class ReadSettings:
    """How tree files are read.

    Attributes
    ----------
    encoding : str
        Name of a Python codec; a byte order mark overrides it.
    on_error : {"stop", "skip"}
        Whether text that is not a tree ends the run, or is skipped and listed.
    format : str
        A name of `lpcfg_cli.treebank.formats.TREE_FORMATS`, or `AUTO_FORMAT`.
    """

    encoding: str = setting("utf-8", "Encoding of the tree files.", "--encoding", metavar="NAME")
    on_error: str = setting(
        "stop", "stop at text that is not a tree, or skip it and list what was skipped.", "--on-error"
    )
    format: str = setting(
        AUTO_FORMAT, "Format of the tree files", "--tree-format", table="tree format", also=(AUTO_FORMAT,)
    )

    def __post_init__(self) -> None:
        known_name("read.format", self.format, "tree format", (AUTO_FORMAT,))
        one_of("read.on_error", self.on_error, ("stop", "skip"))
        try:
            codecs.lookup(self.encoding)
        except LookupError as error:
            hint = "Name one that Python knows, such as utf-8 or latin-1."
            raise ConfigError(f"read.encoding is {self.encoding!r}, not a known encoding. {hint}") from error


@dataclass(frozen=True)
class CleanSettings:
    """What is removed from annotated trees.

    Attributes
    ----------
    treebank : str
        A name of `lpcfg_cli.treebank.presets.TREEBANKS`: settings that are added to the others of this section.
    drop_tags : tuple of str
        Tags whose words are removed, besides ``-NONE-``.
    drop_labels : tuple of str
        Labels of phrases that are removed with all words in them.
    strip_functions : bool
        Cut phrase labels at the characters of `cut_labels_at`.
    cut_labels_at, cut_tags_at : str
        Characters at the first of which a phrase label or a tag is cut, unless it begins with one of them.
    drop_bare_traces : bool
        Remove words that look like traces although they are not tagged ``-NONE-``.
    drop_mark_up : bool
        Remove words of mark-up, such as ``<s>`` and ``{COM:sic}``.
    drop_lemmas : bool
        Cut words such as ``was-be`` before the lemma.
    normalize : bool
        Compose letters and their marks (Unicode's NFC), and remove invisible characters.
    wrappers : tuple of str
        Root labels that are not phrases; the empty label is always one.
    """

    treebank: str = setting(
        DEFAULT_TREEBANK, "Leave out and cut what this treebank needs", "--treebank", table="treebank"
    )
    drop_tags: tuple[str, ...] = setting(
        (), "Leave out words with this tag; may be given several times.", "--drop-tag", metavar="TAG", repeats=True
    )
    drop_labels: tuple[str, ...] = setting(
        (),
        "Leave out phrases with this label and all in them; may be given several times.",
        "--drop-label",
        metavar="LABEL",
        repeats=True,
    )
    strip_functions: bool = setting(
        True, "Cut functions and indices off phrase labels, or keep them.", "--strip-functions", "--keep-functions"
    )
    cut_labels_at: str = setting("-=", "Characters at which labels are cut.", "--cut-labels", metavar="CHARACTERS")
    cut_tags_at: str = setting("", "Characters at which tags are cut.", "--cut-tags", metavar="CHARACTERS")
    drop_bare_traces: bool = setting(False, "Leave out traces that are not tagged -NONE-.", "--drop-bare-traces")
    drop_mark_up: bool = setting(False, "Leave out words of mark-up, such as <s>.", "--drop-mark-up")
    drop_lemmas: bool = setting(False, "Cut words such as was-be before the lemma.", "--drop-lemmas")
    normalize: bool = setting(
        False, "Compose letters and their accents, and remove invisible characters.", "--normalize"
    )
    wrappers: tuple[str, ...] = ("TOP", "ROOT", "S1")

    def __post_init__(self) -> None:
        known_name("clean.treebank", self.treebank, "treebank")


@dataclass(frozen=True)
class BinarizeSettings:
    """How trees are binarized.

    Attributes
    ----------
    unaries : {"latent", "collapse"}
        At most one unary rule over each span, or unary chains as atomic symbols (C13 §4).
    direction : {"left", "right", "head"}
        Left-binarize, right-binarize, or binarize from the head outward.
    horizontal : int
        Number of siblings with which an intermediate symbol is annotated; -1 for all.
    vertical : int
        Number of labels, from the phrase itself upward, with which a phrase is annotated; 1 for none but its own.
    head_rules : str
        ``neutral``, ``english``, or the path of a head rule file.
    """

    unaries: str = setting("latent", "Unary chains: latent (one rule each) or collapse.", "--unaries")
    direction: str = setting("left", "Binarize left, right or head outward.", "--direction")
    horizontal: int = setting(0, "Annotated siblings; -1 for all.", "--horizontal")
    vertical: int = setting(1, "Annotated ancestors, itself included.", "--vertical")
    head_rules: str = setting("neutral", "neutral, english, or a rule file.", "--head-rules")

    def __post_init__(self) -> None:
        one_of("binarize.unaries", self.unaries, ("latent", "collapse"))
        one_of("binarize.direction", self.direction, ("left", "right", "head"))
        at_least("binarize.horizontal", self.horizontal, -1)
        at_least("binarize.vertical", self.vertical, 1)


@dataclass(frozen=True)
class LexiconSettings:
    """Which words are replaced by word classes, and what the classes are.

    Attributes
    ----------
    rare_below : int
        Words with a smaller count are replaced by their class; with 1 every training word has its own entry.
    lowercase : bool
        Count and store words in lower case; classes are determined from the word as written.
    classes : {"signature", "tag", "eigenwords"}
        Classes by digits, case, hyphens and learnt suffixes, or one class for each tag; or what the words' embeddings
        give, and signatures for words for which they give nothing.
    embeddings : str
        File of embeddings, for ``eigenwords``.
    eigenwords : {"clusters", "nearest"}
        What embeddings give: clusters of words are classes, of rare and unknown words; or an unknown word has the entry
        of the nearest word with an entry of its own.
    clusters : int
        Largest number of clusters of embeddings.
    similarity : float
        Least cosine of an unknown word and the nearest word whose entry it gets.
    max_suffixes : int
        Largest number of suffixes.
    suffix_length : int
        Largest length of a suffix, in characters.
    """

    rare_below: int = setting(20, "Words with a smaller count become classes.", "--rare-below")
    lowercase: bool = True
    classes: str = setting("signature", "Word classes: signature, tag or eigenwords.", "--classes")
    embeddings: str = setting("", "Embeddings of words, for --classes eigenwords.", "--embeddings", metavar="FILE")
    eigenwords: str = setting("clusters", "clusters or nearest: use of embeddings.", "--eigenwords", metavar="KIND")
    clusters: int = setting(200, "Largest number of clusters of embeddings.", "--word-clusters", metavar="N")
    similarity: float = setting(0.4, "Least cosine of the nearest word.", "--similarity", metavar="C")
    max_suffixes: int = 40
    suffix_length: int = 4

    def __post_init__(self) -> None:
        one_of("lexicon.classes", self.classes, ("signature", "tag", EIGENWORDS))
        if self.classes == EIGENWORDS and not self.embeddings:
            hint = "Name a file of `lpcfg embed train` with lexicon.embeddings or --embeddings."
            raise ConfigError(f"lexicon.classes is {EIGENWORDS}, but there are no embeddings. {hint}")
        one_of("lexicon.eigenwords", self.eigenwords, (CLUSTERS, NEAREST))
        at_least("lexicon.clusters", self.clusters, 1)
        at_least("lexicon.similarity", self.similarity, -1)
        at_least("lexicon.rare_below", self.rare_below, 1)
        at_least("lexicon.max_suffixes", self.max_suffixes, 0)
        at_least("lexicon.suffix_length", self.suffix_length, 1)


@dataclass(frozen=True)
class FeatureSettings:
    """Which features describe inside and outside trees (C13 §3.1).

    Attributes
    ----------
    templates : str or tuple of str
        Names in `lpcfg_cli.features.templates.TEMPLATES` or, for all templates of a set, in `TEMPLATE_SETS`.
    scale : bool
        Multiply a feature by √(M / (count + κ)).
    kappa : float
        κ.
    """

    templates: str | tuple[str, ...] = setting(
        "full", "Templates of features, or sets of them, joined by commas", "--templates", table=TEMPLATE_KINDS
    )
    scale: bool = setting(True, "Scale features by frequency.", "--scale")
    kappa: float = 5.0

    def __post_init__(self) -> None:
        known_name("features.templates", self.templates, TEMPLATE_KINDS)
        at_least("features.kappa", self.kappa, 0.0)
