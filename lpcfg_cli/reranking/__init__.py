"""What rerankers of all kinds of trees share: numbers of lists of candidates, and the log-linear model over them."""
