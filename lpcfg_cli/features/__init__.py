"""Inside and outside features of treebank nodes (C13 §3.1)."""
