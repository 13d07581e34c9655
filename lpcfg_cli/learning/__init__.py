"""The learners of the L-PCFG and what they share: projected nodes, moments, smoothing, rule tables, EM over trees."""
