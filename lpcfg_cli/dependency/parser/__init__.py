"""The graph-based parser: features, decoding, k-best trees, training, labels, file."""
