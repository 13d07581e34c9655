"""What all spectral learners share: sparse matrices in, projections, anchors and simplex weights out."""
