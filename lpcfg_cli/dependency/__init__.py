"""Dependency trees: the latent-variable model of D12, a graph-based parser, reranking, evaluation."""
