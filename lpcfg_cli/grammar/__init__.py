"""The latent-variable PCFG, its lexicon and its word classes."""
