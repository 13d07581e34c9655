"""The commands on similarity of sentences, one module each."""
