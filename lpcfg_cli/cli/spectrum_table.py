"""Spectra of nonterminals as text: a table, and a warning about low rank."""

from __future__ import annotations

from collections.abc import Sequence

from lpcfg_cli.cli.console import capped, table
from lpcfg_cli.spectral.spectra import RankWarning, SymbolSpectrum
from lpcfg_cli.wording import counted


def spectrum_table(spectra: Sequence[SymbolSpectrum]) -> str:
    """One row for each nonterminal, the most frequent first; ``next σ`` is the largest discarded singular value."""
    rows = [
        (s.name, f"{s.examples:,}", s.states, *_values(s)) for s in sorted(spectra, key=lambda s: (-s.examples, s.name))
    ]
    return table(("symbol", "examples", "states", "first σ", "last σ", "ratio", "next σ"), rows)


def _values(spectrum: SymbolSpectrum) -> list[str]:
    if not spectrum.singular_values:
        return ["-"] * 4
    first, last = spectrum.singular_values[0], spectrum.singular_values[-1]
    cut = [f"{spectrum.discarded[0]:.1g}"] if spectrum.discarded else ["-"]
    return [f"{first:.3g}", f"{last:.3g}", f"{last / first:.3f}", *cut]


def warning_lines(warnings: Sequence[RankWarning]) -> list[str]:
    """One line about frequent nonterminals with low rank; empty without such nonterminals."""
    if not warnings:
        return []
    worst = [f"{w.name} ({w.rank} of {w.allowed})" for w in warnings]
    return [
        f"warning: {counted(len(warnings), 'frequent nonterminal', 'has', 'have')} singular values near zero, "
        f"so fewer states than m allows: {capped(worst, 3)}"
    ]
