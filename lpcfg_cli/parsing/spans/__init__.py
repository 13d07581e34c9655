"""A log-linear model of constituents: what grammars find probable, and what the words in and around a span tell."""
