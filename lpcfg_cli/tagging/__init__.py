"""Raw text: sentences, words, and which tags they may have."""
