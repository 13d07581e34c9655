"""Parsing: coarse PCFG pass, tensor inside-outside over what survives it, decoding, fallbacks."""
