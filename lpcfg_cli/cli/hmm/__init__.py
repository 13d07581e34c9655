"""The commands on hidden Markov models, one module each."""
