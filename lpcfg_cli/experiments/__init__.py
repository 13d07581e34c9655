"""Cross-validation, tuning, grids of runs and their tables, ablations, consistency, plots."""
