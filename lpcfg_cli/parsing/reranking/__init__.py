"""Reranking of the n best trees of a sentence (Collins and Koo 2005; Charniak and Johnson 2005)."""
