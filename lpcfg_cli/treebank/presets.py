"""The table of treebanks: what is no language in each, as settings of the cleaning.  A new one is a line here."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lpcfg_cli.config import DEFAULT_TREEBANK, CleanSettings, Settings, Table

SPEECH = ("-DFL-", "CODE")
HISTORICAL = ("ID", "CODE", "METADATA", "VERSION")


@dataclass(frozen=True)
class TreebankPreset:
    """Settings that a treebank needs; they are added to the others of the section ``clean``.

    Attributes
    ----------
    name, summary : str
        As ``clean.treebank``, and one line for help pages.
    signs : tuple of str
        Tags or labels by which it is recognised: any of them, or a part of them after ``*``.
    drop_tags, drop_labels, cut_labels_at, cut_tags_at, drop_bare_traces, drop_lemmas, wrappers
        As in `CleanSettings`.
    """

    name: str
    summary: str
    signs: tuple[str, ...] = ()
    drop_tags: tuple[str, ...] = ()
    drop_labels: tuple[str, ...] = ()
    cut_labels_at: str = ""
    cut_tags_at: str = ""
    drop_bare_traces: bool = False
    drop_lemmas: bool = False
    wrappers: tuple[str, ...] = ()


TREEBANKS: Table[TreebankPreset] = Table(
    "treebank",
    TreebankPreset(DEFAULT_TREEBANK, "traces tagged -NONE- and functions after - and =, as in the Penn Treebank"),
    TreebankPreset("switchboard", "speakers (CODE) and marks of disfluency (-DFL-)", ("-DFL-",), SPEECH, ("CODE",)),
    TreebankPreset("switchboard-fluent", "the same, and repaired words (EDITED)", (), SPEECH, ("CODE", "EDITED")),
    TreebankPreset(
        "penn-helsinki",
        "ID, CODE, METADATA and bare traces, as in CorpusSearch files",
        ("ID", "METADATA", "VERSION"),
        HISTORICAL,
        HISTORICAL,
        drop_bare_traces=True,
    ),
    TreebankPreset(
        "icepahc",
        "as penn-helsinki, and lemmas behind words (var-vera)",
        (),
        HISTORICAL,
        HISTORICAL,
        drop_bare_traces=True,
        drop_lemmas=True,
    ),
    TreebankPreset("code", "editors' marks (CODE), as in MASC", ("CODE",), ("CODE",), ("CODE",)),
    TreebankPreset(
        "ctb",
        "functions on tags (NN-SHORT), as in the Chinese Treebank",
        ("NN-SHORT", "NR-SHORT", "NT-SHORT", "NR-PN", "NN-PN"),
        cut_tags_at="-",
    ),
    TreebankPreset(
        "negra",
        "functions on tags (NN-SB) and the root VROOT, as in NEGRA and TIGER",
        ("VROOT",),
        cut_tags_at="-",
        wrappers=("VROOT",),
    ),
    TreebankPreset(
        "french",
        "functions on tags (CLS-SUJ), as in the French Treebank",
        ("CLS-SUJ", "CLO-OBJ", "CLO-A_OBJ", "CLR-OBJ"),
        cut_tags_at="-",
    ),
    TreebankPreset(
        "spmrl",
        "features between ##, as in the treebanks of the SPMRL tasks",
        ("*##",),
        cut_labels_at="#",
        cut_tags_at="#",
    ),
    TreebankPreset(
        "cess", "bare traces (*0*), as in CESS and AnCora", ("grup.nom", "grup.verb"), drop_bare_traces=True
    ),
)
"""In the order in which their signs are looked for."""


def with_preset(clean: CleanSettings) -> CleanSettings:
    """The settings of a cleaning, joined with those of its treebank; joining again changes nothing."""
    preset = TREEBANKS.named(clean.treebank, "clean.treebank")
    return replace(
        clean,
        drop_tags=_joined(clean.drop_tags, preset.drop_tags),
        drop_labels=_joined(clean.drop_labels, preset.drop_labels),
        cut_labels_at="".join(_joined(clean.cut_labels_at, preset.cut_labels_at)),
        cut_tags_at="".join(_joined(clean.cut_tags_at, preset.cut_tags_at)),
        drop_bare_traces=clean.drop_bare_traces or preset.drop_bare_traces,
        drop_lemmas=clean.drop_lemmas or preset.drop_lemmas,
        wrappers=_joined(clean.wrappers, preset.wrappers),
    )


def cleaning(settings: Settings) -> CleanSettings:
    """The settings with which training cleans trees: with ``read.on_error = "skip"`` no bare trace is a word."""
    clean = settings.clean
    return replace(clean, drop_bare_traces=clean.drop_bare_traces or settings.read.on_error == "skip")


def _joined(own: tuple[str, ...] | str, more: tuple[str, ...] | str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*own, *more)))
