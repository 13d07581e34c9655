"""lpcfg: spectral learning of latent-variable PCFGs, from treebank to parser."""

__version__ = "0.1.0"
