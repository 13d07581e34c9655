"""Learning: projections, spectral moments, smoothing, relative frequencies."""
