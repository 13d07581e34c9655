"""Parsing: coarse PCFG pass, tensor inside-outside over the items that survive it, decoding, fallbacks."""
