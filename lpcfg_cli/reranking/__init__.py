"""What rerankers of all kinds of trees share: lists of candidates as flat arrays, and the log-linear model over them."""
