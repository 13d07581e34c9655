"""The latent-variable PCFG: model, lexicon with word classes, file form, tree probabilities, sampling."""
