"""The commands on language models, one module each."""
