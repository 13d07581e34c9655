"""Linear algebra that all spectral learners share: truncated SVDs of sparse moments, anchors, simplex weights."""
