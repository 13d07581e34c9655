"""Bracketed trees: reading, cleaning, checks, unary chains, binarization, heads; trees as flat arrays."""
