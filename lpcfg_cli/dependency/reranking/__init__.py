"""Reranking of a parser's list of trees (D12 §4)."""
