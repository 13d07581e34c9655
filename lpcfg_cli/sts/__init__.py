"""Similarity of sentences (J12)."""
