"""Bracketed trees: reading, cleaning, unary chains, binarization, heads; trees as flat arrays."""
