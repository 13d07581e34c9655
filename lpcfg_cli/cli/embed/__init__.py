"""The commands on embeddings of words, one module each."""
