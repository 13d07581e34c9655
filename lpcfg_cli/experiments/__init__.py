"""Cross-validation, tuning, grids of runs with their tables, ablations, consistency, plots."""
