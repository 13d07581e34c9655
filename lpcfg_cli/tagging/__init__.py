"""Input of sentences: tagged or raw text; splitting into sentences and words; the tagger."""
